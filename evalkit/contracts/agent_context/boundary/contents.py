"""Reads what is in a body: unpacks it, decodes it, and takes it as strict JSON or as a form (spec B.4)."""

from __future__ import annotations

from collections.abc import Mapping
from json import JSONDecodeError, JSONDecoder
from typing import Final

from ..vocabulary import Json
from .nouns import CHARSETS, ENCODINGS, Announced, Parse, Unreadable, malformed, too_large

MAX_DEPTH: Final = 100
"""How deep a JSON body may be nested, so that nothing behind it runs out of stack."""

MAX_PARTS: Final = 2_000_000
"""How many brackets and commas a JSON body may hold: it takes far more memory read than it has bytes."""

_MAX_FORM_FIELDS: Final = 1000
_MAX_DIGITS: Final = 400


def read_content(body: Announced, raw: bytes, limit: int, parse: Parse) -> Json:
    """The bytes of a body → what they say; `...` for no bytes. Unreadable where they are not that."""
    if body.length is not None and body.length != len(raw):
        raise Unreadable(400, "BAD_REQUEST", "request size did not match content length")
    if not raw:
        return ...
    window = ENCODINGS[body.encoding]
    plain = _unpack(raw, window, limit) if window else raw
    try:
        text = plain.decode(CHARSETS[body.charset])
    except UnicodeDecodeError as problem:
        raise malformed(f"the body is not valid {body.charset}: {problem.reason}") from None
    return parse(text.removeprefix("\ufeff"))


def parse_json(text: str) -> Json:
    """An object or an array, by the letter of RFC 8259: no NaN, nothing after it, not too deep."""
    brackets = text.count("[") + text.count("{")
    if brackets + text.count(",") > MAX_PARTS:
        raise too_large("the body holds too many values")
    try:
        value = _decode(text)
    except JSONDecodeError as problem:
        raise malformed(str(problem)) from None
    except RecursionError:
        raise _too_deep() from None
    if not isinstance(value, (dict, list)):
        raise malformed("Expecting an object or an array: line 1 column 1 (char 0)")
    if brackets > MAX_DEPTH and _is_deep(value):
        raise _too_deep()
    return value


def parse_form(text: str) -> Json:
    """The fields of a form, all of them texts; several of one name are a list. Brackets mean nothing."""
    # Needed for forms only, and it would be on the way of every start.
    from urllib.parse import parse_qs

    try:
        fields = parse_qs(text, keep_blank_values=True, max_num_fields=_MAX_FORM_FIELDS)
    except ValueError:
        raise too_large("too many parameters") from None
    return {name: values if len(values) > 1 else values[0] for name, values in fields.items()}


PARSERS: Final[Mapping[str, Parse]] = {
    "application/json": parse_json,
    "application/x-www-form-urlencoded": parse_form,
}
"""How each media type is read; a body of any other type counts as absent."""


def _unpack(packed: bytes, window: int, limit: int) -> bytes:
    """One compressed stream, all of it; a bomb is given up as soon as it is larger than `limit`."""
    # Needed for compressed bodies only, and it would be on the way of every start.
    import zlib

    stream = zlib.decompressobj(window)
    try:
        plain = stream.decompress(packed, limit + 1)
    except zlib.error as problem:
        raise _corrupt(str(problem)) from None
    if len(plain) > limit:
        raise too_large()
    if not stream.eof:
        raise _corrupt("unexpected end of data")
    if stream.unused_data:
        raise _corrupt("data after the end")
    return plain


def _corrupt(text: str) -> Unreadable:
    return Unreadable(400, "Z_DATA_ERROR", text)


def _too_deep() -> Unreadable:
    return malformed(f"nested deeper than {MAX_DEPTH} levels")


def _decode(text: str) -> Json:
    try:
        return _STRICT.decode(text)
    except JSONDecodeError:
        raise
    except ValueError:  # an integer of more digits than Python reads
        return _LONG.decode(text)


def _is_deep(value: Json) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for one in level for child in _children(one)]
    return bool(level)


def _children(value: Json) -> list[Json]:
    """The containers directly inside of a container."""
    members = value.values() if isinstance(value, dict) else value
    return [member for member in members if isinstance(member, (dict, list))]


def _refuse_constant(name: str) -> Json:
    raise malformed(f"{name} is not JSON")


def _long_integer(digits: str) -> Json:
    """As the double that JavaScript makes of it where no double holds it."""
    return int(digits) if len(digits) <= _MAX_DIGITS else float(digits)


_STRICT: Final = JSONDecoder(parse_constant=_refuse_constant)
_LONG: Final = JSONDecoder(parse_constant=_refuse_constant, parse_int=_long_integer)
