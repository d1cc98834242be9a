"""The values that the budget evaluation takes, and passes between its rules (spec 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from .nouns import Instant

HistoryState: TypeAlias = Literal["unavailable", "empty", "available"]
Freshness: TypeAlias = Literal["unknown", "fresh", "aging", "stale"]
Confidence: TypeAlias = Literal["none", "low", "medium", "high"]
Risk: TypeAlias = Literal["unknown", "low", "elevated", "high", "critical"]


class WindowReading(NamedTuple):
    """One quota window as it was observed, any value of it perhaps absent or wrong; used in percent of it."""

    key: str
    label: str
    used_percent: float | None
    reset_at: Instant | None
    period_ms: int | None


class CurrentObservation(NamedTuple):
    """The observation that is judged; its windows are those that have a key."""

    observed_at: Instant
    windows: tuple[WindowReading, ...]


class HistoryObservation(NamedTuple):
    """One of the last 24 hours of the same account; the current one may be among them (spec 3.1)."""

    observed_at: Instant
    windows: tuple[WindowReading, ...]


History: TypeAlias = Sequence[HistoryObservation]


class Values(NamedTuple):
    """What of a window may be shown: percent used, percentage points left, when it resets."""

    used_percent: float | None = None
    remaining: float | None = None
    reset_at: Instant | None = None


class Recent(NamedTuple):
    """The estimate from history: percentage points per hour, or why there is none.

    `samples` counts the current observation too; `span` is the time from the oldest sample, in nanoseconds.
    """

    rate: float | None = None
    samples: int = 0
    span: int = 0
    reason: str | None = None


class Forecast(NamedTuple):
    """All that confidence and risk are judged by; rates in percentage points per hour, times in nanoseconds.

    `exhausted_in` is how long after now nothing remains (negative: already), None if that cannot be said.
    """

    freshness: Freshness
    remaining: float
    left: int
    cycle: float | None
    recent: Recent
    pace: float | None
    safe: float
    exhausted_in: int | None
