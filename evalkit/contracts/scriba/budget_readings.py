"""What keeps a window from being judged (spec 3.3, steps 1 and 4 to 11)."""

from __future__ import annotations

from .budget_nouns import HistoryState
from .nouns import Instant


def history_reason(state: HistoryState) -> str | None:
    """What is to be said where there is no history to estimate from."""
    if state == "available":
        return None
    return f"history_{state}"


def used_problem(used: float | None) -> str | None:
    """Why the used percentage is of no use; without it, nothing of the window is shown."""
    if used is None:
        return "used_percent_missing"
    if not 0 <= used <= 100:  # NaN is neither
        return "used_percent_invalid"
    return None


def remaining_points(used: float) -> float:
    """The percentage points that are left."""
    return 100 - used


def reset_problem(reset: Instant | None) -> str | None:
    """Why it is not known when the window resets."""
    return "reset_time_missing" if reset is None else None


def period_problem(period_ms: int | None) -> str | None:
    """Why it is not known how long the window lasts; 0 is how a store says that it does not know."""
    if not period_ms:
        return "period_duration_missing"
    if period_ms < 0:
        return "period_duration_invalid"
    return None


def elapsed_problem(left: int) -> str | None:
    """Whether the reset has passed: an observation from before it says nothing of what is now."""
    return "reset_elapsed" if left <= 0 else None
