"""The values that pass between the parts of the local API, and its limits (spec 6)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

Json: TypeAlias = Any

Pairs: TypeAlias = tuple[tuple[bytes, bytes], ...]
"""Headers as they stand on the wire, one pair a line."""

Receive: TypeAlias = Callable[[], Awaitable[Json]]
Send: TypeAlias = Callable[[Json], Awaitable[None]]
App: TypeAlias = Callable[[Json, Receive, Send], Awaitable[None]]

Work: TypeAlias = Callable[[], Json]
Run: TypeAlias = Callable[[Work, float], Awaitable[Json]]
"""Does work that may block; so many seconds later at most it raises TimeoutError."""


class Limits(NamedTuple):
    """The limits of spec 6.3; times in seconds."""

    streams: int = 8
    head_seconds: float = 5.0
    idle_seconds: int = 30
    head_bytes: int = 16 * 1024
    read_seconds: float = 2.0
    write_seconds: float = 5.0
    poll_seconds: float = 0.5
    heartbeat_seconds: float = 15.0
    stop_seconds: int = 5


LIMITS: Final = Limits()


class Head(NamedTuple):
    """A request before its body. `path` has no escapes left; `query` is raw."""

    method: str
    path: str
    query: bytes
    headers: Pairs


class Reply(NamedTuple):
    """A whole answer."""

    status: int
    headers: Pairs
    body: bytes


class Refusal(Exception):
    """A request that is answered with an error; `code` is one of the closed list of spec 6.4."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


class Client(Protocol):
    """The reader of one stream, and the time that passes for it."""

    def is_here(self) -> bool:
        """Whether anybody still reads."""
        ...

    def now(self) -> float:
        """Seconds, from any beginning."""
        ...

    async def pause(self, seconds: float) -> None:
        """Wait so long, or until the client is gone."""
        ...


Attend: TypeAlias = Callable[[Receive], Client]
"""Begins to look after the client that `receive` belongs to."""


class Identity(NamedTuple):
    """Which file a path leads to, whatever it is called."""

    device: int
    inode: int


class CannotListen(Exception):
    """The socket cannot be opened; what was there is as it was. The text is for whoever starts the server."""


class AlreadyServed(CannotListen):
    """Another server holds the lease of this socket (spec 6.2: "active")."""
