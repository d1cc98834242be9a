"""How fast a window is used up, by its cycle and by history, and when nothing is left (spec 3.3, 3.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .budget_nouns import History, HistoryState, Recent, WindowReading
from .durations import HOUR, LONGEST, MINUTE, hours
from .nouns import Instant


def cycle_rate(used: float, elapsed: int) -> float | None:
    """Points per hour since the cycle began, `elapsed` ns ago; None if it has not begun (step 12)."""
    return used / hours(elapsed) if elapsed > 0 else None


def recent_estimate(
    window: WindowReading, observed: Instant, history: History, state: HistoryState
) -> Recent:
    """Points per hour since the oldest sample of this cycle from 10 minutes to 24 hours ago (spec 3.4)."""
    used, reset = window.used_percent, window.reset_at
    if used is None or reset is None:
        return Recent()
    samples = []
    mismatched = decreased = False
    for age, past in _past_readings(window.key, observed, history):
        if past.reset_at is None or abs(past.reset_at.nanoseconds - reset.nanoseconds) > _SAME_RESET:
            mismatched = True
        elif past.used_percent is None or not 0 <= past.used_percent <= 100:
            continue
        elif past.used_percent > used:
            decreased = True
        else:
            samples.append((age, past.used_percent))
    if not samples:
        return Recent(reason=_missing(decreased, mismatched, state))
    span, oldest = max(samples, key=lambda sample: sample[0])
    return Recent((used - oldest) / hours(span), len(samples) + 1, span)


def choose_pace(cycle: float | None, recent: float | None) -> float | None:
    """The faster of the rates that there are: the careful one (step 14)."""
    return max((rate for rate in (cycle, recent) if rate is not None), default=None)


def pace_reason(cycle: float | None, recent: float | None) -> str | None:
    """Which of the rates the pace is; the cycle's, if they are equal (step 14)."""
    if cycle is None:
        return None if recent is None else "pace_recent_only"
    if recent is None:
        return "pace_cycle_only"
    return "pace_conservative_cycle" if cycle >= recent else "pace_conservative_recent"


def safe_rate(remaining: float, left: int) -> float:
    """The points per hour that last until the reset, `left` ns from now (step 15)."""
    return remaining / hours(left)


def exhausted_after(remaining: float, pace: float | None) -> int | None:
    """Nanoseconds from the observation until nothing is left; None if never or past counting (step 18)."""
    if pace is None or pace <= 0:
        return None
    after = remaining / pace
    return int(after * HOUR) if after <= _MOST_HOURS else None


_SAME_RESET: Final = 5 * MINUTE
_MOST_HOURS: Final = hours(LONGEST)


def _past_readings(key: str, observed: Instant, history: History) -> Iterator[tuple[int, WindowReading]]:
    for past in history:
        age = observed.nanoseconds - past.observed_at.nanoseconds
        if 10 * MINUTE <= age <= 24 * HOUR:
            for reading in past.windows:
                if reading.key == key:
                    yield age, reading


def _missing(decreased: bool, mismatched: bool, state: HistoryState) -> str | None:
    if decreased:
        return "history_counter_decrease"
    if mismatched:
        return "history_reset_mismatch"
    return "history_insufficient" if state == "available" else None
