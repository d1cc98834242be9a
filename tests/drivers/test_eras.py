"""What each era of MCP puts around a request, and what the harness answers when it is asked."""

from __future__ import annotations

import pytest

from evalkit.drivers._asked import capabilities_of, inputs_for, result_for
from evalkit.drivers._eras import Handshake, Stateless, description_of, header_text, mirrored
from evalkit.model import Json
from evalkit.values import ABSENT


def test_a_session_names_itself_in_headers_and_adds_nothing_to_the_params() -> None:
    era = Handshake("2025-06-18", "s-1")
    assert era.headers("tools/call", {"name": "x"})[2:] == (
        (b"mcp-protocol-version", b"2025-06-18"),
        (b"mcp-session-id", b"s-1"),
    )
    assert Handshake().headers("initialize", {})[2:] == ()
    assert era.params({"name": "x"}, {}, {"roots": {}}) == {"name": "x"}
    assert era.params({"name": "x"}, {"a": 1}, {}) == {"name": "x", "_meta": {"a": 1}}


def test_without_a_session_each_request_says_everything() -> None:
    era = Stateless()
    assert era.headers("tools/call", {"name": "é"})[2:] == (
        (b"mcp-protocol-version", b"2026-07-28"),
        (b"mcp-method", b"tools/call"),
        (b"mcp-name", b"=?base64?w6k=?="),
    )
    assert era.headers("resources/read", {"uri": "a://b"})[-1] == (b"mcp-name", b"a://b")
    assert era.headers("tools/list", {"name": "x"})[-1] == (b"mcp-method", b"tools/list")
    meta = era.params({}, {"a": 1}, {"roots": {}})["_meta"]
    assert meta.pop("io.modelcontextprotocol/clientInfo")["name"] == "evalkit"
    assert meta == {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
        "a": 1,
    }


def test_the_words_of_a_step_win_over_those_of_the_era() -> None:
    said = {"io.modelcontextprotocol/protocolVersion": "1999-01-01"}
    assert (
        Stateless().params({}, said, {})["_meta"]["io.modelcontextprotocol/protocolVersion"] == "1999-01-01"
    )


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("plain text", b"plain text"),
        ("", b""),
        (" x", b"=?base64?IHg=?="),
        ("x ", b"=?base64?eCA=?="),
        ("a\nb", b"=?base64?YQpi?="),
        ("\t", b"=?base64?CQ==?="),
        ("=?base64?eA==?=", b"=?base64?PT9iYXNlNjQ/ZUE9PT89?="),
    ],
)
def test_a_text_in_a_header_is_plain_or_in_base64(value: str, told: bytes) -> None:
    assert header_text(value) == told


SCHEMA = {
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "deep": {"properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
        "flag": {"x-mcp-header": "Flag"},
        "bad": {"x-mcp-header": "not a token"},
        "other": {"items": {"x-mcp-header": "Item"}},
    },
    "x-mcp-header": "Root",
}


@pytest.mark.parametrize(
    ("args", "headers"),
    [
        ({"region": "eu", "deep": {"n": 7}, "flag": False}, {"region": b"eu", "n": b"7", "flag": b"false"}),
        ({"region": None, "deep": 1, "flag": [1], "bad": "x", "other": ["x"]}, {}),
        ({"region": "é"}, {"region": b"=?base64?w6k=?="}),
    ],
)
def test_arguments_that_a_schema_marks_are_repeated_in_headers(args: Json, headers: dict[str, bytes]) -> None:
    assert dict(mirrored(SCHEMA, args)) == {
        b"mcp-param-" + name.encode(): told for name, told in headers.items()
    }


@pytest.mark.parametrize("schema", [None, True, [], {"properties": []}, {"properties": {"a": 1}}])
def test_a_schema_of_any_shape_marks_nothing(schema: Json) -> None:
    assert mirrored(schema, {"a": 1}) == ()


def test_a_server_is_described_as_it_described_itself() -> None:
    told = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s"}, "extra": 1}
    assert description_of("x", told) == {
        "serverInfo": {"name": "s"},
        "protocolVersion": "2025-11-25",
        "capabilities": {},
    }
    modern = {"instructions": "i", "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s"}}}
    assert description_of("2026-07-28", modern) == {
        "serverInfo": {"name": "s"},
        "protocolVersion": "2026-07-28",
        "instructions": "i",
    }
    assert description_of("2026-07-28", {"_meta": 1}) == {"protocolVersion": "2026-07-28"}


CLIENT: dict[str, Json] = {"roots": [{"uri": "file:///x"}], "elicitation": {"action": "accept"}}


def test_a_server_gets_what_the_step_says_and_no_more() -> None:
    assert capabilities_of(CLIENT) == {"roots": {}, "elicitation": {}}
    assert capabilities_of({}) == {}
    assert result_for("roots/list", CLIENT) == {"roots": [{"uri": "file:///x"}]}
    assert result_for("elicitation/create", CLIENT) == {"action": "accept"}
    assert result_for("ping", {}) == {}
    for method in ("sampling/createMessage", "tasks/get", 7, None, ["ping"]):
        assert result_for(method, CLIENT) is ABSENT


@pytest.mark.parametrize(
    ("requests", "results"),
    [
        ({}, {}),
        ({"a": {"method": "roots/list"}}, {"a": {"roots": [{"uri": "file:///x"}]}}),
        ({"a": {"method": "roots/list"}, "b": {"method": "sampling/createMessage"}}, ABSENT),
        ({"a": 1}, ABSENT),
        ([], ABSENT),
    ],
)
def test_inputs_are_given_all_or_none(requests: Json, results: Json) -> None:
    assert inputs_for(requests, CLIENT) == results
