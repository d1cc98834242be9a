"""JSON text → plain data by the standard library's decoder, with the places of what stands near the top."""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from typing import Any, Final, NamedTuple, NoReturn

from evalkit.errors import Mistake, SuiteError
from evalkit.text.json_reading import Reading
from evalkit.text.mistakes import MAX_DEPTH, MAX_INTEGER, ReadingEnds
from evalkit.text.places import Lines, Outline, Path, Refusals

Json = Any


def read_json(lines: Lines) -> tuple[Json, JsonOutline]:
    """Return the one JSON value in `lines` and where its nodes stand.

    The decoder only notices that something is wrong; a second reading finds all of it. Raises SuiteError with
    every mistake (suite language, section 1).
    """
    try:
        return _read_fast(lines)
    except (ValueError, RecursionError) as error:
        doubt = str(error)
    refusals = Refusals(lines)
    with suppress(ReadingEnds):
        Reading(lines, refusals).document()
    refusals.raise_any()
    remedy = "write it as RFC 8259 has it"
    raise SuiteError([Mistake("json-syntax", f"this is not JSON: {doubt}", remedy, lines.file, 0, 0)])


class _Member(NamedTuple):
    """A member of the outermost object: offsets of its key, its value and, if it lists objects, its items."""

    key: int
    value: int
    items: list[int] | None


class JsonOutline:
    """The offset of every node: what is near the top is known, what is deeper is read when asked for."""

    def __init__(self, lines: Lines, data: Json, start: int, members: dict[str | int, _Member]) -> None:
        """Take what the first reading saw; `start` is the offset of the outermost value."""
        self._lines = lines
        self._data = data
        self._start = start
        self._members = members
        self._pieces: dict[int, Outline] = {}

    def find(self, path: Path, *, key: bool) -> int:
        """Return the offset of the value at `path` (or of its key), or of its nearest ancestor."""
        if not isinstance(self._data, dict):
            return self._piece(self._start, self._data).find(path, key=key)
        member = self._members.get(path[0]) if path else None
        if member is None:
            return self._start
        node, rest = self._data[path[0]], path[1:]
        if not rest:
            return member.key if key else member.value
        if member.items is None:
            return self._piece(member.value, node).find(rest, key=key)
        item = rest[0]
        if not isinstance(item, int) or not 0 <= item < len(member.items):
            return member.value
        offset = member.items[item]
        return self._piece(offset, node[item]).find(rest[1:], key=key) if rest[1:] else offset

    def _piece(self, offset: int, data: Json) -> Outline:
        piece = self._pieces.get(offset)
        if piece is None:
            reading = Reading(self._lines, Refusals(self._lines))
            reading.value(offset, 1)
            piece = self._pieces[offset] = Outline(reading.marks, data)
        return piece


def _read_fast(lines: Lines) -> tuple[Json, JsonOutline]:
    """Decode member by member, and item by item where a member lists objects; raise at any doubt."""
    text = lines.text
    start = _skip(text, 0)
    members: dict[str | int, _Member] = {}
    if text.startswith("{", start):
        data, end = _members(text, start, members)
    else:
        data, end = _decode(text, start)
        _check_depth(text, start, end, MAX_DEPTH)
    if _skip(text, end) != len(text):
        _doubt("text follows the value")
    return data, JsonOutline(lines, data, start, members)


def _members(text: str, pos: int, members: dict[str | int, _Member]) -> tuple[dict[str, Json], int]:
    """Decode the outermost object at `pos`; return it and the offset after it."""
    data: dict[str, Json] = {}
    pos = _skip(text, pos + 1)
    if text.startswith("}", pos):
        return data, pos + 1
    sign = ","
    while sign == ",":
        key = _KEY.match(text, pos)
        if key is None:
            _doubt("a key is missing")
        start = key.end()
        items: list[int] | None = None
        if _OBJECTS.match(text, start):
            items = []
            value, end = _items(text, start, items)
        else:
            value, end = _decode(text, start)
            _check_depth(text, start, end, MAX_DEPTH - 1)
        name, _ = _decode(text, pos)
        if name in data:
            _doubt("a key stands twice")
        data[name] = value
        members[name] = _Member(pos, start, items)
        sign, pos = _after(text, end, ",}")
    return data, pos


def _items(text: str, pos: int, offsets: list[int]) -> tuple[list[Json], int]:
    """Decode a list of objects at `pos`; return it and the offset after it."""
    data: list[Json] = []
    pos = _skip(text, pos + 1)
    sign = ","
    while sign == ",":
        item, end = _decode(text, pos)
        _check_depth(text, pos, end, MAX_DEPTH - 2)
        data.append(item)
        offsets.append(pos)
        sign, pos = _after(text, end, ",]")
    return data, pos


def _after(text: str, pos: int, wanted: str) -> tuple[str, int]:
    """Return the sign after a value, one of `wanted`, and the offset of what follows it."""
    match = _SIGN.match(text, pos)
    if match is None or match[1] not in wanted:
        _doubt("a comma or a bracket is missing")
    return match[1], match.end()


def _check_depth(text: str, start: int, end: int, limit: int) -> None:
    """Refuse a value that goes deeper than `limit` levels; most have not even so many brackets."""
    if text.count("[", start, end) + text.count("{", start, end) <= limit:
        return
    depth = deepest = 0
    for bracket in _BRACKET.findall(_STRING.sub("", text[start:end])):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > limit:
        _doubt("it goes too deep")


def _skip(text: str, pos: int) -> int:
    match = _SPACE.match(text, pos)
    return match.end() if match else pos


_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_KEY: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"[ \t\n\r]*+:[ \t\n\r]*+')
_OBJECTS: Final = re.compile(r"\[[ \t\n\r]*+\{")
_SIGN: Final = re.compile(r"[ \t\n\r]*+([,}\]])[ \t\n\r]*+")
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_BRACKET: Final = re.compile(r"[\[\]{}]")


def _doubt(what: str) -> NoReturn:
    raise ValueError(what)


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    data = dict(pairs)
    if len(data) != len(pairs):
        _doubt("a key stands twice")
    return data


def _integer(text: str) -> int:
    if len(text) > 17 or abs(value := int(text)) > MAX_INTEGER:
        _doubt("an integer is too big")
    return value


def _real(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        _doubt("a number is too big")
    return value


# Decodes the value at an offset and returns it with the offset after it.
_decode: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_real, parse_constant=_doubt
).raw_decode
