"""Keeps a whole normalised result within the response budget (spec A.9, C.6)."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from ..javascript import cut, utf16_length
from ..vocabulary import MAX_APPROX_TOKENS, MAX_RESPONSE_CHARS
from ..writing import write
from .nouns import Json

_BUDGET: Final = min(MAX_RESPONSE_CHARS, 4 * MAX_APPROX_TOKENS)
_ERROR_CHARS: Final = 500


def bound(normalised: Json) -> Json:
    """The result with an error of at most 500 UTF-16 units and, in all, at most 20,000 units of JSON.

    What is too large loses the last rows of its largest list, or the end of its largest text, and then says
    `truncated: true`. Numbers stay as they are, so that a count still tells what there was.
    """
    if "error" in normalised:
        normalised = {**normalised, "error": cut(normalised["error"], _ERROR_CHARS)}
    if _size(normalised) <= _BUDGET:
        return normalised
    # The comma that joins the members to `truncated` takes one unit, and their own braces are none of it.
    room = _BUDGET - _size({**normalised, "result": {"truncated": True}}) + len("{}") - len(",")
    return {**normalised, "result": {**_fit_members(normalised["result"], room), "truncated": True}}


def _size(value: Json) -> int:
    return utf16_length(write(value))


def _fit(value: Json, room: int) -> Json:
    """The most of a value whose JSON fits into `room` units, or the least of it where nothing does."""
    if isinstance(value, str):
        return _fit_text(value, room)
    if isinstance(value, list):
        return _fit_rows(value, room)
    return _fit_members(value, room) if isinstance(value, dict) else value


def _fit_text(text: str, room: int) -> str:
    most = min(len(text), max(room, 0))
    fits = bisect_right(range(1, most + 1), room, key=lambda length: _size(text[:length]))
    return cut(text, utf16_length(text[:fits]))


def _fit_rows(rows: list[Json], room: int) -> list[Json]:
    """Leading rows; a first one that is too large is cut rather than dropped."""
    kept: list[Json] = []
    left = room - len("[]")
    for row in rows:
        size = _size(row)
        if size > left:
            break
        kept.append(row)
        left -= size + len(",")
    if kept or not rows:
        return kept
    first = _fit(rows[0], left)
    return [first] if _size(first) <= left else []


def _fit_members(members: Json, room: int) -> Json:
    """All members, the largest made smaller first; none where even the least of them is too much."""
    kept = dict(members)
    sizes = {name: _size(value) for name, value in members.items()}
    excess = _size(members) - room
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True):
        if excess <= 0:
            break
        kept[name] = _fit(members[name], sizes[name] - excess)
        excess -= sizes[name] - _size(kept[name])
    return kept if excess <= 0 else {}
