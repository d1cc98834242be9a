"""One written case becomes the cases that run: matrix rows, ways in, defaults, literals filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, cast

from evalkit.errors import nearest
from evalkit.frozen import freeze
from evalkit.literals import MIN_SECRET, LiteralError, Scope, evaluate, is_plain
from evalkit.loader.fixtures import IN_PLACE, Fixture, Written
from evalkit.loader.mistakes import note_violations
from evalkit.loader.rows import Row, asks_target, rows
from evalkit.loader.steps import is_dynamic, make_step, stand_in
from evalkit.loader.surroundings import Surroundings
from evalkit.model import Case, ExpectedFailure, Json, Path, Severity, Skip, Step
from evalkit.values import find

TIMEOUT: Final = 10.0

_NOTHING: Final[Mapping[str, Json]] = {}
_NO_TEXT: Final[Mapping[str, str]] = {}
_NO_ROW: Final = Row("", _NOTHING)


@dataclass(frozen=True)
class _Draft:
    """A written case with one row filled in. `secrets` are those outside of its fixture."""

    filled: Json
    place: Path
    shared: Surroundings
    row: Row
    secrets: Mapping[str, str]


def build(written: Json, number: int, shared: Surroundings) -> Iterator[Case]:
    """Every case that a written one stands for; none, with mistakes noted, where it is wrong."""
    place: Path = ("cases", number)
    if "matrix" not in written and (shared.plain or is_plain(written)):
        yield from _ways(_Draft(written, place, shared, _NO_ROW, _NO_TEXT))
        return
    secrets = {f"env.{name}": text for name, text in shared.env.items() if len(text) >= MIN_SECRET}
    for row in _rows(written, place, shared, secrets):
        scope = Scope(shared.look_up(row.values), secrets=dict(secrets))
        try:
            filled = _filled(written, scope)
        except LiteralError as problem:
            shared.note((*place, *problem.path), problem.code, problem.message, problem.remedy)
            continue
        if _is_sound(filled, place, shared):
            yield from _ways(_Draft(filled, place, shared, row, scope.secrets))


def _rows(written: Json, place: Path, shared: Surroundings, secrets: dict[str, str]) -> list[Row]:
    matrix = written.get("matrix")
    if matrix is None:
        return [_NO_ROW]
    if asks_target(matrix) and shared.advertised is None:
        return []
    scope = Scope(shared.look_up(_NOTHING), "matrix", secrets)
    draft = _Draft(written, place, shared, _NO_ROW, _NO_TEXT)
    try:
        return rows(matrix, scope, lambda path: _advertised(draft, path))
    except LiteralError as problem:
        shared.note((*place, "matrix", *problem.path), problem.code, problem.message, problem.remedy)
        return []


def _advertised(draft: _Draft, path: str) -> Json:
    fixture, shared = _fixture(draft), draft.shared
    settings = freeze(draft.filled.get("settings", shared.defaults.get("settings")))
    if fixture is None or shared.advertised is None:
        return []
    return find({"manifest": shared.advertised(fixture.data, settings)}, path)


def _filled(written: Json, scope: Scope) -> Json:
    """Everything but the matrix, a fixture written in place (it has its own scope) and dynamic steps."""
    kept = {key: written[key] for key in ("matrix", "fixture", "steps") if key in written}
    filled = evaluate({key: value for key, value in written.items() if key not in kept}, scope)
    if isinstance(written.get("fixture"), str):
        kept["fixture"] = evaluate(written["fixture"], scope, ("fixture",))
    if isinstance(written.get("steps"), list):
        kept["steps"] = [
            step if is_dynamic(step) else evaluate(step, scope, ("steps", index))
            for index, step in enumerate(written["steps"])
        ]
    return {**filled, **kept}


def _is_sound(filled: Json, place: Path, shared: Surroundings) -> bool:
    """Whether a filled-in case has the language's shape; what dynamic steps fill in later is left out."""
    shape = {key: value for key, value in filled.items() if key != "matrix"}
    if isinstance(shape.get("steps"), list):
        shape["steps"] = [_static(step) if is_dynamic(step) else step for step in shape["steps"]]
    violations = list(shared.case_schema.violations(shape))
    document = shared.documents[shared.index]
    case_schema = {**shared.schema["$defs"]["case"], "$defs": shared.schema["$defs"]}
    note_violations(shared.notebook, document, place, shape, case_schema, violations)
    return not violations


def _static(step: Json) -> Json:
    return {key: value if is_plain(value) else stand_in(step, key) for key, value in step.items()}


def _ways(draft: _Draft) -> Iterator[Case]:
    """A case for each way in; a list of them adds the way to the id."""
    over = draft.filled.get("over") or draft.shared.over or draft.shared.defaults.get("over", "direct")
    for way in over if isinstance(over, list) else [over]:
        labels = [draft.row.label, f"over={way}" if isinstance(over, list) else ""]
        case = _case(draft, way, ",".join(filter(None, labels)))
        if case is not None:
            yield case


def _case(draft: _Draft, over: str, label: str) -> Case | None:
    filled, shared, defaults = draft.filled, draft.shared, draft.shared.defaults
    skip = _skip(filled.get("skip"))
    fixture = _fixture(draft, optional=skip is not None)
    steps = _steps(draft, over, declared=skip is not None)
    if fixture is None or steps is None:
        return None
    named = filled.get("fixture", defaults.get("fixture", ""))
    secrets = {**fixture.secrets, **draft.secrets} if fixture.secrets or draft.secrets else _NO_TEXT
    return Case(
        suite=shared.suite,
        id=f"{filled['id']}[{label}]" if label else filled["id"],
        title=filled["title"],
        severity=cast("Severity", filled.get("severity", defaults.get("severity", "medium"))),
        source=filled.get("source", f"{shared.documents[shared.index].file}#{filled['id']}"),
        tags=tuple(filled.get("tags", defaults.get("tags", ()))),
        fixture_name=named if isinstance(named, str) else IN_PLACE,
        fixture=fixture.data,
        settings=freeze(filled.get("settings", defaults.get("settings"))),
        steps=steps,
        timeout=filled.get("timeout", defaults.get("timeout", TIMEOUT)),
        document=shared.index,
        place=draft.place,
        requires=tuple(filled.get("requires", ())),
        skip=skip,
        expected_failure=_expected_failure(draft),
        may_reveal=_may_reveal(draft, named, secrets),
        secrets=secrets,
        bindings=_bindings(draft) if any(step.dynamic for step in steps) else _NOTHING,
    )


def _bindings(draft: _Draft) -> Mapping[str, Json]:
    return {"matrix": draft.row.values, "env": draft.shared.env}


def _fixture(draft: _Draft, *, optional: bool = False) -> Fixture | None:
    filled, shared = draft.filled, draft.shared
    own = "fixture" in filled
    named = filled["fixture"] if own else shared.defaults.get("fixture")
    if named is None:
        if optional:
            return Fixture(None, _NO_TEXT)
        remedy = "write `fixture: NAME`, or `fixture: {}` where every source is empty"
        shared.note(draft.place, "fixture-missing", f"the case `{filled['id']}` names no fixture", remedy)
        return None
    scope = Scope(shared.look_up(draft.row.values))
    at = (*draft.place, "fixture") if own else ("defaults", "fixture")
    if isinstance(named, str):
        return shared.fixtures.named(named, scope, Written(shared.index, at, {}))
    return shared.fixtures.in_place(Written(shared.index, at, named), scope)


def _steps(draft: _Draft, over: str, *, declared: bool) -> tuple[Step, ...] | None:
    """The steps, or None with a mistake noted. A case that is declared skipped may expect nothing."""
    filled, place, shared = draft.filled, draft.place, draft.shared
    many = filled.get("steps")
    if (many is None) == ("operation" not in filled):
        which = "neither an operation nor `steps`" if many is None else "both an operation and `steps`"
        remedy = "write one operation, or put each into `steps`"
        shared.note(place, "operation-missing", f"the case `{filled['id']}` has {which}", remedy)
        return None
    if many is None:
        written = {key: value for key, value in filled.items() if key != "settings"}
        step = make_step(written, place, shared, "1", over, (), declared=declared)
        return (step,) if step else None
    made: list[Step] = []
    for index, written in enumerate(many):
        name = written.get("id", str(index + 1))
        step = make_step(
            written, (*place, "steps", index), shared, name, over, tuple(made), declared=declared
        )
        if step is None:
            return None
        made.append(step)
    return tuple(made)


def _skip(said: Json) -> Skip | None:
    if said is None:
        return None
    return Skip(said) if isinstance(said, str) else Skip(said["reason"], said.get("until"))


def _expected_failure(draft: _Draft) -> ExpectedFailure | None:
    said = draft.filled.get("expectedFailure")
    if said is None:
        return None
    known = draft.shared.codes()
    for index, code in enumerate(said["findings"]):
        if code not in known:
            at = (*draft.place, "expectedFailure", "findings", index)
            draft.shared.note(at, "unknown-code", f"no finding has the code `{code}`", nearest(code, known))
    return ExpectedFailure(said["reason"], tuple(said["findings"]))


def _may_reveal(draft: _Draft, fixture: Json, secrets: Mapping[str, str]) -> tuple[str, ...]:
    """The placeholders of the secrets at or below each path, in full or within the case's own fixture."""
    meant: list[str] = []
    for index, path in enumerate(draft.filled.get("mayReveal", ())):
        ways = (path, f"fixture.{path}", f"fixtures.{fixture}.{path}")
        found = [one for one in secrets if any(one == way or one.startswith(f"{way}.") for way in ways)]
        if not found:
            at = (*draft.place, "mayReveal", index)
            message = f"this case has no secret at `{path}`"
            draft.shared.note(at, "unknown-secret", message, nearest(path, secrets))
        meant += found
    return tuple(meant)
