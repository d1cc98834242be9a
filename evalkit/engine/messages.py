"""What a worker process and its parent send each other, as bytes.

The parent sends spans: two positions, 16 bytes. The worker sends frames: a length of four bytes, then a
result; the first frame is empty and says that the worker is up.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from typing import Final

from evalkit.model import CaseResult

SPAN: Final = 16
HELLO: Final = bytes(4)

_PLAIN: Final = b"m"
_OTHER: Final = b"p"


def span(start: int, stop: int) -> bytes:
    """The positions `start` up to `stop`, for a worker to run."""
    return start.to_bytes(8, "little") + stop.to_bytes(8, "little")


def positions(data: bytes) -> range:
    """The positions that a span holds."""
    return range(int.from_bytes(data[:8], "little"), int.from_bytes(data[8:], "little"))


def frame(result: CaseResult) -> bytes:
    """A result as a frame; one that cannot be sent becomes an `error` that says so."""
    body = _packed(result)
    return len(body).to_bytes(4, "little") + body


def frames(buffer: bytearray) -> Iterator[bytes]:
    """Take the bodies of all frames off the buffer that are there in full."""
    start = 0
    while len(buffer) >= start + 4:
        stop = start + 4 + int.from_bytes(buffer[start : start + 4], "little")
        if len(buffer) < stop:
            break
        yield bytes(buffer[start + 4 : stop])
        start = stop
    del buffer[:start]


def result(body: bytes) -> CaseResult:
    """The result that a frame's body holds."""
    if body[:1] == _PLAIN:
        return CaseResult(*marshal.loads(body[1:]))  # noqa: S302 - our own worker wrote it
    import pickle  # 2 ms at start-up, and a run without findings never needs it

    try:
        found: CaseResult = pickle.loads(body[1:])  # noqa: S301 - our own worker wrote it
    except _UNSENDABLE as error:
        return _unsent(error)
    return found


_UNSENDABLE: Final = (TypeError, ValueError, AttributeError, ImportError, LookupError, RecursionError)


def _packed(found: CaseResult) -> bytes:
    if not found.findings:
        try:
            return _PLAIN + marshal.dumps(tuple(found))
        except ValueError:  # a subclass of str, say: pickle knows how
            pass
    import pickle  # 2 ms at start-up, and a run without findings never needs it

    try:
        return _OTHER + pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, *_UNSENDABLE) as error:
        return _packed(_unsent(error))


def _unsent(error: Exception) -> CaseResult:
    text = f"the result could not leave its worker process: {type(error).__name__}: {error}"
    return CaseResult(error=("check-failed", text))
