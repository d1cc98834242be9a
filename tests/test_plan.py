"""Which cases run, in which order, and that a slip in a name is no run of nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalkit.errors import UsageError
from evalkit.model import Suite
from evalkit.plan import Plan, Selection, make_plan
from tests.playing import FREE, loaded, suite_file

CASES = """\
cases:
  - {id: alpha, title: The first, severity: critical, tags: [smoke, fast], ASKED}
  - {id: beta, title: The second, severity: high, tags: [slow], source: spec A.9, ASKED, matrix: {x: [1, 2]}}
  - {id: gamma, title: The third, ASKED}
  - {id: delta, title: The last, severity: low, tags: [smoke], ASKED}
""".replace("ASKED", "operation: manifest, expect: {present: [manifest]}")


def suite_of(folder: Path, name: str = "one") -> Suite:
    text = f'name: {name}\nversion: 1\ncontract: "{FREE}"\ndefaults: {{fixture: {{}}}}\n{CASES}'
    return loaded(suite_file(folder, text, f"{name}.yaml"))


@pytest.fixture
def suites(tmp_path: Path) -> list[Suite]:
    return [suite_of(tmp_path, "one"), suite_of(tmp_path, "two")]


def chosen(plan: Plan) -> list[str]:
    return [f"{one.case.suite}::{one.case.id}" for one in plan.cases]


ALL = ["alpha", "beta[x=1]", "beta[x=2]", "gamma", "delta"]


def test_every_case_is_planned_suite_by_suite_as_written(suites: list[Suite]) -> None:
    plan = make_plan(suites, Selection())
    assert chosen(plan) == [f"{suite}::{case}" for suite in ("one", "two") for case in ALL]
    assert (plan.total, [one.suite for one in plan.cases]) == (10, [0] * 5 + [1] * 5)


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        (("alpha",), ["one::alpha", "two::alpha"]),
        (("two::alpha",), ["two::alpha"]),
        (("beta",), ["one::beta[x=1]", "one::beta[x=2]", "two::beta[x=1]", "two::beta[x=2]"]),
        (("one::beta",), ["one::beta[x=1]", "one::beta[x=2]"]),
        (("beta[x=2]",), ["one::beta[x=2]", "two::beta[x=2]"]),
        (("one::beta[x=2]", "two::gamma"), ["one::beta[x=2]", "two::gamma"]),
    ],
)
def test_a_case_is_chosen_by_its_id_with_or_without_its_row_and_its_suite(
    suites: list[Suite], ids: tuple[str, ...], found: list[str]
) -> None:
    assert chosen(make_plan(suites, Selection(ids=ids))) == found


@pytest.mark.parametrize("name", ["alhpa", "beta[x=3]", "three::alpha", "beta[", "ALPHA", ""])
def test_a_case_that_no_suite_has_is_a_wrong_flag(suites: list[Suite], name: str) -> None:
    with pytest.raises(UsageError, match="no case is called"):
        make_plan(suites, Selection(ids=("alpha", name)))


def test_the_nearest_case_is_named(suites: list[Suite]) -> None:
    with pytest.raises(UsageError, match="did you mean `alpha`"):
        make_plan(suites, Selection(ids=("alhpa",)))


@pytest.mark.parametrize(
    ("selection", "found"),
    [
        (Selection(tags=("smoke",)), ["alpha", "delta"]),
        (Selection(tags=("slow", "fast")), ["alpha", "beta[x=1]", "beta[x=2]"]),
        (Selection(severity="critical"), ["alpha"]),
        (Selection(severity="high"), ["alpha", "beta[x=1]", "beta[x=2]"]),
        (Selection(severity="medium"), ["alpha", "beta[x=1]", "beta[x=2]", "gamma"]),
        (Selection(severity="low"), ALL),
        (Selection(text="The"), ALL),
        (Selection(text="last"), ["delta"]),
        (Selection(text="A.9"), ["beta[x=1]", "beta[x=2]"]),
        (Selection(text="x=2"), ["beta[x=2]"]),
        (Selection(text="one.yaml#"), ["alpha", "gamma", "delta"]),
        (
            Selection(failed=frozenset({("one", "beta[x=2]"), ("two", "alpha"), ("one", "gone")})),
            ["beta[x=2]"],
        ),
        (Selection(failed=frozenset()), []),
        (Selection(tags=("smoke",), severity="high"), ["alpha"]),
        (Selection(ids=("beta",), text="x=1"), ["beta[x=1]"]),
        (Selection(tags=("none",)), []),
    ],
)
def test_every_kind_of_filter_has_to_let_a_case_through(
    suites: list[Suite], selection: Selection, found: list[str]
) -> None:
    plan = make_plan(suites[:1], selection)
    assert [one.case.id for one in plan.cases] == found
    assert plan.total == 5


def test_a_seed_shuffles_the_order_and_not_the_plan(suites: list[Suite]) -> None:
    plan = make_plan(suites, Selection())
    assert list(plan.order(None)) == list(range(10))
    assert sorted(plan.order(7)) == list(range(10))
    assert list(plan.order(7)) == list(plan.order(7)) != list(plan.order(8))
    assert plan.order(0) != list(range(10))


def test_the_digest_is_that_of_what_was_chosen(suites: list[Suite]) -> None:
    digest = make_plan(suites, Selection()).digest
    assert digest == make_plan(suites, Selection()).digest
    assert digest != make_plan(suites[:1], Selection()).digest
    assert digest != make_plan(suites, Selection(tags=("smoke",))).digest
    assert digest.startswith("sha256:")
