"""The words about the wire's own answers: HTTP status and headers, exit codes, JSON-RPC errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from evalkit import expectations
from evalkit.errors import CapabilityMissing
from evalkit.model import Finding, Json

Judge = Callable[..., list[Finding]]

HEADERS: Final[Json] = {"Content-Type": "application/json", "allow": "GET, POST", "X-Twice": ["a", "b"]}
ROOTS: Final[Json] = {
    "response": {"status": 200, "headers": HEADERS},
    "process": {"exitCode": 2, "stdout": ""},
    "rpc": {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Unknown tool: x"}},
}
PAIRS: Final[Json] = {"response": {"headers": [["Set-Cookie", "a"], ["set-cookie", "b"], "odd", ["x"]]}}
RESULT: Final[Json] = {"rpc": {"jsonrpc": "2.0", "id": 1, "result": {}}}

KEPT: Final[list[tuple[str, Json, Json]]] = [
    ("status", 200, ROOTS),
    ("status", [200, 202], ROOTS),
    ("headers", {"content-type": "application/json", "ALLOW": True, "etag": False}, ROOTS),
    ("headers", {"allow": {"contains": "POST", "matches": "^GET"}, "x-twice": "a, b"}, ROOTS),
    ("headers", {"Set-Cookie": "a, b", "x": False}, PAIRS),
    ("exitCode", 2, ROOTS),
    ("exitCode", [0, 2], ROOTS),
    ("rpcError", True, ROOTS),
    ("rpcError", -32602, ROOTS),
    ("rpcError", [-32602, -32601], ROOTS),
    ("rpcError", {"code": [-32602], "message": "Unknown tool"}, ROOTS),
    ("rpcError", {"message": "x"}, ROOTS),
    ("rpcError", False, RESULT),
]
BROKEN: Final[list[tuple[str, Json, Json, list[str]]]] = [
    ("status", 404, ROOTS, ["status-differs"]),
    ("status", [404, 405], ROOTS, ["status-differs"]),
    ("status", 1, {"response": {"status": True}}, ["status-differs"]),
    ("status", 200, {}, ["response-missing"]),
    (
        "headers",
        {"content-type": "text/html", "etag": True, "allow": False},
        ROOTS,
        ["header-differs", "header-missing", "header-present"],
    ),
    ("headers", {"allow": {"contains": "PUT"}, "x-twice": {"matches": "^b"}}, ROOTS, ["header-differs"] * 2),
    ("headers", {"etag": "x", "vary": {"contains": "x"}}, ROOTS, ["header-missing"] * 2),
    ("headers", {"allow": "get, post"}, ROOTS, ["header-differs"]),
    ("headers", {"etag": False}, {"response": {"headers": "x"}}, ["response-missing"]),
    ("exitCode", 0, ROOTS, ["exit-code-differs"]),
    ("exitCode", [0, 1], {"process": {"exitCode": None}}, ["exit-code-differs"]),
    ("exitCode", 0, {"response": {}}, ["process-missing"]),
    ("rpcError", -32601, ROOTS, ["rpc-error-differs"]),
    ("rpcError", {"code": [1], "message": "y"}, ROOTS, ["rpc-error-differs"] * 2),
    ("rpcError", {"message": "x"}, {"rpc": {"error": {"code": 1}}}, ["rpc-error-differs"]),
    ("rpcError", True, RESULT, ["rpc-error-expected"]),
    ("rpcError", True, {"rpc": {"error": "bad"}}, ["rpc-error-expected"]),
    ("rpcError", False, ROOTS, ["unexpected-rpc-error"]),
    ("rpcError", False, {"rpc": {"error": None}}, ["unexpected-rpc-error"]),
    ("rpcError", False, {"rpc": {}}, ["rpc-missing"]),
    ("rpcError", True, {"rpc": [ROOTS["rpc"]]}, ["rpc-missing"]),
    ("rpcError", True, {}, ["rpc-missing"]),
]


@pytest.mark.parametrize(("word", "wanted", "roots"), KEPT, ids=str)
def test_what_holds_gives_no_finding(judge: Judge, word: str, wanted: Json, roots: Json) -> None:
    assert judge(word, wanted, roots, operation="http") == []


@pytest.mark.parametrize(("word", "wanted", "roots", "codes"), BROKEN, ids=str)
def test_what_does_not_hold_gives_each_finding(
    judge: Judge, word: str, wanted: Json, roots: Json, codes: list[str]
) -> None:
    assert [finding.code for finding in judge(word, wanted, roots, operation="http")] == codes


def test_every_code_of_these_words_is_shown_broken() -> None:
    shown = {(word, code) for word, *_, codes in BROKEN for code in codes}
    words = {word for word, *_ in KEPT}
    assert shown == {(word, code) for word in words for code in expectations.find(word).CODES}


def test_a_header_finding_shows_what_was_sent(judge: Judge) -> None:
    (finding,) = judge("headers", {"X-Twice": "a"}, ROOTS, operation="http")
    assert (finding.path, finding.actual, finding.at) == ("response.headers.x-twice", "a, b", ("X-Twice",))


def test_a_header_expression_that_cannot_be_read_is_refused_at_load() -> None:
    check: Any = expectations.find("headers").check  # type: ignore[attr-defined]
    ((place, _),) = check({"etag": {"matches": "("}, "vary": {"matches": "a"}, "age": True})
    assert place == ("etag", "matches")


@pytest.mark.parametrize(
    "word", ["isError", "outputSchemaValid", "contentParity", "withinBudgets", "absentKeys"]
)
def test_nothing_about_a_result_stands_beside_an_rpc_error(word: str) -> None:
    conflicts: Any = expectations.find("rpcError").conflicts  # type: ignore[attr-defined]
    assert len(list(conflicts({"rpcError": -32602, word: True}))) == 1
    assert list(conflicts({"rpcError": False, word: True})) == []
    assert list(conflicts({"rpcError": True, "excludes": ["x"]})) == []


@pytest.mark.parametrize(("word", "wanted"), [("status", 200), ("headers", {"etag": False})])
def test_a_message_over_standard_streams_has_no_response_to_judge(
    judge: Judge, word: str, wanted: Json
) -> None:
    with pytest.raises(CapabilityMissing, match="carry no HTTP"):
        judge(word, wanted, RESULT, operation="rpc")


def test_a_message_over_http_is_judged_by_its_response(judge: Judge) -> None:
    (finding,) = judge("status", 404, {**RESULT, **ROOTS}, operation="rpc")
    assert (finding.code, finding.actual) == ("status-differs", 200)
