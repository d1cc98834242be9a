"""Twins that judge quota windows wrongly: what can be judged, how fast it goes, what it means (spec 3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evalkit.contracts.scriba import (
    budget_estimates,
    budget_freshness,
    budget_readings,
    budget_verdicts,
    windows,
)
from evalkit.contracts.scriba.budget import BudgetRules
from evalkit.contracts.scriba.budget_nouns import (
    Confidence,
    Forecast,
    Freshness,
    History,
    HistoryState,
    Recent,
    Risk,
    Values,
    WindowReading,
)
from evalkit.contracts.scriba.durations import HOUR, MINUTE, hours
from evalkit.contracts.scriba.nouns import Instant, Json
from evalkit.contracts.scriba.projection import show_window
from tests.twins.twin import Twin, altered, twin_of


def _budget(name: str, *promised_by: str, **change: Any) -> Twin:
    return twin_of("scriba", name, *promised_by, budget=BudgetRules()._replace(**change))


def _fresh_below(bound: int) -> Any:
    def freshness_of(age: int) -> Freshness:
        return "fresh" if abs(age) < bound else budget_freshness.freshness_of(age)

    return freshness_of


def _fresh_for(minutes: int, age: int) -> Freshness:
    return "aging" if minutes * MINUTE < age <= 10 * MINUTE else budget_freshness.freshness_of(age)


def _aging_told(freshness: Freshness) -> str | None:
    return "observation_stale" if freshness == "aging" else budget_freshness.freshness_reason(freshness)


def _empty_unavailable(state: HistoryState) -> str | None:
    return "history_unavailable" if state == "empty" else budget_readings.history_reason(state)


def _always_invalid(period_ms: int | None) -> str | None:
    return None if period_ms and period_ms > 0 else "period_duration_invalid"


def _a_minute(used: float, elapsed: int) -> float | None:
    rate = budget_estimates.cycle_rate(used, elapsed)
    return rate and rate / 60


def _within(youngest: int, oldest: int) -> Any:
    """The estimate from samples of other ages than 10 minutes to 24 hours."""

    def past_readings(key: str, observed: Instant, history: History) -> Any:
        for past in history:
            age = observed.nanoseconds - past.observed_at.nanoseconds
            if youngest <= age <= oldest:
                yield from ((age, reading) for reading in past.windows if reading.key == key)

    return altered(budget_estimates.recent_estimate, _past_readings=past_readings)


def _always_lowered(forecast: Forecast, confidence: Confidence) -> str | None:
    return "confidence_downgraded_aging"


def _aging_at_ten_minutes(age: int) -> Freshness:
    return "aging" if age == 10 * MINUTE else budget_freshness.freshness_of(age)


def _stale_at_half_an_hour(age: int) -> Freshness:
    return "stale" if age == 30 * MINUTE else budget_freshness.freshness_of(age)


def _never_in_future(age: int) -> Freshness:
    return budget_freshness.freshness_of(max(age, 0))


def _always_in_future(age: int) -> Freshness:
    return "unknown" if age < 0 else budget_freshness.freshness_of(age)


def _any_percentage(used: float | None) -> str | None:
    return "used_percent_missing" if used is None else None


def _below_a_hundred(used: float | None) -> str | None:
    return "used_percent_invalid" if used == 100 else budget_readings.used_problem(used)


def _any_period(period_ms: int | None) -> str | None:
    return None if period_ms else "period_duration_missing"


def _still_at_the_reset(left: int) -> str | None:
    return "reset_elapsed" if left < 0 else None


def _from_the_youngest(
    window: WindowReading, observed: Instant, history: History, state: HistoryState
) -> Recent:
    """The rate since the youngest sample that counts."""
    found = [past for past in history if observed.nanoseconds - past.observed_at.nanoseconds >= 10 * MINUTE]
    return budget_estimates.recent_estimate(window, observed, found[-1:], state)


def _of_any_reset(window: WindowReading, observed: Instant, history: History, state: HistoryState) -> Recent:
    """The reset of a sample is no matter."""
    alike = [
        past._replace(windows=tuple(one._replace(reset_at=window.reset_at) for one in past.windows))
        for past in history
    ]
    return budget_estimates.recent_estimate(window, observed, alike, state)


def _of_any_window(window: WindowReading, observed: Instant, history: History, state: HistoryState) -> Recent:
    """Whatever window a sample is of."""
    alike = [
        past._replace(windows=tuple(one._replace(key=window.key) for one in past.windows)) for past in history
    ]
    return budget_estimates.recent_estimate(window, observed, alike, state)


def _no_history(window: WindowReading, observed: Instant, history: History, state: HistoryState) -> Recent:
    return budget_estimates.recent_estimate(window, observed, (), state)


def _decreases_count(
    window: WindowReading, observed: Instant, history: History, state: HistoryState
) -> Recent:
    """A sample above the present use is no reason to doubt: the use was turned back."""
    lower = [
        past._replace(
            windows=tuple(
                one._replace(used_percent=min(one.used_percent or 0, window.used_percent or 0))
                for one in past.windows
            )
        )
        for past in history
    ]
    return budget_estimates.recent_estimate(window, observed, lower, state)


def _slower(cycle: float | None, recent: float | None) -> float | None:
    return min((rate for rate in (cycle, recent) if rate is not None), default=None)


def _mean(cycle: float | None, recent: float | None) -> float | None:
    known = [rate for rate in (cycle, recent) if rate is not None]
    return sum(known) / len(known) if known else None


def _only_recent(cycle: float | None, recent: float | None) -> float | None:
    return recent


def _recent_where_equal(cycle: float | None, recent: float | None) -> str | None:
    if cycle is not None and cycle == recent:
        return "pace_conservative_recent"
    return budget_estimates.pace_reason(cycle, recent)


def _swapped(cycle: float | None, recent: float | None) -> str | None:
    return budget_estimates.pace_reason(recent, cycle)


def _never_exhausted(remaining: float, pace: float | None) -> int | None:
    return None


def _past_counting(remaining: float, pace: float | None) -> int | None:
    """The end is told, however far away it is."""
    return int(min(remaining / pace, 1e6) * HOUR) if pace is not None and pace > 0 else None


def _sure_of_two(forecast: Forecast) -> Confidence:
    found = budget_verdicts.confidence_of(forecast)
    return "high" if found == "medium" and forecast.freshness == "fresh" else found


def _not_sunk(forecast: Forecast) -> Confidence:
    fresh: Freshness = "fresh" if forecast.freshness == "aging" else forecast.freshness
    return budget_verdicts.confidence_of(forecast._replace(freshness=fresh))


def _sure_of_the_stale(forecast: Forecast) -> Confidence:
    return budget_verdicts.confidence_of(forecast._replace(freshness="fresh"))


def _sure_of_the_cycle(forecast: Forecast) -> Confidence:
    found = budget_verdicts.confidence_of(forecast)
    return "medium" if found == "low" and forecast.recent.rate is None else found


def _high_only_above(forecast: Forecast) -> Risk:
    if forecast.pace == forecast.safe:
        return "elevated"
    return budget_verdicts.risk_of(forecast)


def _elevated_only_above(forecast: Forecast) -> Risk:
    found = budget_verdicts.risk_of(forecast)
    return "low" if found == "elevated" and forecast.pace == 0.8 * forecast.safe else found


def _little_left_is_no_matter(forecast: Forecast) -> Risk:
    found = budget_verdicts.risk_of(forecast)
    slow = forecast.pace is not None and forecast.pace < 0.8 * forecast.safe
    return "low" if found == "elevated" and slow else found


def _used_up_is_high(forecast: Forecast) -> Risk:
    found = budget_verdicts.risk_of(forecast)
    return "high" if found == "critical" else found


def _judged_though_stale(forecast: Forecast) -> Risk:
    return budget_verdicts.risk_of(forecast._replace(freshness="fresh"))


def _known_though_out_of_reach(forecast: Forecast) -> Risk:
    return budget_verdicts.risk_of(forecast._replace(exhausted_in=forecast.exhausted_in or HOUR))


def _zero_not_told(forecast: Forecast) -> tuple[str, ...]:
    return ("projection_unavailable",) if forecast.exhausted_in is None else ()


def _projection_not_told(forecast: Forecast) -> tuple[str, ...]:
    return tuple(one for one in budget_verdicts.projection_reasons(forecast) if one == "burn_zero")


def _alphabetical(reasons: Iterable[str]) -> list[str]:
    return sorted(set(reasons))


def _worst_first(reasons: Iterable[str]) -> list[str]:
    return budget_verdicts.in_rank(reasons)[::-1]


def _case_matters(provider: str, label: str) -> str | None:
    found = windows.key_of(provider, label)
    return found if label == label.strip() and not label.isupper() and label[:1].isalnum() else None


def _any_label(provider: str, label: str) -> str | None:
    return windows.key_of(provider, label) or f"other.{label.strip().lower().replace(' ', '_')}"


def _of_every_provider(provider: str, label: str) -> str | None:
    return (
        windows.key_of(provider, label) or windows.key_of("codex", label) or windows.key_of("claude", label)
    )


def _period_of_all(provider: str, key: str) -> int | None:
    return windows.fallback_period_ms("claude", key)


def _no_period(provider: str, key: str) -> int | None:
    return None


def _a_week_always(provider: str, key: str) -> int | None:
    found = windows.fallback_period_ms(provider, key)
    return found and 7 * 24 * 3_600_000


def _as_they_come(readings: Iterable[WindowReading]) -> tuple[WindowReading, ...]:
    return tuple(readings)


def _by_label(readings: Iterable[WindowReading]) -> tuple[WindowReading, ...]:
    return tuple(sorted(readings, key=lambda reading: reading.label))


def _by_key_backwards(readings: Iterable[WindowReading]) -> tuple[WindowReading, ...]:
    return tuple(sorted(readings, key=lambda reading: (reading.key, reading.label), reverse=True))


def _without_unknown(key: str, values: Values) -> Json:
    return {name: value for name, value in show_window(key, values).items() if value is not None}


def _zero_for_unknown(key: str, values: Values) -> Json:
    return {**show_window(key, values), "usedPercent": values.used_percent or 0}


def _remaining_as_used(key: str, values: Values) -> Json:
    return show_window(key, values._replace(remaining=values.used_percent))


def _whole_percent(key: str, values: Values) -> Json:
    used = values.used_percent
    return show_window(key, values._replace(used_percent=None if used is None else float(round(used))))


TWINS = (
    _budget(
        "fresh for only five minutes",
        "budget-bounds[critical-used-up-since]",
        freshness_of=lambda age: _fresh_for(5, age),
    ),
    _budget(
        "aging at ten minutes to the second",
        "budget-bounds[fresh-at-10m]",
        freshness_of=_aging_at_ten_minutes,
    ),
    _budget(
        "stale at half an hour to the second",
        "budget-bounds[aging-at-30m]",
        freshness_of=_stale_at_half_an_hour,
    ),
    _budget(
        "an observation from the future is fresh",
        "budget-worked[G11]",
        "budget-bounds[unknown-further-ahead]",
        "CX37",
        freshness_of=_never_in_future,
    ),
    _budget(
        "no clock may be a second ahead",
        "budget-bounds[fresh-a-minute-ahead]",
        freshness_of=_always_in_future,
    ),
    _budget(
        "nothing is ever stale", "budget-worked[G9]", "budget-worked[G27]", freshness_of=_fresh_below(1 << 62)
    ),
    _budget(
        "not told that an observation is stale",
        "budget-worked[G9]",
        "budget-worked[G27]",
        freshness_reason=lambda freshness: None,
    ),
    _budget(
        "told of an aging observation that it is stale",
        "budget-bounds[aging-past-10m]",
        "budget-bounds[aging-at-30m]",
        freshness_reason=_aging_told,
    ),
    _budget(
        "a history without samples is available",
        "budget-worked-of-the-cache",
        history_reason=lambda state: None,
    ),
    _budget("an empty history is unavailable", "budget-worked[G2]", history_reason=_empty_unavailable),
    _budget(
        "a used percentage may be anything", "CX34[G14]", "CX34[below-zero]", used_problem=_any_percentage
    ),
    _budget("a used percentage of 100 is wrong", "budget-worked[G8]", used_problem=_below_a_hundred),
    _budget("an unknown used percentage is judged", "CX34[G13]", "CX34[G14]", used_problem=lambda used: None),
    _budget(
        "what remains is what was used",
        "window-fraction",
        "window-key-codex",
        remaining_points=lambda used: used,
    ),
    _budget("an unknown reset is no problem", "CX34[G15]", "CX34[no-time]", reset_problem=lambda reset: None),
    _budget("a period may be negative", "budget-worked[G26]", period_problem=_any_period),
    _budget(
        "a period that is missing is invalid", "budget-bounds[period-zero]", period_problem=_always_invalid
    ),
    _budget(
        "a window counts until the moment of its reset",
        "budget-worked[G16]",
        elapsed_problem=_still_at_the_reset,
    ),
    _budget(
        "a reset that has passed is not noticed", "budget-worked[G16]", elapsed_problem=lambda left: None
    ),
    _budget(
        "the rate of a cycle that has not begun",
        "budget-bounds[low-below-four-fifths]",
        "budget-bounds[history-before-24h]",
        cycle_rate=lambda used, elapsed: used,
    ),
    _budget(
        "the cycle's rate a minute",
        "budget-worked[G5]",
        "budget-worked-of-the-cache[five-hours]",
        cycle_rate=_a_minute,
    ),
    _budget(
        "no rate of the cycle",
        "budget-worked-of-the-cache[G2]",
        "budget-worked-of-the-cache[G4]",
        cycle_rate=lambda used, elapsed: None,
    ),
    _budget("the rate since the youngest sample", "CX42[G21]", "CX12", recent_estimate=_from_the_youngest),
    _budget(
        "samples of another cycle count",
        "CX42[G20]",
        "budget-bounds[decrease-before-mismatch]",
        recent_estimate=_of_any_reset,
    ),
    _budget(
        "samples of another window count",
        "budget-bounds[history-of-another-window]",
        recent_estimate=_of_any_window,
    ),
    _budget("no sample counts", "CX42[G17]", recent_estimate=_no_history),
    _budget(
        "a counter that went down counts",
        "CX42[G19]",
        "budget-bounds[history-without-value]",
        recent_estimate=_decreases_count,
    ),
    _budget(
        "samples count from five minutes on",
        "CX42[G24-at-9m59s]",
        recent_estimate=_within(5 * MINUTE, 24 * HOUR),
    ),
    _budget(
        "samples of the last hour count",
        "budget-worked[G1]",
        "budget-bounds[history-24h-ago]",
        recent_estimate=_within(10 * MINUTE, HOUR - 1),
    ),
    _budget(
        "resets may differ by an hour",
        "CX42[G20]",
        "budget-bounds[decrease-before-mismatch]",
        recent_estimate=altered(budget_estimates.recent_estimate, _SAME_RESET=HOUR),
    ),
    _budget(
        "resets must not differ by five minutes",
        "CX42[G25]",
        recent_estimate=altered(budget_estimates.recent_estimate, _SAME_RESET=5 * MINUTE - 1),
    ),
    _budget("the slower of two rates is the pace", "budget-bounds[pace-of-the-faster]", choose_pace=_slower),
    _budget("the mean of two rates is the pace", "budget-bounds[pace-of-the-faster]", choose_pace=_mean),
    _budget(
        "only the recent rate is the pace",
        "budget-worked-of-the-cache[G2]",
        "budget-worked-of-the-cache[G4]",
        choose_pace=_only_recent,
    ),
    _budget(
        "of equal rates the recent one is named",
        "budget-bounds[paces-that-are-equal]",
        pace_reason=_recent_where_equal,
    ),
    _budget(
        "the pace is named after the other rate",
        "budget-worked-of-the-cache[G2]",
        "budget-worked-of-the-cache[G4]",
        pace_reason=_swapped,
    ),
    _budget(
        "not told which rate is the pace",
        "budget-worked-of-the-cache[G2]",
        "budget-worked-of-the-cache[G4]",
        pace_reason=lambda cycle, recent: None,
    ),
    _budget(
        "the safe rate is a day's",
        "budget-worked[G5]",
        safe_rate=lambda remaining, left: remaining / hours(left) * 24,
    ),
    _budget(
        "the safe rate is that of all there was",
        "budget-worked[G6]",
        safe_rate=lambda remaining, left: 100 / hours(left),
    ),
    _budget(
        "nothing is ever used up",
        "budget-worked-of-the-cache[G4]",
        "window-key-claude",
        exhausted_after=_never_exhausted,
    ),
    _budget(
        "an end past counting is told",
        "budget-worked[G2]",
        "budget-worked-of-the-cache[G2]",
        exhausted_after=_past_counting,
    ),
    _budget("not told that nothing is used", "CX42[G18]", projection_reasons=_zero_not_told),
    _budget(
        "not told that there is no projection",
        "budget-worked[G27]",
        "budget-worked-of-the-cache[G3]",
        projection_reasons=_projection_not_told,
    ),
    _budget(
        "two samples make sure",
        "CX42[G22]",
        "CX42[G24-at-10m]",
        "budget-bounds[history-of-three-over-less-than-1h]",
        confidence_of=_sure_of_two,
    ),
    _budget("age does not lower the confidence", "budget-worked[G10]", "CX42[G23]", confidence_of=_not_sunk),
    _budget(
        "sure of a stale observation",
        "budget-worked[G9]",
        "budget-bounds[stale-past-30m]",
        confidence_of=_sure_of_the_stale,
    ),
    _budget(
        "sure of the cycle's rate alone",
        "budget-bounds[history-out-of-range]",
        confidence_of=_sure_of_the_cycle,
    ),
    _budget(
        "not told that age lowered the confidence",
        "budget-bounds[aging-past-10m]",
        aging_reason=lambda forecast, confidence: None,
    ),
    _budget(
        "told of every confidence that age lowered it",
        "budget-worked-of-the-cache[G3]",
        "budget-worked-of-the-cache[G4]",
        aging_reason=_always_lowered,
    ),
    _budget("high only above the safe rate", "budget-bounds[high-at-safe-pace]", risk_of=_high_only_above),
    _budget(
        "elevated only above four fifths of the safe rate",
        "budget-bounds[elevated-at-four-fifths]",
        risk_of=_elevated_only_above,
    ),
    _budget("that little is left is no risk", "budget-worked[G7]", risk_of=_little_left_is_no_matter),
    _budget(
        "what is used up is only a high risk",
        "budget-worked[G8]",
        "budget-bounds[critical-used-up-since]",
        risk_of=_used_up_is_high,
    ),
    _budget(
        "a stale observation is judged",
        "budget-worked[G9]",
        "budget-bounds[stale-past-30m]",
        risk_of=_judged_though_stale,
    ),
    _budget(
        "an end out of reach is judged", "budget-worked-of-the-cache[G2]", risk_of=_known_though_out_of_reach
    ),
    _budget(
        "reasons in alphabetical order",
        "budget-worked-of-the-cache[G3]",
        "budget-worked-of-the-cache[G4]",
        in_rank=_alphabetical,
    ),
    _budget("reasons in the opposite order", "budget-worked-of-the-cache", in_rank=_worst_first),
    twin_of("scriba", "a label's case and padding matter", "window-key-codex[padded]", key_of=_case_matters),
    twin_of("scriba", "every label names a window", "CX40", key_of=_any_label),
    twin_of(
        "scriba",
        "a label names a window of any provider",
        "window-key-codex",
        "window-key-claude",
        key_of=_of_every_provider,
    ),
    twin_of("scriba", "no label names a window", "private-page", "CX06", key_of=lambda provider, label: None),
    twin_of(
        "scriba",
        "claude's periods are codex's too",
        "budget-worked-of-the-cache[G12]",
        "CX34[G12]",
        fallback_period_ms=_period_of_all,
    ),
    twin_of("scriba", "no period is known", "budget-worked-of-the-cache[G4]", fallback_period_ms=_no_period),
    twin_of(
        "scriba",
        "every window lasts a week",
        "budget-worked-of-the-cache[five-hours]",
        fallback_period_ms=_a_week_always,
    ),
    twin_of("scriba", "windows as they come", "CX36", window_order=_as_they_come),
    twin_of("scriba", "windows in the order of their labels", "CX36", window_order=_by_label),
    twin_of("scriba", "windows in the opposite order", "CX36", window_order=_by_key_backwards),
    twin_of("scriba", "an unknown value is left out", "private-broken", show_window=_without_unknown),
    twin_of("scriba", "an unknown percentage is shown as 0", "CX34[G13]", show_window=_zero_for_unknown),
    twin_of(
        "scriba",
        "what was used is shown as what remains",
        "window-fraction",
        "window-key-codex",
        show_window=_remaining_as_used,
    ),
    twin_of("scriba", "percentages are rounded", "window-fraction", show_window=_whole_percent),
)
