"""The gate: every line kept and broken, and the order in which exit codes win."""

from __future__ import annotations

import pytest

from evalkit.gate import StopReason, Tally, judge
from evalkit.model import STATUSES, GateRules, Severity, Status


def tally(
    passed: int = 1,
    failed: int = 0,
    errors: int = 0,
    skipped: int = 0,
    *,
    rules: GateRules | None = None,
    leaks: int = 0,
    severity: Severity = "medium",
    suite: str = "one",
    selected: int | None = None,
    beyond: int = 0,
) -> Tally:
    counts: dict[Status, int] = dict(zip(STATUSES, (passed, failed, errors, skipped), strict=True))
    total = sum(counts.values()) if selected is None else selected
    return Tally(suite, rules or GateRules(), total, {severity: counts}, leaks, beyond)


def broken(*tallies: Tally, threshold: int | None = None, stop: StopReason = "finished") -> list[str]:
    return [line["rule"] for line in judge(tallies, threshold, stop).lines if not line["holds"]]


def test_a_run_without_failures_passes() -> None:
    verdict = judge([tally()], None, "finished")
    assert (verdict.code, verdict.passed, verdict.threshold) == (0, True, 0)
    assert verdict.lines == [{"rule": "failures", "limit": 0, "actual": 0, "holds": True}]


@pytest.mark.parametrize(("threshold", "code"), [(1, 1), (2, 0)])
def test_failures_and_errors_count_together(threshold: int, code: int) -> None:
    assert judge([tally(failed=1, errors=1)], threshold, "finished").code == code


def test_the_flag_replaces_every_max_failures() -> None:
    lenient = tally(failed=2, rules=GateRules(max_failures=2))
    assert judge([lenient], None, "finished").code == 0
    assert judge([lenient], 0, "finished").code == 1


def test_a_suite_with_its_own_limit_is_counted_apart() -> None:
    lenient = tally(failed=2, rules=GateRules(max_failures=2), suite="lenient")
    assert judge([lenient, tally(suite="strict")], None, "finished").code == 0
    assert judge([lenient, tally(failed=1, suite="strict")], None, "finished").code == 1


def test_a_leak_breaks_the_gate_whatever_the_threshold() -> None:
    assert broken(tally(failed=1, leaks=1), threshold=100) == ["leaks"]


def test_what_a_live_target_cannot_run_is_no_skip_of_the_suites() -> None:
    rules = GateRules(max_skips=0)
    assert broken(tally(skipped=2, beyond=2, rules=rules)) == []
    assert broken(tally(skipped=3, beyond=2, rules=rules)) == ["maxSkips"]


def test_skips_are_limited_where_the_suite_says_so() -> None:
    rules = GateRules(max_skips=1)
    assert broken(tally(skipped=1, rules=rules)) == []
    assert broken(tally(skipped=2, rules=rules)) == ["maxSkips"]
    assert broken(tally(skipped=99)) == []


def test_too_few_executed_cases_break_the_gate() -> None:
    assert broken(tally(passed=2, rules=GateRules(min_executed=3))) == ["minExecuted"]
    assert broken(tally(passed=3, rules=GateRules(min_executed=3))) == []


def test_a_suite_of_skips_beside_one_that_ran_breaks_the_gate() -> None:
    verdict = judge([tally(), tally(passed=0, skipped=3, suite="two")], None, "finished")
    assert verdict.code == 1
    assert [line for line in verdict.lines if not line["holds"]] == [
        {"rule": "minExecuted", "limit": 1, "actual": 0, "holds": False, "suite": "two"}
    ]


def test_a_suite_of_which_nothing_was_selected_asks_for_nothing() -> None:
    assert broken(tally(), tally(passed=0, suite="two")) == []


def test_a_severity_has_a_limit_of_its_own() -> None:
    rules = GateRules(severity={"critical": 0})
    assert broken(tally(failed=1, rules=rules, severity="critical"), threshold=5) == ["severity.critical"]
    assert broken(tally(failed=1, rules=rules, severity="high"), threshold=5) == []


@pytest.mark.parametrize("skipped", [0, 3])
def test_a_run_that_executed_nothing_never_passes(skipped: int) -> None:
    assert judge([tally(passed=0, skipped=skipped)], None, "finished").code == 5


@pytest.mark.parametrize(
    ("stop", "signal", "harness", "code"),
    [
        ("signal", 130, True, 130),
        ("signal", 143, False, 143),
        ("time", 0, True, 3),
        ("time", 0, False, 4),
        ("worker-lost", 0, False, 4),
        ("max-failures", 0, False, 1),
        ("finished", 0, False, 1),
    ],
)
def test_where_several_hold_the_stronger_code_wins(
    stop: StopReason, signal: int, harness: bool, code: int
) -> None:
    assert judge([tally(failed=1)], None, stop, signal=signal, harness=harness).code == code


def test_a_run_cut_short_never_passes_though_its_failures_are_allowed() -> None:
    verdict = judge([tally(failed=1, selected=9)], 5, "max-failures")
    assert verdict.code == 1
    assert {"rule": "unrun", "limit": 0, "actual": 7, "holds": False} in verdict.lines
