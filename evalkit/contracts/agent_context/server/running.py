"""Answers HTTP with uvicorn on a socket that listens already, until a signal asks it to stop."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, TypeAlias, TypeVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .diagnosis import Seldom, log_tersely, note_answer
from .listening import BACKLOG

T = TypeVar("T")
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[..., Awaitable[None]]

HEAD_SECONDS: Final = 10.0
"""How long the head of a request may take, counted from its first byte or from the connection's start."""

IDLE_SECONDS: Final = 30
"""How long a connection is kept for a next request."""

STOP_SECONDS: Final = 3
"""How long requests that are being answered have when the server is asked to stop."""

HEAD_BYTES: Final = 16 * 1024
"""How much of a request may stand before its body."""

_WORKERS: Final = 8
_FILES: Final = 8192


class Signals:
    """SIGINT, SIGTERM and the end of a terminal, each of which asks for a clean stop."""

    def __init__(self) -> None:
        """None came yet."""
        self.came = False

    def note(self, number: int, frame: FrameType | None) -> None:
        """Remember it for a server that does not run yet; uvicorn has handlers of its own."""
        self.came = True


@contextmanager
def watched_signals() -> Iterator[Signals]:
    """A block in which no signal ends the process. After one came, later ones find nobody to disturb."""
    noted = Signals()
    before = {number: signal.signal(number, noted.note) for number in (signal.SIGINT, signal.SIGTERM)}
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, _as_a_termination)
    try:
        yield noted
    finally:
        if not noted.came:
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def workers() -> Iterator[Workers]:
    """Threads for what blocks; at the end what has begun has a little time, and the rest is dropped."""
    threads = ThreadPoolExecutor(_WORKERS, "agent-context")
    made = Workers(threads)
    try:
        yield made
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        wait(set(made.begun), STOP_SECONDS)


class Workers:
    """Where synchronous answers are made: files and password hashes block, and the event loop must not."""

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        """Start no thread before one is needed."""
        self._threads = threads
        self.begun: set[Future[Any]] = set()

    async def run(self, work: Callable[[], T]) -> T:
        """What the work gives or raises, without holding up others."""
        future = self._threads.submit(work)
        self.begun.add(future)
        future.add_done_callback(self.begun.discard)
        return await asyncio.wrap_future(future)


def within(seconds: float) -> Callable[[Awaitable[T]], Awaitable[T]]:
    """Waits for something at most so long, and raises TimeoutError then."""

    async def bounded(awaited: Awaitable[T]) -> T:
        async with asyncio.timeout(seconds):
            return await awaited

    return bounded


def serve(app: App, listening: socket.socket, signals: Signals, announce: Callable[[], None]) -> None:
    """Answer until a signal comes; `announce` is called once, when answers are given."""
    _allow_many_files()
    seldom = Seldom()
    config = uvicorn.Config(
        _told_of(_guarded(app), seldom),
        http=_Connection,
        loop="asyncio",
        ws="none",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # only the socket says who calls (spec B.3)
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
        h11_max_incomplete_event_size=HEAD_BYTES,
    )
    log_tersely(seldom, "uvicorn.error", "asyncio")
    _Server(config, signals, announce).run([listening])
    seldom.end()


class _Server(uvicorn.Server):
    """Says when it has started, and does not forget a signal that came before."""

    def __init__(self, config: uvicorn.Config, signals: Signals, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._signals, self._announce = signals, announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.should_exit = self.should_exit or self._signals.came
        if not self.should_exit:
            self._announce()


class _Connection(H11Protocol):
    """Ends where no head comes in time, and still answers a client that has only stopped sending."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def eof_received(self) -> bool:  # type: ignore[override]
        if not self._is_answering() or self.cycle.more_body:
            return False
        self.cycle.keep_alive = False
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watching()
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _watch(self) -> None:
        if self._is_answering():
            self._stop_watching()
        elif self._waiting is None:
            self._waiting = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_watching(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def _told_of(app: App, seldom: Seldom) -> App:
    async def told(scope: Message, receive: Receive, send: Send) -> None:
        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                note_answer(seldom, message["status"])
            await send(message)

        await app(scope, receive, watched)

    return told


def _guarded(app: App) -> App:
    """The parser of HTTP bounds a head only as long as it is incomplete; here any that is too long ends."""

    async def guarded(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _head_bytes(scope) > HEAD_BYTES:
            headers = [(b"content-length", b"0"), (b"connection", b"close")]
            await send({"type": "http.response.start", "status": 431, "headers": headers})
            await send({"type": "http.response.body"})
        else:
            await app(scope, receive, send)

    return guarded


def _head_bytes(scope: Message) -> int:
    fields = sum(len(name) + len(value) for name, value in scope["headers"])
    return fields + len(scope["raw_path"]) + len(scope["query_string"])


def _as_a_termination(number: int, frame: FrameType | None) -> None:
    signal.raise_signal(signal.SIGTERM)


def _allow_many_files() -> None:
    """As many connections as the machine grants, where the usual limit is lower."""
    try:
        import resource  # not on every platform
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
