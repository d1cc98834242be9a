"""Apps that need an event loop: they go on between reads, and leave nothing behind."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import pytest

from evalkit.deadline import deadline
from evalkit.drivers import _looped
from evalkit.drivers._exchange import Request, body_of
from evalkit.drivers._looped import Looped
from evalkit.drivers._transports import open_transport
from evalkit.errors import CaseError, OutOfTime
from evalkit.surfaces import AppSurface
from tests.drivers.wires import Told, Wire

GET = Request("GET", b"/")


@contextmanager
def opened(app: Any) -> Iterator[Looped]:
    transport = open_transport(AppSurface(app))
    assert isinstance(transport, Looped)
    with closing(transport):
        yield transport


def http_only(app: Any) -> Any:
    """An app that raises for a lifespan, as ASGI allows."""

    async def wrapped(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            raise RuntimeError("no lifespan here")
        await app(scope, receive, send)

    return wrapped


@http_only
async def ticking(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200})
    for at in range(3):
        await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": b"%d" % at, "more_body": at < 2})


def test_an_app_may_await_what_it_likes() -> None:
    with opened(ticking) as transport:
        assert body_of(transport.send(GET)) == b"012"
        assert body_of(transport.send(GET)) == b"012"


def test_two_answers_are_open_at_once_and_one_app_waits_for_the_other() -> None:
    came = asyncio.Event()

    @http_only
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})
        if scope["path"] == "/wait":
            await send({"type": "http.response.body", "body": b"waiting", "more_body": True})
            await came.wait()
        else:
            came.set()
        await send({"type": "http.response.body", "body": b"done"})

    with opened(app) as transport:
        first = transport.send(Request("GET", b"/wait"))
        assert next(first.chunks) == b"waiting"
        assert body_of(transport.send(GET)) == b"done"
        assert list(first.chunks) == [b"done"]


def test_an_app_runs_no_further_ahead_of_its_reader_than_it_may() -> None:
    produced: list[int] = []

    @http_only
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})
        while True:
            produced.append(1)
            await send({"type": "http.response.body", "body": b"x", "more_body": True})

    with opened(app) as transport:
        response = transport.send(GET)
        for _ in range(200):
            next(response.chunks)
        response.chunks.close()
    assert len(produced) <= 200 + _looped.UNREAD + 1


def test_closing_cancels_what_still_runs() -> None:
    ended: list[str] = []

    @http_only
    async def app(scope: Any, receive: Any, send: Any) -> None:
        try:
            await send({"type": "http.response.start", "status": 200})
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    with opened(app) as transport:
        transport.send(GET)
        assert ended == []
    assert ended == ["cancelled"]


def test_a_client_that_hangs_up_is_heard_before_anything_is_cancelled() -> None:
    heard: list[str] = []

    @http_only
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": b"x", "more_body": True})
        heard.append((await receive())["type"])

    with opened(app) as transport:
        response = transport.send(GET)
        next(response.chunks)
        response.chunks.close()
        assert heard == ["http.disconnect"]


def test_what_an_app_raises_goes_through_before_and_after_its_answer() -> None:
    @http_only
    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/late":
            await send({"type": "http.response.start", "status": 200})
            await send({"type": "http.response.body", "body": b"x"})
        raise ZeroDivisionError

    with opened(app) as transport:
        with pytest.raises(ZeroDivisionError):
            transport.send(GET)
        with pytest.raises(ZeroDivisionError):
            body_of(transport.send(Request("GET", b"/late")))


def test_an_app_that_ends_without_a_whole_answer_gives_none() -> None:
    @http_only
    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/half":
            await send({"type": "http.response.start", "status": 200})
            await send({"type": "http.response.body", "body": b"x", "more_body": True})

    with opened(app) as transport:
        with pytest.raises(CaseError, match="no answer"):
            transport.send(GET)
        with pytest.raises(CaseError, match="half an answer"):
            body_of(transport.send(Request("GET", b"/half")))


class Lifely:
    """An app with a lifespan; it notes what happens."""

    def __init__(self, started: str = "lifespan.startup.complete") -> None:
        self.started = started
        self.notes: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            self.notes.append(scope["state"]["word"])
            await Wire(lambda seen: Told())(scope, receive, send)
            return
        scope["state"]["word"] = "from the lifespan"
        self.notes.append((await receive())["type"])
        await send({"type": self.started, "message": "no disk"})
        self.notes.append((await receive())["type"])
        await send({"type": "lifespan.shutdown.complete"})


def test_a_lifespan_stands_around_all_ways_into_one_app() -> None:
    app = Lifely()
    with opened(app) as one:
        with opened(app) as other:
            body_of(other.send(GET))
        body_of(one.send(GET))
        assert app.notes == ["lifespan.startup", "from the lifespan", "from the lifespan"]
    assert app.notes[3:] == ["lifespan.shutdown"]


def test_a_lifespan_that_fails_to_start_is_told() -> None:
    with pytest.raises(CaseError, match="no disk") as problem:
        Looped(AppSurface(Lifely("lifespan.startup.failed")))
    assert problem.value.code == "subject-failed"


@pytest.mark.parametrize("stubborn", [False, True], ids=["idle", "busy"])
def test_an_app_that_never_answers_runs_into_the_deadline_and_the_next_one_finds_a_loop(
    stubborn: bool,
) -> None:
    @http_only
    async def app(scope: Any, receive: Any, send: Any) -> None:
        while stubborn:
            pass
        await asyncio.Event().wait()

    started = time.monotonic()
    with pytest.raises(OutOfTime), deadline(0.05), opened(app) as transport:
        transport.send(GET)
    with opened(ticking) as transport:
        assert body_of(transport.send(GET)) == b"012"
    assert time.monotonic() - started < 5


def test_an_app_that_will_not_end_is_left_behind_with_its_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_looped, "PATIENCE", 0.01)
    monkeypatch.setattr(_looped, "GRACE", 0.01)

    @http_only
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()

    with opened(app) as transport:
        transport.send(GET)
    with opened(ticking) as another:
        assert body_of(another.send(GET)) == b"012"


def test_a_stream_that_falls_silent_runs_into_the_deadline() -> None:
    @http_only
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": b"x", "more_body": True})
        await asyncio.Event().wait()

    with pytest.raises(OutOfTime), deadline(0.05), opened(app) as transport:
        body_of(transport.send(GET))
