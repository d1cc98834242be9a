"""Ask what is driven for its manifest before the run, for a matrix with a row of `each: manifest.…`."""

from __future__ import annotations

import contextlib
from typing import Final, NamedTuple

from evalkit.engine import WorkersLost
from evalkit.engine.workers import run_in_workers
from evalkit.errors import CASE_ERRORS, HarnessError
from evalkit.model import Call, Case, CaseResult, Json, Step, SuiteFacts, Target
from evalkit.runner import open_contract, run_case, run_live

_SECONDS: Final = 10.0


def advertised(contract: str, target: Target | None, fixture: Json, settings: Json) -> Json:
    """The manifest, asked for in a process of its own. Raises HarnessError where none comes.

    A live target that takes no fixtures is asked as it is: its cases are skipped, and named all the same.
    """
    if target is not None:
        from evalkit.live import reach  # start-up: a run in memory needs none of it

        reach(target)
        if "fixtures" not in target.provides:
            fixture = settings = None
    asked = run_in_workers(_Asking(contract, target, fixture, settings), [0], workers=1)
    try:
        with contextlib.closing(asked):
            _, result = next(asked)
    except WorkersLost as problem:
        raise HarnessError(str(problem)) from None
    if result.findings:
        return result.findings[0].actual
    code, told = result.error or ("no-manifest", "")
    _, reason = result.skip or ("", "")
    remedy = reason or CASE_ERRORS.get(code, "it gives none")
    what = f"the contract {contract!r}" if target is None else f"the target {target.url}"
    raise HarnessError(f"{what} was asked for its manifest (`each`): {told or remedy}")


class _Asking(NamedTuple):
    contract: str
    target: Target | None
    fixture: Json
    settings: Json

    def __call__(self, index: int) -> CaseResult:
        try:
            if self.target is not None:
                return run_live(self._case("mcp"), self.target, SuiteFacts())
            return run_case(self._case("direct"), open_contract(self.contract), SuiteFacts())
        except HarnessError as problem:
            return CaseResult(error=("subject-failed", str(problem)))

    def seconds(self, index: int) -> float:
        return _SECONDS

    def _case(self, over: str) -> Case:
        # The expectation is there to be broken: its finding holds the manifest.
        step = Step("1", Call("manifest", {}), {"equals": {"manifest": None}}, (), over)
        return Case(
            suite="",
            id="manifest",
            title="The manifest",
            severity="low",
            source="",
            tags=(),
            fixture_name="",
            fixture=self.fixture,
            settings=self.settings,
            steps=(step,),
            timeout=_SECONDS,
            document=0,
            place=(),
        )
