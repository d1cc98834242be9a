"""Writes documents as JSON, byte for byte as Go's encoder does (spec 1.9, 7.5); no writer ends the line."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Final, Literal

import msgspec

from .nouns import Json


def compact(value: Json) -> bytes:
    """Without spaces, keys in the order they have: for HTTP and event streams."""
    return _encode(value, None)


def pretty(value: Json) -> bytes:
    """Indented by two spaces: for the command line."""
    return msgspec.json.format(compact(value), indent=2)


def alphabetical(value: Json) -> bytes:
    """Without spaces, keys in alphabetical order at every depth: for the text of an MCP result."""
    return _encode(value, "deterministic")


# outside of strings none of these bytes can stand
_ESCAPES: Final = {
    b"<": rb"\u003c",
    b">": rb"\u003e",
    b"&": rb"\u0026",
    "\u2028".encode(): rb"\u2028",
    "\u2029".encode(): rb"\u2029",
}

_PLAIN_FRACTIONS: Final = 1e-4
_EXACT_INTEGERS: Final = 2.0**53

_NO_TEXTS: Final[frozenset[type]] = frozenset({int, bool, type(None)})
_NO_FLOATS: Final[frozenset[type]] = _NO_TEXTS | {str}


def _encode(value: Json, order: Literal["deterministic"] | None) -> bytes:
    plain = _with_each(value, _number, _NO_FLOATS)
    try:
        text = msgspec.json.encode(plain, order=order)
    except UnicodeEncodeError:
        text = msgspec.json.encode(_with_each(plain, _mended, _NO_TEXTS), order=order)
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return text


def _with_each(value: Json, change: Callable[[Json], Json], kept: Collection[type]) -> Json:
    """The same, but with each leaf changed that is of no kept type: most are, and need no call."""
    if isinstance(value, dict):
        return {
            key: item if type(item) in kept else _with_each(item, change, kept) for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [item if type(item) in kept else _with_each(item, change, kept) for item in value]
    return change(value)


def _number(value: Json) -> Json:
    """A float as something that msgspec writes as Go does. Raises ValueError for one that is not finite."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        raise ValueError("JSON has no number that is not finite")
    size = abs(value)
    if size >= _EXACT_INTEGERS or size < _PLAIN_FRACTIONS:
        return msgspec.Raw(_digits(value).encode())
    return int(value) if value.is_integer() else value


def _digits(value: float) -> str:
    if value and not 1e-6 <= abs(value) < 1e21:
        return repr(value).replace("e-0", "e-")
    from decimal import Decimal  # start-up cost: percentages are seldom as small, and never as great

    return f"{Decimal(repr(value)):f}".removesuffix(".0")


def _mended(value: Json) -> Json:
    """A text without the halves of surrogate pairs, which Go reads as U+FFFD."""
    if not isinstance(value, str):
        return value
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in value)
