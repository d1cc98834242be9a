"""One written step becomes a Step, or a mistake: what it asks and expects, and whether that can be asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from evalkit import expectations
from evalkit.errors import SuiteError, nearest
from evalkit.frozen import freeze
from evalkit.language import ALLOWED, OPERATIONS, ROOTS, STEP_KEYS
from evalkit.loader.surroundings import Surroundings
from evalkit.model import Call, Json, Path, Step
from evalkit.text import read_document
from evalkit.values import PathError, check_path, holds_names, names_in, root_of

_BESIDE_CALL: Final = frozenset({"operation", "expect", "capture", "over"})
_CALL_KEYS: Final = STEP_KEYS - _BESIDE_CALL
_ANYWHERE: Final = frozenset({"steps", "sources", "effects", "notifications"})
_FILLS: Final = {name: frozenset(row.fills) | _ANYWHERE for name, row in OPERATIONS.items()}
_EARLIER: Final = re.compile(r"(?:\$\.)?steps\.([^.\[]+)")
_NONE: Final[Mapping[str, str]] = {}


def is_dynamic(step: Json) -> bool:
    """Whether a step takes values that earlier steps captured."""
    return holds_names(step) and any(name.startswith("steps.") for name in names_in(step))


def make_step(
    written: Json,
    place: Path,
    shared: Surroundings,
    name: str,
    over: str,
    earlier: tuple[Step, ...],
    *,
    declared: bool,
) -> Step | None:
    """The step that stands at `place`, or None with mistakes noted. `declared`: its case is skipped."""
    operation = written["operation"]
    ok = _keys_fit(written, place, shared, operation)
    own_over = written.get("over")
    step = Step(
        id=name,
        call=Call(operation, freeze({key: written[key] for key in written if key in _CALL_KEYS})),
        expect=_with_schema_files(_expected(written, shared, operation), written, place, shared),
        place=place,
        over=own_over if isinstance(own_over, str) else over,
        capture=written.get("capture", _NONE),
        dynamic=not shared.plain and is_dynamic(written),
    )
    ids = [other.id for other in earlier]
    if name in ids:
        message = f"two steps of this case are called `{name}`"
        ok = _note(shared, (*place, "id"), "duplicate-id", message, "rename one")
    if not step.expect and not declared and operation != "world":
        message = f"this `{operation}` step expects nothing, so it would pass whatever happens"
        ok = _note(shared, place, "nothing-expected", message, "write what must hold under `expect`")
    ok = _askable(step, written, ids, shared) and ok
    return step if _captures_fit(step, shared) and ok else None


def _keys_fit(written: Json, place: Path, shared: Surroundings, operation: str) -> bool:
    """Whether the step has only keys of its operation (the schema knows the keys of all of them)."""
    strange = (written.keys() & STEP_KEYS) - ALLOWED[operation]
    for key in sorted(strange):
        remedy = f"keys of `{operation}` are {', '.join(sorted(OPERATIONS[operation].keys)) or 'none'}"
        message = f"`{key}` is no key of the operation `{operation}`"
        shared.note((*place, key), "unknown-key", message, remedy, key=True)
    return not strange


def _expected(written: Json, shared: Surroundings, operation: str) -> Mapping[str, Json]:
    """The defaults that can be asked of the operation, then the step's own words; null takes one away."""
    own = written.get("expect") or {}
    defaults = shared.defaults.get("expect") or {}
    if not defaults and None not in own.values():
        return own
    asked = {word: wanted for word, wanted in defaults.items() if can_ask(word, operation)}
    return {word: wanted for word, wanted in {**asked, **own}.items() if wanted is not None}


def _with_schema_files(
    expect: Mapping[str, Json], written: Json, place: Path, shared: Surroundings
) -> Mapping[str, Json]:
    """The expectations with each `schema: {path: {file: NAME}}` replaced by what that file holds."""
    wanted = expect.get("schema")
    if wanted is None:
        return expect
    document, at = shared.word_place(written, place, "schema")
    if isinstance(wanted, dict):
        found = {path: _from_file(one, document, (*at, path), shared) for path, one in wanted.items()}
        return {**expect, "schema": found}
    pairs = [
        {**pair, "value": _from_file(pair["value"], document, (*at, index, "value"), shared)}
        for index, pair in enumerate(wanted)
    ]
    return {**expect, "schema": pairs}


def _from_file(schema: Json, document: int, at: Path, shared: Surroundings) -> Json:
    if not (isinstance(schema, dict) and schema.keys() == {"file"} and isinstance(schema["file"], str)):
        return schema
    try:
        return read_document(shared.folder / schema["file"], schema["file"]).data
    except SuiteError as problem:
        first = problem.mistakes[0]
        message = f"the schema file cannot be used: {first.file}:{first.line}: {first.message}"
        remedy = "name a JSON or YAML file, from this suite's folder"
        shared.note(at, "file-unreadable", message, remedy, document=document)
        return True


@lru_cache(maxsize=1024)
def can_ask(word: str, operation: str) -> bool:
    """Whether a word can be asked of an operation at all."""
    operations = getattr(expectations.find(word), "OPERATIONS", None)
    return operation != "world" if operations is None else operation in operations


def _askable(step: Step, written: Json, earlier: list[str], shared: Surroundings) -> bool:
    ok = True
    operation = step.call.operation
    for word, wanted in step.expect.items():
        if not can_ask(word, operation):
            at = (*step.place, "expect", word)
            message = f"`{word}` cannot be asked of a `{operation}` step: it would check nothing"
            ok = _note(shared, at, "not-askable", message, "delete it, or ask another operation", key=True)
        elif not step.dynamic or not holds_names(wanted):
            for path, *problem in _unusable(word, wanted, operation, earlier):
                document, at = shared.word_place(written, step.place, word)
                ok = _note(shared, (*at, *path), *problem, document=document)
    for word in step.expect:
        conflicts = getattr(expectations.find(word), "conflicts", None)
        for message in conflicts(step.expect) if conflicts else ():
            remedy = f"write `{word}: null` where a default says it"
            ok = _note(shared, (*step.place, "expect"), "contradiction", message, remedy)
    return ok


def _captures_fit(step: Step, shared: Surroundings) -> bool:
    """Whether each `capture` has a path that can lead to one value of this step."""
    ok = True
    for name, path in step.capture.items():
        at = (*step.place, "capture", name)
        if root_of(path) == "steps":
            message = f"`capture` takes a value of its own step, and `{path}` is of another one"
            ok = _note(shared, at, "path-root", message, "capture it in that step")
        elif path.startswith("$"):
            message = f"`capture` takes one value, and the JSONPath {path!r} can lead to many"
            ok = _note(
                shared, at, "path-unreadable", message, "write a dotted path, such as output.nextCursor"
            )
        elif problem := _path_problem(path, step.call.operation):
            ok = _note(shared, at, *problem)
    return ok


def _unusable(
    word: str, wanted: Json, operation: str, earlier: list[str]
) -> Iterable[tuple[Path, str, str, str]]:
    """Each path of a wanted value that cannot be read or filled, and what in it does not compile."""
    module = expectations.find(word)
    paths = getattr(module, "paths", None)
    for path in paths(wanted) if paths else ():
        if problem := _path_problem(path, operation) or _step_problem(path, earlier):
            yield _path_place(wanted, path), *problem
    check = getattr(module, "check", None)
    for inside, message in check(wanted) if check else ():
        yield inside, "wanted-unusable", message, f"see `evalkit explain {word}`"


@lru_cache(maxsize=4096)
def _path_problem(path: str, operation: str) -> tuple[str, str, str] | None:
    """Code, message and remedy where a path cannot be read, or begins with what is not filled."""
    try:
        check_path(path)
    except PathError as problem:
        return (
            "path-unreadable",
            str(problem),
            "write names with single dots between them, or JSONPath after `$`",
        )
    root, fills = root_of(path), sorted(_FILLS[operation] - _ANYWHERE)
    if root in _FILLS[operation]:
        return None
    if root in ROOTS:
        remedy = f"a `{operation}` step fills {', '.join(fills) or 'nothing'}"
        return (
            "path-root",
            f"the path `{path}` begins with `{root}`, which this operation does not fill",
            remedy,
        )
    message = f"the path `{path}` begins with `{root}`, which is no root"
    return "path-root", message, nearest(root, _FILLS[operation])


def _step_problem(path: str, earlier: list[str]) -> tuple[str, str, str] | None:
    match = _EARLIER.match(path)
    if match is None or match[1] in earlier:
        return None
    return "path-root", f"no earlier step is called `{match[1]}`", nearest(match[1], earlier)


def _path_place(wanted: Json, path: str) -> Path:
    """Where a path stands in a wanted value; () where it is deeper inside."""
    if isinstance(wanted, dict):
        return (path,) if path in wanted else ()
    for index, entry in enumerate(wanted if isinstance(wanted, list) else ()):
        if entry == path:
            return (index,)
        if isinstance(entry, dict) and entry.get("path") == path:
            return (index, "path")
    return ()


def _note(
    shared: Surroundings,
    path: Path,
    code: str,
    message: str,
    remedy: str,
    *,
    key: bool = False,
    document: int | None = None,
) -> bool:
    shared.note(path, code, message, remedy, key=key, document=document)
    return False
