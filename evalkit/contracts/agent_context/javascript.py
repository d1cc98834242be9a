"""Text and numbers as JavaScript sees them: the few conversions that PortOS's answers depend on."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from json.encoder import JSONEncoder
from typing import Any

Json = Any

SPACES = (
    "\t\n\v\f\r \u00a0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""Every character of the class `\\s`, which is also what `trim` takes away (spec A.11)."""

_SPACE_RUN = re.compile(f"[{SPACES}]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_OR_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_DECIMAL = re.compile(r"[+-]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_PREFIXED = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_ENCODER = JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def to_string(value: Json) -> str:
    """`String(value)`; `...` stands for undefined. An int keeps all its digits, as no double rounded it."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if value is ...:
        return "undefined"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _int_text(value)
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, list | tuple):
        return ",".join(_element_texts(value))
    return "[object Object]"


def to_number(value: Json) -> float:
    """`Number(value)`; `...` stands for undefined. What is no number gives NaN, never an error."""
    if value is None:
        return 0.0
    if isinstance(value, bool | int | float):
        return _as_double(value)
    if isinstance(value, str):
        return _text_number(trim(value))
    if isinstance(value, list | tuple):
        return _text_number(trim(to_string(value)))
    return math.nan


def fold_whitespace(text: str) -> str:
    """Each run of JavaScript whitespace becomes one space, and both ends are trimmed."""
    if text.isascii():
        # Unlike str.split, bytes.split takes exactly the ASCII part of the class `\s`.
        return b" ".join(text.encode("ascii").split()).decode("ascii")
    return _SPACE_RUN.sub(" ", text).strip(" ")


def trim(text: str) -> str:
    """`text.trim()`."""
    return text.strip(SPACES)


def utf16_length(text: str) -> int:
    """`text.length`, in UTF-16 code units."""
    if text.isascii():
        return len(text)
    return len(text) + len(_ASTRAL.findall(text))


def cut(text: str, units: int) -> str:
    """The longest prefix of at most `units` UTF-16 code units that splits no surrogate pair."""
    if units <= 0:
        return ""
    head = text[:units]
    end = len(head) if head.isascii() else _index_at(head, units)
    if _splits_pair(text, end):
        end -= 1
    return text[:end]


def stringify(value: Json) -> str:
    """`JSON.stringify(value)`, byte for byte (spec A.11); TypeError for what is not JSON."""
    text = "".join(_json_pieces(value)) if _holds_float(value) else _ENCODER.encode(value)
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return _SURROGATE_OR_PAIR.sub(_escape_lone, text)


def _int_text(value: int) -> str:
    return str(int(value)) if abs(value) < 10**21 else _float_text(_as_double(value))


def _float_text(value: float) -> str:
    """Number::toString: the shortest digits that read back, laid out in JavaScript's way."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = float.__repr__(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    padded = whole + fraction
    point -= len(padded) - len(padded.lstrip("0"))
    return sign + _laid_out(padded.strip("0"), point)


def _laid_out(digits: str, point: int) -> str:
    """`digits` with the decimal point after the first `point` of them."""
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{mantissa}e{point - 1:+d}"


def _element_texts(items: list[Json] | tuple[Json, ...]) -> Iterator[str]:
    """What `join` sees: nested lists flatten, an empty list, null and undefined are the empty text."""
    waiting: list[Iterator[Json]] = [iter(items)]
    while waiting:
        item = next(waiting[-1], waiting)
        if item is waiting:
            waiting.pop()
        elif isinstance(item, list | tuple) and item:
            waiting.append(iter(item))
        elif item is None or item is ... or isinstance(item, list | tuple):
            yield ""
        else:
            yield to_string(item)


def _as_double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _text_number(text: str) -> float:
    if not text:
        return 0.0
    if _PREFIXED.fullmatch(text):
        return _as_double(int(text, 0))
    if _DECIMAL.fullmatch(text):
        return float(text)
    return math.nan


def _index_at(head: str, units: int) -> int:
    """How many characters of `head` fit into `units` code units."""
    used = 0
    for index, character in enumerate(head):
        used += 2 if character > "\uffff" else 1
        if used > units:
            return index
    return len(head)


def _splits_pair(text: str, end: int) -> bool:
    """Whether a cut at `end` parts two halves that stand in `text` as characters of their own."""
    return 0 < end < len(text) and "\ud800" <= text[end - 1] <= "\udbff" and "\udc00" <= text[end] <= "\udfff"


def _holds_float(value: Json) -> bool:
    if isinstance(value, float):
        return True
    if isinstance(value, dict):
        return any(map(_holds_float, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_holds_float, value))
    return False


def _json_pieces(value: Json) -> Iterator[str]:
    if isinstance(value, float):
        yield _float_text(value) if math.isfinite(value) else "null"
    elif isinstance(value, dict):
        comma = "{"
        for key, member in value.items():
            yield f"{comma}{_ENCODER.encode(key)}:"
            yield from _json_pieces(member)
            comma = ","
        yield "}" if value else "{}"
    elif isinstance(value, list | tuple):
        comma = "["
        for member in value:
            yield comma
            yield from _json_pieces(member)
            comma = ","
        yield "]" if value else "[]"
    else:
        yield _ENCODER.encode(value)


def _escape_lone(match: re.Match[str]) -> str:
    found = match[0]
    if len(found) == 1:
        return f"\\u{ord(found):04x}"
    return found.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
