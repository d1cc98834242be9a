"""Keeps a whole structured result within the response budget (spec A.9)."""

from __future__ import annotations

from collections.abc import Callable

from .javascript import utf16_length
from .vocabulary import MAX_APPROX_TOKENS, MAX_RESPONSE_CHARS, Json
from .writing import write


def fit(items: list[Json], build: Callable[[list[Json]], Json]) -> Json:
    """The result that `build` makes of the most leading items with which it stays within the budget.

    The budget counts UTF-16 units of the whole result, its envelope included.
    """
    result = build(items)
    while items and not _is_within(result):
        items = items[:-1]
        result = build(items)
    return result


def _is_within(result: Json) -> bool:
    chars = utf16_length(write(result))
    return chars <= MAX_RESPONSE_CHARS and -(-chars // 4) <= MAX_APPROX_TOKENS
