"""The operation `http`: what a step's words become, and what a suite sees of the answer."""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
import sys
import zlib
from contextlib import closing
from typing import Any

import pytest

from evalkit import drivers
from evalkit.drivers import http
from evalkit.drivers._answers import SHOWN, in_words, read_json, strict_json
from evalkit.errors import CapabilityMissing, CaseError
from evalkit.model import Call, Json, Observation
from evalkit.surfaces import Address, AppSurface
from evalkit.values import ABSENT
from tests.drivers.wires import Seen, Told, Wire, served


def asked(wire: Wire, **words: Json) -> Observation:
    with closing(http.open(AppSurface(wire, awaits=False))) as session:
        return session.send(Call("http", {"path": "/x", **words}))


def response_of(told: Told, **words: Json) -> Json:
    return asked(Wire(lambda seen: told), **words).roots["response"]


def test_the_table_knows_the_driver() -> None:
    assert drivers.find("http") is http
    assert {"http", "sse", "tool"} == http.OPERATIONS


@pytest.mark.parametrize(
    ("words", "method", "kind", "body"),
    [
        ({}, "GET", None, b""),
        ({"json": {"a": [1, None, "é"]}}, "POST", "application/json", '{"a":[1,null,"é"]}'.encode()),
        ({"json": None}, "POST", "application/json", b"null"),
        ({"json": 1, "headers": {"Content-Type": "text/plain"}}, "POST", "text/plain", b"1"),
        ({"json": 1, "headers": {"content-type": ""}}, "POST", "", b"1"),
        ({"body": "é"}, "POST", None, "é".encode()),
        ({"body": ""}, "POST", None, b""),
        ({"bytes": "/wA="}, "POST", None, b"\xff\x00"),
        ({"body": "x", "method": "delete"}, "delete", None, b"x"),
        ({"method": "OPTIONS"}, "OPTIONS", None, b""),
    ],
)
def test_words_become_a_request(words: dict[str, Json], method: str, kind: str | None, body: bytes) -> None:
    wire = Wire(lambda seen: Told())
    asked(wire, **words)
    assert (wire.seen[0].method, wire.seen[0].body) == (method, body)
    assert wire.seen[0].headers.get("content-type") == kind


def test_nothing_is_added_but_the_host() -> None:
    wire = Wire(lambda seen: Told())
    asked(wire, headers={"Accept": "x"}, query={"a": "b"})
    assert wire.seen[0].headers == {"host": "127.0.0.1:5555", "accept": "x"}
    assert wire.seen[0].scope["query_string"] == b"a=b"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"json": 1, "body": "x"}, "one body"),
        ({"bytes": "%"}, "base64"),
        ({"bytes": "YQ"}, "base64"),
        ({"bytes": "é"}, "base64"),
        ({"headers": {"a": "b\r\nc: d"}}, "line break"),
    ],
)
def test_what_cannot_be_sent_is_an_error_and_nothing_is_asked(words: dict[str, Json], told: str) -> None:
    wire = Wire(lambda seen: Told())
    with pytest.raises(CaseError, match=told) as problem:
        asked(wire, **words)
    assert problem.value.code == "unsendable"
    assert wire.seen == []


def test_an_answer_is_seen_whole() -> None:
    headers = ((b"X-A", b"1"), (b"Set-Cookie", b"a=1"), (b"x-a", b"\xe9"), (b"set-cookie", b"b=2, c"))
    seen = asked(Wire(lambda seen: Told(403, b'{"a": 1}', "application/json", headers)))
    assert seen.roots == {
        "response": {
            "status": 403,
            "headers": {
                "content-type": "application/json",
                "x-a": "1, é",
                "set-cookie": ["a=1", "b=2, c"],
            },
            "body": '{"a": 1}',
            "bytes": base64.b64encode(b'{"a": 1}').decode(),
            "redirects": [],
            "json": {"a": 1},
        }
    }
    assert seen.raw == (
        b"content-type: application/json\r\nX-A: 1\r\nSet-Cookie: a=1\r\nx-a: \xe9\r\nset-cookie: b=2, c",
        b'{"a": 1}',
    )


def test_one_cookie_is_a_list_too() -> None:
    assert response_of(Told(headers=((b"set-cookie", b"a"),)))["headers"]["set-cookie"] == ["a"]


def test_a_redirect_is_told_and_not_followed() -> None:
    wire = Wire(lambda seen: Told(307, headers=((b"location", b"/elsewhere"),)))
    assert asked(wire).roots["response"]["redirects"] == ["/elsewhere"]
    assert len(wire.seen) == 1
    assert response_of(Told(201, headers=((b"location", b"/made"),)))["redirects"] == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"text",
        b'{"a":NaN}',
        b'{"a":1,"a":2}',
        b"\xef\xbb\xbf{}",
        b'"\xff"',
        b"[1e999]",
        b"[" * 100_000,
        b"01",
    ],
)
def test_what_is_no_strict_json_has_none(body: bytes) -> None:
    response = response_of(Told(body=body))
    assert "json" not in response
    assert response["body"] == body.decode(errors="replace")
    assert base64.b64decode(response["bytes"]) == body


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b' {"a": 1}\n', {"a": 1}),
        (b"[1,1.0,-0,1e2]", [1, 1.0, 0, 100.0]),
        (b'{"a":9007199254740993123456789}', {"a": 9007199254740993123456789}),
        (b'"\\ud83d"', "\ud83d"),
        (b"null", None),
        ('{"é":"\U0001f600"}'.encode(), {"é": "\U0001f600"}),
    ],
)
def test_strict_json_is_read_exactly(body: bytes, value: Json) -> None:
    found = read_json(body)
    assert found == value
    assert json.dumps(found) == json.dumps(json.loads(body))


def test_no_json_says_so_without_raising() -> None:
    assert strict_json(b"nope") is ABSENT


@pytest.mark.parametrize(
    ("coding", "body"),
    [("gzip", gzip.compress(b'{"a":1}', mtime=0)), ("Deflate", zlib.compress(b'{"a":1}'))],
)
def test_a_compressed_body_is_read_and_kept_as_it_came(coding: str, body: bytes) -> None:
    seen = asked(Wire(lambda seen: Told(body=body, headers=((b"content-encoding", coding.encode()),))))
    response = seen.roots["response"]
    assert (response["json"], response["body"]) == ({"a": 1}, '{"a":1}')
    assert base64.b64decode(response["bytes"]) == body
    assert seen.raw[1:] == (body, b'{"a":1}')


@pytest.mark.parametrize("coding", ["gzip", "br"])
def test_a_body_that_is_not_what_its_coding_says_stays_as_it_is(coding: str) -> None:
    told = Told(body=b"plain", headers=((b"content-encoding", coding.encode()),))
    assert response_of(told)["body"] == "plain"


@pytest.mark.parametrize(
    "body",
    [
        gzip.compress(b"plain" * 99, mtime=0)[:-9],
        gzip.compress(b"one", mtime=0) + gzip.compress(b"two", mtime=0),
    ],
)
def test_a_compressed_body_that_is_not_whole_is_not_taken_for_what_it_begins_with(body: bytes) -> None:
    told = Told(body=body, headers=((b"content-encoding", b"gzip"),))
    assert response_of(told)["body"] == body.decode(errors="replace")


def test_a_gzip_bomb_is_an_error() -> None:
    bomb = gzip.compress(bytes(65 * 1024 * 1024), compresslevel=1)
    with pytest.raises(CaseError, match="unpacks"):
        response_of(Told(body=bomb, headers=((b"content-encoding", b"gzip"),)))


def test_a_message_shows_a_short_body_whole_and_a_long_one_not_at_all() -> None:
    kind = ((b"content-type", b"text/html"),)
    assert in_words(403, kind, b"no\nway") == 'status 403 with 6 bytes of text/html: "no\\nway"'
    assert in_words(403, kind, b"x" * (SHOWN + 1)) == f"status 403 with {SHOWN + 1} bytes of text/html"
    assert in_words(502, (), b"") == "status 502 with an empty body"
    moved = ((b"Location", b"/y"),)
    assert in_words(308, moved, b"x") == "status 308, which points to /y"


def test_a_live_answer_is_the_same_as_one_in_memory() -> None:
    def answer(seen: Seen) -> Told:
        told = {"path": seen.scope["path"], "body": seen.body.decode(), "a": seen.headers["x-a"]}
        return Told(299, json.dumps(told).encode(), headers=((b"set-cookie", b"a"), (b"set-cookie", b"b")))

    words: dict[str, Json] = {"path": "/A%20b", "body": "hi", "headers": {"X-A": "1"}}
    here = asked(Wire(answer), **words).roots["response"]
    with served(Wire(answer)) as url, closing(http.open(Address(url))) as session:
        there = session.send(Call("http", words)).roots["response"]
        with pytest.raises(CapabilityMissing):
            session.send(Call("http", {**words, "client": "203.0.113.9"}))
    assert {**there, "headers": {}} == {**here, "headers": {}}
    assert here["headers"].items() <= there["headers"].items()


def test_in_memory_neither_an_event_loop_nor_a_client_is_loaded() -> None:
    program = """
import sys
from evalkit.drivers import http, mcp
from evalkit.model import Call
from evalkit.surfaces import AppSurface, McpSurface

async def app(scope, receive, send):
    await receive()
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": b"{}"})

surface = AppSurface(app, awaits=False)
assert http.open(surface).send(Call("http", {"path": "/"})).roots["response"]["json"] == {}
mcp.open(McpSurface(surface, "/")).send(Call("rpc", {"message": {}}))
dear = {"asyncio", "httpx", "httpcore", "starlette", "uvicorn", "anyio", "ssl", "urllib.parse", "zlib"}
print(sorted(dear & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n", done.stdout


def test_an_exchange_in_memory_costs_little_beside_the_app() -> None:
    import timeit

    body = json.dumps({"a": "x" * 500}).encode()
    wire: Any = Wire(lambda seen: Told(body=body))
    with closing(http.open(AppSurface(wire, awaits=False))) as session:
        call = Call("http", {"path": "/x", "json": {"a": 1}, "headers": {"accept": "application/json"}})
        best = min(timeit.repeat(lambda: session.send(call), number=200, repeat=5)) / 200
    assert best < 0.001  # 15 µs when nothing else runs: the bound only tells a loop from none
