"""Ask a contract for its manifest before the run, for a matrix that makes a row of `each: manifest.…`."""

from __future__ import annotations

import contextlib
from typing import Final, NamedTuple

from evalkit.engine import WorkersLost
from evalkit.engine.workers import run_in_workers
from evalkit.errors import CASE_ERRORS, HarnessError
from evalkit.model import Call, Case, CaseResult, Json, Step, SuiteFacts
from evalkit.runner import open_contract, run_case

_SECONDS: Final = 10.0


def advertised(contract: str, fixture: Json, settings: Json) -> Json:
    """The manifest, asked for in a process of its own. Raises HarnessError where none comes."""
    asked = run_in_workers(_Asking(contract, fixture, settings), [0], workers=1)
    try:
        with contextlib.closing(asked):
            _, result = next(asked)
    except WorkersLost as problem:
        raise HarnessError(str(problem)) from None
    if result.findings:
        return result.findings[0].actual
    code, told = result.error or ("no-manifest", "")
    remedy = CASE_ERRORS.get(code, "it gives none over `direct`")
    raise HarnessError(f"the contract {contract!r} was asked for its manifest (`each`): {told or remedy}")


class _Asking(NamedTuple):
    contract: str
    fixture: Json
    settings: Json

    def __call__(self, index: int) -> CaseResult:
        try:
            return run_case(self._case(), open_contract(self.contract), SuiteFacts())
        except HarnessError as problem:
            return CaseResult(error=("subject-failed", str(problem)))

    def seconds(self, index: int) -> float:
        return _SECONDS

    def _case(self) -> Case:
        # The expectation is there to be broken: its finding holds the manifest.
        step = Step("1", Call("manifest", {}), {"equals": {"manifest": None}}, ())
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
