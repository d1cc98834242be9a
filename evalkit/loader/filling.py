"""A written case with one matrix row filled in: literals and `${{ }}` become values; its shape is checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evalkit.errors import nearest
from evalkit.language import OPERATIONS, Operation
from evalkit.literals import LiteralError, Scope, Undrawn, evaluate, is_plain
from evalkit.loader.mistakes import note_violations
from evalkit.loader.steps import is_dynamic
from evalkit.loader.surroundings import Surroundings
from evalkit.model import Json, Path
from evalkit.values import encode

_CAPTURED: Final = "(known when the step runs)"
"""Stands for what an earlier step captures, while the loader looks at the steps that use it."""
_EMPTY: Final[Mapping[str, Json]] = {"object": {}, "array": []}
_NO_OPERATION: Final = Operation("none")


def fill_in(written: Json, place: Path, shared: Surroundings, scope: Scope) -> Json:
    """The case, or None with mistakes noted; steps that use captured values stay as they are written.

    `scope` gets every secret outside of the fixture, which has a scope of its own. Raises Undrawn.
    """
    try:
        filled, shape = _filled(written, scope)
    except Undrawn:
        raise
    except LiteralError as problem:
        shared.note((*place, *problem.path), problem.code, problem.message, problem.remedy)
        return None
    violations = shared.case_schema.violations(shape)
    case_schema = {**shared.schema["$defs"]["case"], "$defs": shared.schema["$defs"]}
    note_violations(shared.notebook, shared.documents[shared.at], place, shape, case_schema, violations)
    return None if violations else filled


def _filled(written: Json, scope: Scope) -> tuple[Json, Json]:
    """The case, and the same as far as its shape can be told now: without its matrix and captured values."""
    apart = ("matrix", "fixture", "steps")
    filled = evaluate({key: value for key, value in written.items() if key not in apart}, scope)
    if "fixture" in written:
        fixture = written["fixture"]
        filled["fixture"] = evaluate(fixture, scope, ("fixture",)) if isinstance(fixture, str) else fixture
    if "steps" not in written:
        return filled, filled
    steps, shapes = _steps(written["steps"], scope)
    return {**filled, "steps": steps}, {**filled, "steps": shapes}


def _steps(written: Json, scope: Scope) -> tuple[Json, Json]:
    if not isinstance(written, list):
        return written, written
    steps, shapes = [], []
    captured: set[str] = set()
    for index, step in enumerate(written):
        path = ("steps", index)
        if isinstance(step, dict) and is_dynamic(step):
            steps.append(step)
            shapes.append(_shape(step, _foreseen(step, scope, path, captured)))
        else:
            steps.append(evaluate(step, scope, path))
            shapes.append(steps[-1])
        if isinstance(step, dict) and isinstance(step.get("capture"), dict):
            captured |= {f"steps.{step.get('id', index + 1)}.{name}" for name in step["capture"]}
    return steps, shapes


def _foreseen(step: Json, scope: Scope, path: Path, captured: set[str]) -> Mapping[str, Json]:
    """The step with a stand-in for each captured value; only its plain parts where that cannot be made."""

    def look_up(name: str) -> Json:
        if not name.startswith("steps."):
            return scope.look_up(name)
        if name in captured:
            return _CAPTURED
        raise LookupError(f"`{name}` is captured by no earlier step; {nearest(name, captured)}")

    try:
        made: Mapping[str, Json] = evaluate(step, scope.inside(look_up), path)
    except LiteralError as problem:
        if problem.code == "undefined-name" or not is_dynamic(_at(step, problem.path[len(path) :])):
            raise
        made = {key: value for key, value in step.items() if is_plain(value)}
    if any(_CAPTURED in text for text in scope.secrets.values()):
        message = (
            "`$secret` marks a text that the suite writes, and this one is captured: it came back already"
        )
        raise LiteralError(path, "literal-shape", message, "mark it where it comes from, in the fixture")
    return made


def _shape(step: Json, made: Mapping[str, Json]) -> Json:
    """A step without what is not known yet; for a key that it needs stands a value of the right type."""
    shape = {key: value for key, value in made.items() if _CAPTURED not in encode(value)}
    row = OPERATIONS.get(str(step.get("operation")), _NO_OPERATION)
    for key in row.required:
        if key in step and key not in shape:
            shape[key] = _EMPTY.get(str(row.keys[key].get("type")), "x")
    expect = made.get("expect")
    if isinstance(expect, dict):
        shape["expect"] = {word: wanted for word, wanted in expect.items() if _CAPTURED not in encode(wanted)}
    return shape


def _at(value: Json, path: Path) -> Json:
    for part in path:
        value = value[part]
    return value
