"""One HTTP connection with the limits of spec 6.3 that uvicorn lacks: for slow heads and slow readers."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from .nouns import LIMITS, Limits


class Connection(H11Protocol):
    """Ends where no head comes in time, or where what was sent is not taken in time."""

    limits: ClassVar[Limits] = LIMITS

    _head_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a head."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # so a write is over only when the system has taken it
        self._watch_head()

    def data_received(self, data: bytes) -> None:
        """Take what came; the time for a head goes on where it is not complete."""
        super().data_received(data)
        self._watch_head()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether the connection stays open: for a client that waits for an answer and will say no more."""
        if not self._is_answering() or self.cycle.response_started:
            return False
        self.cycle.keep_alive = False
        return True

    def pause_writing(self) -> None:
        """Begin to wait until what was sent is taken."""
        super().pause_writing()
        self._write_timer = self.loop.call_later(self.limits.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """It was taken."""
        super().resume_writing()
        _stop(self._write_timer)
        self._write_timer = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        _stop(self._head_timer)
        self._head_timer = None
        _stop(self._write_timer)
        self._write_timer = None
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _watch_head(self) -> None:
        if self._is_answering():
            _stop(self._head_timer)
            self._head_timer = None
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self.limits.head_seconds, self.transport.close)


def connection_with(limits: Limits) -> type[Connection]:
    """The kind of connection that has these limits; uvicorn makes one for each client."""
    return type("LimitedConnection", (Connection,), {"limits": limits})


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
