"""What a suite, its contract and the broken twins of that contract owe each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Final

from evalkit.model import Case, CaseResult, OpenSubject, Suite
from evalkit.runner import run_case
from tests.twins.twin import Twin

ROOT: Final = Path(__file__).parents[1]

OF_THE_HARNESS: Final = frozenset({"check-failed", "subject-failed", "timeout", "not-json"})
"""Errors that no twin is to bring about: a check that breaks, or a subject that cannot be built."""


def results(suite: Suite, cases: Iterable[Case], opener: OpenSubject) -> Iterator[tuple[Case, CaseResult]]:
    """Each case and what it came to over a contract."""
    return ((case, run_case(case, opener, suite.facts)) for case in cases)


def broken(suite: Suite, opener: OpenSubject) -> list[str]:
    """The cases that a contract does not keep."""
    return [case.id for case, result in results(suite, suite.cases, opener) if result.status != "pass"]


def check_seen(suite: Suite, twin: Twin, opener: OpenSubject, wanted: str | None) -> None:
    """Every case that the twin names fails over it, or ends with the error that is wanted."""
    assert twin.promised_by
    named = chain.from_iterable(_rows(suite, name) for name in twin.promised_by)
    for case, result in results(suite, named, opener):
        code = result.error[0] if result.error else None
        assert code == wanted, f"{case.id}: {result.error}"
        assert result.findings or code, f"{case.id} does not see it"


def unnamed(suite: Suite, twins: Iterable[Twin]) -> list[str]:
    """The cases that no twin names."""
    named = {name for twin in twins for name in twin.promised_by}
    return [case.id for case in suite.cases if not named & {case.id, case.id.partition("[")[0]}]


def broken_alone(twins: Iterable[Twin], part: str) -> set[str]:
    """The rules of a part that a twin breaks alone."""
    return {name for twin in twins if twin.part == part and len(twin.change) == 1 for name in twin.change}


def shown_elsewhere(elsewhere: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The tests that show what no suite can see: part → rule → `file::name`."""
    return [test for rules in elsewhere.values() for test in rules.values()]


def check_exists(test: str) -> None:
    """There is a test of this name."""
    file, _, name = test.partition("::")
    assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")


def check_harness(suite: Suite, cases: Iterable[Case], opener: OpenSubject) -> None:
    """Every check can be made, or the contract is to blame."""
    for case, result in results(suite, cases, opener):
        assert result.error is None or result.error[0] not in OF_THE_HARNESS, f"{case.id}: {result.error}"


def _rows(suite: Suite, name: str) -> list[Case]:
    """The case of this id, or every row of it."""
    found = [case for case in suite.cases if name in (case.id, case.id.partition("[")[0])]
    assert found, f"the shipped suite has no case {name}"
    return found
