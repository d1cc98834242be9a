"""Finds what a spoken phrase means among titles."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from ...javascript import trim

Entry = TypeVar("Entry")


def closest(query: str, entries: Iterable[Entry], title: Callable[[Entry], str]) -> list[Entry]:
    """Every entry whose title holds the query in any case; the likeliest first.

    A title that is the query goes before one that begins with it, and that before one that only holds it;
    among equals the given order stays.
    """
    needle = trim(query).lower()
    held = [(entry, title(entry).lower()) for entry in entries]
    found = [(_distance(needle, text), entry) for entry, text in held if needle in text]
    return [entry for _, entry in sorted(found, key=lambda one: one[0])]


def _distance(needle: str, text: str) -> int:
    if text == needle:
        return 0
    return 1 if text.startswith(needle) else 2
