"""Days and times as the owner's clock shows them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, tzinfo
from typing import Final

from ..nouns import Moment

WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def local(moment: Moment) -> datetime:
    """A moment on the owner's clock."""
    return datetime.fromtimestamp(moment.seconds, _zone(moment.timezone))


def stamp(moment: Moment) -> str:
    """A moment as JavaScript's `toISOString` writes it."""
    utc = datetime.fromtimestamp(moment.seconds, UTC)
    return utc.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def today(moment: Moment) -> str:
    """The owner's day, as YYYY-MM-DD."""
    return local(moment).date().isoformat()


def parse(text: str, timezone: str) -> datetime:
    """An ISO 8601 time, or the beginning of a day, on the owner's clock; one without offset is local.

    ValueError for anything else.
    """
    zone = _zone(timezone)
    parsed = datetime.fromisoformat(text)
    return parsed.replace(tzinfo=zone) if parsed.tzinfo is None else parsed.astimezone(zone)


def no_day(text: str) -> str | None:
    """What is wrong with the argument `date`, where it names no day of the calendar."""
    if _DAY.fullmatch(text):
        try:
            date.fromisoformat(text)
        except ValueError:
            return f"date must be a day that exists: {text} does not"
        return None
    return "date must be written YYYY-MM-DD"


_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _zone(timezone: str) -> tzinfo:
    if timezone == "UTC":
        return UTC
    from zoneinfo import ZoneInfo  # start-up: most clocks of suites show UTC

    return ZoneInfo(timezone)
