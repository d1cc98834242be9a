"""Reads an event stream (WHATWG HTML, section 9.2.6) as its bytes arrive, wherever they are cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
_BOM: Final = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """One event. `data` is its lines joined by LF, `id` what it says itself, None where it says none."""

    name: str
    data: bytes
    id: str | None = None


class EventStream:
    """What is known of a stream so far. `last_id` and `retry` (milliseconds) are for taking it up again.

    `comments` holds the lines that a client passes over, heartbeats mostly.
    """

    __slots__ = ("_begun", "_data", "_id", "_line", "_name", "_swallow", "comments", "last_id", "retry")

    def __init__(self) -> None:
        """Begin before the first byte."""
        self.last_id: str | None = None
        self.retry = 0
        self.comments: list[bytes] = []
        self._begun = False
        self._swallow = False
        self._line: list[bytes] = []
        self._name = ""
        self._data: list[bytes] = []
        self._id: str | None = None

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """The events that a piece of the stream completes."""
        if self._swallow and chunk:  # CRLF, cut in two
            self._swallow = False
            chunk = chunk.removeprefix(b"\n")
        first, *others = _LINE_END.split(chunk)
        self._line.append(first)
        if not others:
            return
        self._swallow = chunk.endswith(b"\r")
        for line in (b"".join(self._line), *others[:-1]):
            if event := self._take(line):
                yield event
        self._line = [others[-1]]

    @property
    def cut_short(self) -> bool:
        """Whether the stream stands in the middle of an event."""
        return bool(self._data) or any(self._line)

    def _take(self, line: bytes) -> Event | None:
        """One whole line; the empty one completes an event."""
        if not self._begun:
            self._begun = True
            line = line.removeprefix(_BOM)
        if not line:
            return self._complete()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value.decode(errors="replace")
        elif field == b"id" and b"\0" not in value:
            self.last_id = self._id = value.decode(errors="replace")
        elif field == b"retry" and value.isdigit():
            self.retry = int(value[:6])
        elif not field:
            self.comments.append(value)
        return None

    def _complete(self) -> Event | None:
        said = self._name or "message", b"\n".join(self._data), self._id
        event = Event(*said) if self._data else None
        self._name, self._data, self._id = "", [], None
        return event
