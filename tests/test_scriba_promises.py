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

PARTS: Final = 48

NESTED: Final = ("budget", "pages")
"""Rules of `scriba` that are tuples of rules themselves."""


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
    assert unnamed(suite, TWINS) == []


@pytest.mark.parametrize("part", Policy._fields)
def test_every_rule_has_a_twin_that_breaks_it_alone(part: str) -> None:
    rules = getattr(Policy(), part)
    assert broken_alone(TWINS, part) | SHOWN_ELSEWHERE.get(part, {}).keys() == set(rules._fields)


@pytest.mark.parametrize("name", NESTED)
def test_every_rule_within_a_rule_has_a_twin_that_breaks_it_alone(name: str) -> None:
    sound = getattr(Policy().scriba, name)
    changed = [twin.change[name] for twin in TWINS if name in twin.change]
    differing = [
        {field for field in sound._fields if getattr(sound, field) != getattr(rules, field)}
        for rules in changed
    ]
    assert {field for fields in differing if len(fields) == 1 for field in fields} == set(sound._fields)


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
