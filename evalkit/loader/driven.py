"""What a suite drives: its contract in memory, or a live target, of which a contract says the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path as FilePath
from typing import NamedTuple, Protocol

from evalkit import contracts
from evalkit.literals import is_plain
from evalkit.model import Json, Path, Target
from evalkit.schemas import Schema, compile_schema
from evalkit.values import parse_json


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

    written = head["target"]
    try:
        if not is_plain(written):
            message, remedy = "`target` takes no literal and no ${{ }}", "write it out, or give --target URL"
            raise targets.TargetError((), message, remedy)
        return targets.providing(targets.parse(written), options.provides)
    except targets.TargetError as problem:
        remedy = problem.remedy
        if problem.unreached:
            remedy = "give --target URL, or --contract NAME to drive a contract in memory instead"
        code = "target-missing" if problem.unreached else "wrong-value"
        note(("target", *problem.path), code, problem.message, remedy, key=problem.unreached)
        return None


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
