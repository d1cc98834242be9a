"""A text as it may have been meant, with the place in the text that came for every character."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from evalkit.spellings._codings import INVISIBLE, NESTED, SEPARATORS, Coding, fold


class View:
    """A decoded text. `starts[i]` and `ends[i]` bound what character i stands for in the original text."""

    def __init__(self, text: str, starts: Sequence[int], ends: Sequence[int], coding: str) -> None:
        """Take the text with its bounds, and the name of the coding that it was in."""
        self.text, self.starts, self.ends, self.coding = text, starts, ends, coding

    @cached_property
    def folded(self) -> View:
        """The same without case, width and invisible characters."""
        if self.text.isascii():
            return View(fold(self.text), self.starts, self.ends, self.coding)
        pieces = list(_folded_pieces(self.text))
        starts = [self.starts[start] for text, start, _ in pieces for _ in text]
        ends = [self.ends[end - 1] for text, _, end in pieces for _ in text]
        return View("".join(text for text, _, _ in pieces), starts, ends, self.coding)

    @cached_property
    def squeezed(self) -> View:
        """The same without separators."""
        return self.rewritten(SEPARATORS, lambda match: "", self.coding)

    def rewritten(self, pattern: re.Pattern[str], meant: Callable[[re.Match[str]], str], coding: str) -> View:
        """The view in which each match of a pattern is what it is meant to be."""
        pieces: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        at = 0
        for match in pattern.finditer(self.text):
            first, after = match.span()
            text = meant(match)
            pieces += (self.text[at:first], text)
            starts += [*self.starts[at:first], *[self.starts[first]] * len(text)]
            ends += [*self.ends[at:first], *[self.ends[after - 1]] * len(text)]
            at = after
        return View(
            "".join(pieces) + self.text[at:], [*starts, *self.starts[at:]], [*ends, *self.ends[at:]], coding
        )

    def places(self, wanted: str, spelling: str) -> Iterator[tuple[str, int, int]]:
        """Where a text stands, overlapping places included; an empty one stands nowhere."""
        at = self.text.find(wanted) if wanted else -1
        while at >= 0:
            yield spelling, self.starts[at], self.ends[at + len(wanted) - 1]
            at = self.text.find(wanted, at + 1)

    def places_of(self, pattern: re.Pattern[str], spelling: str) -> Iterator[tuple[str, int, int]]:
        """Where a pattern matches."""
        for match in pattern.finditer(self.text):
            yield spelling, self.starts[match.start()], self.ends[match.end() - 1]


def views_of(text: str, codings: Sequence[Coding]) -> list[View]:
    """The text as it came, and everything that it may stand for."""
    layer = [View(text, range(len(text)), range(1, len(text) + 1), "plain")]
    found = {text: layer[0]}
    for _ in range(NESTED):
        decoded = [
            view.rewritten(coding.pattern, coding.decoded, coding.name)
            for view in layer
            for coding in codings
            if coding.sign in view.text
        ]
        layer = [view for view in {view.text: view for view in decoded}.values() if view.text not in found]
        found.update((view.text, view) for view in layer)
    return list(found.values())


def _folded_pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """The folded text in pieces that do not melt into each other, each with its place."""
    cluster, start, end = "", 0, 0
    for at, character in enumerate(text):
        if INVISIBLE.match(character):
            continue
        if cluster and not _melts(cluster, character):
            yield fold(cluster), start, end
            cluster = ""
        start = at if not cluster else start
        cluster, end = cluster + character, at + 1
    if cluster:
        yield fold(cluster), start, end


def _melts(cluster: str, character: str) -> bool:
    """Whether a character is written into the one before it, as accents and Hangul vowels are."""
    if character.isascii():
        return False
    alone = unicodedata.normalize("NFKC", character)
    if unicodedata.combining(alone[0]):
        return True
    return (
        unicodedata.normalize("NFKC", cluster + character) != unicodedata.normalize("NFKC", cluster) + alone
    )
