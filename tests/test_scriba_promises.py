"""However the Scriba contract is broken, the case that promises better sees it.

The twins stand in `tests/twins/scriba/`, each with what is broken in it and the cases that must fail.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import pytest

from evalkit.contracts.scriba.subject import Policy, open_subject
from evalkit.loader import Options, load
from evalkit.model import OpenSubject, Suite
from tests.promises import (
    ROOT,
    broken,
    broken_alone,
    check_exists,
    check_harness,
    check_seen,
    shown_elsewhere,
    unnamed,
)
from tests.twins.scriba.table import SHOWN_AS_ERRORS, SHOWN_ELSEWHERE, TWINS
from tests.twins.twin import Twin

SUITE: Final = ROOT / "suites" / "scriba"

PARTS: Final = 24

WITHOUT_TWINS: Final = frozenset(
    {
        "budgets.yaml",
        "context-events.yaml",
        "grants.yaml",
        "parity.yaml",
        "privacy.yaml",
        "profiles.yaml",
        "read-only.yaml",
        "sources.yaml",
        "staleness.yaml",
        "windows.yaml",
    }
)
"""Files whose cases no twin has been seen to fail yet: nothing may be added here, and each should go."""

FULLY_BROKEN: Final = ("api", "mcp", "cli")
"""Parts of the policy of which every rule has its twin; `scriba` has twins for its event rules so far."""


@pytest.fixture(name="suite", scope="module")
def suite_fixture() -> Suite:
    return load(SUITE, lambda file: file.name, Options())


def opened(twin: Twin) -> OpenSubject:
    """A twin that changes no rule is broken round them; its part is never asked for."""
    policy = Policy().changed(twin.part, **twin.change) if twin.change else Policy()
    return twin.surround(partial(open_subject, policy=policy))


def test_the_contract_keeps_every_promise(suite: Suite) -> None:
    assert broken(suite, open_subject) == []


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_case_that_promises_it_fails(suite: Suite, twin: Twin) -> None:
    check_seen(suite, twin, opened(twin), SHOWN_AS_ERRORS.get(twin.name))


def test_every_case_is_named_by_a_twin(suite: Suite) -> None:
    files = {case.id: suite.documents[case.document].file for case in suite.cases}
    assert {files[name] for name in unnamed(suite, TWINS)} <= WITHOUT_TWINS


@pytest.mark.parametrize("part", FULLY_BROKEN)
def test_every_rule_has_a_twin_that_breaks_it_alone(part: str) -> None:
    rules = getattr(Policy(), part)
    assert broken_alone(TWINS, part) | SHOWN_ELSEWHERE.get(part, {}).keys() == set(rules._fields)


@pytest.mark.parametrize("shown", shown_elsewhere(SHOWN_ELSEWHERE))
def test_a_test_that_shows_a_rule_elsewhere_exists(shown: str) -> None:
    check_exists(shown)


def test_each_twin_has_a_name_of_its_own() -> None:
    names = [twin.name for twin in TWINS]
    assert len(set(names)) == len(names)


def test_only_known_twins_give_no_answer() -> None:
    assert SHOWN_AS_ERRORS.keys() <= {twin.name for twin in TWINS}


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(TWINS)), ids=lambda number: TWINS[number].name)
def test_no_twin_breaks_the_harness(suite: Suite, number: int) -> None:
    """Each twin plays a part of the cases, another one than its neighbour: each makes database files."""
    check_harness(suite, suite.cases[number % PARTS :: PARTS], opened(TWINS[number]))
