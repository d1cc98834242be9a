"""How fresh an observation is for a budget, which is not how stale a source is (spec 3.2)."""

from __future__ import annotations

from .budget_nouns import Freshness
from .durations import MINUTE


def freshness_of(age: int) -> Freshness:
    """The band of an age in nanoseconds; an observation from more than a minute ahead has none."""
    if age < -MINUTE:
        return "unknown"
    if age <= 10 * MINUTE:
        return "fresh"
    if age <= 30 * MINUTE:
        return "aging"
    return "stale"


def freshness_reason(freshness: Freshness) -> str | None:
    """What is to be said of an observation that nothing can be concluded from (spec 3.3, steps 2 and 3)."""
    if freshness == "unknown":
        return "observation_in_future"
    if freshness == "stale":
        return "observation_stale"
    return None
