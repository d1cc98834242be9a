"""What single messages get, kept and broken."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.judging import broken, evidence

NOT_FOUND = {"id": 1, "error": {"code": -32601, "message": "Method not found"}}
RESULT: dict[str, Any] = {"id": 1, "result": {}}


@pytest.mark.parametrize(
    ("rule", "rpc", "paths"),
    [
        ("ping-answered", RESULT, []),
        ("ping-answered", NOT_FOUND, ["rpc"]),
        ("ping-answered", {"id": 1, "result": None}, ["rpc"]),
        ("ping-answered", ..., ["rpc"]),
        ("unknown-method-refused", NOT_FOUND, []),
        ("unknown-method-refused", {"id": 1, "error": {"code": -32603, "message": ""}}, []),
        ("unknown-method-refused", RESULT, ["rpc"]),
        ("unknown-method-refused", ..., ["rpc"]),
        ("unknown-method-code", NOT_FOUND, []),
        ("unknown-method-code", {"error": {"code": -32603}}, ["rpc.error.code"]),
        ("unknown-method-code", RESULT, []),
        ("malformed-json-code", {"id": None, "error": {"code": -32700, "message": ""}}, []),
        ("malformed-json-code", ..., []),
        ("malformed-json-code", NOT_FOUND, ["rpc.error.code"]),
        ("error-shape", NOT_FOUND, []),
        ("error-shape", RESULT, []),
        ("error-shape", {"error": "no"}, ["rpc.error"]),
        ("error-shape", {"error": {"code": "-1", "message": 1}}, ["rpc.error.code", "rpc.error.message"]),
        ("error-shape", {"error": {"code": True, "message": ""}}, ["rpc.error.code"]),
        ("null-id-refused", {"id": None, "result": {}}, ["rpc.id"]),
        ("null-id-refused", NOT_FOUND, []),
        ("null-id-refused", ..., []),
        ("notification-unanswered", ..., []),
        ("notification-unanswered", NOT_FOUND, ["rpc"]),
        ("batch-refused", ..., []),
        ("batch-refused", NOT_FOUND, []),
        ("batch-refused", [RESULT, RESULT], ["rpc"]),
        ("batch-refused", RESULT, ["rpc"]),
    ],
)
def test_a_message_and_its_answer(rule: str, rpc: Any, paths: list[str]) -> None:
    roots = {} if rpc is ... else {"rpc": rpc}
    assert broken(rule, evidence("rpc", {"message": {}}, roots)) == paths


def test_a_batch_that_is_answered_over_http_is_seen_in_the_body() -> None:
    answered = {"response": {"status": 200, "json": [RESULT, RESULT]}}
    assert broken("batch-refused", evidence("rpc", {"message": "[]"}, answered)) == ["rpc"]
