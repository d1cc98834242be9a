"""Decides which raw rows of a source are looked at, and refuses rows that cannot be read (spec A.6, A.8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .records import is_truthy
from .vocabulary import MAX_SOURCE_ITEMS, Json, Row


class UnreadableRecord(Exception):
    """A source holds a record of a shape that no projection can read."""


class Inspected(NamedTuple):
    """The rows that are looked at; `truncated` says that the source holds more."""

    rows: Sequence[Row]
    truncated: bool


def inspect(scope: str, rows: Sequence[Row]) -> Inspected:
    """The first 1,000 rows of a source. One unreadable record among them fails the whole call."""
    seen = rows[:MAX_SOURCE_ITEMS]
    for name, record in seen:
        if not isinstance(record, dict) or (scope == "navigation" and not _has_word_lists(record)):
            raise UnreadableRecord(f"{scope} {name}")
    return Inspected(seen, truncated=len(rows) > len(seen))


def _has_word_lists(record: Json) -> bool:
    return _can_be_words(record.get("aliases")) and _can_be_words(record.get("keywords"))


def _can_be_words(value: Json) -> bool:
    return isinstance(value, list) or not is_truthy(value)
