"""One written step becomes a Step, or a mistake: what it asks and expects, and whether that can be asked."""

from __future__ import annotations

from collections.abc import Mapping
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
    expect = _with_schema_files(_expected(written, shared, operation), place, shared)
    own_over = written.get("over")
    step = Step(
        id=name,
        call=Call(operation, freeze({key: written[key] for key in written.keys() & _CALL_KEYS})),
        expect=expect,
        place=place,
        over=own_over if isinstance(own_over, str) else over,
        capture=written.get("capture", _NONE),
        dynamic=not shared.plain and is_dynamic(written),
    )
    if any(other.id == name for other in earlier):
        ok = _note(
            shared,
            (*place, "id"),
            "duplicate-id",
            f"two steps of this case are called `{name}`",
            "rename one",
        )
    if not expect and not declared and operation != "world":
        message = f"this `{operation}` step expects nothing, so it would pass whatever happens"
        ok = _note(shared, place, "nothing-expected", message, "write what must hold under `expect`")
    ok = _askable(step, shared) and ok
    return step if _names_known(step, written, shared, earlier) and ok else None


def stand_in(step: Json, key: str) -> Json:
    """A stand-in of the right type for a value that is only known when the step runs."""
    schema = OPERATIONS[step["operation"]].keys.get(key, {}) if step.get("operation") in OPERATIONS else {}
    wanted = schema.get("type")
    return {} if key == "expect" or wanted == "object" else [] if wanted == "array" else "x"


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


def _with_schema_files(expect: Mapping[str, Json], place: Path, shared: Surroundings) -> Mapping[str, Json]:
    """The expectations with each `schema: {path: {file: NAME}}` replaced by what that file holds."""
    wanted = expect.get("schema")
    if isinstance(wanted, dict):
        at = (*place, "expect", "schema")
        return {
            **expect,
            "schema": {path: _from_file(one, (*at, path), shared) for path, one in wanted.items()},
        }
    if isinstance(wanted, list):
        at = (*place, "expect", "schema")
        pairs = [
            {**pair, "value": _from_file(pair["value"], (*at, index, "value"), shared)}
            for index, pair in enumerate(wanted)
        ]
        return {**expect, "schema": pairs}
    return expect


def _from_file(schema: Json, at: Path, shared: Surroundings) -> Json:
    if not (isinstance(schema, dict) and schema.keys() == {"file"} and isinstance(schema["file"], str)):
        return schema
    try:
        return read_document(shared.folder / schema["file"], schema["file"]).data
    except SuiteError as problem:
        first = problem.mistakes[0]
        message = f"the schema file cannot be used: {first.file}:{first.line}: {first.message}"
        shared.note(at, "file-unreadable", message, "name a JSON or YAML file, from this suite's folder")
        return True


@lru_cache(maxsize=1024)
def can_ask(word: str, operation: str) -> bool:
    """Whether a word can be asked of an operation at all."""
    operations = getattr(expectations.find(word), "OPERATIONS", None)
    return operation != "world" if operations is None else operation in operations


def _askable(step: Step, shared: Surroundings) -> bool:
    ok = True
    operation = step.call.operation
    for word, wanted in step.expect.items():
        at = (*step.place, "expect", word)
        if not can_ask(word, operation):
            message = f"`{word}` cannot be asked of a `{operation}` step: it would check nothing"
            ok = _note(shared, at, "not-askable", message, "delete it, or ask another operation", key=True)
        elif not step.dynamic or not holds_names(wanted):
            ok = _wanted_fits(word, wanted, at, operation, shared) and ok
    for word in step.expect:
        conflicts = getattr(expectations.find(word), "conflicts", None)
        for message in conflicts(step.expect) if conflicts else ():
            remedy = f"write `{word}: null` where a default says it"
            ok = _note(shared, (*step.place, "expect"), "contradiction", message, remedy)
    return ok


def _wanted_fits(word: str, wanted: Json, at: Path, operation: str, shared: Surroundings) -> bool:
    """Whether the paths of a wanted value can be read, and what is in it compiles."""
    module, ok = expectations.find(word), True
    paths = getattr(module, "paths", None)
    for path in paths(wanted) if paths else ():
        if problem := _path_problem(path, operation):
            code = "path-root" if "begins with" in problem else "path-unreadable"
            remedy = f"a `{operation}` step fills {', '.join(sorted(_FILLS[operation] - _ANYWHERE))}"
            ok = _note(shared, (*at, path) if isinstance(wanted, dict) else at, code, problem, remedy)
    check = getattr(module, "check", None)
    for inside, message in check(wanted) if check else ():
        ok = _note(shared, (*at, *inside), "wanted-unusable", message, f"see `evalkit explain {word}`")
    return ok


@lru_cache(maxsize=4096)
def _path_problem(path: str, operation: str) -> str:
    try:
        check_path(path)
    except PathError as problem:
        return str(problem)
    root = root_of(path)
    if root in _FILLS[operation]:
        return ""
    what = "which this operation does not fill" if root in ROOTS else "which is no root"
    return f"the path `{path}` begins with `{root}`, {what}"


def _names_known(step: Step, written: Json, shared: Surroundings, earlier: tuple[Step, ...]) -> bool:
    """Whether each `${{ steps.ID.NAME }}` names what an earlier step captures."""
    if not step.dynamic:
        return True
    known = {f"steps.{other.id}.{name}" for other in earlier for name in other.capture}
    ok = True
    for name in names_in(written):
        if name.startswith("steps.") and name not in known:
            message = f"`{name}` is captured by no earlier step"
            ok = _note(shared, step.place, "undefined-name", message, nearest(name, known))
    return ok


def _note(
    shared: Surroundings, path: Path, code: str, message: str, remedy: str, *, key: bool = False
) -> bool:
    shared.note(path, code, message, remedy, key=key)
    return False
