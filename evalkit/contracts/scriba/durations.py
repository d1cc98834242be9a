"""Lengths of time in whole nanoseconds, and as hours the way Go counts them (spec 3.3)."""

from __future__ import annotations

from typing import Final

MILLISECOND: Final = 1_000_000
SECOND: Final = 1000 * MILLISECOND
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE

LONGEST: Final = 2**63 - 1


def hours(nanoseconds: int) -> float:
    """A positive length in hours: the whole ones and the rest, summed. None is longer than `LONGEST`."""
    whole, rest = divmod(min(nanoseconds, LONGEST), HOUR)
    return whole + rest / HOUR
