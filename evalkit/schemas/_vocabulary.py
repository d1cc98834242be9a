"""Words in a schema that its dialect does not know, and that would therefore check nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from evalkit.schemas._dialects import Dialect
from evalkit.schemas._places import subschemas
from evalkit.schemas._words import Json, Path


class UnknownWord(NamedTuple):
    """A keyword, or a format's name when `path` ends in `format`, that checks nothing.

    `path` leads into the schema; `nearest` is the known word that was probably meant.
    """

    path: Path
    word: str
    nearest: str | None


def unknown_words(schema: Json, dialect: Dialect) -> Iterator[UnknownWord]:
    """Each unknown keyword and format, in the order of the document."""
    for path, part in subschemas(schema):
        for word, value in part.items():
            if word not in dialect.keywords:
                yield UnknownWord((*path, word), word, _nearest(word, dialect.keywords))
            elif word == "format" and isinstance(value, str) and value not in dialect.formats:
                yield UnknownWord((*path, word), value, _nearest(value, dialect.formats))


def _nearest(word: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches  # start-up: only a slip asks

    near = get_close_matches(word, sorted(known), 1, 0.6)
    return near[0] if near else None
