"""The worth of the project: however the contract is broken, the case that promises better sees it.

The twins stand in `tests/twins/agent_context/`, each with what is broken in it and the cases that must fail.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from evalkit.contracts.agent_context import redaction
from evalkit.contracts.agent_context.access import policy as access
from evalkit.contracts.agent_context.gatekeeper import GATE
from evalkit.contracts.agent_context.semantic.adapters import ADAPTERS
from evalkit.contracts.agent_context.semantic.policy import GATE as SEMANTIC_GATE
from evalkit.contracts.agent_context.service import Policy
from evalkit.contracts.agent_context.subject import open_subject
from evalkit.loader import Options, load
from evalkit.model import OpenSubject, Suite
from tests.promises import (
    broken,
    broken_alone,
    check_exists,
    check_harness,
    check_seen,
    shown_elsewhere,
    unnamed,
)
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

SHOWN_ELSEWHERE: Final[Mapping[str, Mapping[str, str]]] = {
    "boundary": {
        "read_body": "tests/contracts/agent_context/boundary/test_bodies.py"
        "::test_a_body_is_given_up_with_its_first_byte_too_many",
    },
}
"""Rules that no suite can see broken, by part, and the test that does."""

PARTS: Final = 12


@pytest.fixture(name="suite", scope="module")
def suite_fixture() -> Suite:
    return load(SUITE, lambda file: file.name, Options())


def opened(twin: Twin) -> OpenSubject:
    return twin.surround(partial(open_subject, policy=Policy().changed(twin.part, **twin.change)))


def test_the_contract_keeps_every_promise(suite: Suite) -> None:
    assert broken(suite, open_subject) == []


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_case_that_promises_it_fails(suite: Suite, twin: Twin) -> None:
    check_seen(suite, twin, opened(twin), SHOWN_AS_ERRORS.get(twin.name))


def test_every_case_is_named_by_a_twin(suite: Suite) -> None:
    """A case that no twin fails would check nothing: what a twin names, the test above has seen fail."""
    assert unnamed(suite, TWINS) == []


@pytest.mark.parametrize("part", Policy._fields)
def test_every_rule_has_a_twin_that_breaks_it_alone(part: str) -> None:
    alone = broken_alone(TWINS, part)
    rules = getattr(Policy(), part)
    assert alone | SHOWN_ELSEWHERE.get(part, {}).keys() == set(rules._fields)


@pytest.mark.parametrize("shown", shown_elsewhere(SHOWN_ELSEWHERE))
def test_a_test_that_shows_a_rule_elsewhere_exists(shown: str) -> None:
    check_exists(shown)


def test_every_redaction_rule_is_missing_in_a_twin() -> None:
    names = {twin.name for twin in TWINS}
    assert {f"{MISSING_RULE}{rule.name}" for rule in redaction.RULES} <= names


def test_every_refusal_of_the_gate_is_missing_in_a_twin() -> None:
    gates = [twin.change.get("gate") for twin in TWINS if twin.part == "context"]
    assert all(tuple(other for other in GATE if other is not step) in gates for step in GATE)


def test_every_decision_of_access_is_missing_in_a_twin() -> None:
    gates = [twin.change.get("gate") for twin in TWINS if twin.part == "access"]
    assert all(tuple(other for other in access.GATE if other is not step) in gates for step in access.GATE)


def test_every_refusal_of_the_semantic_gate_is_missing_in_a_twin() -> None:
    gates = [twin.change.get("gate") for twin in TWINS if twin.part == "semantic"]
    assert all(
        tuple(other for other in SEMANTIC_GATE if other is not step) in gates for step in SEMANTIC_GATE
    )


def test_every_semantic_tool_does_its_work_wrongly_in_a_twin() -> None:
    worked = [twin.change["adapters"] for twin in TWINS if twin.change.keys() == {"adapters"}]
    assert {tool for adapters in worked for tool in ADAPTERS if adapters[tool] is not ADAPTERS[tool]} == set(
        ADAPTERS
    )


def test_a_source_is_read_before_each_step_of_the_gate_in_a_twin() -> None:
    ours = [twin for twin in TWINS if twin.part == "context"]
    longer = [gate for twin in ours if len(gate := twin.change.get("gate", ())) > len(GATE)]
    early = {index for gate in longer for index, step in enumerate(gate) if step not in GATE}
    assert early == set(range(len(GATE) + 1))


def test_each_twin_has_a_name_of_its_own() -> None:
    names = [twin.name for twin in TWINS]
    assert len(set(names)) == len(names)


def test_only_known_twins_give_no_answer() -> None:
    assert SHOWN_AS_ERRORS.keys() <= {twin.name for twin in TWINS}


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(TWINS)), ids=lambda number: TWINS[number].name)
def test_no_twin_breaks_the_harness(suite: Suite, number: int) -> None:
    """Whatever a contract does, every check can be made, or the contract is to blame.

    Each twin plays a part of the cases, another one than its neighbour: all of them would take too long.
    """
    check_harness(suite, suite.cases[number % PARTS :: PARTS], opened(TWINS[number]))
