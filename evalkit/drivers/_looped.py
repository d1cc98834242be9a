"""Calls an ASGI app that needs an event loop: one loop a process, which runs while an answer is awaited."""

from __future__ import annotations

import asyncio
import atexit
import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any, Final, TypeVar

from evalkit.drivers._asgi import App, Reply, parts_of, place_of, scope_of
from evalkit.drivers._exchange import Chunks, NothingMore, Request, Response
from evalkit.errors import CaseError, OutOfTime
from evalkit.model import Json
from evalkit.surfaces import AppSurface

T = TypeVar("T")

UNREAD: Final = 64
"""Pieces of an answer that an app may send ahead of the reader."""

GRACE: Final = 0.05
"""Seconds that an app has to end by itself once its client has what it wants; then it is cancelled."""

PATIENCE: Final = 2.0
"""Seconds that a cancelled task, or a lifespan, has to end; then it is left behind with its loop."""


class Looped:
    """The transport to an app that awaits whatever it likes."""

    def __init__(self, surface: AppSurface) -> None:
        """Start the app's lifespan, unless another way into the same app has."""
        self._app = surface.app
        self._loop = _the_loop()
        self._lifespan = self._loop.enter(surface.app)
        self._place = place_of(surface, self._lifespan.state)
        self._open: list[_Exchange] = []

    def send(self, request: Request) -> Response:
        """Run the loop until the head of the app's answer is there."""
        if self._loop.closed:
            raise CaseError(
                "protocol", "the app's event loop was given up, because a part of the app never ends"
            )
        exchange = _Exchange(self._loop, self._app, scope_of(self._place, request), request)
        self._open = [*(one for one in self._open if not one.ended), exchange]
        return exchange.response()

    def close(self) -> None:
        """Cancel what the app still does for us, and end its lifespan where nobody else uses it."""
        if self._loop.closed:
            return
        for exchange in self._open:
            exchange.hang_up()
        self._loop.leave(self._lifespan)


class _Exchange:
    """One call of the app: a task that goes on whenever the loop runs, until it ends or its client leaves."""

    def __init__(self, loop: _Loop, app: App, scope: Mapping[str, Any], request: Request) -> None:
        self._loop = loop
        self._parts = parts_of(request.body)
        self._reply = Reply(request.method)
        self._within = request.within
        self._ends = None if self._within is None else monotonic() + self._within
        self._news, self._room, self._gone = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._task = loop.start(app(scope, self._receive, self._send))
        self._task.add_done_callback(lambda _: self._news.set())

    @property
    def ended(self) -> bool:
        return self._task.done()

    def response(self) -> Response:
        try:
            self._wait(lambda: self._reply.status)
        except NothingMore:
            self.hang_up()
            raise OutOfTime(self._within or 0) from None
        return Response(self._reply.status, self._reply.headers, self._chunks())

    def hang_up(self) -> None:
        """Tell the app that its client is gone, and end it where it does not end by itself."""
        self._gone.set()
        self._room.set()
        self._loop.end(self._task)

    def _chunks(self) -> Chunks:
        reply = self._reply
        try:
            while True:
                while reply.chunks:
                    self._room.set()
                    yield reply.chunks.popleft()
                if reply.complete:
                    break
                self._wait(lambda: reply.chunks or reply.complete)
        finally:
            if not reply.complete:
                self.hang_up()
        self._gone.set()
        self._loop.run(asyncio.wait((self._task,), timeout=GRACE))
        self._raise()

    def _wait(self, ready: Callable[[], object]) -> None:
        """Run the loop until something is ready; NothingMore where the request's `within` is over before.

        Raises what the app raised, and where it ended too soon.
        """
        while not ready():
            if self._task.done():
                self._raise()
                self._reply.check()
            left = None if self._ends is None else self._ends - monotonic()
            if left is not None and left <= 0:
                raise NothingMore
            self._news.clear()
            self._loop.run(_at_most(left, self._news.wait()))

    def _raise(self) -> None:
        """Raise what the app ended with, if it raised; one that cancelled itself has just ended."""
        if self._task.done() and not self._task.cancelled() and (problem := self._task.exception()):
            raise problem

    async def _receive(self) -> Mapping[str, Json]:
        if self._parts:
            return self._parts.popleft()
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Mapping[str, Json]) -> None:
        if self._gone.is_set() and not self._reply.complete:
            raise OSError("the client has hung up")
        self._reply.take(message)
        self._news.set()
        if self._reply.complete:
            self._gone.set()
        while len(self._reply.chunks) >= UNREAD and not self._gone.is_set():
            self._room.clear()
            await self._room.wait()


class _Lifespan:
    """An app's startup and shutdown. An app that knows no lifespan ends at once, and has none (ASGI)."""

    def __init__(self, loop: _Loop, app: App) -> None:
        self.app = app
        self.users = 1
        self.state: dict[str, Any] = {}
        self._asked = False
        self._answer: Mapping[str, Json] = {}
        self._news, self._over = asyncio.Event(), asyncio.Event()
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": self.state}
        self.task = loop.start(app(scope, self._receive, self._send))
        self.task.add_done_callback(lambda _: self._news.set())
        loop.run(self._news.wait())
        if self._answer.get("type") == "lifespan.startup.failed":
            loop.end(self.task)
            told = self._answer.get("message") or "without a word"
            raise CaseError("subject-failed", f"the app's lifespan failed to start: {told}")

    def shut_down(self) -> None:
        self._over.set()

    async def _receive(self) -> Mapping[str, Json]:
        if self._asked:
            await self._over.wait()
            return {"type": "lifespan.shutdown"}
        self._asked = True
        return {"type": "lifespan.startup"}

    async def _send(self, message: Mapping[str, Json]) -> None:
        self._answer = message
        self._news.set()


class _Loop:
    """The event loop of this process. It is given up where something interrupts it: a deadline, Ctrl-C."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._lifespans: dict[int, _Lifespan] = {}

    @property
    def closed(self) -> bool:
        return self._loop.is_closed()

    def start(self, awaitable: Awaitable[T]) -> asyncio.Task[T]:
        return self._loop.create_task(_as_coroutine(awaitable))

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        finished = False
        try:
            result = self._loop.run_until_complete(coroutine)
            finished = True
        finally:
            if not finished:
                self.close()
        return result

    def end(self, task: asyncio.Task[None], grace: float = GRACE) -> None:
        """Let a task end by itself, then cancel it; what it raises is nobody's any more."""
        if self.closed:
            return
        for patience in (grace, PATIENCE):
            if not task.done():
                self.run(asyncio.wait((task,), timeout=patience))
                task.cancel()
        if not task.done():
            self.close()
        elif not task.cancelled():
            task.exception()

    def enter(self, app: App) -> _Lifespan:
        known = self._lifespans.get(id(app))
        if known is not None:
            known.users += 1
            return known
        self._lifespans[id(app)] = lifespan = _Lifespan(self, app)
        return lifespan

    def leave(self, lifespan: _Lifespan) -> None:
        lifespan.users -= 1
        if not lifespan.users:
            del self._lifespans[id(lifespan.app)]
            lifespan.shut_down()
            self.end(lifespan.task, PATIENCE)

    def close(self) -> None:
        """Cancel every task and close; what will not end is destroyed without a word."""
        try:
            tasks = asyncio.all_tasks(self._loop)
            self._loop.set_exception_handler(lambda _loop, _context: None)
            for task in tasks:
                task.cancel()
            if tasks:
                self._loop.run_until_complete(asyncio.wait(tasks, timeout=PATIENCE))
        finally:
            with suppress(RuntimeError):  # a loop that was interrupted in its own machinery may still run
                self._loop.close()


async def _at_most(seconds: float | None, waiting: Coroutine[Any, Any, object]) -> None:
    """Wait, but no longer than this."""
    with suppress(asyncio.TimeoutError):
        await asyncio.wait_for(waiting, seconds)


async def _as_coroutine(awaitable: Awaitable[T]) -> T:
    return await awaitable


_loops: Final[list[_Loop]] = []


def _the_loop() -> _Loop:
    """The loop of this process, made when first needed.

    One that came here by a fork is kept and never touched: it shares its selector with the parent's.
    """
    for loop in _loops:
        if loop.pid == os.getpid() and not loop.closed:
            return loop
    if not _loops:
        atexit.register(_close_ours)
    _loops[:] = [*(loop for loop in _loops if not loop.closed), _Loop()]
    return _loops[-1]


def _close_ours() -> None:
    """At the end of the process: a loop that is not closed complains."""
    for loop in _loops:
        if loop.pid == os.getpid() and not loop.closed:
            loop.close()
