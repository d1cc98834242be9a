"""The answer is a JSON-RPC error, of this code, one of these codes, or with this text in its message.

`true` takes any error; `false` wants a result.

expect:
  rpcError: -32602

expect:
  rpcError: {code: [-32602, -32601], message: Unknown tool}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._plain import require_more
from evalkit.expectations._wire import is_one_of, one_or_several
from evalkit.model import Evidence, Finding, Json
from evalkit.values import ABSENT

OPERATIONS: Final = frozenset({"rpc", "tool", "resource", "prompt", "complete"})
_CODE: Final = one_or_several({"type": "integer"}, "The error code, or the codes that are allowed.")
SCHEMA: Final[Json] = {
    "description": "true (any error), false (a result), a code, a list of codes, or {code, message}.",
    "anyOf": [
        {"type": "boolean"},
        *_CODE["anyOf"],
        {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": False,
            "properties": {
                "code": _CODE,
                "message": {
                    "type": "string",
                    "minLength": 1,
                    "description": "A text that the message holds.",
                },
            },
        },
    ],
}
CODES: Final[Mapping[str, str]] = {
    "rpc-missing": "No JSON-RPC answer came back (or the way in has none), so there is nothing to judge.",
    "rpc-error-expected": "The JSON-RPC answer is a result, and the suite wants an error.",
    "unexpected-rpc-error": "The JSON-RPC answer is an error, and the suite wants a result.",
    "rpc-error-differs": "The JSON-RPC error has another code or message than the suite wants.",
}
_AFTER_RESULT: Final = ("isError", "outputSchemaValid", "contentParity", "withinBudgets", "absentKeys")


def conflicts(expect: Mapping[str, Json]) -> Iterator[str]:
    """Yield why the word cannot stand beside others: an answer that is an error has no result."""
    beside = [word for word in _AFTER_RESULT if word in expect]
    if expect.get("rpcError") is not False and beside:
        yield f"a JSON-RPC error has no result, so {' and '.join(beside)} cannot hold beside rpcError"


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield what is not as wanted in the answer: one finding for the code, one for the message."""
    require_more(evidence, "JSON-RPC answer")
    answer = evidence.observation.roots.get("rpc", ABSENT)
    if not isinstance(answer, dict):
        yield Finding("rpc-missing", "there is no JSON-RPC answer", "rpc", wanted, answer)
        return
    error = answer.get("error", ABSENT)
    if wanted is False:
        if error is not ABSENT:
            yield Finding("unexpected-rpc-error", "the answer is a JSON-RPC error", "rpc.error", actual=error)
        elif "result" not in answer:
            yield Finding("rpc-missing", "the answer holds no result", "rpc.result", actual=answer)
    elif not isinstance(error, dict):
        yield Finding("rpc-error-expected", "the answer is no JSON-RPC error", "rpc.error", wanted, error)
    elif wanted is not True:
        yield from _differences(error, wanted if isinstance(wanted, dict) else {"code": wanted})


def _differences(error: Mapping[str, Json], wanted: Mapping[str, Json]) -> Iterator[Finding]:
    code, text = error.get("code", ABSENT), error.get("message", ABSENT)
    if "code" in wanted and not is_one_of(code, wanted["code"]):
        message = "the JSON-RPC error has another code than is wanted"
        yield Finding("rpc-error-differs", message, "rpc.error.code", wanted["code"], code)
    if "message" in wanted and not (isinstance(text, str) and wanted["message"] in text):
        message = "the JSON-RPC error's message does not hold the text"
        yield Finding("rpc-error-differs", message, "rpc.error.message", wanted["message"], text)
