"""What redaction rules look at: text in a small alphabet, with every place that was claimed blanked out."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import NamedTuple

BLANK = "\u00a4"
"""Stands for each character of a place that is redacted already."""

LETTER = "\u00e6"
"""Stands for every letter, mark or number that has no ASCII form."""

DEGREE = "\u00b0"

OTHER = "\u00b7"
"""Stands for every other character that has no ASCII form."""

_LONGEST_FOLD = 4
_MOST_KNOWN = 20_000
_SPACES = {
    **dict.fromkeys("\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a", " "),
    **dict.fromkeys("\u202f\u205f\u3000", " "),
    **dict.fromkeys("\u2028\u2029", "\n"),
}
_ALIKE = _SPACES | {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212", "-"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc", "'"),
    **dict.fromkeys("\u00b0\u00ba\u02da", DEGREE),
    **dict.fromkeys("\u3002\uff61", "."),
    **dict.fromkeys("\u2044\u2215", "/"),
    **dict.fromkeys("\u034f\u115f\u1160\u3164\uffa0", ""),
}


class Claim(NamedTuple):
    """A place of a shadow and what stands there afterwards; None keeps what stands there now."""

    start: int
    end: int
    marker: str | None


class View:
    """A way to see text: ASCII as it is, any other character as none, one or a few of the small alphabet."""

    def __init__(self, see: Callable[[str], str]) -> None:
        self._seen = _Table(see)

    def of(self, text: str) -> str:
        """The shadow of `text`."""
        if text.isascii():
            return text
        if len(self._seen) > _MOST_KNOWN:
            self._seen.clear()
        return text.translate(self._seen)

    def carry_out(self, text: str, claims: Iterable[Claim]) -> str:
        """`text` with the claims on its shadow carried out; a claim inside a larger one is lost in it."""
        pieces: list[str] = []
        done = 0
        ends = self._ends(text)
        for start, end, marker in sorted(claims, key=lambda claim: (claim.start, -claim.end)):
            if ends is not None:
                start, end = bisect_right(ends, start), bisect_right(ends, end - 1) + 1
            if end <= done:
                continue
            pieces += (text[done:start], text[start:end] if marker is None else marker)
            done = end
        return "".join((*pieces, text[done:]))

    def _ends(self, text: str) -> list[int] | None:
        """Where in the shadow each character of `text` ends; None if each is seen as exactly one."""
        if text.isascii():
            return None
        sizes = {character: len(self._seen[ord(character)]) for character in set(text)}
        if set(sizes.values()) == {1}:
            return None
        return list(accumulate(map(sizes.__getitem__, text)))


def blank(shadow: str, claims: Iterable[Claim]) -> str:
    """The shadow with the claimed places blanked, as long as before; claims in order, none overlapping."""
    pieces: list[str] = []
    done = 0
    for start, end, _ in claims:
        pieces += (shadow[done:start], BLANK * (end - start))
        done = end
    return "".join((*pieces, shadow[done:]))


def found(pattern: re.Pattern[str], shadow: str, marker: str | None, group: int | str = 0) -> list[Claim]:
    """One claim for each match of `pattern`, of the place where its `group` stands."""
    return [Claim(*match.span(group), marker) for match in pattern.finditer(shadow)]


class _Table(dict[int, str]):
    """A table for `str.translate` that works out a character when it is first met."""

    def __init__(self, see: Callable[[str], str]) -> None:
        super().__init__()
        self._see = see

    def __missing__(self, codepoint: int) -> str:
        character = chr(codepoint)
        self[codepoint] = seen = character if character.isascii() else self._see(character)
        return seen


def _as_it_stands(character: str) -> str:
    if character in _SPACES:
        return _SPACES[character]
    if character == DEGREE:
        return DEGREE
    return LETTER if unicodedata.category(character)[0] in "LMN" else OTHER


def _as_it_is_meant(character: str) -> str:
    """NFKC, any digit as ASCII, hyphens, quotes and slashes as ASCII, and nothing for what nobody sees."""
    if character in _ALIKE:
        return _ALIKE[character]
    if unicodedata.category(character) == "Cf" or _is_variation_selector(character):
        return ""
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    forms = unicodedata.normalize("NFKC", character)
    if len(forms) > _LONGEST_FOLD:
        return LETTER
    return "".join(form if form.isascii() else _ALIKE.get(form) or _as_it_stands(form) for form in forms)


def _is_variation_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


FOLDED = View(_as_it_is_meant)
PLAIN = View(_as_it_stands)
