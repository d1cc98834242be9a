"""The way in called `mcp`: what goes over the wire in each era, and what is made of whatever comes back."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from evalkit import drivers
from evalkit.deadline import deadline
from evalkit.drivers import mcp
from evalkit.errors import CaseError, OutOfTime
from evalkit.model import Call, Json, Observation, Session
from evalkit.surfaces import Address, AppSurface, McpSurface
from tests.drivers.wires import (
    Seen,
    Socket,
    Told,
    Wire,
    as_json,
    chunked,
    error,
    events,
    result,
    speaking,
)

DONE = {"content": [{"type": "text", "text": "{}"}], "structuredContent": {"a": 1}, "extra": None}
TOOL = Call("tool", {"tool": "ask", "args": {"q": 1}})


@contextmanager
def opened(wire: Wire, era: Any = "handshake", manifest: str | None = None) -> Iterator[Session]:
    surface = McpSurface(AppSurface(wire, awaits=False), "/mcp", manifest, era)
    with closing(mcp.open(surface)) as session:
        yield session


def asked(wire: Wire, call: Call = TOOL, era: Any = "handshake", manifest: str | None = None) -> Observation:
    with opened(wire, era, manifest) as session:
        return session.send(call)


def methods(wire: Wire) -> list[str]:
    """What was asked, in order: a JSON-RPC method, or an HTTP one where there is no message."""
    return [seen.message.get("method", "answer") if seen.message else seen.method for seen in wire.seen]


def calling(told: Any = DONE, **more: Any) -> Wire:
    return speaking({"tools/call": lambda seen: result(seen, told)}, **more)


def test_the_table_knows_the_driver() -> None:
    assert drivers.find("mcp") is mcp
    assert {"manifest", "tool", "rpc", "resource", "prompt", "complete", "session"} == mcp.OPERATIONS


# ── the handshake era ────────────────────────────────────────────────────────────────────────────


def test_a_tool_is_called_after_a_handshake_and_before_the_listing() -> None:
    wire = calling()
    seen = asked(wire)
    assert methods(wire) == ["initialize", "notifications/initialized", "tools/call", "tools/list"]
    assert wire.seen[0].message["params"]["protocolVersion"] == "2025-11-25"
    assert wire.seen[0].message["params"]["capabilities"] == {}
    assert wire.seen[0].message["params"]["clientInfo"]["name"] == "evalkit"
    assert wire.seen[2].message == {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "ask", "arguments": {"q": 1}},
    }
    assert wire.seen[1].message == {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert seen.roots == {
        "manifest": {
            "tools": [],
            "serverInfo": {"name": "s"},
            "protocolVersion": "2025-11-25",
            "capabilities": {},
        },
        "toolResult": DONE,
        "output": {"a": 1},
        "notifications": [],
    }
    assert any(b"structuredContent" in piece for piece in seen.raw)


def test_one_handshake_serves_all_steps() -> None:
    wire = calling()
    with opened(wire) as session:
        session.send(TOOL)
        session.send(Call("tool", {"tool": "ask"}))
        session.send(Call("tool", {"tool": "ask", "args": None}))
    assert methods(wire).count("initialize") == 1
    given = [seen.message["params"] for seen in wire.seen if b"tools/call" in seen.body]
    assert [one.get("arguments", "absent") for one in given] == [{"q": 1}, "absent", None]


def test_headers_name_the_revision_and_the_session_from_the_handshake_on() -> None:
    wire = speaking(
        {
            "initialize": lambda seen: result(
                seen, {"protocolVersion": "2025-06-18"}, headers=((b"Mcp-Session-Id", b"s-1"),)
            ),
            "tools/call": lambda seen: result(seen, DONE),
        }
    )
    asked(wire)
    assert methods(wire)[-1] == "DELETE"
    named = [
        (seen.headers.get("mcp-protocol-version"), seen.headers.get("mcp-session-id")) for seen in wire.seen
    ]
    assert named == [(None, None), *[("2025-06-18", "s-1")] * 4]
    accepts = {seen.headers["accept"] for seen in wire.seen if seen.method == "POST"}
    assert accepts == {"application/json, text/event-stream"}
    assert "content-type" not in wire.seen[-1].headers


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
def test_an_older_revision_is_spoken_where_the_server_chooses_it(version: str) -> None:
    wire = calling(version=version)
    assert asked(wire).roots["manifest"]["protocolVersion"] == version
    assert wire.seen[2].headers["mcp-protocol-version"] == version


@pytest.mark.parametrize("version", ["1999-01-01", "%params/protocolVersion%", "2026-07-28", None, 1])
def test_a_revision_that_nobody_knows_ends_the_session(version: Any) -> None:
    with pytest.raises(CaseError, match="chose the revision") as problem:
        asked(calling(version=version))
    assert problem.value.code == "protocol"


def test_a_refused_handshake_is_no_answer() -> None:
    with pytest.raises(CaseError, match="-32602") as problem:
        asked(speaking({"initialize": lambda seen: error(seen, -32602)}))
    assert problem.value.code == "protocol"


def test_headers_and_meta_go_with_the_call_alone_but_credentials_with_all() -> None:
    wire = calling()
    said = {"Origin": "http://evil", "Authorization": "Basic eA==", "MCP-Protocol-Version": "1999-01-01"}
    asked(wire, Call("tool", {"tool": "ask", "headers": said, "meta": {"progressToken": "p"}}))
    call = wire.seen[2]
    assert [seen.headers.get("origin") for seen in wire.seen] == [None, None, "http://evil", None]
    assert {seen.headers.get("authorization") for seen in wire.seen} == {"Basic eA=="}
    assert call.headers["mcp-protocol-version"] == "1999-01-01"
    assert call.message["params"] == {"name": "ask", "_meta": {"progressToken": "p"}}
    assert "_meta" not in wire.seen[3].message.get("params", {})


# ── what comes back from a tool ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("told", "output"),
    [
        ({"structuredContent": [1]}, {"output": [1]}),
        ({"structuredContent": None}, {"output": None}),
        ({"content": "Hello"}, {}),
        ({"isError": True, "content": [{"type": "json", "json": {}}]}, {}),
        ("text", {}),
        (None, {}),
        ([], {}),
    ],
)
def test_a_result_is_taken_as_it_is(told: Json, output: Json) -> None:
    roots = dict(asked(calling(told)).roots)
    assert roots.pop("toolResult") == told
    del roots["manifest"], roots["notifications"]
    assert roots == output


@pytest.mark.parametrize("status", [200, 400, 404])
def test_a_json_rpc_error_is_an_answer_and_no_result(status: int) -> None:
    wire = speaking({"tools/call": lambda seen: error(seen, -32602, status=status)})
    roots = asked(wire).roots
    assert roots["rpc"] == {"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": "no"}}
    assert not {"toolResult", "output"} & roots.keys()
    assert roots["manifest"]["tools"] == []


def test_an_error_that_knows_no_id_is_ours() -> None:
    refused = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "Invalid"}}
    wire = speaking({"tools/call": lambda seen: as_json(refused, 400)})
    assert asked(wire).roots["rpc"] == refused


ENVELOPE = {"error": "Agent context is disabled", "code": "AGENT_CONTEXT_DISABLED", "timestamp": 1}


@pytest.mark.parametrize(
    ("told", "code", "words"),
    [
        (as_json(ENVELOPE, 403), "protocol", "status 403 .*AGENT_CONTEXT_DISABLED"),
        (Told(502, b"<html>", "text/html"), "protocol", "status 502 with 6 bytes of text/html"),
        (Told(502, b"x" * 5000, "text/html"), "protocol", "status 502 with 5000 bytes of text/html$"),
        (Told(202, kind=""), "protocol", "status 202 with an empty body"),
        (Told(204, kind=""), "protocol", "status 204"),
        (Told(307, kind="", headers=((b"location", b"/mcp/"),)), "protocol", "307, which points to /mcp/"),
        (as_json({"jsonrpc": "2.0", "id": 99, "result": {}}), "protocol", "no JSON-RPC answer"),
        (as_json([{"jsonrpc": "2.0", "id": 2, "result": {}}]), "protocol", "no JSON-RPC answer"),
        (as_json({"jsonrpc": "2.0", "id": 2, "result": {}}, kind="text/plain"), "protocol", "text/plain"),
        (as_json({"jsonrpc": "2.0", "id": 2, "result": {}}, kind=""), "protocol", "no content type"),
        (as_json({"id": 2, "result": {}}), "protocol", "not marked as JSON-RPC 2.0"),
        (as_json({"jsonrpc": "1.0", "id": 2, "error": {}}), "protocol", "not marked as JSON-RPC 2.0"),
        (
            as_json({"jsonrpc": "2.0", "id": 2, "result": {}, "error": {}}),
            "protocol",
            "a result and an error",
        ),
        (as_json({"jsonrpc": "2.0", "id": 2, "result": {}}, 500), "protocol", "a result under a status"),
        (as_json({"jsonrpc": "2.0", "id": 2, "result": {}}, 302), "protocol", "a result under a status"),
        (Told(200, b'{"jsonrpc":"2.0","id":2,"result":{"a":NaN}}'), "not-json", "NaN is no JSON"),
        (Told(200, b'{"jsonrpc":"2.0","id":2,"id":2,"result":{}}'), "not-json", "stands twice"),
        (Told(200, b"\xff"), "not-json", "UTF-8"),
        (events(), "protocol", "no JSON-RPC answer"),
        (Told(200, (b"data: {", b""), "text/event-stream"), "not-json", "middle of an event"),
    ],
)
def test_what_is_no_answer_is_an_error_that_says_what_came(told: Told, code: str, words: str) -> None:
    with pytest.raises(CaseError, match=words) as problem:
        asked(speaking({"tools/call": lambda seen: told}))
    assert problem.value.code == code


def test_integers_of_any_size_come_back_exactly() -> None:
    body = b'{"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"n":9007199254740993}}}'
    wire = speaking({"tools/call": lambda seen: Told(200, body)})
    assert asked(wire).roots["output"] == {"n": 9007199254740993}


# ── event streams, notifications and what the server asks ────────────────────────────────────────


def test_an_answer_in_an_event_stream_is_found_and_the_rest_is_kept() -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}
    other = {"jsonrpc": "2.0", "id": 77, "result": "whose?"}
    wire = speaking(
        {"tools/call": lambda seen: events(note, other, {"jsonrpc": "2.0", "id": 2, "result": DONE})}
    )
    roots = asked(wire).roots
    assert (roots["toolResult"], roots["notifications"]) == (DONE, [note, other])


def asking(method: str, then: Any = DONE) -> Wire:
    """A server that asks something in the stream of a tool's answer."""
    question = {"jsonrpc": "2.0", "id": "q", "method": method, "params": {}}
    final = {"jsonrpc": "2.0", "result": then}
    session = ((b"mcp-session-id", b"s"),)
    agreed = {"protocolVersion": "2025-11-25"}
    return speaking(
        {
            "initialize": lambda seen: result(seen, agreed, headers=session),
            "tools/call": lambda seen: events(question, {**final, "id": seen.message["id"]}),
        }
    )


@pytest.mark.parametrize(
    ("method", "client", "answer"),
    [
        ("ping", {}, {"result": {}}),
        ("roots/list", {"roots": [{"uri": "a:b"}]}, {"result": {"roots": [{"uri": "a:b"}]}}),
        ("sampling/createMessage", {"sampling": {"role": "x"}}, {"result": {"role": "x"}}),
        ("elicitation/create", {"elicitation": {"action": "decline"}}, {"result": {"action": "decline"}}),
        ("roots/list", {}, {"error": {"code": -32601, "message": "Method not found"}}),
        ("tasks/get", {"roots": []}, {"error": {"code": -32601, "message": "Method not found"}}),
    ],
)
def test_a_server_that_asks_is_answered_while_it_waits(method: str, client: Json, answer: Json) -> None:
    wire = asking(method)
    roots = asked(wire, Call("tool", {"tool": "ask", "client": client})).roots
    assert methods(wire) == [
        "initialize",
        "notifications/initialized",
        "tools/call",
        "answer",
        "tools/list",
        "DELETE",
    ]
    assert wire.seen[0].message["params"]["capabilities"] == {word: {} for word in client}
    assert wire.seen[3].message == {"jsonrpc": "2.0", "id": "q", **answer}
    assert wire.seen[3].headers["mcp-session-id"] == "s"
    assert [one["method"] for one in roots["notifications"]] == [method]
    assert roots["toolResult"] == DONE


def test_a_session_that_declared_too_little_is_begun_anew() -> None:
    wire = asking("ping")
    with opened(wire) as session:
        session.send(Call("tool", {"tool": "ask"}))
        session.send(Call("tool", {"tool": "ask", "client": {"roots": []}}))
        session.send(Call("tool", {"tool": "ask"}))
    begun = [
        seen.message for seen in wire.seen if seen.message and seen.message.get("method") == "initialize"
    ]
    told = [message["params"]["capabilities"] for message in begun]
    assert told == [{}, {"roots": {}}]
    assert methods(wire).count("DELETE") == 2


def test_notifications_of_one_step_are_not_those_of_the_next() -> None:
    wire = asking("ping")
    with opened(wire) as session:
        assert len(session.send(TOOL).roots["notifications"]) == 1
        assert len(session.send(TOOL).roots["notifications"]) == 1


def test_a_stream_that_ends_early_is_taken_up_again_where_it_can_be() -> None:
    first = Told(200, (b"id: e-1\nretry: 1\ndata:\n\n", b""), "text/event-stream")
    answered = events({"jsonrpc": "2.0", "id": 2, "result": DONE})
    wire = speaking({"tools/call": lambda seen: first})
    usual = wire.answer
    wire.answer = lambda seen: answered if seen.method == "GET" else usual(seen)
    assert asked(wire).roots["toolResult"] == DONE
    assert methods(wire) == ["initialize", "notifications/initialized", "tools/call", "GET", "tools/list"]
    assert wire.seen[3].headers["last-event-id"] == "e-1"


def test_a_stream_is_not_taken_up_for_ever() -> None:
    silent = Told(200, (b"id: e-1\ndata:\n\n", b""), "text/event-stream")
    wire = speaking({"tools/call": lambda seen: silent})
    usual = wire.answer
    wire.answer = lambda seen: silent if seen.method == "GET" else usual(seen)
    with pytest.raises(CaseError, match="no JSON-RPC answer"):
        asked(wire)
    assert methods(wire).count("GET") == 3


# ── the stateless era, and how an era is found ───────────────────────────────────────────────────

FOUND = {
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}},
    "instructions": "i",
    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "modern"}},
}
SCHEMA = {"properties": {"q": {"type": "integer", "x-mcp-header": "Quota"}}}
LISTED = {"tools": [{"name": "ask", "inputSchema": SCHEMA}, 7]}


def modern(**answers: Any) -> Wire:
    return speaking(
        {
            "server/discover": lambda seen: result(seen, FOUND),
            "tools/list": lambda seen: result(seen, LISTED),
            "tools/call": lambda seen: result(seen, DONE),
            **answers,
        }
    )


def test_without_a_handshake_each_request_carries_what_its_revision_demands() -> None:
    wire = modern()
    words = {"tool": "ask", "args": {"q": 1}, "client": {"roots": []}, "meta": {"a": 1}}
    roots = asked(wire, Call("tool", words), era="stateless").roots
    assert methods(wire) == ["tools/list", "tools/call", "tools/list", "server/discover"]
    call = wire.seen[1]
    assert {name: value for name, value in call.headers.items() if name.startswith("mcp-")} == {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "ask",
        "mcp-param-quota": "1",
    }
    meta = call.message["params"]["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    assert meta["io.modelcontextprotocol/clientCapabilities"] == {"roots": {}}
    assert meta["a"] == 1
    assert roots["manifest"] == {
        **LISTED,
        "serverInfo": {"name": "modern"},
        "protocolVersion": "2026-07-28",
        "capabilities": {"tools": {}},
        "instructions": "i",
    }
    assert roots["toolResult"] == DONE


def test_a_step_may_contradict_its_own_body_in_a_header() -> None:
    wire = modern()
    asked(wire, Call("tool", {"tool": "ask", "headers": {"Mcp-Name": "other"}}), era="stateless")
    assert wire.seen[0].headers["mcp-name"] == "other"


def test_a_server_that_discovers_is_spoken_to_without_a_handshake() -> None:
    wire = modern()
    asked(wire, Call("manifest", {}), era="auto")
    assert methods(wire) == ["server/discover", "tools/list"]


LEGACY = [
    lambda seen: error(seen, -32601),
    lambda seen: error(seen, -32601, status=404),
    lambda seen: as_json({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": ""}}, 400),
    lambda seen: Told(404, b"Not found", "text/plain"),
    lambda seen: Told(200, b"no json"),
    lambda seen: Told(202, kind=""),
    lambda seen: result(seen, {"supportedVersions": ["2025-11-25"]}),
    lambda seen: result(seen, {"supportedVersions": "2026-07-28"}),
    lambda seen: result(seen, []),
    lambda seen: error(seen, -32022),
    lambda seen: error(seen, -32022, {"supported": ["2025-11-25", "2099-01-01"]}, 400),
]


@pytest.mark.parametrize("probe", LEGACY)
def test_whatever_is_no_answer_of_the_new_era_leads_to_a_handshake(probe: Any) -> None:
    wire = modern(**{"server/discover": probe})
    asked(wire, Call("manifest", {}), era="auto")
    assert methods(wire) == ["server/discover", "initialize", "notifications/initialized", "tools/list"]
    assert "mcp-protocol-version" not in wire.seen[1].headers


def test_a_server_that_names_our_revision_while_it_refuses_it_is_asked_once_more() -> None:
    refusals = [lambda seen: error(seen, -32022, {"supported": ["2026-07-28"]}, 400)]
    wire = modern(
        **{"server/discover": lambda seen: refusals.pop()(seen) if refusals else result(seen, FOUND)}
    )
    asked(wire, Call("manifest", {}), era="auto")
    assert methods(wire) == ["server/discover", "server/discover", "tools/list"]


def test_a_server_that_speaks_nothing_we_know_is_no_answer() -> None:
    wire = modern(**{"server/discover": lambda seen: error(seen, -32022, {"supported": ["2099-01-01"]}, 400)})
    with pytest.raises(CaseError, match="2099-01-01") as problem:
        asked(wire, era="auto")
    assert problem.value.code == "protocol"
    assert methods(wire) == ["server/discover"]


NEEDS = {
    "resultType": "input_required",
    "inputRequests": {"k": {"method": "roots/list", "params": {}}},
    "requestState": "s-1",
}


def test_a_tool_that_needs_more_gets_it_where_the_step_has_it() -> None:
    wire = modern(
        **{
            "tools/call": lambda seen: result(
                seen, DONE if "inputResponses" in seen.message["params"] else NEEDS
            )
        }
    )
    words: dict[str, Json] = {"tool": "ask", "client": {"roots": [{"uri": "a:b"}]}}
    roots = asked(wire, Call("tool", words), era="stateless").roots
    again = wire.seen[1].message
    assert again["params"]["inputResponses"] == {"k": {"roots": [{"uri": "a:b"}]}}
    assert again["params"]["requestState"] == "s-1"
    assert again["id"] != wire.seen[0].message["id"]
    assert roots["toolResult"] == DONE
    assert roots["notifications"] == [{"method": "roots/list", "params": {}}]


def test_a_tool_that_needs_what_the_step_has_not_is_answered_with_its_need() -> None:
    wire = modern(**{"tools/call": lambda seen: result(seen, NEEDS)})
    roots = asked(wire, Call("tool", {"tool": "ask"}), era="stateless").roots
    assert roots["toolResult"] == NEEDS
    assert methods(wire).count("tools/call") == 1


def test_a_tool_that_never_has_enough_is_asked_ten_times() -> None:
    wire = modern(**{"tools/call": lambda seen: result(seen, NEEDS)})
    roots = asked(wire, Call("tool", {"tool": "ask", "client": {"roots": []}}), era="stateless").roots
    assert roots["toolResult"] == NEEDS
    assert methods(wire).count("tools/call") == 10


# ── the manifest ─────────────────────────────────────────────────────────────────────────────────


def paged(second: Callable[[Seen], Told]) -> Wire:
    def listing(seen: Seen) -> Told:
        if seen.message.get("params", {}).get("cursor") == "c":
            return second(seen)
        return result(seen, {"tools": [{"name": "a"}], "nextCursor": "c"})

    return speaking({"tools/list": listing, "tools/call": lambda seen: result(seen, DONE)})


def test_all_pages_of_a_listing_are_read() -> None:
    wire = paged(lambda seen: result(seen, {"tools": [{"name": "b"}]}))
    manifest = asked(wire, Call("manifest", {})).roots["manifest"]
    assert [tool["name"] for tool in manifest["tools"]] == ["a", "b"]
    assert "incomplete" not in manifest


def test_a_listing_that_breaks_off_is_an_error_of_the_manifest_and_told_beside_a_tools_answer() -> None:
    with pytest.raises(CaseError, match=r"page 2 is the error -32603 \(1 tools were read\)"):
        asked(paged(lambda seen: error(seen, -32603)), Call("manifest", {}))
    roots = asked(paged(lambda seen: error(seen, -32603))).roots
    assert roots["manifest"]["tools"] == [{"name": "a"}]
    assert roots["manifest"]["incomplete"] == "page 2 is the error -32603"
    assert roots["toolResult"] == DONE


def with_document(told: Told) -> Wire:
    wire = calling()
    usual = wire.answer
    wire.answer = lambda seen: told if seen.method == "GET" else usual(seen)
    return wire


def test_the_contracts_own_document_is_the_manifest_where_it_has_a_path() -> None:
    wire = with_document(as_json({"kind": "own", "tools": []}))
    assert asked(wire, manifest="/own").roots["manifest"] == {"kind": "own", "tools": []}
    assert methods(wire)[-2:] == ["tools/call", "GET"]
    assert wire.seen[-1].scope["path"] == "/own"
    wire = with_document(as_json({"tools": []}))
    assert asked(wire, Call("manifest", {}), manifest="/own").roots["manifest"] == {"tools": []}
    assert methods(wire) == ["GET"]


@pytest.mark.parametrize("told", [as_json({}, 401), as_json([]), Told(200, b"{"), Told(200, b'{"a":NaN}')])
def test_a_document_that_does_not_come_is_an_error_of_the_manifest(told: Told) -> None:
    with pytest.raises(CaseError, match="GET /own gave no JSON object") as problem:
        asked(with_document(told), Call("manifest", {}), manifest="/own")
    assert problem.value.code == "protocol"
    roots = asked(with_document(told), manifest="/own").roots
    assert "GET /own" in roots["manifest"]["incomplete"]
    assert roots["toolResult"] == DONE


# ── one message as it is ─────────────────────────────────────────────────────────────────────────


def rpc(wire: Wire, message: Json, **words: Json) -> Observation:
    return asked(wire, Call("rpc", {"message": message, **words}))


def test_a_message_goes_out_as_it_is_without_a_handshake() -> None:
    wire = Wire(lambda seen: as_json({"jsonrpc": "2.0", "id": "x", "result": {}}))
    seen = rpc(wire, {"id": "x", "method": "ping", "extra": None})
    assert json.loads(wire.seen[0].body) == {"id": "x", "method": "ping", "extra": None}
    assert wire.seen[0].headers == {
        "host": "127.0.0.1:5555",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "content-length": str(len(wire.seen[0].body)),
    }
    assert seen.roots["rpc"] == {"jsonrpc": "2.0", "id": "x", "result": {}}
    assert seen.roots["response"]["status"] == 200
    assert seen.roots["response"]["json"] == seen.roots["rpc"]
    assert len(wire.seen) == 1


@pytest.mark.parametrize("text", ["", "{", '[{"id":1}]', "\ufeff{}", '{"a":1,"a":2}', "é"])
def test_a_text_goes_out_letter_by_letter(text: str) -> None:
    wire = Wire(lambda seen: Told(400, kind=""))
    seen = rpc(wire, text)
    assert wire.seen[0].body == text.encode()
    assert "rpc" not in seen.roots


def test_headers_of_a_message_replace_the_usual_ones() -> None:
    wire = Wire(lambda seen: Told(406, kind=""))
    rpc(wire, "{}", headers={"Accept": "", "X": "y", "content-type": "text/plain"})
    assert {name: wire.seen[0].headers[name] for name in ("accept", "x", "content-type")} == {
        "accept": "",
        "x": "y",
        "content-type": "text/plain",
    }


@pytest.mark.parametrize(
    ("message", "answer", "found"),
    [
        ({"id": 1}, {"id": 1, "result": 1}, True),
        ('{"id": 1}', {"id": 1, "result": 1}, True),
        ({"id": 1}, {"id": "1", "result": 1}, False),
        ({"id": 1}, {"jsonrpc": "2.0", "id": None, "error": {"code": 1}}, True),
        ({}, {"jsonrpc": "2.0", "id": None, "error": {"code": 1}}, True),
        ({}, {"id": 1, "result": 1}, False),
        ({"id": 1}, ENVELOPE, False),
    ],
)
def test_the_answer_to_a_message_has_its_id(message: Json, answer: Json, found: bool) -> None:
    seen = rpc(Wire(lambda seen: as_json(answer, 403)), message)
    assert seen.roots.get("rpc", "none") == (answer if found else "none")
    assert (seen.roots["response"]["status"], seen.roots["response"]["json"]) == (403, answer)


def test_an_answer_that_breaks_json_is_seen_as_it_came() -> None:
    seen = rpc(Wire(lambda seen: Told(200, b'{"id":1,"result":NaN}')), {"id": 1})
    assert seen.roots["response"]["body"] == '{"id":1,"result":NaN}'
    assert not {"rpc"} & seen.roots.keys()
    assert "json" not in seen.roots["response"]


def test_an_event_stream_that_answers_a_message_is_seen_as_text_and_as_messages() -> None:
    note = {"method": "n"}
    wire = Wire(lambda seen: events(note, {"id": 1, "result": 2}) if seen.message["id"] == 1 else Told(202))
    seen = rpc(wire, {"id": 1, "method": "x"})
    assert seen.roots["rpc"] == {"id": 1, "result": 2}
    assert seen.roots["notifications"] == [note]
    assert seen.roots["response"]["body"].count("event: message") == 2


@pytest.mark.parametrize(
    ("call", "method", "params"),
    [
        (Call("resource", {"uri": "a://b"}), "resources/read", {"uri": "a://b"}),
        (Call("prompt", {"name": "p"}), "prompts/get", {"name": "p"}),
        (
            Call("prompt", {"name": "p", "args": {"a": "b"}}),
            "prompts/get",
            {"name": "p", "arguments": {"a": "b"}},
        ),
        (
            Call("complete", {"ref": {"type": "x"}, "argument": {"name": "n", "value": ""}}),
            "completion/complete",
            {"ref": {"type": "x"}, "argument": {"name": "n", "value": ""}},
        ),
    ],
)
def test_the_other_operations_are_one_request_each(call: Call, method: str, params: Json) -> None:
    wire = speaking({method: lambda seen: result(seen, {"some": "thing"})})
    roots = asked(wire, call).roots
    assert wire.seen[-1].message["params"] == params
    assert roots["output"] == {"some": "thing"}
    assert roots["rpc"]["result"] == {"some": "thing"}
    refused = asked(speaking({}), call).roots
    assert refused["rpc"]["error"]["code"] == -32601
    assert "output" not in refused


# ── over sockets that misbehave ──────────────────────────────────────────────────────────────────

HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: "
STREAM = HEAD + b"text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def live(server: Socket, call: Call, era: Any = "stateless") -> Observation:
    with closing(mcp.open(McpSurface(Address(server.url), "/mcp", era=era))) as session:
        return session.send(call)


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
def test_a_stream_that_arrives_byte_by_byte_is_one_message(line_end: bytes) -> None:
    text = b'\xef\xbb\xbf: hi\ndata: {"jsonrpc":"2.0",\ndata: "id":1,"result":{}}\n\n'.replace(
        b"\n", line_end
    )
    pieces = (STREAM, *[chunked(bytes((one,))) for one in text], None)
    with Socket(pieces) as server:
        seen = live(server, Call("rpc", {"message": {"id": 1}}))
    assert seen.roots["rpc"] == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize(
    "pieces",
    [
        (HEAD + b"application/json\r\nContent-Length: 50\r\n\r\n{",),
        (STREAM + chunked(b'data: {"id":1'),),
    ],
)
def test_a_connection_that_breaks_within_an_answer_is_no_answer(pieces: tuple[bytes, ...]) -> None:
    with Socket(pieces) as server, pytest.raises(CaseError) as problem:
        live(server, Call("rpc", {"message": {"id": 1}}))
    assert problem.value.code == "protocol"


def test_a_server_that_falls_silent_within_its_stream_runs_into_the_deadline() -> None:
    started = time.monotonic()
    pieces = (STREAM + chunked(b": waiting\n\n"), None)
    with Socket(pieces) as server, pytest.raises(OutOfTime), deadline(0.1):
        live(server, Call("rpc", {"message": {"id": 1}}))
    assert time.monotonic() - started < 5


def test_a_session_that_still_owes_an_answer_is_left_without_a_word() -> None:
    agreed = b'{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}'
    head = HEAD + b"application/json\r\nMcp-Session-Id: s\r\n"
    begun = head + b"Content-Length: %d\r\n\r\n" % len(agreed) + agreed
    told = b"HTTP/1.1 202 Accepted\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    with Socket((begun,), (told,), (None,), (told,)) as server, pytest.raises(OutOfTime), deadline(0.2):
        live(server, TOOL, "handshake")
    assert [heard.split(b" ")[0] for heard in server.heard] == [b"POST"] * 3


def test_a_session_whose_end_fails_is_over_all_the_same() -> None:
    wire = asking("ping")
    usual = wire.answer

    def answer(seen: Seen) -> Told:
        return Told(0) if seen.method == "DELETE" else usual(seen)

    wire.answer = answer
    assert asked(wire).roots["toolResult"] == DONE
