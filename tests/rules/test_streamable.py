"""Streamable HTTP, kept and broken."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.errors import CapabilityMissing
from tests.rules.judging import broken, evidence

RESULT: dict[str, Any] = {"id": 1, "result": {}}
GIVEN = {"begin": {"response": {"status": 200, "headers": {"mcp-session-id": "abc"}}}}
JSON = {"content-type": "application/json; charset=utf-8"}
STREAM = {"content-type": "text/event-stream"}


def answer(status: int, headers: Any = None, rpc: Any = None, body: str = "") -> dict[str, Any]:
    roots = {"response": {"status": status, "headers": headers or {}, "body": body}}
    return {**roots, "rpc": rpc} if rpc else roots


@pytest.mark.parametrize(
    ("rule", "roots", "paths"),
    [
        ("origin-checked", answer(200, JSON, RESULT), ["response.status"]),
        ("origin-checked", answer(202), ["response.status"]),
        ("origin-checked", answer(403), []),
        ("origin-checked", answer(421), []),
        ("host-checked", answer(200, JSON, RESULT), ["response.status"]),
        ("host-checked", answer(421), []),
        ("version-header-checked", answer(200, JSON, RESULT), ["response.status"]),
        ("version-header-checked", answer(400), []),
        ("malformed-body-refused", answer(500), ["response.status"]),
        ("malformed-body-refused", answer(400), []),
        ("answer-kind", answer(200, {"content-type": "text/plain"}), ["response.headers.content-type"]),
        ("answer-kind", answer(200), ["response.headers.content-type"]),
        ("answer-kind", answer(200, JSON), []),
        ("answer-kind", answer(200, STREAM), []),
        ("answer-kind", answer(404, {"content-type": "text/html"}), []),
        ("notification-accepted", answer(200, JSON, body="{}"), ["response.status"]),
        ("notification-accepted", answer(202, body="ok"), ["response.body"]),
        ("notification-accepted", answer(202), []),
        ("notification-accepted", answer(400), []),
        (
            "get-streams-or-refuses",
            answer(200, {"content-type": "text/html"}),
            ["response.headers.content-type"],
        ),
        ("get-streams-or-refuses", answer(500), ["response.status"]),
        ("get-streams-or-refuses", answer(200, STREAM), []),
        ("get-streams-or-refuses", answer(405), []),
        ("get-streams-or-refuses", answer(400), []),
        ("accept-honoured", answer(200, STREAM), ["response.headers.content-type"]),
        ("accept-honoured", answer(200, JSON), []),
        ("accept-honoured", answer(406, STREAM), []),
        ("delete-ends-or-refuses", answer(500), ["response.status"]),
        ("delete-ends-or-refuses", answer(204), []),
        ("delete-ends-or-refuses", answer(405), []),
        ("large-body-answered", answer(500), ["response.status"]),
        ("large-body-answered", answer(413), []),
        ("session-id-visible", answer(200, {"mcp-session-id": "a b"}), ["response.headers.mcp-session-id"]),
        ("session-id-visible", answer(200, {"mcp-session-id": "a-b"}), []),
        ("session-id-visible", answer(200), []),
    ],
)
def test_an_answer_over_http(rule: str, roots: dict[str, Any], paths: list[str]) -> None:
    operation = "sse" if rule.startswith("get") else "rpc"
    assert broken(rule, evidence(operation, {"message": {}}, roots)) == paths


@pytest.mark.parametrize(
    ("earlier", "roots", "paths"),
    [
        (GIVEN, answer(200, JSON, RESULT), ["response.status"]),
        (GIVEN, answer(404), []),
        (GIVEN, answer(400), []),
        ({"begin": answer(200)}, answer(200, JSON, RESULT), []),
    ],
)
def test_a_session_that_was_never_given(earlier: Any, roots: dict[str, Any], paths: list[str]) -> None:
    assert broken("unknown-session-refused", evidence("rpc", {"message": {}}, roots, earlier)) == paths


def test_over_standard_streams_nothing_of_it_is_known() -> None:
    with pytest.raises(CapabilityMissing):
        broken("answer-kind", evidence("rpc", {"message": {}}, {"rpc": RESULT}))
