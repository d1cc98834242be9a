"""The direct call of an app that awaits nothing: what it is told, and what comes back from it."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from evalkit.deadline import deadline
from evalkit.drivers._asgi import PART, Stepped
from evalkit.drivers._exchange import Request, Response, body_of
from evalkit.errors import CaseError, OutOfTime
from evalkit.surfaces import AppSurface
from tests.drivers.wires import Seen, Told, Wire


def sent(app: Any, request: Request, **surface: Any) -> Response:
    return Stepped(AppSurface(app, awaits=False, **surface)).send(request)


def test_an_app_is_told_what_a_server_would_tell_it() -> None:
    wire = Wire(lambda seen: Told())
    headers = ((b"X-A", b"1"), (b"x-a", b"2"), (b"Content-Type", b"\xe9"))
    body_of(sent(wire, Request("PoSt", b"//A%2fb%zz%C3%A9?q=%20", headers, b"hi")))
    scope = dict(wire.seen[0].scope)
    assert wire.seen[0].body == b"hi"
    assert scope == {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "PoSt",
        "scheme": "http",
        "path": "//A/b%zzé",
        "raw_path": b"//A%2fb%zz%C3%A9",
        "query_string": b"q=%20",
        "root_path": "",
        "headers": [
            (b"host", b"127.0.0.1:5555"),
            (b"x-a", b"1"),
            (b"x-a", b"2"),
            (b"content-type", b"\xe9"),
            (b"content-length", b"2"),
        ],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 5555),
    }


def test_the_peer_and_the_host_can_be_chosen() -> None:
    wire = Wire(lambda seen: Told())
    body_of(sent(wire, Request("GET", b"/", peer="203.0.113.9"), host="example"))
    body_of(sent(wire, Request("GET", b"/"), peer="::1", host="[::1]:80"))
    body_of(sent(wire, Request("GET", b"/", ((b"Host", b"evil"),), peer="")))
    assert [seen.scope["client"][0] for seen in wire.seen] == ["203.0.113.9", "::1", ""]
    assert [seen.scope["server"] for seen in wire.seen[:2]] == [("example", None), ("[::1]", 80)]
    assert [seen.headers["host"] for seen in wire.seen] == ["example", "[::1]:80", "evil"]


@pytest.mark.parametrize("size", [0, 1, PART, PART + 1, 3 * PART])
def test_a_body_arrives_in_parts_of_a_servers_size(size: int) -> None:
    sizes: list[int] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        more = True
        while more:
            message = await receive()
            sizes.append(len(message["body"]))
            more = message["more_body"]
        await send({"type": "http.response.start", "status": 204})
        await send({"type": "http.response.body"})

    assert body_of(sent(app, Request("POST", b"/", (), b"x" * size))) == b""
    assert sum(sizes) == size
    assert max(sizes) <= PART
    assert len(sizes) == max(1, -(-size // PART))


def test_an_answer_keeps_its_headers_and_comes_piece_by_piece() -> None:
    produced: list[int] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        pairs = [(b"Set-Cookie", b"a"), [b"Set-Cookie", b"b"]]
        await send({"type": "http.response.start", "status": 418, "headers": pairs})
        for at in range(1_000_000):
            produced.append(at)
            await send({"type": "http.response.body", "body": b"%d" % at, "more_body": True})

    response = sent(app, Request("GET", b"/"))
    assert (response.status, response.headers) == (418, ((b"Set-Cookie", b"a"), (b"Set-Cookie", b"b")))
    assert [next(response.chunks) for _ in range(3)] == [b"0", b"1", b"2"]
    response.chunks.close()
    assert produced == [0, 1, 2]


def test_hanging_up_ends_the_app_where_it_stands() -> None:
    ended: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        try:
            await send({"type": "http.response.start", "status": 200})
            while True:
                await send({"type": "http.response.body", "body": b"x", "more_body": True})
        finally:
            ended.append("yes")

    response = sent(app, Request("GET", b"/"))
    next(response.chunks)
    response.chunks.close()
    assert ended == ["yes"]


def test_an_answer_to_head_has_no_body() -> None:
    assert body_of(sent(Wire(lambda seen: Told(body=b"x")), Request("HEAD", b"/"))) == b""


def test_after_its_answer_an_app_hears_that_the_client_is_gone() -> None:
    heard: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": b"x"})
        heard.append((await receive())["type"])

    assert body_of(sent(app, Request("GET", b"/"))) == b"x"
    assert heard == ["http.disconnect"]


async def silent(scope: Any, receive: Any, send: Any) -> None:
    """Answers nothing."""


async def headless(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.body", "body": b"x"})


async def twice(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.start", "status": 200})


async def half(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": b"x", "more_body": True})


async def beyond(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": b"x"})
    await send({"type": "http.response.body", "body": b"x"})


async def waiting(scope: Any, receive: Any, send: Any) -> None:
    while True:
        await receive()


@pytest.mark.parametrize(
    ("app", "told"),
    [
        (silent, "ended after no answer"),
        (headless, "http.response.body"),
        (twice, "http.response.start"),
        (half, r"half an answer \(status 200\)"),
        (beyond, "http.response.body"),
        (waiting, "waits for its client to hang up"),
    ],
)
def test_an_app_that_breaks_the_protocol_gives_no_answer(app: Any, told: str) -> None:
    with pytest.raises(CaseError, match=told) as problem:
        body_of(sent(app, Request("GET", b"/")))
    assert problem.value.code == "protocol"


def test_an_app_that_awaits_more_than_it_said_is_told_so() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="awaits"):
        sent(app, Request("GET", b"/"))


def test_what_an_app_raises_goes_through() -> None:
    def raising(seen: Seen) -> Told:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sent(Wire(raising), Request("GET", b"/"))


def test_an_app_that_never_answers_runs_into_the_deadline() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        while True:
            pass

    started = time.monotonic()
    with pytest.raises(OutOfTime), deadline(0.05):
        sent(app, Request("GET", b"/"))
    assert time.monotonic() - started < 5
