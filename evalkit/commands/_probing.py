"""Ask a target or a contract a few calls outside any suite, and give what came back."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from evalkit.engine import WorkersLost
from evalkit.engine.workers import run_in_workers
from evalkit.errors import CASE_ERRORS, HarnessError
from evalkit.model import Call, Case, CaseResult, Json, Step, SuiteFacts, Target
from evalkit.runner import open_contract, run_case, run_live
from evalkit.sharing import end_shared
from evalkit.spellings import mask

SECONDS: Final = 30.0
"""How long all the calls of one probe may take together."""

_ROOTS: Final = ("toolResult", "output", "rpc")
_MANIFEST: Final = "manifest"
_NEVER: Final = "\0 what no answer is"


class Driven(NamedTuple):
    """What is asked: a live target, or a contract in memory with a fixture."""

    contract: str
    target: Target | None = None
    fixture: Json = None
    settings: Json = None


class Probe(NamedTuple):
    """Probes as the engine runs them: the calls of each go to one session."""

    driven: Driven
    calls: Sequence[Sequence[Call]]

    def __call__(self, index: int) -> CaseResult:
        """Ask the calls of one probe. What they must equal they never do: the findings hold what came."""
        over = "direct" if self.driven.target is None else "mcp"
        steps = [Step(str(at), call, _wanted(call), (), over) for at, call in enumerate(self.calls[index])]
        case = Case(
            suite="",
            id="probe",
            title="A probe",
            severity="low",
            source="",
            tags=(),
            fixture_name="",
            fixture=self.driven.fixture,
            settings=self.driven.settings,
            steps=tuple(steps),
            timeout=SECONDS,
            document=0,
            place=(),
        )
        try:
            if self.driven.target is not None:
                return run_live(case, self.driven.target, SuiteFacts())
            return run_case(case, open_contract(self.driven.contract), SuiteFacts())
        except HarnessError as problem:
            return CaseResult(error=("subject-failed", str(problem)))

    def seconds(self, index: int) -> float:
        """The deadline of one probe."""
        return SECONDS

    def end(self) -> None:
        """End what the probes shared."""
        end_shared()


def answers(driven: Driven, calls: Sequence[Sequence[Call]]) -> list[list[Mapping[str, Json]]]:
    """For each probe the roots that each of its calls filled; fewer than calls where it broke off.

    Raises HarnessError where nothing can be asked at all.
    """
    results = _results(driven, calls)
    return [_roots(results[index], len(calls[index])) for index in range(len(calls))]


def advertised(
    contract: str, target: Target | None, fixture: Json, settings: Json, *, partial: bool = False
) -> Json:
    """The manifest; where it is `partial`, so much of it as comes. Raises HarnessError where none comes.

    A live target that takes no fixtures is asked as it is: its cases are skipped, and named all the same.
    """
    if target is not None:
        from evalkit.live import reach  # start-up: a run in memory needs none of it

        reach(target)
        if "fixtures" not in target.provides:
            fixture = settings = None
    asked = Call(_MANIFEST, {"partial": True} if partial else {})
    (result,) = _results(Driven(contract, target, fixture, settings), [[asked]]).values()
    for roots in _roots(result, 1):
        return roots[_MANIFEST]
    code, told = result.error or ("no-manifest", "")
    _, reason = result.skip or ("", "")
    remedy = reason or CASE_ERRORS.get(code, "it gives none")
    told = mask(told, dict(target.secrets)) if target is not None else told
    what = f"the contract {contract!r}" if target is None else f"the target {target.url}"
    raise HarnessError(f"{what} was asked for its manifest: {told or remedy}")


def _results(driven: Driven, calls: Sequence[Sequence[Call]]) -> dict[int, CaseResult]:
    asked = run_in_workers(Probe(driven, calls), range(len(calls)), workers=1)
    try:
        with contextlib.closing(asked):
            return dict(asked)
    except WorkersLost as problem:
        raise HarnessError(str(problem)) from None


def _wanted(call: Call) -> Mapping[str, Json]:
    roots = (_MANIFEST,) if call.operation == _MANIFEST else _ROOTS
    return {"equals": dict.fromkeys(roots, _NEVER)}


def _roots(result: CaseResult, count: int) -> list[Mapping[str, Json]]:
    steps: list[dict[str, Json]] = [{} for _ in range(count)]
    for finding in result.findings:
        if finding.expectation == "equals" and finding.actual is not ...:
            steps[finding.step][finding.path] = finding.actual
    return [roots for roots in steps if roots]
