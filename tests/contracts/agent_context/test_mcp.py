"""Tests for `mcp`: a message goes in, an answer comes out, and nothing else happens (spec B.4)."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.boundary.policy import BOUNDARY
from evalkit.contracts.agent_context.mcp import answer
from evalkit.contracts.agent_context.vocabulary import Json
from tests.contracts.agent_context.boundary.calling import OPEN, Notes, request

CLIENT: Json = {"name": "c", "version": "1"}
ERROR: Json = {"content": [{"type": "text", "text": "Unknown or ungranted tool: nope"}], "isError": True}


def told(message: Json, notes: Notes | None = None, key: str | None = None) -> Json:
    return answer(BOUNDARY, notes or Notes(), OPEN, message, key)


def hello(version: str) -> Json:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
    return request("initialize", params)


@pytest.mark.parametrize(
    ("offered", "spoken"),
    [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("", "2025-11-25"),
    ],
)
def test_initialize_agrees_on_a_revision(offered: str, spoken: str) -> None:
    result = told(hello(offered))["result"]
    assert list(result) == ["protocolVersion", "capabilities", "serverInfo", "instructions"]
    assert result["protocolVersion"] == spoken
    assert result["capabilities"] == {"tools": {"listChanged": False}}
    assert result["serverInfo"] == {"name": "PortOS Agent Tools", "version": "1"}
    assert "semantic actions" in result["instructions"]


@pytest.mark.parametrize("params", [..., {}, {"anything": 1}])
def test_a_ping_is_answered_whatever_it_holds(params: Json) -> None:
    assert told(request("ping", params)) == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize("params", [..., {}, {"_meta": {}}])
def test_the_tools_are_those_of_the_manifest(params: Json) -> None:
    assert told(request("tools/list", params))["result"] == {"tools": Notes().manifest(OPEN)["tools"]}


@pytest.mark.parametrize(
    ("params", "args"),
    [
        ({"name": "x"}, None),
        ({"name": "x", "arguments": {}}, {}),
        ({"name": "x", "arguments": {"a": 1}, "_meta": {"progressToken": 1}}, {"a": 1}),
    ],
)
def test_a_call_reaches_the_contract_as_it_is(params: Json, args: Json) -> None:
    notes = Notes()
    told(request("tools/call", params), notes)
    assert notes.calls == [(OPEN, "x", args, None)]


@pytest.mark.parametrize(("sent", "key"), [(None, None), ("", None), ("k1", "k1"), (" a b", " a b")])
def test_an_idempotency_key_reaches_the_contract_and_an_empty_one_is_none(
    sent: str | None, key: str | None
) -> None:
    notes = Notes()
    told(request("tools/call", {"name": "x"}), notes, sent)
    assert notes.calls == [(OPEN, "x", None, key)]


def test_a_tool_that_fails_is_a_result() -> None:
    class Refusing(Notes):
        def call_tool(self, settings: Json, name: str, args: Json, key: str | None) -> Json:
            return ERROR

    message = request("tools/call", {"name": "nope"})
    assert told(message, Refusing()) == {"jsonrpc": "2.0", "id": 1, "result": ERROR}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        *(("initialize", params) for params in (..., {}, {**hello("x")["params"], "extra": 1})),
        *(("tools/list", params) for params in ({"cursor": "x"}, {"cursor": None}, {"extra": 1})),
        *(("tools/call", params) for params in (..., {}, {"name": ""}, {"name": "x", "extra": 1})),
        ("tools/call", {"name": "x", "arguments": None}),
        ("tools/call", {"name": "x", "arguments": []}),
        ("tools/call", {"name": "x", "arguments": "x"}),
    ],
)
def test_params_that_are_not_as_they_must_be_are_refused(method: str, params: Json) -> None:
    notes = Notes()
    wanted = {"code": -32602, "message": f"Invalid {method} params"}
    assert told(request(method, params), notes) == {"jsonrpc": "2.0", "id": 1, "error": wanted}
    assert notes.calls == []


@pytest.mark.parametrize("method", ["resources/list", "PING", "Tools/Call", "server/discover", "__class__"])
def test_no_other_method_is_known(method: str) -> None:
    wanted = {"code": -32601, "message": "Method not found"}
    assert told(request(method)) == {"jsonrpc": "2.0", "id": 1, "error": wanted}


@pytest.mark.parametrize("message", [..., None, [], [request("ping")], {}, {**request("ping"), "id": None}])
def test_what_is_no_message_is_refused_without_an_id(message: Json) -> None:
    wanted = {"code": -32600, "message": "Invalid JSON-RPC message"}
    assert told(message) == {"jsonrpc": "2.0", "id": None, "error": wanted}


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "x"}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "nonsense", "params": {}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "m"}},
    ],
)
def test_a_notification_or_a_response_does_nothing_and_is_not_answered(message: Json) -> None:
    notes = Notes()
    assert told(message, notes) is None
    assert notes.calls == []


@pytest.mark.parametrize(
    ("number", "back"),
    [
        ("", "''"),
        ("x", "'x'"),
        (0, "0"),
        (1.5, "1.5"),
        (1.0, "1"),
        (-0.0, "0"),
        (2**53 + 1, "9007199254740993"),
    ],
)
def test_an_id_comes_back_as_it_was_and_a_whole_one_as_javascript_writes_it(number: Json, back: str) -> None:
    assert repr(told(request("ping", number=number))["id"]) == back
