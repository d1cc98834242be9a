"""One written case becomes the cases that run: matrix rows, ways in, defaults, literals filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, cast

from evalkit.errors import nearest
from evalkit.frozen import freeze
from evalkit.language import STEP_KEYS
from evalkit.literals import MIN_SECRET, LiteralError, Scope, Undrawn, is_plain
from evalkit.loader.filling import fill_in
from evalkit.loader.fixtures import IN_PLACE, Fixture, Written
from evalkit.loader.rows import NothingAdvertised, Row, asks_target, rows
from evalkit.loader.steps import make_step
from evalkit.loader.surroundings import Surroundings
from evalkit.model import Case, ExpectedFailure, Json, Path, Severity, Skip, Step
from evalkit.values import find, merge_patch, names_in

TIMEOUT: Final = 10.0
TARGET_PATH: Final = "target.path"
"""The name of the path that takes MCP messages, in `${{ }}`."""

_NOTHING: Final[Mapping[str, Json]] = {}
_NO_TEXT: Final[Mapping[str, str]] = {}
_NO_ROW: Final = Row("", _NOTHING)
_IN_STEPS: Final = STEP_KEYS - {"operation", "over", "settings"}
"""What belongs into one of the `steps`, where there are such."""


class _Draft(NamedTuple):
    """A written case with one row filled in. `secrets` are those outside of its fixture.

    `lacks` is what it takes of the target that the target does not have.
    """

    filled: Json
    place: Path
    shared: Surroundings
    row: Row
    secrets: Mapping[str, str]
    lacks: tuple[str, ...] = ()


def build(written: Json, number: int, shared: Surroundings) -> Iterator[Case]:
    """Every case that a written one stands for; none, with mistakes noted, where it is wrong."""
    place: Path = ("cases", number)
    if "matrix" not in written and (shared.plain or is_plain(written)):
        yield from _ways(_Draft(written, place, shared, _NO_ROW, _NO_TEXT))
        return
    secrets = _given(written, shared)
    try:
        found = _rows(written, place, shared, secrets)
    except NothingAdvertised as problem:
        filled = _left_out(written, problem.message)
        yield from _ways(_Draft(filled, place, shared, _NO_ROW, _NO_TEXT))
        return
    lacks = () if shared.path or TARGET_PATH not in names_in(written) else (TARGET_PATH,)
    for row in found:
        scope = Scope(shared.look_up(row.values), secrets=dict(secrets))
        try:
            filled = fill_in(written, place, shared, scope)
        except Undrawn as problem:
            if not asks_target(written.get("matrix")):
                shared.note((*place, *problem.path), problem.code, problem.message, problem.remedy)
                continue
            filled = _left_out(written, f"no arguments can be drawn: {problem.message}")
        if filled is not None:
            yield from _ways(_Draft(filled, place, shared, row, scope.secrets, lacks))


def _left_out(written: Json, reason: str) -> Json:
    """The case as one that is skipped, for what its target has decides whether it can be asked."""
    kept = {key: written[key] for key in ("id", "title", "severity", "tags", "source") if key in written}
    return {**kept, "operation": "manifest", "skip": reason}


def _given(written: Json, shared: Surroundings) -> dict[str, str]:
    """What the case takes from the environment: given at the command line, and never to be shown."""
    texts = {name: shared.env.get(name.removeprefix("env."), "") for name in names_in(written)}
    return {name: text for name, text in texts.items() if name.startswith("env.") and len(text) >= MIN_SECRET}


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
    except NothingAdvertised:
        raise
    except LiteralError as problem:
        shared.note((*place, "matrix", *problem.path), problem.code, problem.message, problem.remedy)
        return []


def _advertised(draft: _Draft, path: str) -> Json:
    fixture, shared = _fixture(draft), draft.shared
    settings = freeze(draft.filled.get("settings", shared.defaults.get("settings")))
    if fixture is None or shared.advertised is None:
        return []
    return find({"manifest": shared.advertised(fixture.data, settings)}, path)


def _ways(draft: _Draft) -> Iterator[Case]:
    """A case for each way in; a list of them adds the way to the id."""
    shared = draft.shared
    usual = "mcp" if shared.live else "direct"
    over = draft.filled.get("over") or shared.over or shared.defaults.get("over", usual)
    for way in over if isinstance(over, list) else [over]:
        labels = [draft.row.label, f"over={way}" if isinstance(over, list) else ""]
        case = _case(draft, way, ",".join(filter(None, labels)))
        if case is not None:
            yield case


def _case(draft: _Draft, over: str, label: str) -> Case | None:
    filled, shared, defaults = draft.filled, draft.shared, draft.shared.defaults
    skip = _skip(filled.get("skip"))
    declared = skip is not None and skip.until is None
    fixture = _fixture(draft, optional=declared)
    steps = _steps(draft, over, declared=declared)
    if fixture is None or steps is None or not _patches_fit(draft, fixture, steps):
        return None
    named = filled.get("fixture", defaults.get("fixture", ""))
    secrets = {**shared.secrets, **fixture.secrets, **draft.secrets} or _NO_TEXT
    return Case(
        suite=shared.suite,
        id=f"{filled['id']}[{label}]" if label else filled["id"],
        title=filled["title"],
        severity=cast("Severity", filled.get("severity", defaults.get("severity", "medium"))),
        source=filled.get("source", f"{shared.documents[shared.at].file}#{filled['id']}"),
        tags=tuple(filled.get("tags", defaults.get("tags", ()))),
        fixture_name=named if isinstance(named, str) else IN_PLACE,
        fixture=fixture.data,
        settings=freeze(filled.get("settings", defaults.get("settings"))),
        steps=steps,
        timeout=filled.get("timeout", defaults.get("timeout", TIMEOUT)),
        document=shared.at,
        place=draft.place,
        requires=(*filled.get("requires", ()), *draft.lacks),
        skip=skip,
        expected_failure=_expected_failure(draft),
        may_reveal=_may_reveal(draft, fixture.made_of, secrets),
        secrets=secrets,
        bindings=_bindings(draft) if any(step.dynamic for step in steps) else _NOTHING,
        fresh=filled.get("fresh", False),
    )


def _bindings(draft: _Draft) -> Mapping[str, Json]:
    return draft.shared.names(draft.row.values)


def _fixture(draft: _Draft, *, optional: bool = False) -> Fixture | None:
    filled, shared = draft.filled, draft.shared
    own = "fixture" in filled
    named = filled["fixture"] if own else shared.defaults.get("fixture")
    if named is None:
        if optional or (shared.live and not _has_settings(draft)):
            return Fixture(None, _NO_TEXT)
        remedy = "write `fixture: NAME`, or `fixture: {}` where every source is empty"
        shared.note(draft.place, "fixture-missing", f"the case `{filled['id']}` names no fixture", remedy)
        return None
    scope = Scope(shared.look_up(draft.row.values))
    document = shared.at if own else shared.default_document("fixture")
    written = Written(document, (*draft.place, "fixture") if own else ("defaults", "fixture"), named)
    if isinstance(named, str):
        return shared.fixtures.named(named, scope, written)
    return shared.fixtures.in_place(written, scope)


def _has_settings(draft: _Draft) -> bool:
    """Settings are those of a World, and a World is made from a fixture."""
    return draft.filled.get("settings", draft.shared.defaults.get("settings")) is not None


def _steps(draft: _Draft, over: str, *, declared: bool) -> tuple[Step, ...] | None:
    """The steps, or None with a mistake noted. A case that is declared skipped may expect nothing."""
    filled, place, shared = draft.filled, draft.place, draft.shared
    if not _operations_fit(draft):
        return None
    many = filled.get("steps", [{key: value for key, value in filled.items() if key != "settings"}])
    made: list[Step] = []
    for index, written in enumerate(many):
        at = (*place, "steps", index) if "steps" in filled else place
        name = written.get("id", str(index + 1)) if "steps" in filled else "1"
        step = make_step(written, at, shared, name, over, tuple(made), declared=declared)
        if step is None:
            return None
        made.append(step)
    if not declared and all(step.call.operation == "world" for step in made):
        message = f"the case `{filled['id']}` has only `world` steps, so it would pass whatever happens"
        shared.note(place, "nothing-expected", message, "write what must hold under `expect` of another step")
        return None
    return tuple(made)


def _operations_fit(draft: _Draft) -> bool:
    """Whether a case has one operation, or `steps` and nothing beside them that only a step can have."""
    filled, place, shared = draft.filled, draft.place, draft.shared
    if ("steps" in filled) == ("operation" in filled):
        which = "both an operation and `steps`" if "steps" in filled else "neither an operation nor `steps`"
        remedy = "write one operation, or put each into `steps`"
        shared.note(place, "operation-missing", f"the case `{filled['id']}` has {which}", remedy)
        return False
    strange = sorted(filled.keys() & _IN_STEPS) if "steps" in filled else []
    for key in strange:
        message = f"`{key}` stands beside `steps`, where nothing would read it"
        shared.note((*place, key), "unknown-key", message, "write it in a step", key=True)
    return not strange


def _patches_fit(draft: _Draft, fixture: Fixture, steps: tuple[Step, ...]) -> bool:
    """Whether each `world` step patches what a fixture of the contract can have."""
    data = fixture.data
    for step in steps:
        if "patch" not in step.call.words or step.dynamic:
            continue
        data = merge_patch(data, step.call.words["patch"])
        place = Written(draft.shared.at, step.place, {})
        if not draft.shared.fixtures.check_patched(data, place, ("patch",)):
            return False
    return True


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
            message = f"`{code}` is no code that an expectation gives"
            draft.shared.note(at, "unknown-code", message, nearest(code, known))
    return ExpectedFailure(said["reason"], tuple(said["findings"]))


def _may_reveal(draft: _Draft, made_of: tuple[str, ...], secrets: Mapping[str, str]) -> tuple[str, ...]:
    """The placeholders of the secrets at or below each path, in full or within the fixture."""
    meant: list[str] = []
    for index, path in enumerate(draft.filled.get("mayReveal", ())):
        ways = (path, f"fixture.{path}", *(f"fixtures.{name}.{path}" for name in made_of))
        found = [one for one in secrets if any(one == way or one.startswith(f"{way}.") for way in ways)]
        if not found:
            at = (*draft.place, "mayReveal", index)
            message = f"this case has no secret at `{path}`"
            draft.shared.note(at, "unknown-secret", message, nearest(path, secrets))
        meant += found
    return tuple(meant)
