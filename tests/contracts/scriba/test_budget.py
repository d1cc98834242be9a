"""Tests for `budget`: the worked values of the specification by their id (spec 3.7), and between them."""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest

from evalkit.contracts.scriba.budget import BudgetRules, evaluate, values_of
from evalkit.contracts.scriba.budget_nouns import (
    CurrentObservation,
    HistoryObservation,
    HistoryState,
    Recent,
    Values,
    WindowReading,
)
from evalkit.contracts.scriba.durations import HOUR, MINUTE, SECOND
from evalkit.contracts.scriba.nouns import Instant
from evalkit.model import Json

_NOW: Final = Instant(1_000_000 * HOUR)
_RULES: Final = BudgetRules()
_FIVE_HOURS: Final = 5 * 3_600_000
_WEEK: Final = 168 * 3_600_000
_CYCLE_ONLY: Final = ["history_insufficient", "cycle_estimate_available", "pace_cycle_only"]
_BOTH_RATES: Final = ["cycle_estimate_available", "recent_estimate_available", "pace_conservative_recent"]


class Sample(NamedTuple):
    """An earlier reading of the same window: its age before now, and how far off its reset is."""

    age: int
    used: float | None
    reset_shift: int = 0
    key: str = "primary.five_hour"


class Given(NamedTuple):
    """A window as it was seen `age` before now, resetting `left` after now."""

    used: float | None = 20
    age: int = 0
    left: int | None = 2 * HOUR
    period_ms: int | None = _FIVE_HOURS
    samples: tuple[Sample, ...] = ()
    state: HistoryState = "available"


def _reading(key: str, used: float | None, left: int | None, period_ms: int | None) -> WindowReading:
    reset = None if left is None else Instant(_NOW.nanoseconds + left)
    return WindowReading(key, "a label", used, reset, period_ms)


def _judged(given: Given, rules: BudgetRules = _RULES) -> Json:
    window = _reading("primary.five_hour", given.used, given.left, given.period_ms)
    history = [
        HistoryObservation(
            Instant(_NOW.nanoseconds - sample.age),
            (_reading(sample.key, sample.used, (given.left or 0) + sample.reset_shift, given.period_ms),),
        )
        for sample in given.samples
    ]
    observation = CurrentObservation(Instant(_NOW.nanoseconds - given.age), (window,))
    (budget,) = evaluate(rules, observation, history, given.state, _NOW)
    return budget


_RISING: Final = (Sample(60 * MINUTE, 25), Sample(40 * MINUTE, 30), Sample(20 * MINUTE, 35))

_WORKED: Final[list[tuple[str, Given, str, str, list[str]]]] = [
    (
        "G1",
        Given(age=5 * MINUTE, samples=(Sample(65 * MINUTE, 10, MINUTE),)),
        "low",
        "medium",
        _BOTH_RATES,
    ),
    (
        "G2",
        Given(0.001, left=24 * HOUR, period_ms=_WEEK, state="empty"),
        "unknown",
        "low",
        ["history_empty", "cycle_estimate_available", "pace_cycle_only", "projection_unavailable"],
    ),
    (
        "G3",
        Given(age=5 * MINUTE, left=168 * HOUR - 5 * MINUTE, period_ms=_WEEK, state="unavailable"),
        "unknown",
        "none",
        ["history_unavailable", "cycle_not_started", "projection_unavailable"],
    ),
    (
        "G4",
        Given(age=5 * MINUTE, left=84 * HOUR, period_ms=_WEEK, state="unavailable"),
        "low",
        "low",
        ["history_unavailable", "cycle_estimate_available", "pace_cycle_only"],
    ),
    ("G5", Given(60, MINUTE, 4 * HOUR), "high", "low", _CYCLE_ONLY),
    ("G6", Given(45, left=150 * MINUTE), "elevated", "low", _CYCLE_ONLY),
    ("G7", Given(80, left=30 * MINUTE), "elevated", "low", _CYCLE_ONLY),
    ("G8", Given(100, MINUTE, HOUR), "critical", "low", _CYCLE_ONLY),
    (
        "G9",
        Given(81, 60 * MINUTE, HOUR),
        "unknown",
        "none",
        ["history_insufficient", "observation_stale", "cycle_estimate_available", "pace_cycle_only"],
    ),
    (
        "G10",
        Given(age=11 * MINUTE, samples=(Sample(71 * MINUTE, 10),)),
        "low",
        "low",
        [*_BOTH_RATES, "confidence_downgraded_aging"],
    ),
    (
        "G11",
        Given(age=-2 * MINUTE),
        "unknown",
        "none",
        ["history_insufficient", "observation_in_future", "cycle_estimate_available", "pace_cycle_only"],
    ),
    (
        "G12",
        Given(33, left=24 * HOUR, period_ms=None, state="unavailable"),
        "unknown",
        "none",
        ["history_unavailable", "period_duration_missing"],
    ),
    ("G13", Given(None), "unknown", "none", ["used_percent_missing"]),
    ("G14", Given(101), "unknown", "none", ["used_percent_invalid"]),
    ("G15", Given(left=None), "unknown", "none", ["reset_time_missing"]),
    ("G16", Given(left=0), "unknown", "none", ["reset_elapsed"]),
    (
        "G17",
        Given(left=5 * HOUR, samples=(Sample(20 * MINUTE, 18),)),
        "low",
        "low",
        ["cycle_not_started", "recent_estimate_available", "pace_recent_only"],
    ),
    ("G18", Given(0), "low", "low", [*_CYCLE_ONLY, "burn_zero", "projection_unavailable"]),
    (
        "G19",
        Given(samples=(Sample(30 * MINUTE, 25),)),
        "low",
        "low",
        ["history_counter_decrease", "cycle_estimate_available", "pace_cycle_only"],
    ),
    (
        "G20",
        Given(samples=(Sample(30 * MINUTE, 18, -6 * MINUTE),)),
        "low",
        "low",
        ["history_reset_mismatch", "cycle_estimate_available", "pace_cycle_only"],
    ),
    ("G21", Given(40, samples=_RISING), "low", "high", _BOTH_RATES),
    ("G22", Given(40, samples=(_RISING[0], _RISING[2])), "low", "medium", _BOTH_RATES),
    (
        "G23",
        Given(
            40,
            12 * MINUTE,
            samples=tuple(sample._replace(age=sample.age + 12 * MINUTE) for sample in _RISING),
        ),
        "low",
        "medium",
        [*_BOTH_RATES, "confidence_downgraded_aging"],
    ),
    ("G24-at-10m", Given(samples=(Sample(10 * MINUTE, 18),)), "low", "medium", _BOTH_RATES),
    ("G24-at-9m59s", Given(samples=(Sample(10 * MINUTE - SECOND, 18),)), "low", "low", _CYCLE_ONLY),
    (
        "G25",
        Given(samples=(Sample(30 * MINUTE, 18, 5 * MINUTE),)),
        "low",
        "medium",
        ["cycle_estimate_available", "recent_estimate_available", "pace_conservative_cycle"],
    ),
    ("G26", Given(period_ms=-1), "unknown", "none", ["period_duration_invalid"]),
    (
        "G27",
        Given(81, HOUR, 4 * HOUR, samples=(Sample(HOUR, 81),)),
        "unknown",
        "none",
        ["history_insufficient", "observation_stale", "cycle_not_started", "projection_unavailable"],
    ),
]


@pytest.mark.parametrize(
    ("given", "risk", "confidence", "reasons"), [pytest.param(*rest, id=id_) for id_, *rest in _WORKED]
)
def test_a_worked_value(given: Given, risk: str, confidence: str, reasons: list[str]) -> None:
    budget = {"key": "primary.five_hour", "risk": risk, "confidence": confidence, "reasons": reasons}
    assert _judged(given) == budget


@pytest.mark.parametrize(
    ("reading", "values"),
    [
        pytest.param(
            _reading("primary.weekly", 20, HOUR, None),
            Values(20, 80, Instant(_NOW.nanoseconds + HOUR)),
            id="known",
        ),
        pytest.param(_reading("primary.weekly", None, HOUR, _WEEK), Values(), id="G13"),
        pytest.param(_reading("primary.weekly", 101, HOUR, _WEEK), Values(), id="G14"),
        pytest.param(_reading("primary.weekly", float("nan"), HOUR, _WEEK), Values(), id="NaN"),
        pytest.param(_reading("primary.weekly", 20, None, _WEEK), Values(20, 80, None), id="G15"),
        pytest.param(_reading("primary.weekly", 100, None, -1), Values(100, 0, None), id="used-up"),
    ],
)
def test_a_window_without_a_used_percentage_shows_no_reset_either(
    reading: WindowReading, values: Values
) -> None:
    assert values_of(_RULES, reading) == values


@pytest.mark.parametrize(
    ("given", "reasons"),
    [
        (Given(None, left=None, period_ms=None), ["used_percent_missing"]),
        (Given(-0.5, left=None, period_ms=-1), ["used_percent_invalid"]),
        (Given(left=None, period_ms=-1), ["reset_time_missing"]),
        (Given(left=-HOUR, period_ms=0), ["period_duration_missing"]),
        (Given(left=-HOUR, period_ms=-1), ["period_duration_invalid"]),
        (
            Given(float("inf"), 31 * MINUTE, state="empty"),
            ["history_empty", "observation_stale", "used_percent_invalid"],
        ),
    ],
)
def test_only_the_first_problem_of_a_window_is_named(given: Given, reasons: list[str]) -> None:
    assert _judged(given)["reasons"] == reasons


def test_a_window_is_judged_until_a_millisecond_before_its_reset() -> None:
    assert _judged(Given(left=1))["risk"] == "unknown"  # less than a millisecond is no time
    assert _judged(Given(left=999_999))["reasons"] == _CYCLE_ONLY
    assert _judged(Given(left=1_000_000))["risk"] == "low"  # 20 points in 5 h against 80 in 1 ms


def test_what_is_used_up_by_the_forecast_already_is_critical() -> None:
    # 90 points in 9 minutes: the last 10 are gone a minute after the observation
    used_up = Given(90, MINUTE, 290 * MINUTE)
    assert _judged(used_up)["risk"] == "critical"
    assert _judged(used_up._replace(age=MINUTE - 1))["risk"] == "high"


def test_a_pace_that_never_ends_gives_no_reason_for_an_aging_observation() -> None:
    # as G2, which asks for less than 2562047 hours: 99.999 points at 0.001 in 144 h would take 14 million
    budget = _judged(Given(0.001, 15 * MINUTE, 24 * HOUR, _WEEK))
    assert budget["risk"] == "unknown"
    assert budget["confidence"] == "low"
    assert budget["reasons"] == [*_CYCLE_ONLY, "projection_unavailable"]


@pytest.mark.parametrize(
    ("earlier", "risk"),
    # 45 points in 2.5 h are 18 an hour, and 22 are safe
    [(33, "high"), (36.5, "elevated"), (44, "elevated")],
    ids=["recent-24-an-hour", "recent-17-an-hour", "recent-2-an-hour"],
)
def test_the_faster_of_both_rates_decides(earlier: float, risk: str) -> None:
    given = Given(45, left=150 * MINUTE, samples=(Sample(30 * MINUTE, earlier),))
    assert _judged(given)["risk"] == risk


def test_budgets_stand_in_the_order_of_the_windows() -> None:
    windows = tuple(_reading(key, 20, HOUR, _WEEK) for key in ("spark.weekly", "primary.weekly"))
    budgets = evaluate(_RULES, CurrentObservation(_NOW, windows), [], "available", _NOW)
    assert [budget["key"] for budget in budgets] == ["spark.weekly", "primary.weekly"]


def test_numbers_of_any_size_are_judged() -> None:
    far = 10**400
    assert _judged(Given(period_ms=far))["reasons"] == [*_CYCLE_ONLY, "projection_unavailable"]
    assert _judged(Given(left=far))["reasons"][1:] == ["cycle_not_started", "projection_unavailable"]
    assert _judged(Given(far))["reasons"] == ["used_percent_invalid"]


_BROKEN: Final[dict[str, Json]] = {
    "freshness_of": lambda age: "fresh",
    "freshness_reason": lambda freshness: None,
    "history_reason": lambda state: None,
    "used_problem": lambda used: "used_percent_missing" if used is None else None,
    "reset_problem": lambda reset: None,
    "period_problem": lambda period: None if period else "period_duration_missing",
    "elapsed_problem": lambda left: "reset_elapsed" if left < 0 else None,
    "remaining_points": lambda used: used,
    "cycle_rate": lambda used, elapsed: used / 5,
    "recent_estimate": lambda window, observed, history, state: Recent(),
    "choose_pace": lambda cycle, recent: cycle,
    "pace_reason": lambda cycle, recent: None if cycle is None else "pace_cycle_only",
    "safe_rate": lambda remaining, left: remaining,
    "exhausted_after": lambda remaining, pace: None if pace is None else 1,
    "projection_reasons": lambda forecast: (),
    "confidence_of": lambda forecast: "medium",
    "aging_reason": lambda forecast, confidence: None,
    "risk_of": lambda forecast: "low",
    "in_rank": sorted,
}


@pytest.mark.parametrize("name", BudgetRules._fields)
def test_a_broken_rule_changes_a_worked_value(name: str) -> None:
    broken = _RULES._replace(**{name: _BROKEN[name]})
    assert any(
        _changes(broken, given, (risk, confidence, reasons))
        for _, given, risk, confidence, reasons in _WORKED
    )


def _changes(rules: BudgetRules, given: Given, wanted: tuple[str, str, list[str]]) -> bool:
    try:
        budget = _judged(given, rules)
    except ZeroDivisionError:
        return True
    return (budget["risk"], budget["confidence"], budget["reasons"]) != wanted
