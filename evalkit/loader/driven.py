"""What a suite drives: its contract in memory, or a live target, of which a contract says the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path as FilePath
from typing import Final, NamedTuple, Protocol

from evalkit import contracts
from evalkit.literals import MIN_SECRET, LiteralError, Scope, evaluate, is_plain
from evalkit.loader.surroundings import look_up_in
from evalkit.model import Json, Path, Target
from evalkit.schemas import Schema, compile_schema
from evalkit.values import ABSENT, dotted, find, names_in, parse_json


class Options(NamedTuple):
    """What the command line adds to a suite: --contract, --over, --env, --target.

    `fallback_contract` holds where neither the suite nor --contract names one (`eval:NAME`).
    `provides` adds to the target that a suite names itself (--provides).
    `advertised`, where the target may be asked, gives the manifest of (contract, target, fixture, settings).
    """

    contract: str | None = None
    fallback_contract: str | None = None
    over: str | None = None
    env: Mapping[str, str] = {}
    advertised: Callable[[str, Target | None, Json, Json], Json] | None = None
    target: Target | None = None
    provides: tuple[str, ...] = ()


class Driven(NamedTuple):
    """A contract (its name, its fixture schema where it has one), a target, or a target of a contract."""

    contract: str
    schema: Schema | None
    target: Target | None


def target_of(written: Json, env: Mapping[str, str]) -> Target:
    """A Target of a text or a mapping, whose headers and environment may take `${{ env.NAME }}`.

    What they take is a secret of every case. Raises TargetError.
    """
    from evalkit import targets  # start-up: a run in memory has none

    plain, taken, secrets = written, dict[tuple[str, str], dict[str, str]](), dict[str, str]()
    for way, part in _TAKING:
        said = find(written, f"{way}.{part}") if isinstance(written, dict) else ABSENT
        if isinstance(said, dict):
            taken[way, part] = {}
            for name, text in said.items():
                taken[way, part][name] = _taken(text, env, (way, part, name), secrets)
            plain = {**plain, way: {**plain[way], part: dict.fromkeys(said, "")}}
    if not is_plain(plain):
        message = "`target` takes `${{ env.NAME }}` in its headers and its environment only, and no literal"
        raise targets.TargetError((), message, "write it out, or give --target URL")
    for (way, part), values in taken.items():
        plain = {**plain, way: {**plain[way], part: values}}
    return targets.parse(plain)._replace(secrets=tuple(secrets.items()))


def messages_path(target: Target | None) -> str:
    """The path that takes MCP messages; empty where nothing has one."""
    if target is None:
        return ""
    from evalkit import targets  # start-up: a run in memory has none

    return "" if isinstance(target.via, targets.Launch) else targets.path_of(target)


class Note(Protocol):
    """Notes a mistake at a path of suite.yaml."""

    def __call__(self, path: Path, code: str, message: str, remedy: str, *, key: bool = False) -> None: ...


def driven(head: Mapping[str, Json], options: Options, note: Note) -> Driven | None:
    """What is driven, or None with mistakes noted."""
    is_live = options.target is not None or ("target" in head and options.contract is None)
    target = _target(head, options, note) if is_live else None
    if is_live and target is None:
        return None
    name = options.contract or head.get("contract") or options.fallback_contract
    if name is None:
        if target is not None:
            return Driven("", None, target)
        remedy = "write `contract: NAME` or `target: URL` in the suite, or give --contract NAME"
        note((), "contract-missing", "nothing says which contract this suite drives", remedy)
        return None
    return _of_contract(name, target, note)


def _target(head: Mapping[str, Json], options: Options, note: Note) -> Target | None:
    if options.target is not None:
        return options.target
    from evalkit import targets  # start-up: a run in memory has none

    try:
        return targets.providing(target_of(head["target"], options.env), options.provides)
    except targets.TargetError as problem:
        remedy = problem.remedy
        if problem.unreached:
            remedy = "give --target URL, or --contract NAME to drive a contract in memory instead"
        code = "target-missing" if problem.unreached else "wrong-value"
        note(("target", *problem.path), code, problem.message, remedy, key=problem.unreached)
        return None


_TAKING: Final = (("http", "headers"), ("unix", "headers"), ("stdio", "env"), ("cli", "env"))


def _taken(text: Json, env: Mapping[str, str], path: tuple[str, ...], secrets: dict[str, str]) -> Json:
    """A text with what it takes from the environment, which `secrets` get by their placeholders."""
    if not isinstance(text, str) or is_plain(text):
        return text
    from evalkit import targets  # start-up: a run in memory has none

    names = dict.fromkeys(names_in(text))
    try:
        filled = evaluate(text, Scope(look_up_in({"env": env})))
    except LiteralError as problem:
        raise targets.TargetError(path, problem.message, problem.remedy) from None
    for name in names:
        given = env[name.removeprefix("env.")]
        own = ("target", *path[1:], *([name.removeprefix("env.")] if len(names) > 1 else []))
        if len(given) >= MIN_SECRET:
            secrets[dotted(own)] = given
    return filled


def _of_contract(name: str, target: Target | None, note: Note) -> Driven | None:
    try:
        located = contracts.locate(name)
    except contracts.UnknownContract as problem:
        remedy = "`evalkit list contracts` names them; one's own is python:package.module:name"
        note(("contract",), "unknown-contract", str(problem), remedy)
        return None
    file = contracts.schema_file(located)
    try:
        schema = compile_schema(_read(file)) if file else None
        if target is not None and (file := contracts.live_file(located)):
            from evalkit import targets  # start-up: a run in memory has none

            target = targets.with_manifest(target, _read(file))
    except (OSError, ValueError) as problem:
        message = f"the contract's file {file and file.name} cannot be used: {problem}"
        note(("contract",), "file-unreadable", message, "mend the file beside the contract")
        return None
    return Driven(name, schema, target)


def _read(file: FilePath) -> Json:
    return parse_json(file.read_bytes())
