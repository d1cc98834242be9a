"""A place in a suite: file, line and column, and the line itself with a caret under the token."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evalkit.reporters._shown import Span, columns, plain

_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^']|'')*'")
_PLAIN_IN_BLOCK: Final = re.compile(r"(?:(?!\s+#|:\s|:$).)+")
_PLAIN_IN_FLOW: Final = re.compile(r"(?:(?!\s+#|:\s|:$|[,\[\]{}]).)+")
_CLOSERS: Final = {"[": "]", "{": "}"}


def spans(file: str, line: int, column: int, excerpt: str, label: str) -> Iterator[Span]:
    """As compilers show it; line and column count from 1, and 0 means the file as a whole."""
    gutter = " " * len(str(line))
    place = ":".join([plain(file), *(str(number) for number in (line, column) if number)])
    yield "bold blue", f"{gutter}--> "
    yield "", f"{place}\n"
    if not (excerpt.strip() and line):
        return
    yield "bold blue", f"{gutter} |\n{line} | "
    yield "", f"{_visible(excerpt)}\n"
    if 0 < column <= len(excerpt):
        yield "bold blue", f"{gutter} | "
        yield "bold red", f"{_padding(excerpt[: column - 1])}{_carets(excerpt, column - 1)} {label}".rstrip()
        yield "", "\n"
    yield "bold blue", f"{gutter} |\n"


def points_at(excerpt: str, column: int) -> str:
    """The token at a column: a quoted text, a plain scalar, a bracketed value, or all the rest."""
    start = column - 1
    rest = excerpt[start:].rstrip()
    if not rest or start < 0:
        return ""
    if rest[0] in "\"'":
        quoted = _QUOTED.match(rest)
        return quoted[0] if quoted else rest
    if rest[0] in _CLOSERS:
        return _bracketed(rest)
    pattern = _PLAIN_IN_FLOW if _in_flow(excerpt[:start]) else _PLAIN_IN_BLOCK
    scalar = pattern.match(rest)
    return scalar[0].rstrip() if scalar else rest[0]


def _bracketed(rest: str) -> str:
    waiting: list[str] = []
    for mark, stop in _marks(rest):
        if mark in _CLOSERS:
            waiting.append(_CLOSERS[mark])
        elif waiting and mark == waiting[-1]:
            waiting.pop()
        if not waiting:
            return rest[:stop]
    return rest


def _in_flow(before: str) -> bool:
    depth = 0
    for mark, _ in _marks(before):
        depth += (mark in "[{") - (mark in "]}")
    return depth > 0


def _marks(text: str) -> Iterator[tuple[str, int]]:
    """Each bracket outside quotes, and where it ends."""
    for match in re.finditer(f"{_QUOTED.pattern}|[\\[\\]{{}}]", text):
        if len(match[0]) == 1:
            yield match[0], match.end()


def _carets(excerpt: str, start: int) -> str:
    return "^" * max(1, columns(_visible(points_at(excerpt, start + 1))))


def _padding(before: str) -> str:
    """As wide as the text before the token on any terminal: its tabs are kept."""
    return "".join("\t" if mark == "\t" else " " * columns(plain(mark)) for mark in before)


def _visible(text: str) -> str:
    return "\t".join(map(plain, text.split("\t")))
