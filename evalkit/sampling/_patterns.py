"""Texts that a regular expression matches, the short ones, as far as Python reads it as JavaScript does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any


def matching(pattern: str, least: int) -> Iterator[str]:
    """Texts that a pattern makes, as far as Python reads it as JavaScript does."""
    try:
        from re import _parser  # type: ignore[attr-defined]  # there is no public one
    except ImportError:
        return
    try:
        parsed = _parser.parse(pattern)
        for times in (0, 1, max(least, 1)):
            text = _written(parsed, times)
            yield text
            yield text + "a" * (least - len(text))
    except (re.error, RecursionError, OverflowError, NotImplementedError):
        return


def _written(parsed: Any, more: int) -> str:
    """A text that parsed pieces match, with so many more repetitions than there must be."""
    parts = []
    for code, argument in parsed:
        name = str(code)
        if name == "LITERAL":
            parts.append(chr(argument))
        elif name == "NOT_LITERAL":
            parts.append("a" if argument != ord("a") else "b")
        elif name == "ANY":
            parts.append("a")
        elif name == "IN":
            parts.append(_one_of(argument))
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            low, high, inner = argument
            parts.append(_written(inner, more) * min(low + more, high, 1000))
        elif name == "SUBPATTERN":
            parts.append(_written(argument[-1], more))
        elif name == "BRANCH":
            parts.append(_written(argument[1][0], more))
        elif name == "AT":
            continue
        else:
            raise NotImplementedError(name)
    return "".join(parts)


def _one_of(pieces: Any) -> str:
    """A character of a class; of one that excludes some, the first that is none of them."""
    excluding = str(pieces[0][0]) == "NEGATE"
    if not excluding:
        return _first(pieces[0])
    return next(mark for mark in "a0-_ .Z~" if not any(_is_in(mark, piece) for piece in pieces[1:]))


def _first(piece: Any) -> str:
    name, argument = str(piece[0]), piece[1]
    if name == "LITERAL":
        return chr(argument)
    if name == "RANGE":
        return chr(argument[0])
    kinds = {"CATEGORY_DIGIT": "0", "CATEGORY_WORD": "a", "CATEGORY_SPACE": " "}
    return kinds.get(str(argument), "-")


def _is_in(mark: str, piece: Any) -> bool:
    name, argument = str(piece[0]), piece[1]
    if name == "LITERAL":
        return bool(ord(mark) == argument)
    if name == "RANGE":
        return bool(argument[0] <= ord(mark) <= argument[1])
    kinds = {"CATEGORY_DIGIT": mark.isdigit(), "CATEGORY_WORD": mark.isalnum() or mark == "_"}
    return kinds.get(str(argument), mark.isspace())
