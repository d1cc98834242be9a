"""How sure a forecast is, how great the risk, and in what order the reasons stand (spec 3.5, 3.6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .budget_nouns import Confidence, Forecast, Risk
from .durations import HOUR, MILLISECOND


def confidence_of(forecast: Forecast) -> Confidence:
    """How much the pace can be relied on; an aging observation counts for one step less."""
    if forecast.pace is None or forecast.freshness in ("stale", "unknown"):
        return "none"
    recent = forecast.recent
    if forecast.cycle is None or recent.rate is None or recent.samples < 2:
        return "low"
    is_high = recent.samples >= 4 and recent.span >= HOUR
    if forecast.freshness == "aging":
        return "medium" if is_high else "low"
    return "high" if is_high else "medium"


def aging_reason(forecast: Forecast, confidence: Confidence) -> str | None:
    """Said of every confidence in an aging observation, even of one that could not sink (step 19)."""
    if forecast.freshness != "aging" or confidence == "none" or _is_out_of_reach(forecast):
        return None
    return "confidence_downgraded_aging"


def risk_of(forecast: Forecast) -> Risk:
    """How likely the window is used up before it resets."""
    pace, safe = forecast.pace, forecast.safe
    if forecast.freshness in ("stale", "unknown") or forecast.left < MILLISECOND:
        return "unknown"
    if pace is None or _is_out_of_reach(forecast):
        return "unknown"
    if forecast.remaining == 0 or (forecast.exhausted_in is not None and forecast.exhausted_in <= 0):
        return "critical"
    if pace >= safe:
        return "high"
    if pace >= 0.8 * safe or forecast.remaining <= 20:
        return "elevated"
    return "low"


def projection_reasons(forecast: Forecast) -> tuple[str, ...]:
    """Why it is not said when nothing will be left (steps 16 to 18)."""
    if forecast.exhausted_in is not None:
        return ()
    if forecast.pace is not None and forecast.pace <= 0:
        return ("burn_zero", "projection_unavailable")
    return ("projection_unavailable",)


def in_rank(reasons: Iterable[str]) -> list[str]:
    """Each reason once, in the order of the closed list."""
    return sorted(set(reasons), key=REASONS.index)


REASONS: Final = (
    "history_unavailable",
    "history_empty",
    "history_insufficient",
    "history_reset_mismatch",
    "history_counter_decrease",
    "observation_in_future",
    "observation_stale",
    "used_percent_missing",
    "used_percent_invalid",
    "reset_time_missing",
    "reset_elapsed",
    "period_duration_missing",
    "period_duration_invalid",
    "cycle_not_started",
    "cycle_estimate_available",
    "recent_estimate_available",
    "pace_cycle_only",
    "pace_recent_only",
    "pace_conservative_cycle",
    "pace_conservative_recent",
    "burn_zero",
    "projection_unavailable",
    "confidence_downgraded_aging",
)


def _is_out_of_reach(forecast: Forecast) -> bool:
    """Whether something is used up, but so slowly that the end of it cannot be told."""
    return forecast.pace is not None and forecast.pace > 0 and forecast.exhausted_in is None
