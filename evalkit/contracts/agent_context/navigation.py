"""Finds the page that a spoken or typed phrase means, from the closest reading to the loosest (spec A.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from .javascript import fold_whitespace
from .records import text, words
from .vocabulary import Json, Row

Alias: TypeAlias = tuple[str, Row]
Tier: TypeAlias = Callable[[str, Sequence[Alias]], Row | None]


def resolve(query: str, rows: Sequence[Row]) -> Row | None:
    """The navigation row that a query names, or None. Among equals the first row wins.

    First comes what a row is called exactly, then seven ever looser readings of its aliases.
    """
    exact = query.lower()
    for row in rows:
        if exact in _names(row[1]):
            return row
    phrase = _normalised(query)
    if not phrase:
        return None
    aliases = [(alias, row) for row in rows for alias in map(_normalised, words(row[1], "aliases")) if alias]
    for tier in _TIERS:
        found = tier(phrase, aliases)
        if found is not None:
            return found
    return None


def _names(record: Json) -> Iterator[str]:
    for field in ("id", "label", "path"):
        yield text(record.get(field)).lower()
    for field in ("aliases", "keywords"):
        yield from (word.lower() for word in words(record, field))


def _normalised(phrase: str) -> str:
    return fold_whitespace(phrase.lower()).rstrip(_TRAILING).replace(" ", "-")


def _exact(phrase: str, aliases: Sequence[Alias]) -> Row | None:
    return _first(aliases, lambda alias: alias == phrase)


def _begins_with_alias(phrase: str, aliases: Sequence[Alias]) -> Row | None:
    return _first(aliases, lambda alias: len(alias) >= 3 and phrase.startswith(alias))


def _begins_alias(phrase: str, aliases: Sequence[Alias]) -> Row | None:
    return _first(aliases, lambda alias: alias.startswith(phrase))


def _ends_with_alias(phrase: str, aliases: Sequence[Alias]) -> Row | None:
    return _longest(aliases, lambda alias: len(alias) >= 3 and phrase.endswith(f"-{alias}"))


def _holds_alias(phrase: str, aliases: Sequence[Alias]) -> Row | None:
    return _longest(aliases, lambda alias: len(alias) >= 4 and alias in phrase)


def _within_alias(phrase: str, aliases: Sequence[Alias]) -> Row | None:
    return _first(aliases, lambda alias: phrase in alias)


def _last_word(phrase: str, aliases: Sequence[Alias]) -> Row | None:
    last = phrase.rpartition("-")[2]
    return _first(aliases, lambda alias: alias == last)


def _first(aliases: Sequence[Alias], fits: Callable[[str], bool]) -> Row | None:
    return next((row for alias, row in aliases if fits(alias)), None)


def _longest(aliases: Sequence[Alias], fits: Callable[[str], bool]) -> Row | None:
    fitting = [entry for entry in aliases if fits(entry[0])]
    return max(fitting, key=lambda entry: len(entry[0]))[1] if fitting else None


_TRAILING: Final = ".!?:;,\"' "
_TIERS: Final[tuple[Tier, ...]] = (
    _exact,
    _begins_with_alias,
    _begins_alias,
    _ends_with_alias,
    _holds_alias,
    _within_alias,
    _last_word,
)
