"""The worth of the project: however the contract is broken, the case that promises better sees it.

The twins stand in `tests/twins/agent_context/`, each with what is broken in it and the cases that must fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

import pytest

from evalkit.contracts.agent_context import redaction
from evalkit.contracts.agent_context.gatekeeper import GATE, RULES
from evalkit.contracts.agent_context.rules import Rules
from evalkit.contracts.agent_context.subject import open_subject
from evalkit.loader import Options, load
from evalkit.model import Case, CaseResult, OpenSubject, Suite
from evalkit.runner import run_case
from tests.twins.agent_context.redacting import MISSING_RULE
from tests.twins.agent_context.table import TWINS
from tests.twins.twin import Twin

SUITE: Final = Path(__file__).parents[1] / "suites" / "agent_context"

SHOWN_AS_ERRORS: Final[Mapping[str, str]] = {
    "settings that are null as a whole raise": "contract-raised",
    "a call opens a socket": "not-hermetic",
    "a call reads a file": "not-hermetic",
    "a call prints": "printed",
}
"""Twins that give no answer which could be judged, and the code of the error that says so."""

OF_THE_HARNESS: Final = frozenset({"check-failed", "subject-failed", "timeout", "not-json"})
"""Errors that no twin is to bring about: a check that breaks, or a subject that cannot be built."""


@pytest.fixture(name="suite", scope="module")
def suite_fixture() -> Suite:
    return load(SUITE, lambda file: file.name, Options())


def opened(twin: Twin) -> OpenSubject:
    return twin.surround(partial(open_subject, rules=RULES._replace(**twin.change)))


def rows(suite: Suite, name: str) -> list[Case]:
    """The case of this id, or every row of it."""
    found = [case for case in suite.cases if name in (case.id, case.id.partition("[")[0])]
    assert found, f"the shipped suite has no case {name}"
    return found


def results(suite: Suite, cases: list[Case], opener: OpenSubject) -> Iterator[tuple[Case, CaseResult]]:
    return ((case, run_case(case, opener, suite.facts)) for case in cases)


def test_the_contract_keeps_every_promise(suite: Suite) -> None:
    broken = [
        case.id for case, result in results(suite, list(suite.cases), open_subject) if result.status != "pass"
    ]
    assert broken == []


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_case_that_promises_it_fails(suite: Suite, twin: Twin) -> None:
    assert twin.promised_by
    named = list(chain.from_iterable(rows(suite, name) for name in twin.promised_by))
    for case, result in results(suite, named, opened(twin)):
        code = result.error[0] if result.error else None
        assert code == SHOWN_AS_ERRORS.get(twin.name), f"{case.id}: {result.error}"
        assert result.findings or code, f"{case.id} does not see it"


def test_every_case_is_named_by_a_twin(suite: Suite) -> None:
    """A case that no twin fails would check nothing: what a twin names, the test above has seen fail."""
    named = {name for twin in TWINS for name in twin.promised_by}
    unnamed = [case.id for case in suite.cases if not named & {case.id, case.id.partition("[")[0]}]
    assert unnamed == []


def test_every_rule_has_a_twin_that_breaks_it_alone() -> None:
    alone = {name for twin in TWINS if len(twin.change) == 1 for name in twin.change}
    assert alone == set(Rules._fields)


def test_every_redaction_rule_is_missing_in_a_twin() -> None:
    names = {twin.name for twin in TWINS}
    assert {f"{MISSING_RULE}{rule.name}" for rule in redaction.RULES} <= names


def test_every_refusal_of_the_gate_is_missing_in_a_twin() -> None:
    gates = [twin.change.get("gate") for twin in TWINS]
    assert all(tuple(other for other in GATE if other is not step) in gates for step in GATE)


def test_a_source_is_read_before_each_step_of_the_gate_in_a_twin() -> None:
    longer = [gate for twin in TWINS if len(gate := twin.change.get("gate", ())) > len(GATE)]
    early = {index for gate in longer for index, step in enumerate(gate) if step not in GATE}
    assert early == set(range(len(GATE) + 1))


def test_each_twin_has_a_name_of_its_own() -> None:
    names = [twin.name for twin in TWINS]
    assert len(set(names)) == len(names)


def test_only_known_twins_give_no_answer() -> None:
    assert SHOWN_AS_ERRORS.keys() <= {twin.name for twin in TWINS}


@pytest.mark.slow
@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_no_twin_breaks_the_harness(suite: Suite, twin: Twin) -> None:
    """Whatever a contract does, every check of every case can be made, or the contract is to blame."""
    for case, result in results(suite, list(suite.cases), opened(twin)):
        assert result.error is None or result.error[0] not in OF_THE_HARNESS, f"{case.id}: {result.error}"
