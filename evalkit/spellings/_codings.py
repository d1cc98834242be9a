"""How a text may have been encoded or disguised on its way, and how that is undone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

NESTED: Final = 3
"""How often a text may have been encoded: JSON in JSON in JSON, a URL in JSON, and so on."""

INVISIBLE: Final = re.compile("[\u200b-\u200d\u2060\ufeff\xad]")
SEPARATORS: Final = re.compile("[\\s\\-\u2010-\u2013\u2212._/()+,:'\xb7\u2022]+")

_SIMPLE_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Coding(NamedTuple):
    """One encoding: its name in reports, the sign that it needs, its matches and what they stand for."""

    name: str
    sign: str
    pattern: re.Pattern[str]
    decoded: Callable[[re.Match[str]], str]


def fold(text: str) -> str:
    """A text without its case, its width and its invisible characters."""
    if text.isascii():
        return text.casefold()
    return unicodedata.normalize("NFKC", INVISIBLE.sub("", text)).casefold()


def decodings(text: str, codings: Sequence[Coding], depth: int) -> list[str]:
    """What a text may stand for, in up to `depth` steps; the text itself is not among it."""
    found = {text: None}
    layer = [text]
    for _ in range(depth):
        steps = [(one, coding) for one in layer for coding in codings if coding.sign in one]
        decoded = dict.fromkeys(coding.pattern.sub(coding.decoded, one) for one, coding in steps)
        layer = [one for one in decoded if one not in found]
        found.update(dict.fromkeys(layer))
    return list(found)[1:]


def _unescaped(match: re.Match[str]) -> str:
    escape = match[0]
    if len(escape) == 2:
        return _SIMPLE_ESCAPES.get(escape[1], escape[1])
    units = "".join(escape.split("\\u"))
    return bytes.fromhex(units).decode("utf-16-be", "surrogatepass")


def _unquoted(match: re.Match[str]) -> str:
    return bytes.fromhex(match[0].replace("%", "")).decode("utf-8", "replace")


JSON: Final = Coding(
    "json",
    "\\",
    re.compile(r'\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|["\\/bfnrt])'),
    _unescaped,
)
PERCENT: Final = Coding(
    "url",
    "%",
    re.compile("%[0-7][0-9a-fA-F]|%[c-fC-F][0-9a-fA-F](?:%[89abAB][0-9a-fA-F]){1,3}"),
    _unquoted,
)
SLASH: Final = Coding("json", "\\/", re.compile(r"\\/"), lambda match: "/")
PLUS: Final = Coding("url", "+", re.compile(r"\+"), lambda match: " ")
