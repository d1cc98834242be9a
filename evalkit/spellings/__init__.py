"""Finds texts that must not come back in whatever came back, however they are spelled there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from evalkit.spellings._needle import Needle
from evalkit.spellings._sieve import Sieve, bytes_of, text_of
from evalkit.spellings._views import views_of

__all__ = ["Hit", "Needles", "mask", "needles_for", "strings_of", "without_half"]

Json: TypeAlias = Any
Path: TypeAlias = tuple[str | int, ...]

_AROUND: Final = 40
_ROUNDS: Final = 8
_MOST_KNOWN: Final = 64
_encode: Final = msgspec.json.Encoder().encode


class Hit(NamedTuple):
    """One forbidden text at one place; nothing in it holds the text itself.

    `spelling`: plain, folded (case, width, invisible characters), json, url, hex, base64, or digits
    (separators dropped). `path` is dotted, and `""` where the haystack itself is the text.
    """

    name: str
    spelling: str
    path: str
    excerpt: str


class Needles:
    """Forbidden texts by name, prepared once for many searches (suite language, section 6)."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """Take name → text. Raises ValueError for an empty text, which would be everywhere."""
        if not all(texts.values()):
            raise ValueError("an empty text cannot be looked for")
        self._needles = [_needle(name, text) for name, text in texts.items()]
        self._known: dict[bytes, list[Hit]] = {}

    def search(self, haystack: Json | bytes, at: str = "") -> list[Hit]:
        """Where the texts are in JSON data, in a str or in bytes: one hit for each text at each place.

        JSON data holds no bytes; give those on their own. `at` is put before every path.
        """
        suspects = self._suspects(_flat(haystack))
        return list(self._hits(haystack, at, suspects)) if suspects else []

    def search_known(self, data: Json, key: bytes, at: str = "") -> list[Hit]:
        """The same, remembered by `key`: for data that comes back over and over, such as a manifest."""
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = self.search(data, at)
        return list(self._known[key])

    def mask(self, text: str) -> str:
        """The text with `<secret NAME>` for every spelling of every needle: a search finds none in it."""
        for _ in range(_ROUNDS):
            spans = self._spans(text)
            if not spans:
                return text
            text = self._replaced(text, spans)
        return "" if self._spans("***") else "***"

    @cached_property
    def _sieve(self) -> Sieve:
        return Sieve(self._needles)

    @cached_property
    def _marks(self) -> dict[str, str]:
        """What stands for each needle in a masked text; a mark must not hold a needle itself."""
        offers = {needle.name: (f"<secret {needle.name}>", "<secret>", "***") for needle in self._needles}
        return {
            name: next((mark for mark in marks if not self._spans(mark)), "")
            for name, marks in offers.items()
        }

    def _suspects(self, data: bytes) -> set[int]:
        return self._sieve.suspects(data) if self._needles else set()

    def _hits(self, haystack: Json | bytes, at: str, suspects: set[int]) -> Iterator[Hit]:
        for path, text in strings_of(haystack):
            here = suspects & self._suspects(bytes_of(text))
            views = views_of(text, self._sieve.codings) if here else []
            for needle in (self._needles[index] for index in sorted(here)):
                span = next((span for view in views for span in needle.spans(view)), None)
                if span is not None:
                    where = [at, *(self.mask(str(part)) for part in path)]
                    yield Hit(
                        needle.name, span[0], ".".join(filter(None, where)), self._excerpt(text, needle)
                    )

    def _spans(self, text: str) -> list[tuple[int, int, str]]:
        """Every place of every needle in a text as start, end and name, in order."""
        suspects = self._suspects(bytes_of(text))
        views = views_of(text, self._sieve.codings) if suspects else []
        return sorted(
            (start, end, self._needles[index].name)
            for index in suspects
            for view in views
            for _, start, end in self._needles[index].spans(view)
        )

    def _replaced(self, text: str, spans: list[tuple[int, int, str]]) -> str:
        """The text with a mark for each group of overlapping spans."""
        pieces: list[str] = []
        done = 0
        for start, end, name in spans:
            if start >= done:
                pieces += (text[done:start], self._marks[name])
            done = max(done, end)
        return "".join(pieces) + text[done:]

    def _excerpt(self, text: str, needle: Needle) -> str:
        """The masked text around the first mark of a needle."""
        masked, mark = self.mask(text), self._marks[needle.name]
        place = max(masked.find(mark), 0)
        first, last = max(place - _AROUND, 0), place + len(mark) + _AROUND
        return ("…" if first else "") + masked[first:last] + ("…" if last < len(masked) else "")


@lru_cache(maxsize=4096)
def _needle(name: str, text: str) -> Needle:
    """One needle, prepared once for all sets that it is in."""
    return Needle(name, text)


def needles_for(texts: Mapping[str, str]) -> Needles:
    """The needles of name → text, prepared once for all cases that have the same."""
    return _prepared(tuple(texts.items()))


@lru_cache(maxsize=256)
def _prepared(texts: tuple[tuple[str, str], ...]) -> Needles:
    return Needles(dict(texts))


def mask(text: str, texts: Mapping[str, str]) -> str:
    """A text with every spelling of every forbidden text replaced by `<secret NAME>`."""
    return needles_for(texts).mask(text)


def without_half(text: str, texts: Iterable[str]) -> str:
    """A text that was cut, without the beginning of a forbidden text at its end."""
    for forbidden in texts:
        for size in range(min(len(forbidden), len(text)), 2, -1):
            if text.endswith(forbidden[:size]):
                text = text[:-size]
                break
    return text


def strings_of(value: Json | bytes, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every string of JSON data in its order, keys and numbers included, each with its path.

    A key has the path of the value that it names; bytes are read as UTF-8.
    """
    waiting: list[tuple[Path, Json]] = [(path, value)]
    while waiting:
        place, one = waiting.pop()
        if isinstance(one, str):
            yield place, str.__str__(one)
        elif isinstance(one, dict):
            for key in reversed(one):
                waiting += (((*place, key), one[key]), ((*place, key), str(key)))
        elif isinstance(one, (list, tuple)):
            waiting += reversed([((*place, at), item) for at, item in enumerate(one)])
        elif isinstance(one, (bytes, bytearray, memoryview)):
            yield place, text_of(bytes(one))
        elif one is not None and not isinstance(one, bool):
            yield place, _written(one)


def _written(number: Json) -> str:
    try:
        return str(number)
    except ValueError:
        return hex(number)  # Python writes no integer of more than about 4,300 digits.


def _flat(haystack: Json | bytes) -> bytes:
    """All strings of a haystack in one run of bytes, escaped as in JSON or joined by NUL."""
    if isinstance(haystack, str):
        return bytes_of(haystack)
    if isinstance(haystack, (bytes, bytearray, memoryview)):
        return bytes(haystack)
    try:
        return _encode(haystack)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return bytes_of("\0".join(text for _, text in strings_of(haystack)))
