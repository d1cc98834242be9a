"""Tests for `app` and `boundary.policy`: every row of spec B.4 and of portos-cases section 6, over ASGI."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable, Mapping

import pytest

from evalkit.contracts.agent_context.access.nouns import Identity
from evalkit.contracts.agent_context.app import make_app
from evalkit.contracts.agent_context.boundary.policy import BOUNDARY
from evalkit.contracts.agent_context.exchange import Head, Reply, error_reply, json_reply
from evalkit.contracts.agent_context.vocabulary import Json
from tests.contracts.agent_context.boundary.calling import (
    CLOSED,
    JSON_ONLY,
    MANIFEST,
    MCP,
    NOW,
    OPEN,
    USUAL,
    Answer,
    Notes,
    answered,
    body_events,
    finish,
    refusal,
    request,
    rpc_error,
    scope_of,
    stage,
    step,
)

PING = json.dumps(request("ping")).encode()
CALL = json.dumps(request("tools/call", {"name": "x", "arguments": {"a": 1}})).encode()
PONG = {"jsonrpc": "2.0", "id": 1, "result": {}}
EVIL = "https://evil.example"
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "c", "version": "1"},
}

NOT_FOUND = (404, "NOT_FOUND", "Not found")
DISABLED = (403, "AGENT_CONTEXT_DISABLED", "Agent context is disabled")
LOCAL_ONLY = (403, "AGENT_CONTEXT_LOCAL_ONLY", "Agent context accepts loopback connections only")
ORIGIN = (403, "AGENT_CONTEXT_ORIGIN_REJECTED", "Agent context rejected a non-loopback Origin")
NO_MESSAGE = (400, -32600, "Invalid JSON-RPC message", None)
NO_ACCEPT = (406, -32600, "Accept must include application/json and text/event-stream", None)
NO_VERSION = (400, -32600, "Unsupported MCP-Protocol-Version", None)


# the manifest


@pytest.mark.parametrize("settings", [OPEN, CLOSED])
def test_the_manifest_is_told_open_or_closed(settings: Json) -> None:
    answer = stage(settings).ask("GET", MANIFEST)
    assert answer.status == 200
    assert answer.json() == Notes().manifest(settings)


def test_head_tells_how_long_the_manifest_is_and_no_more() -> None:
    asked, told = stage().ask("HEAD", MANIFEST), stage().ask("GET", MANIFEST)
    assert (asked.status, asked.body) == (200, b"")
    assert asked.headers == told.headers
    assert asked.headers["content-length"] == str(len(told.body))


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "get", "TRACE"])
def test_the_manifest_is_only_read(method: str) -> None:
    assert refusal(stage().ask(method, MANIFEST)) == NOT_FOUND


# routes and methods


@pytest.mark.parametrize("method", ["POST", "GET", "HEAD", "DELETE", "PUT", "PATCH", "TRACE"])
def test_where_it_is_disabled_every_method_is_refused(method: str) -> None:
    answer = stage(CLOSED).ask(method, MCP, USUAL, PING)
    assert answer.status == 403
    if method != "HEAD":
        assert refusal(answer) == DISABLED


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE"])
def test_there_is_no_stream_and_no_session(method: str) -> None:
    answer = stage().ask(method, MCP)
    assert (answer.status, answer.body, answer.headers["allow"]) == (405, b"", "POST")
    assert answer.headers["content-length"] == "0"
    assert "content-type" not in answer.headers


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", MCP),
        ("PATCH", MCP),
        ("TRACE", MCP),
        ("post", MCP),
        ("POST", f"{MCP}/x"),
        ("POST", f"{MCP}//"),
        ("POST", "/api/agent-context"),
        ("POST", "/api/agent-context/"),
        ("POST", "/api/agent-contextual/mcp"),
        ("GET", "/api/nothing"),
        ("GET", "/"),
        ("POST", ""),
        ("POST", "/api//agent-context/mcp"),
        ("POST", "/api/x/../agent-context/mcp"),
    ],
)
def test_what_has_no_route_is_not_found(method: str, path: str) -> None:
    assert refusal(stage().ask(method, path, USUAL, PING)) == NOT_FOUND


@pytest.mark.parametrize("path", [f"{MCP}/", "/api/agent-context/MCP", "/API/Agent-Context/mcp"])
def test_case_and_a_final_slash_lead_to_the_same_route(path: str) -> None:
    assert stage().ask("POST", path, USUAL, PING).json() == PONG


@pytest.mark.parametrize("path", [MCP, MANIFEST, "/anywhere", "*"])
def test_options_is_answered_before_all_else(path: str) -> None:
    def nobody(head: Head, settings: Json) -> Reply:
        raise AssertionError

    headers = {"origin": EVIL, "access-control-request-headers": "idempotency-key", **JSON_ONLY}
    answer = stage(CLOSED, gate=nobody).ask("OPTIONS", path, headers, b"{bad", "192.0.2.10")
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers == {
        "access-control-allow-origin": EVIL,
        "access-control-allow-credentials": "true",
        "access-control-allow-methods": "GET,HEAD,PUT,PATCH,POST,DELETE",
        "access-control-allow-headers": "idempotency-key",
        "vary": "Origin",
    }


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", MCP, PING),
        ("POST", MCP, b"{bad"),
        ("GET", MCP, b""),
        ("GET", MANIFEST, b""),
        ("GET", "/x", b""),
    ],
)
@pytest.mark.parametrize("origin", ["http://localhost:5555", EVIL, None])
def test_every_reply_says_who_may_read_it(method: str, path: str, body: bytes, origin: str | None) -> None:
    headers = {**USUAL, **({"origin": origin} if origin else {})}
    told = stage().ask(method, path, headers, body).headers
    assert told["access-control-allow-origin"] == (origin or "*")
    assert (told["vary"], told["access-control-allow-credentials"]) == ("Origin", "true")


# who asks


@pytest.mark.parametrize("path", [MCP, MANIFEST, "/api/agent-context", "/api/agent-context/nothing"])
@pytest.mark.parametrize("peer", ["192.0.2.10", "0.0.0.0", "::ffff:192.0.2.1", "127.0.0.999", "", None])
def test_only_this_machine_is_let_in(path: str, peer: str | None) -> None:
    headers = {
        **USUAL,
        "x-forwarded-for": "127.0.0.1",
        "forwarded": "for=127.0.0.1",
        "x-real-ip": "127.0.0.1",
    }
    staged = stage()
    assert refusal(staged.ask("POST", path, headers, CALL, peer)) == LOCAL_ONLY
    assert staged.notes.calls == []


def test_beside_the_boundary_strangers_are_not_looked_at() -> None:
    for path in ("/api/agent-contextual", "/api/agent-contextual/mcp", "/api", "/"):
        assert refusal(stage().ask("GET", path, {"origin": EVIL}, peer="192.0.2.10")) == NOT_FOUND


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.9.9.9", "::1", "::1%lo0", "::ffff:127.0.0.1"])
def test_a_header_does_not_make_a_stranger(peer: str) -> None:
    headers = {**USUAL, "x-forwarded-for": "203.0.113.9", "host": "evil.example"}
    assert stage().ask("POST", MCP, headers, PING, peer).json() == PONG


@pytest.mark.parametrize(
    "origin",
    [
        *("http://localhost:5555", "http://[::1]:9", "http://127.9.9.9", "http://LOCALHOST"),
        *("http://2130706433", "http://0x7f.1", "app://localhost", ""),
    ],
)
def test_pages_of_this_machine_are_let_in(origin: str) -> None:
    assert stage().post(request("ping"), origin=origin).json() == PONG


@pytest.mark.parametrize(
    "origin",
    [
        *(
            "null",
            "https://example.com",
            "http://localhost.evil.com",
            "http://sub.localhost",
            "http://0.0.0.0",
        ),
        *("file://", "notaurl", "http://user@localhost@evil.com", "http://[::ffff:127.0.0.1]"),
    ],
)
def test_no_other_pages_are(origin: str) -> None:
    staged = stage()
    headers = {**USUAL, "origin": origin}
    assert refusal(staged.ask("POST", MCP, headers, CALL)) == ORIGIN
    assert refusal(staged.ask("GET", "/api/agent-context/nothing", headers)) == ORIGIN
    assert staged.notes.calls == []


def test_two_origins_are_none_of_this_machine() -> None:
    headers = [*USUAL.items(), ("origin", "http://localhost"), ("Origin", "http://localhost")]
    assert refusal(stage().ask("POST", MCP, headers, PING)) == ORIGIN


def test_a_foreign_page_does_not_get_the_manifest_either() -> None:
    assert refusal(stage(CLOSED).ask("GET", MANIFEST, {"origin": EVIL})) == ORIGIN


# the body


@pytest.mark.parametrize(
    ("settings", "headers", "peer"),
    [
        (OPEN, USUAL, "127.0.0.1"),
        (CLOSED, JSON_ONLY, "192.0.2.10"),
        (OPEN, {**JSON_ONLY, "origin": EVIL}, "::1"),
    ],
)
@pytest.mark.parametrize("body", [b"{bad", b"null", b"5", b'"x"', b" ", b'{"a":NaN}', b'{"a":"\xff"}'])
def test_a_bad_body_is_told_before_anything_else(
    settings: Json, headers: Mapping[str, str], peer: str, body: bytes
) -> None:
    answer = stage(settings).ask("POST", MCP, headers, body, peer)
    assert refusal(answer)[:2] == (400, "BAD_REQUEST")
    assert answer.json()["context"] == {"originalError": "SyntaxError"}


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (USUAL, b""),
        ({**USUAL, "content-type": "text/plain"}, PING),
        ({**USUAL, "content-type": "application/vnd.api+json"}, PING),
        ({"accept": USUAL["accept"]}, PING),
        ({**USUAL, "content-type": "application/x-www-form-urlencoded"}, PING),
    ],
)
def test_no_body_or_one_of_another_type_is_no_message(headers: Mapping[str, str], body: bytes) -> None:
    assert rpc_error(stage().ask("POST", MCP, headers, body)) == NO_MESSAGE


def test_a_body_of_another_type_is_not_even_read() -> None:
    app = stage().app
    scope = scope_of("POST", MCP, [*USUAL.items(), ("content-type", "text/plain")], "127.0.0.1")
    assert rpc_error(answered(step(app, scope, []))) == NO_MESSAGE


def test_a_form_is_a_message_too() -> None:
    headers = {**USUAL, "content-type": "application/x-www-form-urlencoded"}
    answer = stage().ask("POST", MCP, headers, b"jsonrpc=2.0&id=1&method=ping")
    assert answer.json() == {"jsonrpc": "2.0", "id": "1", "result": {}}


def test_a_body_comes_in_pieces_packed_or_in_utf_16() -> None:
    staged = stage()
    assert staged.ask("POST", MCP, USUAL, [PING[:5], b"", PING[5:]]).json() == PONG
    assert (
        staged.ask("POST", MCP, {**USUAL, "content-encoding": "gzip"}, gzip.compress(PING, mtime=0)).json()
        == PONG
    )
    wide = {**USUAL, "content-type": "application/json; charset=utf-16le"}
    assert staged.ask("POST", MCP, wide, PING.decode().encode("utf-16-le")).json() == PONG
    assert staged.ask("POST", MCP, USUAL, b"\xef\xbb\xbf" + PING).json() == PONG


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"content-type": "application/json; charset=latin-1"}, 415, "UNSUPPORTED_MEDIA_TYPE"),
        ({"content-encoding": "br"}, 415, "UNSUPPORTED_MEDIA_TYPE"),
        ({"content-encoding": "gzip"}, 400, "Z_DATA_ERROR"),
        ({"content-length": "nine"}, 400, "BAD_REQUEST"),
        ({"content-length": str(len(PING) + 1)}, 400, "BAD_REQUEST"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(headers: Mapping[str, str], status: int, code: str) -> None:
    assert refusal(stage().ask("POST", MCP, {**USUAL, **headers}, PING))[:2] == (status, code)


def test_a_body_over_the_limit_is_refused_and_the_connection_ended() -> None:
    staged = stage(rules=BOUNDARY._replace(max_body=100))
    told = (413, "PAYLOAD_TOO_LARGE", "request entity too large")
    long = {**USUAL, "content-length": "101"}
    app, scope = staged.app, scope_of("POST", MCP, list(long.items()), "127.0.0.1")
    unread, counted = answered(step(app, scope, [])), staged.ask("POST", MCP, USUAL, [b"[" * 60, b"[" * 41])
    assert refusal(unread) == refusal(counted) == told
    assert unread.headers["connection"] == counted.headers["connection"] == "close"


def test_no_depth_of_nesting_ends_the_server() -> None:
    answer = stage().ask("POST", MCP, USUAL, b'{"a":' * 100_000 + b"1" + b"}" * 100_000)
    assert refusal(answer) == (400, "BAD_REQUEST", "nested deeper than 100 levels")


def test_a_client_that_goes_away_is_not_answered() -> None:
    staged = stage()
    scope = scope_of("POST", MCP, list(USUAL.items()), "127.0.0.1")
    start = {"type": "http.request", "body": b"{", "more_body": True}
    assert step(staged.app, scope, [start, {"type": "http.disconnect"}]) == []
    assert staged.notes.calls == []


def test_a_body_that_takes_too_long_is_given_up() -> None:
    async def too_long(reading: Awaitable[bytes]) -> bytes:
        await reading
        raise TimeoutError

    app = make_app(Notes(), lambda: OPEN, now=lambda: NOW, within=too_long)
    scope = scope_of("POST", MCP, list(USUAL.items()), "127.0.0.1")
    answer = answered(step(app, scope, body_events([PING])))
    assert refusal(answer) == (408, "REQUEST_TIMEOUT", "request body took too long")
    assert answer.headers["connection"] == "close"


# what is agreed on


@pytest.mark.parametrize("accept", ["", "*/*", "application/json", "text/event-stream"])
def test_a_client_has_to_take_both_types(accept: str) -> None:
    assert rpc_error(stage().post(request("ping"), accept=accept)) == NO_ACCEPT
    assert rpc_error(stage().ask("POST", MCP, JSON_ONLY, PING)) == NO_ACCEPT


def test_a_type_of_no_worth_is_not_taken() -> None:
    accept = "application/json;q=0, text/event-stream;q=0"
    assert rpc_error(stage().post(request("ping"), accept=accept)) == NO_ACCEPT


@pytest.mark.parametrize(
    ("version", "status"),
    [("1900-01-01", 400), ("2024-11-05", 400), ("2025-03-26", 200), ("2025-11-25", 200), ("", 200)],
)
def test_the_revision_in_the_header_is_one_that_is_spoken(version: str, status: int) -> None:
    answer = stage().post(request("ping"), mcp_protocol_version=version)
    assert answer.status == status
    assert answer.json() == PONG if status == 200 else rpc_error(answer) == NO_VERSION


def test_initialize_needs_no_header_and_is_not_held_against_one() -> None:
    assert stage().result("initialize", HELLO)["protocolVersion"] == "2025-06-18"
    answer = stage().post(request("initialize", HELLO), mcp_protocol_version="2025-11-25")
    assert answer.json()["result"]["protocolVersion"] == "2025-06-18"


def test_accept_is_looked_at_before_the_revision_and_that_before_the_message() -> None:
    staged = stage()
    assert rpc_error(staged.post([], accept="", mcp_protocol_version="x")) == NO_ACCEPT
    assert rpc_error(staged.post([], mcp_protocol_version="x")) == NO_VERSION
    assert rpc_error(staged.post([])) == NO_MESSAGE


# messages


@pytest.mark.parametrize(
    "message",
    [
        [request("ping")],
        {**request("ping"), "id": None},
        {**request("ping"), "id": True},
        {**request("ping"), "id": {}},
        {**request("ping"), "id": "x" * 201},
        {**request("ping"), "extra": 1},
        request("ping", []),
        request("ping", None),
        request("m" * 121),
        request(""),
        {"jsonrpc": "2.0", "id": 1},
    ],
)
def test_what_is_not_exactly_one_message_is_refused(message: Json) -> None:
    assert rpc_error(stage().post(message)) == NO_MESSAGE


@pytest.mark.parametrize("number", ["", 1.5, "x" * 200])
def test_an_id_comes_back(number: Json) -> None:
    assert stage().result("ping", number=number) == {}


@pytest.mark.parametrize(
    ("sent", "back"), [("1.0", "1"), ("1e300", "1e300"), ("18446744073709551616", "18446744073709551616")]
)
def test_a_number_comes_back_exactly(sent: str, back: str) -> None:
    answer = stage().ask("POST", MCP, USUAL, b'{"jsonrpc":"2.0","method":"ping","id":%s}' % sent.encode())
    assert answer.body == b'{"jsonrpc":"2.0","id":%s,"result":{}}' % back.encode()


def test_a_number_that_no_double_holds_is_no_id() -> None:
    for number in ("1e400", "9" * 400, "9" * 5000):
        body = f'{{"jsonrpc":"2.0","method":"ping","id":{number}}}'.encode()
        assert rpc_error(stage().ask("POST", MCP, USUAL, body)) == NO_MESSAGE


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "x"}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "m"}},
    ],
)
def test_a_notification_or_a_response_is_accepted_and_not_carried_out(message: Json) -> None:
    staged = stage()
    answer = staged.post(message)
    assert (answer.status, answer.body, answer.headers["content-length"]) == (202, b"", "0")
    assert "content-type" not in answer.headers
    assert staged.notes.calls == []


@pytest.mark.parametrize("method", ["resources/list", "PING"])
def test_an_unknown_method_is_answered_with_200(method: str) -> None:
    assert rpc_error(stage().post(request(method))) == (200, -32601, "Method not found", 1)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("initialize", ...),
        ("initialize", {**HELLO, "extra": 1}),
        ("tools/list", {"cursor": "x"}),
        ("tools/call", {"name": ""}),
        ("tools/call", {"name": "x", "arguments": []}),
    ],
)
def test_wrong_params_are_answered_with_200(method: str, params: Json) -> None:
    staged = stage()
    told = (200, -32602, f"Invalid {method} params", 1)
    assert rpc_error(staged.post(request(method, params))) == told
    assert staged.notes.calls == []


def test_the_tools_are_those_of_the_manifest() -> None:
    assert stage().result("tools/list")["tools"] == stage().ask("GET", MANIFEST).json()["tools"]


def test_a_call_gets_arguments_key_and_the_settings_of_its_request() -> None:
    staged = stage()
    staged.post(
        request("tools/call", {"name": "x", "arguments": {"a": 1}, "_meta": {}}), idempotency_key="k1"
    )
    staged.post(request("tools/call", {"name": "y"}), idempotency_key="")
    assert staged.notes.calls == [(OPEN, "x", {"a": 1}, "k1"), (OPEN, "y", None, None)]


def test_half_a_surrogate_pair_can_be_answered() -> None:
    answer = stage().ask("POST", MCP, USUAL, CALL.replace(b'"x"', b'"\\ud83d"'))
    assert b'"text":"\\ud83d"' in answer.body
    assert answer.json()["result"]["content"][0]["text"] == "\ud83d"


@pytest.mark.parametrize("message", [request("ping"), request("initialize", HELLO), request("tools/list")])
def test_no_session_is_ever_begun(message: Json) -> None:
    assert "mcp-session-id" not in stage().post(message, mcp_session_id="mine").headers


# settings, gate and routes


def test_a_request_sees_one_configuration() -> None:
    reads: list[Json] = []

    def settings() -> Json:
        reads.append({**OPEN, "number": len(reads)})
        return reads[-1]

    notes, gated = Notes(), []

    def gate(head: Head, settings: Json) -> Identity:
        gated.append(settings)
        return Identity()

    app = make_app(notes, settings, now=lambda: NOW, gate=gate)
    scope = scope_of("POST", MCP, list(USUAL.items()), "127.0.0.1")
    answered(step(app, scope, body_events([CALL])))
    assert gated[-1] is notes.calls[0][0] is reads[-1]


def test_what_is_closed_while_a_body_is_on_its_way_stays_closed() -> None:
    documents, notes = iter([OPEN, CLOSED, CLOSED]), Notes()

    def gate(head: Head, settings: Json) -> Identity | Reply:
        return Identity() if settings is OPEN else error_reply(401, "AUTH_REQUIRED", "no", NOW)

    app = make_app(notes, lambda: next(documents), now=lambda: NOW, gate=gate)
    scope = scope_of("POST", MCP, list(USUAL.items()), "127.0.0.1")
    answer = answered(step(app, scope, body_events([CALL])))
    assert (answer.status, notes.calls) == (401, [])


def test_the_gate_sees_the_head_and_refuses_before_a_byte_is_read() -> None:
    seen: list[Head] = []

    def gate(head: Head, settings: Json) -> Reply:
        seen.append(head)
        return error_reply(401, "AUTH_REQUIRED", "Authentication required", NOW)

    headers = [*USUAL.items(), ("Cookie", "a=1"), ("cookie", "b=2"), ("X-Twice", "1"), ("x-twice", "2")]
    app = stage(gate=gate).app
    scope = {**scope_of("POST", "/API/agent-context/mcp/", headers, "192.0.2.10"), "query_string": b"a=%20"}
    answer = answered(step(app, scope, []))
    assert refusal(answer) == (401, "AUTH_REQUIRED", "Authentication required")
    assert answer.headers["access-control-allow-origin"] == "*"
    wanted = {**USUAL, "cookie": "a=1; b=2", "x-twice": "1, 2"}
    assert seen == [Head("POST", MCP, "a=%20", wanted, "192.0.2.10")]


def test_the_gate_comes_before_every_path() -> None:
    def gate(head: Head, settings: Json) -> Reply:
        return Reply(401)

    for path in (MCP, MANIFEST, "/API/agent-context/mcp", "/api//agent-context/mcp", "/x", ""):
        assert stage(gate=gate).ask("POST", path, USUAL, b"{bad").status == 401


@pytest.mark.parametrize("gated", [True, False])
def test_a_route_gets_head_body_identity_and_settings(gated: bool) -> None:
    who = Identity(True, True, "session")
    seen: list[Json] = []

    def blind(head: Head, body: Json, identity: Identity, settings: Json) -> Reply | None:
        return None

    def route(head: Head, body: Json, identity: Identity, settings: Json) -> Reply | None:
        seen.append((head.method, head.path, body, identity, settings))
        return json_reply({"mine": True}) if head.path == "/api/mine" else None

    staged = stage(CLOSED, gate=(lambda head, settings: who) if gated else None, routes=(blind, route))
    asked = staged.ask("POST", "/api/mine", JSON_ONLY, b'{"a":1}', "192.0.2.10")
    assert (asked.status, asked.json()) == (200, {"mine": True})
    assert refusal(staged.ask("GET", "/api/other")) == NOT_FOUND
    known = who if gated else Identity()
    assert seen == [
        ("POST", "/api/mine", {"a": 1}, known, CLOSED),
        ("GET", "/api/other", ..., known, CLOSED),
    ]


def test_a_route_cannot_take_what_is_under_the_boundary() -> None:
    def greedy(head: Head, body: Json, identity: Identity, settings: Json) -> Reply | None:
        return Reply(200)

    staged = stage(routes=(greedy,))
    assert refusal(staged.ask("GET", "/api/agent-context/nothing", peer="192.0.2.10")) == LOCAL_ONLY
    assert refusal(staged.ask("GET", "/api/agent-context/nothing")) == NOT_FOUND


@pytest.mark.parametrize("status", [204, 304])
def test_a_reply_that_has_no_body_tells_no_length(status: int) -> None:
    answer = stage(routes=(lambda *_: Reply(status),)).ask("GET", "/api/mine")
    assert (answer.status, answer.body) == (status, b"")
    assert "content-length" not in answer.headers


# what goes wrong, and what is no request


@pytest.mark.parametrize("broken", ["service", "settings", "gate", "route"])
def test_what_goes_wrong_inside_stays_inside(broken: str) -> None:
    def fail(*_: Json) -> Json:
        raise RuntimeError("/home/someone/secret")

    app = make_app(
        Notes(),
        fail if broken == "settings" else lambda: OPEN,
        now=lambda: NOW,
        gate=fail if broken == "gate" else None,
        routes=(fail,) if broken == "route" else (),
    )
    path = "/api/mine" if broken == "route" else MCP
    message = json.dumps(request("tools/call", {"name": "broken"})).encode()
    scope = scope_of("POST", path, list(USUAL.items()), "127.0.0.1")
    answer = answered(step(app, scope, body_events([message])))
    assert refusal(answer) == (500, "INTERNAL_ERROR", "Internal server error")
    assert b"secret" not in answer.body
    assert answer.headers["access-control-allow-origin"] == "*"


def test_a_timeout_of_the_contract_is_not_the_clients() -> None:
    def late(*_: Json) -> Reply:
        raise TimeoutError

    assert stage(routes=(late,)).ask("POST", "/api/mine", JSON_ONLY, b"{}").status == 500


def test_a_server_may_start_and_stop_the_app() -> None:
    events = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
    assert step(stage().app, {"type": "lifespan"}, events) == [
        {"type": "lifespan.startup.complete"},
        {"type": "lifespan.shutdown.complete"},
    ]


def test_a_websocket_is_refused() -> None:
    sent = step(stage().app, {"type": "websocket", "path": MCP}, [{"type": "websocket.connect"}])
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_a_header_of_64_kilobytes_is_only_a_header() -> None:
    long = "x" * 65_536
    answer = stage().post(request("tools/call", {"name": "x"}), idempotency_key=long, x_more=long)
    assert answer.status == 200


# under an event loop


def live(ask: Callable[[], Awaitable[Answer]]) -> Answer:
    async def main() -> Answer:
        return await ask()

    return asyncio.run(main())


def test_a_server_computes_off_its_event_loop() -> None:
    hops: list[str] = []

    async def run(work: Callable[[], Json]) -> Json:
        hops.append("run")
        return await asyncio.to_thread(work)

    app = make_app(Notes(), lambda: OPEN, now=lambda: NOW, run=run)

    async def ask() -> Answer:
        return await asked_slowly(app, [PING[:3], PING[3:]], 0.0)

    assert live(ask).json() == PONG
    assert hops == ["run", "run"]


def test_a_slow_body_meets_the_deadline_of_the_server() -> None:
    async def within(reading: Awaitable[bytes]) -> bytes:
        async with asyncio.timeout(0.01):
            return await reading

    app = make_app(Notes(), lambda: OPEN, now=lambda: NOW, within=within)

    async def ask() -> Answer:
        return await asked_slowly(app, [PING[:3], PING[3:]], 3600.0)

    assert refusal(live(ask))[:2] == (408, "REQUEST_TIMEOUT")


async def asked_slowly(app: Json, pieces: list[bytes], pause: float) -> Answer:
    """One request whose body comes piece by piece, after a pause each."""
    waiting, sent = body_events(pieces), []

    async def receive() -> Json:
        await asyncio.sleep(pause)
        return waiting.pop(0)

    async def send(event: Json) -> None:
        sent.append(event)

    await app(scope_of("POST", MCP, list(USUAL.items()), "127.0.0.1"), receive, send)
    return answered(sent)


def test_the_app_waits_for_nothing_of_its_own() -> None:
    async def receive() -> Json:
        return body_events([PING])[0]

    async def send(event: Json) -> None:
        return None

    scope = scope_of("POST", MCP, list(USUAL.items()), "127.0.0.1")
    assert finish(stage().app(scope, receive, send).__await__().send) is None
