"""Where things stand in a text: offsets to lines and columns, and the offset of every node of its data."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any, Final, NoReturn

from evalkit.errors import Mistake, SuiteError
from evalkit.text.mistakes import MAX_MISTAKES, ReadingEnds, Refusal

Json = Any
Path = tuple[str | int, ...]

_BLOCK: Final = 4096
_LONE_CR: Final = re.compile(r"\r(?!\n)")


class Lines:
    """A text cut into lines at LF, CRLF and CR; offsets count characters from 0, lines and columns from 1."""

    def __init__(self, file: str, text: str) -> None:
        """Take the file's name as reports write it, and its text without a byte order mark."""
        self.file = file
        self.text = text
        self._text = _LONE_CR.sub("\n", text) if "\r" in text else text
        self._counts: list[int] = []
        self._starts: list[int] = []

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of the character at `offset`."""
        self._index()
        offset = min(max(offset, 0), len(self._text))
        block = offset // _BLOCK
        first = block * _BLOCK
        start = self._text.rfind("\n", first, offset) + 1 or self._starts[block]
        return self._counts[block] + self._text.count("\n", first, offset) + 1, offset - start + 1

    def excerpt(self, line: int) -> str:
        """Return the line without its end, cut at 200 characters; "" when there is no such line."""
        self._index()
        start = 0
        if line > 1:
            block = bisect_right(self._counts, line - 2) - 1
            start = block * _BLOCK
            for _ in range(line - 1 - self._counts[block]):
                start = self._text.find("\n", start) + 1
                if not start:
                    return ""
        return self._text[start : start + 201].partition("\n")[0].removesuffix("\r")[:200] if line > 0 else ""

    def _index(self) -> None:
        """Keep, for every block of the text, the lines before it and the start of the line it begins in."""
        if self._counts:
            return
        count = start = 0
        for first in range(0, len(self._text) + 1, _BLOCK):
            self._counts.append(count)
            self._starts.append(start)
            count += self._text.count("\n", first, first + _BLOCK)
            start = self._text.rfind("\n", first, first + _BLOCK) + 1 or start


class Refusals:
    """What is refused in one text, with the offset of each; they become Mistakes at the end."""

    def __init__(self, lines: Lines) -> None:
        """Start with none; `lines` turns offsets into places."""
        self._lines = lines
        self._found: list[tuple[int, Refusal]] = []

    def add(self, refusal: Refusal, offset: int) -> None:
        """Note a refusal; the reading goes on, unless there are too many (ReadingEnds)."""
        self._found.append((offset, refusal))
        if len(self._found) == MAX_MISTAKES:
            text = f"more than {MAX_MISTAKES} mistakes; the reading ends here"
            self.end(Refusal("too-many-mistakes", text, "put the first ones right"), offset)

    def end(self, refusal: Refusal, offset: int) -> NoReturn:
        """Note a refusal after which nothing more can be read: raises ReadingEnds. Offset -1: the file."""
        self._found.append((offset, refusal))
        raise ReadingEnds

    def raise_any(self) -> None:
        """Raise SuiteError with every mistake in the order of the text, if there is one."""
        if self._found:
            found = sorted(self._found, key=lambda item: item[0])
            raise SuiteError([self._mistake(refusal, offset) for offset, refusal in found])

    def _mistake(self, refusal: Refusal, offset: int) -> Mistake:
        if offset < 0:
            return Mistake(*refusal, self._lines.file, 0, 0)
        line, column = self._lines.place(offset)
        return Mistake(*refusal, self._lines.file, line, column, self._lines.excerpt(line))


class Outline:
    """The offset of every node of a document, keys included.

    `marks` holds them in document order; after that of a list or a mapping stands minus the index just past
    its contents. An alias is one mark, without contents.
    """

    def __init__(self, marks: list[int], data: Json) -> None:
        """Take the marks and the data that were read together."""
        self._marks = marks
        self._data = data
        self._insides: dict[int, dict[str | int, tuple[int, int]]] = {}

    def find(self, path: Path, *, key: bool) -> int:
        """Return the offset of the value at `path` (or of its key), or of its nearest ancestor."""
        slot = key_slot = 0
        node = self._data
        for step in path:
            slots = self._inside(slot, node).get(step)
            if slots is None:
                return self._marks[slot]
            key_slot, slot = slots
            node = node[step]
        return self._marks[key_slot if key else slot]

    def _inside(self, slot: int, node: Json) -> dict[str | int, tuple[int, int]]:
        """Return the slots of key and value for each step from the node at `slot`; it is kept."""
        inside = self._insides.get(slot)
        if inside is None:
            slots = self._slots(slot)
            if isinstance(node, dict):
                inside = dict(zip(node, zip(slots[::2], slots[1::2], strict=True), strict=False))
            else:
                inside = dict(enumerate(zip(slots, slots, strict=True)))
            self._insides[slot] = inside
        return inside

    def _slots(self, slot: int) -> list[int]:
        marks = self._marks
        slots: list[int] = []
        last = -marks[slot + 1] if slot + 1 < len(marks) else 0
        slot += 2
        while slot < last:
            slots.append(slot)
            inner = marks[slot + 1] if slot + 1 < last else 0
            slot = -inner if inner < 0 else slot + 1
        return slots
