"""Tests for the rules of the budget, each on its own, at the edges that decide (spec 3.2 to 3.6)."""

from __future__ import annotations

from typing import Final

import pytest

from evalkit.contracts.scriba.budget_estimates import (
    choose_pace,
    cycle_rate,
    exhausted_after,
    pace_reason,
    recent_estimate,
    safe_rate,
)
from evalkit.contracts.scriba.budget_freshness import freshness_of, freshness_reason
from evalkit.contracts.scriba.budget_nouns import (
    Forecast,
    Freshness,
    HistoryObservation,
    HistoryState,
    Recent,
    WindowReading,
)
from evalkit.contracts.scriba.budget_readings import (
    elapsed_problem,
    history_reason,
    period_problem,
    reset_problem,
    used_problem,
)
from evalkit.contracts.scriba.budget_verdicts import (
    REASONS,
    aging_reason,
    confidence_of,
    in_rank,
    projection_reasons,
    risk_of,
)
from evalkit.contracts.scriba.durations import HOUR, LONGEST, MINUTE, hours
from evalkit.contracts.scriba.nouns import Instant

_OBSERVED: Final = Instant(1_000_000 * HOUR)
_RESET: Final = Instant(_OBSERVED.nanoseconds + 2 * HOUR)
_WINDOW: Final = WindowReading("primary.weekly", "Weekly limit", 40, _RESET, 168 * 3_600_000)


@pytest.mark.parametrize(
    ("age", "freshness"),
    [
        (-MINUTE - 1, "unknown"),
        (-MINUTE, "fresh"),
        (0, "fresh"),
        (10 * MINUTE, "fresh"),
        (10 * MINUTE + 1, "aging"),
        (30 * MINUTE, "aging"),
        (30 * MINUTE + 1, "stale"),
    ],
)
def test_freshness_changes_at_the_nanosecond(age: int, freshness: str) -> None:
    assert freshness_of(age) == freshness


@pytest.mark.parametrize(
    ("freshness", "reason"),
    [("unknown", "observation_in_future"), ("fresh", None), ("aging", None), ("stale", "observation_stale")],
)
def test_an_observation_that_tells_nothing_is_named(freshness: Freshness, reason: str | None) -> None:
    assert freshness_reason(freshness) == reason


@pytest.mark.parametrize(
    ("state", "reason"),
    [("unavailable", "history_unavailable"), ("empty", "history_empty"), ("available", None)],
)
def test_a_missing_history_is_named(state: HistoryState, reason: str | None) -> None:
    assert history_reason(state) == reason


def test_a_reading_is_judged_at_its_limits() -> None:
    assert [used_problem(used) for used in (None, -0.0, 0, 100, 99.999)] == ["used_percent_missing"] + [
        None
    ] * 4
    for used in (-1e-9, 100.000001, float("nan"), float("inf"), float("-inf")):
        assert used_problem(used) == "used_percent_invalid"
    assert [reset_problem(None), reset_problem(_RESET)] == ["reset_time_missing", None]
    assert [period_problem(period) for period in (None, 0, -1, 1)] == [
        "period_duration_missing",
        "period_duration_missing",
        "period_duration_invalid",
        None,
    ]
    assert [elapsed_problem(left) for left in (-1, 0, 1)] == ["reset_elapsed", "reset_elapsed", None]


def test_hours_are_whole_ones_and_a_rest_and_end_where_go_ends() -> None:
    assert hours(90 * MINUTE) == 1.5
    assert hours(1) == 1 / 3.6e12
    assert hours(LONGEST) == 2562047 + 2836854775807 / 3.6e12
    assert hours(10**400) == hours(LONGEST)


def test_a_cycle_has_a_rate_from_its_first_nanosecond_on() -> None:
    assert [cycle_rate(20, -1), cycle_rate(20, 0)] == [None, None]
    assert cycle_rate(20, 4 * HOUR) == 5
    assert cycle_rate(1, 1) == 1 / (1 / 3.6e12)
    assert safe_rate(60, 90 * MINUTE) == 40


def _sample(
    age: int, used: float | None, reset_shift: int | None = 0, key: str = "primary.weekly"
) -> HistoryObservation:
    reset = None if reset_shift is None else Instant(_RESET.nanoseconds + reset_shift)
    reading = WindowReading(key, "Weekly limit", used, reset, None)
    return HistoryObservation(Instant(_OBSERVED.nanoseconds - age), (reading,))


@pytest.mark.parametrize(
    ("samples", "estimate"),
    [
        ([], Recent(reason="history_insufficient")),
        ([_sample(0, 10)], Recent(reason="history_insufficient")),
        ([_sample(24 * HOUR, 16)], Recent(1, 2, 24 * HOUR)),
        ([_sample(24 * HOUR + 1, 16)], Recent(reason="history_insufficient")),
        ([_sample(HOUR, 10, key="primary.five_hour")], Recent(reason="history_insufficient")),
        ([_sample(HOUR, 40)], Recent(0, 2, HOUR)),
        # the oldest eligible sample gives the rate, the ones that were passed over give no reason
        (
            [
                _sample(4 * HOUR, 1, 5 * MINUTE + 1),
                _sample(3 * HOUR, 41),
                _sample(2 * HOUR, 20),
                _sample(HOUR, 39),
            ],
            Recent(10, 3, 2 * HOUR),
        ),
        ([_sample(HOUR, 39), _sample(2 * HOUR, 20)], Recent(10, 3, 2 * HOUR)),
        # no eligible sample: a counter that went down says more than another cycle
        (
            [_sample(2 * HOUR, 10, -5 * MINUTE - 1), _sample(HOUR, 41)],
            Recent(reason="history_counter_decrease"),
        ),
        (
            [_sample(2 * HOUR, 10, -5 * MINUTE - 1), _sample(HOUR, 101)],
            Recent(reason="history_reset_mismatch"),
        ),
        ([_sample(HOUR, 10, None)], Recent(reason="history_reset_mismatch")),
        ([_sample(HOUR, None)], Recent(reason="history_insufficient")),
        ([_sample(HOUR, float("nan"))], Recent(reason="history_insufficient")),
        ([_sample(HOUR, -1)], Recent(reason="history_insufficient")),
        ([_sample(HOUR, 101, 6 * MINUTE)], Recent(reason="history_reset_mismatch")),
    ],
)
def test_a_recent_rate_is_that_since_the_oldest_eligible_sample(
    samples: list[HistoryObservation], estimate: Recent
) -> None:
    assert recent_estimate(_WINDOW, _OBSERVED, samples, "available") == estimate


@pytest.mark.parametrize("state", ["empty", "unavailable"])
def test_a_history_that_was_not_read_is_not_insufficient(state: HistoryState) -> None:
    assert recent_estimate(_WINDOW, _OBSERVED, [], state) == Recent()


@pytest.mark.parametrize(
    ("cycle", "recent", "pace", "reason"),
    [
        (None, None, None, None),
        (4, None, 4, "pace_cycle_only"),
        (None, 0, 0, "pace_recent_only"),
        (4, 4, 4, "pace_conservative_cycle"),
        (4, 3, 4, "pace_conservative_cycle"),
        (4, 5, 5, "pace_conservative_recent"),
    ],
)
def test_the_faster_rate_is_the_pace(
    cycle: float | None, recent: float | None, pace: float | None, reason: str | None
) -> None:
    assert (choose_pace(cycle, recent), pace_reason(cycle, recent)) == (pace, reason)


def test_exhaustion_is_told_as_far_as_go_can_count() -> None:
    assert exhausted_after(30, 20) == 90 * MINUTE
    assert exhausted_after(0, 20) == 0
    assert exhausted_after(1, 3.6e12 * 0.4) == 2  # 2.5 ns, truncated
    assert exhausted_after(hours(LONGEST), 1) is not None
    assert exhausted_after(hours(LONGEST) + 1, 1) is None
    assert [exhausted_after(30, pace) for pace in (None, 0, -1, 5e-324)] == [None] * 4


_FORECAST: Final = Forecast(
    freshness="fresh",
    remaining=60,
    left=2 * HOUR,
    cycle=10,
    recent=Recent(15, 4, HOUR),
    pace=15,
    safe=30,
    exhausted_in=4 * HOUR,
)


@pytest.mark.parametrize(
    ("forecast", "confidence"),
    [
        (_FORECAST, "high"),
        (_FORECAST._replace(recent=Recent(15, 4, HOUR - 1)), "medium"),
        (_FORECAST._replace(recent=Recent(15, 3, HOUR)), "medium"),
        (_FORECAST._replace(recent=Recent(15, 2, 10 * MINUTE)), "medium"),
        (_FORECAST._replace(recent=Recent()), "low"),
        (_FORECAST._replace(cycle=None), "low"),
        (_FORECAST._replace(freshness="aging"), "medium"),
        (_FORECAST._replace(freshness="aging", recent=Recent(15, 2, HOUR)), "low"),
        (_FORECAST._replace(freshness="aging", recent=Recent()), "low"),
        (_FORECAST._replace(freshness="stale"), "none"),
        (_FORECAST._replace(freshness="unknown"), "none"),
        (_FORECAST._replace(pace=None), "none"),
    ],
)
def test_confidence_grows_with_samples_and_sinks_with_age(forecast: Forecast, confidence: str) -> None:
    assert confidence_of(forecast) == confidence


@pytest.mark.parametrize(
    ("forecast", "risk"),
    [
        (_FORECAST, "low"),
        (_FORECAST._replace(pace=24), "elevated"),
        (_FORECAST._replace(pace=23.999), "low"),
        (_FORECAST._replace(pace=29.999), "elevated"),
        (_FORECAST._replace(pace=30), "high"),
        (_FORECAST._replace(remaining=20), "elevated"),
        (_FORECAST._replace(remaining=20.001), "low"),
        (_FORECAST._replace(pace=0, exhausted_in=None), "low"),
        (_FORECAST._replace(pace=0, exhausted_in=None, remaining=0, safe=0), "critical"),
        (_FORECAST._replace(exhausted_in=0), "critical"),
        (_FORECAST._replace(exhausted_in=1), "low"),
        (_FORECAST._replace(exhausted_in=None), "unknown"),
        (_FORECAST._replace(pace=None, exhausted_in=None), "unknown"),
        (_FORECAST._replace(pace=None, exhausted_in=None, remaining=0), "unknown"),
        (_FORECAST._replace(left=999_999), "unknown"),
        (_FORECAST._replace(left=1_000_000), "low"),
        (_FORECAST._replace(freshness="aging"), "low"),
        (_FORECAST._replace(freshness="stale", remaining=0), "unknown"),
        (_FORECAST._replace(freshness="unknown", remaining=0), "unknown"),
    ],
)
def test_the_first_risk_that_applies_is_the_risk(forecast: Forecast, risk: str) -> None:
    assert risk_of(forecast) == risk


@pytest.mark.parametrize(
    ("forecast", "reasons"),
    [
        (_FORECAST, ()),
        (_FORECAST._replace(exhausted_in=-1), ()),
        (_FORECAST._replace(exhausted_in=None), ("projection_unavailable",)),
        (_FORECAST._replace(pace=None, exhausted_in=None), ("projection_unavailable",)),
        (_FORECAST._replace(pace=0, exhausted_in=None), ("burn_zero", "projection_unavailable")),
    ],
)
def test_a_missing_projection_is_named(forecast: Forecast, reasons: tuple[str, ...]) -> None:
    assert tuple(projection_reasons(forecast)) == reasons


def test_aging_is_named_even_where_nothing_could_sink() -> None:
    aging = _FORECAST._replace(freshness="aging")
    assert aging_reason(aging, "low") == "confidence_downgraded_aging"
    assert aging_reason(aging._replace(pace=0, exhausted_in=None), "low") == "confidence_downgraded_aging"
    assert aging_reason(aging, "none") is None
    assert aging_reason(_FORECAST, "high") is None
    assert aging_reason(aging._replace(exhausted_in=None), "low") is None


def test_reasons_stand_once_and_in_rank() -> None:
    assert len(set(REASONS)) == len(REASONS) == 23
    assert in_rank(reversed(REASONS)) == list(REASONS)
    assert in_rank(["burn_zero", "history_empty", "burn_zero"]) == ["history_empty", "burn_zero"]
