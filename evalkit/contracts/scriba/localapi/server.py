"""Answers on a Unix socket of our own until a signal comes, and removes it (spec 6.1-6.3)."""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from types import FrameType

import uvicorn

from ..nouns import PageUnavailable, ProfileUnavailable, Service
from .app import make_app
from .attending import Attendance
from .connections import connection_with
from .listener import BACKLOG, listen
from .listener_rules import LISTENER, ListenerRules
from .nouns import LIMITS, App, Json, Limits, Receive, Run, Send, Work
from .rules import API, ApiRules
from .workers import Workers


def serve(
    service: Service,
    path: str,
    rules: ApiRules = API,
    limits: Limits = LIMITS,
    *,
    listener: ListenerRules = LISTENER,
    ready: Callable[[], None] = lambda: None,
    tell: Callable[[str], None] = lambda line: None,
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Answer on the socket at `path` until SIGTERM, SIGINT or SIGHUP, or `is_over`. Raises CannotListen.

    `ready` is called once, when answers are given. `tell` gets lines for whoever runs the server, each of
    them once: they hold nothing that was asked or stored, and are too few to fill a pipe that nobody reads.
    `is_over` is asked several times a second. The lease file stays.
    """
    workers, attendance, once = Workers(), Attendance(), _Once(tell)
    app = make_app(service, rules, limits, run=_watched(workers.run, once), attend=attendance.attend)
    with _signals() as noted, listen(path, listener) as listening:
        config = _config(_bounded(app, limits.head_bytes), limits)
        with _logging_to(once), contextlib.closing(listening), _stopping(workers):
            server = _Server(config, attendance, ready, lambda: noted.came or is_over())
            server.run([listening.socket])


class _Server(uvicorn.Server):
    """Tells when it has started, lets streams end when it stops, and closes what does not end in time."""

    def __init__(
        self,
        config: uvicorn.Config,
        attendance: Attendance,
        ready: Callable[[], None],
        is_over: Callable[[], bool],
    ) -> None:
        super().__init__(config)
        self._attendance, self._ready, self._is_over = attendance, ready, is_over

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self._is_over():
            self._ready()

    async def on_tick(self, counter: int) -> bool:
        return await super().on_tick(counter) or self._is_over()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._attendance.end()
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()


class _Once:
    """Tells a line when it comes for the first time."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._told: set[str] = set()

    def __call__(self, line: str) -> None:
        if line not in self._told:
            self._told.add(line)
            self._tell(line)


class _Signals:
    """The signals that ask for a clean stop."""

    came = False

    def note(self, number: int, frame: FrameType | None) -> None:
        self.came = True


@contextlib.contextmanager
def _signals() -> Iterator[_Signals]:
    """A block that no signal interrupts; after one came, later ones find nobody to disturb."""
    noted = _Signals()
    if threading.current_thread() is not threading.main_thread():
        yield noted  # only the main thread is told of signals
        return
    asking = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, noted.note) for number in asking}
    try:
        yield noted
    finally:
        if not noted.came:
            for number, handler in before.items():
                signal.signal(number, handler)


@contextlib.contextmanager
def _stopping(workers: Workers) -> Iterator[None]:
    try:
        yield
    finally:
        workers.stop()


def _watched(run: Run, tell: Callable[[str], None]) -> Run:
    """The same, but a read that fails for no reason of the contract is told by the kind of its fault."""

    async def watched(work: Work, seconds: float) -> Json:
        result = await run(work, seconds)
        if isinstance(result, Exception) and not isinstance(result, (ProfileUnavailable, PageUnavailable)):
            tell(f"a read failed: {type(result).__name__}")
        return result

    return watched


def _config(app: App, limits: Limits) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=connection_with(limits),
        loop="asyncio",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=limits.idle_seconds,
        timeout_graceful_shutdown=limits.stop_seconds,
        h11_max_incomplete_event_size=limits.head_bytes,
    )


def _bounded(app: App, most: int) -> App:
    """The parser bounds a head only as long as it is incomplete; here any that is too long ends."""

    async def bounded(scope: Json, receive: Receive, send: Send) -> None:
        fields = sum(len(name) + len(value) for name, value in scope["headers"])
        if fields + len(scope["raw_path"]) + len(scope["query_string"]) <= most:
            await app(scope, receive, send)
            return
        headers = [(b"content-length", b"0"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 431, "headers": headers})
        await send({"type": "http.response.body"})

    return bounded


@contextlib.contextmanager
def _logging_to(tell: Callable[[str], None]) -> Iterator[None]:
    """A block in which uvicorn and asyncio tell their warnings here, and say nothing elsewhere."""
    terse = _Terse(tell)
    with contextlib.ExitStack() as undo:
        for name in ("uvicorn.error", "asyncio"):
            logger = logging.getLogger(name)
            undo.callback(_restore, logger, logger.handlers, logger.propagate, logger.level)
            logger.handlers, logger.propagate = [terse], False
            logger.setLevel(logging.WARNING)
        yield


def _restore(logger: logging.Logger, handlers: list[logging.Handler], propagate: bool, level: int) -> None:
    logger.handlers, logger.propagate = handlers, propagate
    logger.setLevel(level)


class _Terse(logging.Handler):
    """The fixed first line of what is logged and the kind of an exception: no value, and no text of it."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__()
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        line = record.msg.strip().partition("\n")[0] if isinstance(record.msg, str) else "a fault"
        kind = record.exc_info[0] if record.exc_info else None
        self._tell(line if kind is None else f"{line}: {kind.__name__}")
