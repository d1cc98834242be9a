"""Where lines go and come from: a program's standard streams, or a function that stands for the program."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol

from evalkit.drivers._answers import SHOWN
from evalkit.drivers._exchange import LARGEST
from evalkit.errors import CaseError
from evalkit.model import Json
from evalkit.surfaces import Command, Messages
from evalkit.values import encode

if TYPE_CHECKING:
    from evalkit.drivers._child import Child

TOLD: Final = 10
"""Lines of standard error that a message shows: the last ones, each whole or by its size."""

MOST_ERRORS: Final = 1 << 20
"""Bytes of standard error that are told of a program that has ended: the last ones."""

_TAIL: Final = TOLD * SHOWN
_DYING: Final = 0.2


class Ended(Exception):
    """Nothing more can come; its text tells how the program ended, and the end of its standard error."""


class Pipe(Protocol):
    """Lines to and from a server. `start` and `call` are the seconds that its first, or any, answer may take.

    `immediate` says that what has not come at once never comes.
    """

    immediate: bool
    start: float
    call: float

    def put(self, line: bytes) -> None:
        """Send a line; what is not running yet is started by it."""

    def next(self, ends: float) -> bytes | None:
        """The next line; None where none comes until `ends` (`monotonic`). Raises Ended."""

    def here(self) -> list[bytes]:
        """The lines that have come already."""

    def take_errors(self) -> list[bytes]:
        """What came on standard error since it was last asked for."""

    def told(self) -> str:
        """The end of standard error, as the end of a sentence; empty where there is none."""

    def lost(self) -> str:
        """How it ended by itself, once all that it wrote has been taken; empty where it did not."""

    def process(self) -> dict[str, Json]:
        """How the program that was closed had ended, and its standard error; empty where there is none."""

    def close(self) -> list[bytes]:
        """End it; the lines that still came. Another `put` starts it again."""


class Called:
    """A function that answers a line at once."""

    immediate = True
    start = call = float("inf")

    def __init__(self, messages: Messages) -> None:
        """Take the function."""
        self._answer = messages.answer
        self._due: deque[bytes] = deque()

    def put(self, line: bytes) -> None:
        """Call it."""
        self._due += _lines_of(self._answer(line))

    def next(self, ends: float) -> bytes | None:
        """The next of its lines."""
        return self._due.popleft() if self._due else None

    def here(self) -> list[bytes]:
        """All of its lines."""
        lines = list(self._due)
        self._due.clear()
        return lines

    def take_errors(self) -> list[bytes]:
        """It has no standard error."""
        return []

    def told(self) -> str:
        """Nothing."""
        return ""

    def lost(self) -> str:
        """Nothing ends here."""
        return ""

    def process(self) -> dict[str, Json]:
        """Nothing was started."""
        return {}

    def close(self) -> list[bytes]:
        """Give the rest; the function is its subject's to close."""
        return self.here()


class Piped:
    """A program, started by the first line, and again by the first after it was closed."""

    immediate = False

    def __init__(self, command: Command) -> None:
        """Take the command."""
        self.start, self.call = command.start, command.call
        self._command = command
        self._child: Child | None = None
        self._searched = 0
        self._tail = b""
        self._errors: list[bytes] = []

    def put(self, line: bytes) -> None:
        """Write a line to its standard input."""
        if self._child is None or self._child.over:
            from evalkit.drivers._child import Child  # start-up: in memory no process is started

            self._child, self._searched, self._tail = Child(self._command), 0, b""
            self._child.start()
        self._child.put(line + b"\n")
        self._child.push()

    def next(self, ends: float) -> bytes | None:
        """The next line of its standard output; what stands behind the last line end is one too."""
        child, moved = self._child, True
        while child is not None:
            line = self._line(child)
            if line is not None:
                return line
            if not moved and child.silent:
                return self._last(child)
            if monotonic() >= ends:
                break
            moved = child.move(ends)
        return None

    def here(self) -> list[bytes]:
        """The lines that it has written."""
        lines: list[bytes] = []
        if self._child is not None:
            self._child.drain()
            while (line := self._line(self._child)) is not None:
                lines.append(line)
        return lines

    def take_errors(self) -> list[bytes]:
        """What it has written to standard error."""
        self._gather()
        taken, self._errors = self._errors, []
        return taken

    def told(self) -> str:
        """The last lines of standard error. Of a long one the first is left out: it may be half a secret."""
        self._gather()
        lines = self._tail.decode(errors="replace").splitlines()
        whole = lines[1:] if len(self._tail) == _TAIL else lines
        shown = [line if len(line) <= SHOWN else f"({len(line)} characters)" for line in whole[-TOLD:]]
        return f"; its standard error ends with {encode(chr(10).join(shown))}" if shown else ""

    def lost(self) -> str:
        """How the program ended, or closed its standard output, and the end of its standard error."""
        child = self._child
        if child is None or child.over:
            return ""
        child.drain()
        if not child.silent:
            return ""
        return f"{_ending(child)}{self.told()}"

    def process(self) -> dict[str, Json]:
        """How it ended: `exitCode` (-n after signal n), `endedBy`, and `stderr` as far as it was kept."""
        if self._child is None:
            return {}
        self._gather()
        stderr = b"".join(self._errors)[-MOST_ERRORS:].decode(errors="replace")
        return {"exitCode": self._child.code, "endedBy": self._child.ended_by, "stderr": stderr}

    def close(self) -> list[bytes]:
        """End the program with its whole group."""
        if self._child is None:
            return []
        self._child.end()
        self._gather()
        lines, rest = self.here(), bytes(self._child.output)
        self._child.output.clear()
        return [*lines, rest] if rest else lines

    def _line(self, child: Child) -> bytes | None:
        """Take a whole line, if there is one. Raises CaseError for one that is too long."""
        at = child.output.find(b"\n", self._searched)
        if at < 0:
            self._searched = len(child.output)
            if self._searched > LARGEST:
                raise CaseError("protocol", f"the server wrote a line of more than {LARGEST} bytes")
            return None
        line, self._searched = bytes(child.output[:at]), 0
        del child.output[: at + 1]
        return line

    def _last(self, child: Child) -> bytes:
        """What stands behind the last line end. Raises Ended where nothing does."""
        rest, self._searched = bytes(child.output), 0
        child.output.clear()
        if rest:
            return rest
        raise Ended(f"{_ending(child)}{self.told()}")

    def _gather(self) -> None:
        if self._child is not None and self._child.errors:
            came = bytes(self._child.errors)
            self._child.errors.clear()
            self._errors.append(came)
            self._tail = (self._tail + came)[-_TAIL:]


def _ending(child: Child) -> str:
    """How a program ended of which nothing more can come."""
    over = monotonic() + _DYING
    while child.code is None and monotonic() < over:
        child.move(over)
    code = child.code
    if code is None:
        return "closed its standard output"
    return f"ended with exit code {code}" if code >= 0 else f"was ended by signal {-code}"


def _lines_of(said: Iterable[bytes]) -> Iterator[bytes]:
    """What is said as the lines that it would be on a wire."""
    for one in said:
        yield from one.removesuffix(b"\n").split(b"\n")
