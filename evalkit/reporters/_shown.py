"""Values and texts as a reader sees them: on one line, escaped, bounded, and typed where they look alike."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from typing import Final, TypeAlias

from evalkit.model import Json

Span: TypeAlias = tuple[str, str]
"""A style in rich's words (empty: none) and a text; a line ends where a text ends with a newline."""

LIMIT: Final = 400
_LEAD: Final = 60


def text_of(spans: Iterable[Span]) -> str:
    """The spans without their styles."""
    return "".join(text for _, text in spans)


def plain(text: str) -> str:
    """Every character that a terminal would act on, or not show, becomes its escape; newlines too."""
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() else _escape(mark) for mark in text)


def value(data: Json) -> str:
    """A JSON value on one line; what is beyond LIMIT characters is counted."""
    text = _written(data)
    return text if len(text) <= LIMIT else f"{text[:LIMIT]}… ({len(text)} characters)"


def pair(expected: Json, actual: Json) -> tuple[str, str]:
    """Two unlike values, each on one line: typed where they look alike, long ones from where they part."""
    left, right = _written(expected), _written(actual)
    types = ("", "")
    if look_alike(expected, actual):
        left, right = json.dumps(expected), json.dumps(actual)
        types = (f" ({kind(expected)})", f" ({kind(actual)})")
    if max(len(left), len(right)) > LIMIT:
        parting = (at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b)
        start = max(0, next(parting, min(len(left), len(right))) - _LEAD)
        left, right = _window(left, start), _window(right, start)
    return left + types[0], right + types[1]


def look_alike(expected: Json, actual: Json) -> bool:
    """Whether a reader could take one for another: `3` and `"3"`, a blank and a no-break space."""
    if kind(expected) == kind(actual) and _written(expected) == _written(actual):
        return False
    return _face(expected) == _face(actual)


def kind(data: Json) -> str:
    """The JSON type of a value, in JSON Schema's words."""
    if data is None:
        return "null"
    if isinstance(data, bool):
        return "boolean"
    if isinstance(data, int):
        return "integer"
    if isinstance(data, float):
        return "number"
    if isinstance(data, str):
        return "string"
    return "array" if isinstance(data, list) else "object"


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(mark) for mark in text)


def amount(number: int, noun: str) -> str:
    """`1 finding`, `2 findings`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _written(data: Json) -> str:
    return plain(json.dumps(data, ensure_ascii=False))


def _face(data: Json) -> str:
    text = data if isinstance(data, str) else _written(data)
    return unicodedata.normalize("NFKC", text)


def _window(text: str, start: int) -> str:
    stop = start + LIMIT
    shown = ("…" if start else "") + text[start:stop] + ("…" if stop < len(text) else "")
    return f"{shown} ({len(text)} characters)"


def _escape(mark: str) -> str:
    code = ord(mark)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _columns(mark: str) -> int:
    if unicodedata.combining(mark) or unicodedata.category(mark) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(mark) in "WF" else 1
