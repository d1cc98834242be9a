"""Lines for whoever runs the server: they wait for no reader, and never hold what was asked or stored."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import sys
import time
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Final

_NAME: Final = "agent-context"
_EVERY: Final = 1.0
"""Seconds within which one line is said once."""


def say(text: str) -> None:
    """A line on standard error; dropped where nobody takes it, since nothing may wait for that."""
    if sys.stderr is None:
        return
    plain = "".join(mark if mark.isprintable() else f"\\u{ord(mark):04x}" for mark in text)
    with contextlib.suppress(OSError, ValueError):
        if _takes_a_line(sys.stderr.fileno()):
            sys.stderr.write(f"{_NAME}: {plain}\n")
            sys.stderr.flush()


def show(text: str) -> None:
    """Text on standard output, in one write. A reader that has gone away is no fault."""
    if sys.stdout is None:
        return
    with contextlib.suppress(OSError, ValueError):
        os.write(sys.stdout.fileno(), text.encode("utf-8", "backslashreplace"))


class Seldom:
    """Says the same line once a second at most, and then how often it would have been said."""

    def __init__(
        self, tell: Callable[[str], None] = say, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Nothing has been said yet."""
        self._tell, self._clock = tell, clock
        self._said: dict[str, float] = {}
        self._unsaid: Counter[str] = Counter()

    def note(self, line: str) -> None:
        """Say it, or count it."""
        now = self._clock()
        self._unsaid[line] += 1
        if line in self._said and now - self._said[line] < _EVERY:
            return
        self._said[line] = now
        self._tell_count(line)

    def end(self) -> None:
        """Say what was only counted."""
        for line in list(self._unsaid):
            self._tell_count(line)

    def _tell_count(self, line: str) -> None:
        count = self._unsaid.pop(line)
        self._tell(line if count == 1 else f"{line} ({count} times by now)")


class Terse(logging.Handler):
    """What a library logs, as its fixed first line and the place of an exception: no value, no text of it."""

    def __init__(self, seldom: Seldom) -> None:
        """Say it through this."""
        super().__init__()
        self._seldom = seldom

    def emit(self, record: logging.LogRecord) -> None:
        """Arguments and exceptions may hold what was asked or stored, so they are left out."""
        first = record.msg.strip().partition("\n")[0] if isinstance(record.msg, str) else "a fault"
        self._seldom.note(first + (_place(*record.exc_info[::2]) if record.exc_info else ""))


def note_answer(seldom: Seldom, status: int) -> None:
    """Tell of an answer from 400 on: the status, and not who asked what."""
    if status >= 400:
        seldom.note(f"answered {status} {_phrase(status)}".rstrip())


def log_tersely(seldom: Seldom, *names: str) -> None:
    """Send warnings and worse of these loggers, and nothing else of them, to standard error."""
    for name in names:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [Terse(seldom)], False
        logger.setLevel(logging.WARNING)


def _takes_a_line(number: int) -> bool:
    try:
        return bool(select.select([], [number], [], 0)[1])
    except (OSError, ValueError):  # where the platform can only ask sockets
        return True


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _place(kind: type[BaseException] | None, trace: TracebackType | None) -> str:
    if kind is None:
        return ""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    at = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
    return f": {kind.__name__}{at}"
