"""Judges quota windows: how likely each is used up before it resets, how sure that is, and why (spec 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from . import budget_estimates, budget_freshness, budget_readings, budget_verdicts
from .budget_nouns import (
    Confidence,
    CurrentObservation,
    Forecast,
    Freshness,
    History,
    HistoryState,
    Recent,
    Risk,
    Values,
    WindowReading,
)
from .durations import MILLISECOND
from .nouns import Instant, Json


class BudgetRules(NamedTuple):
    """Every rule of the evaluation; ages and lengths are nanoseconds, rates percentage points per hour."""

    # what can be judged at all
    freshness_of: Callable[[int], Freshness] = budget_freshness.freshness_of
    freshness_reason: Callable[[Freshness], str | None] = budget_freshness.freshness_reason
    history_reason: Callable[[HistoryState], str | None] = budget_readings.history_reason
    used_problem: Callable[[float | None], str | None] = budget_readings.used_problem
    reset_problem: Callable[[Instant | None], str | None] = budget_readings.reset_problem
    period_problem: Callable[[int | None], str | None] = budget_readings.period_problem
    elapsed_problem: Callable[[int], str | None] = budget_readings.elapsed_problem
    remaining_points: Callable[[float], float] = budget_readings.remaining_points

    # how fast it goes
    cycle_rate: Callable[[float, int], float | None] = budget_estimates.cycle_rate
    recent_estimate: Callable[[WindowReading, Instant, History, HistoryState], Recent] = (
        budget_estimates.recent_estimate
    )
    choose_pace: Callable[[float | None, float | None], float | None] = budget_estimates.choose_pace
    pace_reason: Callable[[float | None, float | None], str | None] = budget_estimates.pace_reason
    safe_rate: Callable[[float, int], float] = budget_estimates.safe_rate
    exhausted_after: Callable[[float, float | None], int | None] = budget_estimates.exhausted_after

    # what is concluded
    projection_reasons: Callable[[Forecast], Sequence[str]] = budget_verdicts.projection_reasons
    confidence_of: Callable[[Forecast], Confidence] = budget_verdicts.confidence_of
    aging_reason: Callable[[Forecast, Confidence], str | None] = budget_verdicts.aging_reason
    risk_of: Callable[[Forecast], Risk] = budget_verdicts.risk_of
    in_rank: Callable[[set[str]], list[str]] = budget_verdicts.in_rank


def evaluate(
    rules: BudgetRules,
    observation: CurrentObservation,
    history: History,
    history_state: HistoryState,
    now: Instant,
) -> list[Json]:
    """The budgets of a document, `{key, risk, confidence, reasons}`: one a window, in the order they have."""
    observed = observation.observed_at
    freshness = rules.freshness_of(now.nanoseconds - observed.nanoseconds)
    view = _View(observed, now, freshness, history, history_state)
    return [_judge(rules, window, view) for window in observation.windows]


def values_of(rules: BudgetRules, window: WindowReading) -> Values:
    """What a document may show of a window: without a used percentage nothing, not even its reset (1.4)."""
    used = window.used_percent
    if used is None or rules.used_problem(used) is not None:
        return Values()
    return Values(used, rules.remaining_points(used), window.reset_at)


class _View(NamedTuple):
    """From where a window is looked at: the same for all windows of an observation."""

    observed: Instant
    now: Instant
    freshness: Freshness
    history: History
    history_state: HistoryState


def _judge(rules: BudgetRules, window: WindowReading, view: _View) -> Json:
    reasons = {rules.history_reason(view.history_state), rules.freshness_reason(view.freshness)}
    used, reset, period = window.used_percent, window.reset_at, window.period_ms
    problem = _problem(rules, window, view.now)
    if problem is not None or used is None or reset is None or period is None:
        return _budget(rules, window, "unknown", "none", reasons | {problem})

    elapsed = view.observed.nanoseconds - (reset.nanoseconds - period * MILLISECOND)
    cycle = rules.cycle_rate(used, elapsed)
    recent = rules.recent_estimate(window, view.observed, view.history, view.history_state)
    left = reset.nanoseconds - view.now.nanoseconds
    forecast = _forecast(rules, view, rules.remaining_points(used), left, cycle, recent)
    confidence = rules.confidence_of(forecast)
    reasons |= {
        "cycle_not_started" if cycle is None else "cycle_estimate_available",
        recent.reason if recent.rate is None else "recent_estimate_available",
        rules.pace_reason(cycle, recent.rate),
        rules.aging_reason(forecast, confidence),
        *rules.projection_reasons(forecast),
    }
    return _budget(rules, window, rules.risk_of(forecast), confidence, reasons)


def _problem(rules: BudgetRules, window: WindowReading, now: Instant) -> str | None:
    """The first thing that keeps a window from being judged."""
    problem = (
        rules.used_problem(window.used_percent)
        or rules.reset_problem(window.reset_at)
        or rules.period_problem(window.period_ms)
    )
    if problem is not None or window.reset_at is None:
        return problem
    return rules.elapsed_problem(window.reset_at.nanoseconds - now.nanoseconds)


def _forecast(
    rules: BudgetRules, view: _View, remaining: float, left: int, cycle: float | None, recent: Recent
) -> Forecast:
    pace = rules.choose_pace(cycle, recent.rate)
    after = rules.exhausted_after(remaining, pace)
    return Forecast(
        freshness=view.freshness,
        remaining=remaining,
        left=left,
        cycle=cycle,
        recent=recent,
        pace=pace,
        safe=rules.safe_rate(remaining, left),
        exhausted_in=None if after is None else view.observed.nanoseconds + after - view.now.nanoseconds,
    )


def _budget(
    rules: BudgetRules, window: WindowReading, risk: Risk, confidence: Confidence, reasons: set[str | None]
) -> Json:
    said = {reason for reason in reasons if reason is not None}
    return {"key": window.key, "risk": risk, "confidence": confidence, "reasons": rules.in_rank(said)}
