"""Carries MCP messages over two streams, a line each; calls are answered side by side (spec 7.6)."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Final, TypeAlias

from ..nouns import Json
from .messages import INVALID_REQUEST, failure

Answer: TypeAlias = Callable[[Json], Json]

PARSE_ERROR: Final = -32700
MAX_LINE: Final = 1 << 20
"""Bytes of a message; a longer one is refused and read to its end."""

AT_ONCE: Final = 8
"""Calls that are answered at the same time; further ones wait."""


def serve(requests: IO[bytes], answers: IO[bytes], answer: Answer) -> None:
    """Answer until the requests end, and what was asked by then; or until nobody takes answers any more.

    What interrupts it goes through at once, and leaves no half a line behind where lines are taken.
    """
    lines = _Lines(answers)
    calls = _Calls(lines, answer)
    try:
        while not lines.are_refused and (line := requests.readline(MAX_LINE)):
            if not line.strip():
                continue
            if len(line) == MAX_LINE and not line.endswith(b"\n"):
                _skip(requests)
                lines.put(_TOO_LONG)
                continue
            _take(line, lines, calls, answer)
        calls.finish()
    finally:
        lines.close()


def reply(line: bytes, answer: Answer) -> bytes | None:
    """The line that answers one line, for a carrier without streams; None where there is none."""
    if not line.strip():
        return None
    if len(line) > MAX_LINE:
        return _written(_TOO_LONG)
    try:
        told = answer(_parsed(line))
    except _NotJson:
        told = _GARBAGE
    return None if told is None else _written(told)


class _NotJson(Exception):
    """A line that holds no JSON."""


_GARBAGE: Final = failure(PARSE_ERROR, "Parse error")
_TOO_LONG: Final = failure(INVALID_REQUEST, "The message is too long")


def _take(line: bytes, lines: _Lines, calls: _Calls, answer: Answer) -> None:
    try:
        message = _parsed(line)
    except _NotJson:
        lines.put(_GARBAGE)
        return
    method = message.get("method") if isinstance(message, dict) else None
    if method == "tools/call" and "id" in message:
        calls.begin(message)
    elif method == "notifications/cancelled":
        calls.cancel(message.get("params"))
    else:
        lines.put(answer(message))


def _skip(requests: IO[bytes]) -> None:
    while (rest := requests.readline(MAX_LINE)) and not rest.endswith(b"\n"):
        pass


def _parsed(line: bytes) -> Json:
    try:
        return json.loads(line.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise _NotJson from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _written(message: Json) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


class _Lines:
    """What is written: a whole line at a time, whoever writes."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.are_refused = False
        self._stream = stream
        self._lock = threading.Lock()

    def put(self, message: Json) -> None:
        """Write a message; None is none."""
        if message is None:
            return
        line = _written(message)
        with self._lock:
            try:
                self._stream.write(line)
                self._stream.flush()
            except (OSError, ValueError):  # its reader has gone, or it is closed
                self.are_refused = True

    def close(self) -> None:
        """Wait a moment for a line that is being written, and let none be begun."""
        self._lock.acquire(timeout=1)


class _Calls:
    """The tool calls that are being answered, each in a thread: a database may keep one waiting."""

    def __init__(self, lines: _Lines, answer: Answer) -> None:
        self._lines, self._answer = lines, answer
        self._numbers = itertools.count()
        self._asked: dict[int, Json] = {}
        self._threads: list[threading.Thread] = []
        self._free = threading.Semaphore(AT_ONCE)

    def begin(self, message: Json) -> None:
        """Answer it in a thread."""
        self._free.acquire()
        number = next(self._numbers)
        self._asked[number] = message["id"]
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        self._threads.append(threading.Thread(target=self._call, args=(number, message), daemon=True))
        self._threads[-1].start()

    def cancel(self, params: Json) -> None:
        """Its asker wants no answer any more."""
        wanted = params.get("requestId") if isinstance(params, dict) else None
        for number in [number for number, asked in self._asked.copy().items() if asked == wanted]:
            self._asked.pop(number, None)

    def finish(self) -> None:
        """Wait for those that have begun."""
        for thread in self._threads:
            thread.join()

    def _call(self, number: int, message: Json) -> None:
        try:
            told = self._answer(message)
            with suppress(KeyError):
                self._asked.pop(number)
                self._lines.put(told)
        finally:
            self._free.release()
