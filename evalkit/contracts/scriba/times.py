"""Reads and writes moments as RFC 3339 text, exact to the nanosecond (spec 1.9, 9)."""

from __future__ import annotations

import re
from datetime import date, datetime
from functools import lru_cache
from typing import Final

from .durations import MINUTE, SECOND
from .nouns import Instant


def parse(text: str) -> Instant | None:
    """The moment that a text names, and the offset it has there; None for any other text, and for none.

    As Go: capital `T` and `Z`, no leap second. A moment that UTC has no four-digit year for is none.
    """
    return _read(text) if len(text) <= _LONGEST else None


def parse_in_utc(text: str) -> Instant | None:
    """The moment that a text names, told in UTC, as all that comes from the server's store is; or None."""
    return _read_in_utc(text) if len(text) <= _LONGEST else None


@lru_cache(maxsize=4096)  # each call shows the events of the one before again
def format(instant: Instant) -> str:  # noqa: A001 - times.format is the word
    """The text of a moment in its own offset: as much of a fraction as it has, `Z` for UTC."""
    seconds, fraction = divmod(instant.nanoseconds + instant.offset * MINUTE, SECOND)
    days, second = divmod(seconds, _DAY)
    hour, minute = second // 3600, second // 60 % 60
    text = f"{date.fromordinal(_EPOCH_DAY + days)}T{hour:02}:{minute:02}:{second % 60:02}"
    if fraction:
        text += f".{fraction:09}".rstrip("0")
    return text + _zone(instant.offset)


def utc(instant: Instant) -> Instant:
    """The same moment, told in UTC."""
    return Instant(instant.nanoseconds)


_EPOCH: Final = datetime(1970, 1, 1)
_EPOCH_DAY: Final = _EPOCH.toordinal()
_DAY: Final = 86_400
_LONGEST: Final = len("2026-07-13T12:00:00.123456789+00:00")
_FIRST: Final = (1 - _EPOCH_DAY) * _DAY
_LAST: Final = (date.max.toordinal() - _EPOCH_DAY + 1) * _DAY - 1

# fromisoformat alone takes other forms of ISO 8601 too, and later Pythons an hour 24
_SHAPE: Final = re.compile(
    r"(\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)


@lru_cache(maxsize=4096)  # a history repeats its resets, and each call reads it again
def _read(text: str) -> Instant | None:
    match = _SHAPE.fullmatch(text)
    if match is None:
        return None
    local, fraction, offset = match.groups()
    try:
        since = datetime.fromisoformat(local) - _EPOCH
    except ValueError:
        return None
    minutes = _offset(offset)
    seconds = since.days * _DAY + since.seconds - minutes * 60
    if not _FIRST <= seconds <= _LAST:
        return None
    return Instant(seconds * SECOND + int((fraction or "").ljust(9, "0")), minutes)


@lru_cache(maxsize=4096)
def _read_in_utc(text: str) -> Instant | None:
    instant = _read(text)
    return None if instant is None else utc(instant)


def _offset(zone: str) -> int:
    if zone == "Z":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[4:])
    return -minutes if zone[0] == "-" else minutes


def _zone(offset: int) -> str:
    if offset == 0:
        return "Z"
    hours, minutes = divmod(abs(offset), 60)
    return f"{'-' if offset < 0 else '+'}{hours:02}:{minutes:02}"
