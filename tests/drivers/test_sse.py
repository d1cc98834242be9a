"""The operation `sse`: what is asked for, what is seen of a stream, and the three ways in which it ends."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import uvicorn

from evalkit.deadline import deadline
from evalkit.drivers import http
from evalkit.drivers._client import Network, _Body, _CutBody
from evalkit.drivers._exchange import NothingMore, Request
from evalkit.errors import CaseError, OutOfTime, what_came
from evalkit.model import Call, Json, Observation, Subject
from evalkit.surfaces import Address, AppSurface
from tests.drivers.wires import Seen, Socket, Told, Wire, chunked
from tests.playing import FREE, loaded, played, suite_file

OPENING = b": connected\n\n"
EVENTS = b'id: 1\nevent: note\ndata: {"a": 1}\n\n: heartbeat\n\ndata: two\ndata: lines\n\n'
SEEN = [
    {"id": "1", "event": "note", "data": '{"a": 1}', "json": {"a": 1}},
    {"event": "message", "data": "two\nlines"},
]


def asked(surface: Any, **words: Json) -> Observation:
    with closing(http.open(surface)) as session:
        return session.send(Call("sse", {"path": "/events", **words}))


class Stream:
    """An app that sends these pieces, and then rests in the way it is told, until its client is gone."""

    def __init__(self, rest: str, *pieces: bytes, kind: bytes = b"text/event-stream") -> None:
        self.rest, self.pieces, self.kind = rest, pieces, kind
        self.sent = 0
        self.left = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        await receive()
        if self.rest == "headless":
            await receive()
        headers = [(b"content-type", self.kind)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for piece in self.pieces:
            await self._send(send, piece)
        while self.rest == "beats":
            await self._send(send, b": heartbeat\n\n")
            await asyncio.sleep(0.01)
        while self.rest == "floods":
            await self._send(send, b"data: x\n\n")
        if self.rest == "waits":
            self.left = (await receive())["type"] == "http.disconnect"
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send(self, send: Any, piece: bytes) -> None:
        self.sent += 1
        await send({"type": "http.response.body", "body": piece, "more_body": True})


def surfaces(app: Any) -> tuple[AppSurface, AppSurface]:
    return AppSurface(app, awaits=False), AppSurface(app, awaits=True)


@contextmanager
def served(app: Any, file: Path | None = None) -> Iterator[Address]:
    """The app on a socket of the loopback interface, or on a Unix socket."""
    family = socket.AF_INET if file is None else socket.AF_UNIX
    with socket.socket(family) as listener:
        listener.bind(("127.0.0.1", 0) if file is None else str(file))
        listener.listen()
        words: Any = {"log_level": "critical", "timeout_graceful_shutdown": 1, "http": "h11", "ws": "none"}
        server = uvicorn.Server(uvicorn.Config(app, **words))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            port = listener.getsockname()[1] if file is None else 0
            yield Address("http://localhost", str(file)) if file else Address(f"http://127.0.0.1:{port}")
        finally:
            server.should_exit = True
            thread.join()


# ── what is asked ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("words", "headers"),
    [
        ({}, [("accept", "text/event-stream")]),
        ({"lastEventId": "7"}, [("accept", "text/event-stream"), ("last-event-id", "7")]),
        ({"lastEventId": ""}, [("accept", "text/event-stream"), ("last-event-id", "")]),
        ({"headers": {"Accept": "x"}}, [("accept", "x")]),
        (
            {"lastEventId": "7", "headers": {"Last-Event-ID": "8"}},
            [("accept", "text/event-stream"), ("last-event-id", "7"), ("last-event-id", "8")],
        ),
    ],
)
def test_a_stream_is_asked_for_as_a_browser_does_it(words: Json, headers: Any) -> None:
    wire = Wire(lambda seen: Told(200, b"", "text/event-stream"))
    asked(AppSurface(wire, awaits=False), query={"cursor": "a b"}, **words)
    scope = wire.seen[0].scope
    assert (scope["method"], scope["query_string"]) == ("GET", b"cursor=a%20b")
    assert [(name.decode(), value.decode()) for name, value in scope["headers"][1:]] == headers


def test_an_id_that_no_header_can_carry_is_not_sent() -> None:
    wire = Wire(lambda seen: Told())
    with pytest.raises(CaseError, match="line break"):
        asked(AppSurface(wire, awaits=False), lastEventId="a\nb")
    assert wire.seen == []


# ── what is seen, and what ends it ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_stream_that_the_server_ends_is_seen_whole(size: int) -> None:
    whole = OPENING + EVENTS
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    for surface in surfaces(Stream("ends", *pieces)):
        seen = asked(surface)
        assert seen.roots["events"] == SEEN
        response = seen.roots["response"]
        assert (response["ended"], response["comments"]) == ("server", ["connected", "heartbeat"])
        assert (response["status"], response["body"]) == (200, whole.decode())
        assert seen.raw == (b"content-type: text/event-stream", whole)


def test_so_many_events_are_enough() -> None:
    for rest in ("waits", "floods"):
        for surface in surfaces(Stream(rest, OPENING, EVENTS)):
            seen = asked(surface, until={"events": 1})
            assert (seen.roots["events"], seen.roots["response"]["ended"]) == (SEEN[:1], "events")
            none = asked(surface, until={"events": 0})
            assert (none.roots["events"], none.roots["response"]["body"]) == ([], "")


def test_what_came_within_a_time_is_judged() -> None:
    for surface in surfaces(Stream("waits", OPENING, EVENTS)):
        seen = asked(surface, until={"events": 3, "within": 0.1})
        assert (seen.roots["events"], seen.roots["response"]["ended"]) == (SEEN, "within")
    looped = AppSurface(Stream("beats", OPENING, EVENTS))
    seen = asked(looped, until={"within": 0.1})
    assert (seen.roots["events"], seen.roots["response"]["ended"]) == (SEEN, "within")
    assert seen.roots["response"]["comments"].count("heartbeat") > 1
    for surface in surfaces(Stream("floods")):
        seen = asked(surface, until={"within": 0.05})
        assert seen.roots["response"]["ended"] == "within"
        assert seen.roots["events"][0] == {"event": "message", "data": "x"}


def test_in_memory_nobody_waits_where_nothing_can_come() -> None:
    begun = monotonic()
    seen = asked(AppSurface(Stream("waits", EVENTS), awaits=False), until={"within": 60})
    assert seen.roots["events"] == SEEN
    assert monotonic() - begun < 30
    with pytest.raises(CaseError, match="waits for its client to hang up") as problem:
        asked(AppSurface(Stream("waits", EVENTS), awaits=False))
    assert EVENTS in what_came(problem.value)


def test_a_looped_app_is_told_that_its_client_is_gone() -> None:
    app = Stream("waits", EVENTS)
    asked(AppSurface(app), until={"events": 2})
    assert app.left


def test_an_app_whose_head_does_not_come_in_time_has_not_answered() -> None:
    with pytest.raises(OutOfTime, match=r"within 0\.05 s"):
        asked(AppSurface(Stream("headless")), until={"within": 0.05})
    with pytest.raises(CaseError, match="before it has answered"):
        asked(AppSurface(Stream("headless"), awaits=False), until={"within": 0.05})


def test_what_is_no_event_stream_is_read_to_its_end_and_has_no_events() -> None:
    wire = Wire(lambda seen: Told(410, b'{"error": "expired"}', "application/json"))
    seen = asked(AppSurface(wire, awaits=False), until={"events": 0, "within": 5})
    assert (seen.roots["events"], seen.roots["response"]["json"]) == ([], {"error": "expired"})
    assert (seen.roots["response"]["status"], seen.roots["response"]["ended"]) == (410, "server")


def test_an_endless_stream_ends_at_the_deadline_and_is_searched_for_secrets(tmp_path: Path) -> None:
    secret = "tok-" + "7" * 12
    head = f'name: s\nversion: 1\ncontract: "{FREE}"\ndefaults: {{fixture: {{a: {{$secret: {secret}}}}}}}\n'
    words = "timeout: 0.2, operation: sse, path: /e, expect: {count: {events: 1}}"
    suite = loaded(suite_file(tmp_path, f"{head}cases:\n  - {{id: a, title: A, {words}}}\n"))
    app = Stream("beats", b"data: " + secret.encode() + b"\n\n")
    result = played(suite, lambda world: Subject({"http": AppSurface(app)}))["a"]
    assert result.error == ("timeout", "no answer within 0.2 s")
    assert result.leaked


def test_a_case_counts_the_events_of_a_stream(tmp_path: Path) -> None:
    head = f'name: s\nversion: 1\ncontract: "{FREE}"\ndefaults: {{fixture: {{}}}}\n'
    words = "until: {within: 1}, expect: {status: 200, equals: {events.0.id: '1', events.length: 2}}"
    suite = loaded(
        suite_file(tmp_path, f"{head}cases:\n  - {{id: a, title: A, operation: sse, path: /e, {words}}}\n")
    )
    app = AppSurface(Stream("waits", EVENTS), awaits=False)
    assert played(suite, lambda world: Subject({"http": app}))["a"].status == "pass"


# ── live ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.parametrize("by_file", [False, True])
def test_a_stream_over_a_socket_is_the_same(tmp_path: Path, by_file: bool) -> None:
    file = tmp_path / "s" if by_file else None
    with served(Stream("ends", OPENING, EVENTS), file) as address:
        seen = asked(address)
        assert (seen.roots["events"], seen.roots["response"]["ended"]) == (SEEN, "server")
    (tmp_path / "s").unlink(missing_ok=True)
    with served(Stream("beats", OPENING, EVENTS), file) as address:
        for until, ended in (({"events": 2}, "events"), ({"within": 0.2}, "within")):
            seen = asked(address, until=until)
            assert (seen.roots["events"], seen.roots["response"]["ended"]) == (SEEN, ended)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.slow
@pytest.mark.parametrize("head", [CHUNKED, HEAD + b"\r\n"])
def test_a_silent_stream_is_left_when_the_time_is_over(head: bytes) -> None:
    body = chunked(EVENTS) if head is CHUNKED else EVENTS
    begun = monotonic()
    with Socket((head + body, None)) as server:
        seen = asked(Address(server.url), until={"events": 9, "within": 0.2})
    assert (seen.roots["events"], seen.roots["response"]["ended"]) == (SEEN, "within")
    assert monotonic() - begun < 5


@pytest.mark.slow
def test_whoever_waits_for_a_silent_body_is_woken_when_its_time_is_over() -> None:
    with Socket((CHUNKED + chunked(EVENTS), None)) as server, deadline(10):
        network = Network(Address(server.url), 60.0)
        answer = network._sent(Request("GET", b"/"), 60.0)
        body = _CutBody(_Body(answer, monotonic() + 60, 60.0), answer, monotonic() + 0.2)
        with closing(network), closing(body):
            assert next(body) == EVENTS
            with pytest.raises(NothingMore):
                next(body)


@pytest.mark.slow
def test_a_head_that_does_not_come_within_the_time_is_no_answer() -> None:
    with Socket((None,)) as server, pytest.raises(OutOfTime, match=r"within 0\.2 s"):
        asked(Address(server.url), until={"within": 0.2})


@pytest.mark.slow
def test_a_stream_that_breaks_off_is_an_error_with_what_had_come() -> None:
    with Socket((CHUNKED + chunked(EVENTS),)) as server, pytest.raises(CaseError) as problem:
        asked(Address(server.url), until={"events": 9, "within": 20})
    assert problem.value.code == "protocol"
    assert EVENTS in what_came(problem.value)


@pytest.mark.slow
def test_a_deadline_ends_a_silent_stream_too() -> None:
    with Socket((CHUNKED + chunked(EVENTS), None)) as server, pytest.raises(OutOfTime), deadline(0.2):
        asked(Address(server.url))


@pytest.mark.slow
def test_a_request_goes_through_a_unix_socket_and_no_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")

    def answer(seen: Seen) -> Told:
        told = {"host": seen.headers["host"], "path": seen.scope["raw_path"].decode()}
        return Told(200, json.dumps(told).encode())

    with served(Wire(answer), tmp_path / "s") as address, closing(http.open(address)) as session:
        for _ in range(2):
            seen = session.send(Call("http", {"path": "/v1/x%20y"}))
            assert seen.roots["response"]["json"] == {"host": "localhost", "path": "/v1/x%20y"}


@pytest.mark.parametrize("name", ["nobody", "x" * 200])
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_unix_socket_where_nobody_listens_is_a_failed_connection(tmp_path: Path, name: str) -> None:
    with pytest.raises(CaseError, match="the connection failed") as problem:
        asked(Address("http://localhost", str(tmp_path / name)))
    assert problem.value.code == "connection-failed"
    del problem
    gc.collect()  # httpcore leaves a socket that does not connect to be closed by this
