"""Rules of single messages: errors and their codes, notifications, batches, `ping`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evalkit.model import Evidence, Json
from evalkit.rules import Fault, Judge, Rule
from evalkit.rules._answers import RPC, answer_of, error_of
from evalkit.values import ABSENT

METHOD_NOT_FOUND: Final = -32601
PARSE_ERROR: Final = -32700


def _ping_answered(evidence: Evidence) -> Iterator[Fault]:
    answer = answer_of(evidence)
    if not isinstance(answer.get("result"), dict):
        yield Fault("`ping` is not answered with a result", "rpc", {"result": {}}, answer or ABSENT)


def _unknown_method_refused(evidence: Evidence) -> Iterator[Fault]:
    if error_of(evidence) is None:
        message = "a method that does not exist was not refused"
        yield Fault(message, "rpc", METHOD_NOT_FOUND, evidence.observation.roots.get("rpc", ABSENT))


def _coded(wanted: int, what: str) -> Judge:
    """A judge of the code with which something was refused, where it was."""

    def judge(evidence: Evidence) -> Iterator[Fault]:
        error = error_of(evidence)
        if error is not None and error.get("code") != wanted:
            message = f"{what} was refused with another code than the specification's"
            yield Fault(message, "rpc.error.code", wanted, error.get("code", ABSENT))

    return judge


def _error_shape(evidence: Evidence) -> Iterator[Fault]:
    answer = answer_of(evidence)
    error = answer.get("error", ABSENT)
    if error is ABSENT:
        return
    if not isinstance(error, dict):
        yield Fault("the error is no object", "rpc.error", actual=error)
        return
    code, message = error.get("code", ABSENT), error.get("message", ABSENT)
    if not isinstance(code, int) or isinstance(code, bool):
        yield Fault("the error's code is no integer", "rpc.error.code", actual=code)
    if not isinstance(message, str):
        yield Fault("the error's message is no text", "rpc.error.message", actual=message)


def _null_id_refused(evidence: Evidence) -> Iterator[Fault]:
    if "result" in answer_of(evidence):
        message = "a request whose id is null got a result"
        yield Fault(message, "rpc.id", actual=answer_of(evidence).get("id", ABSENT))


def _notification_unanswered(evidence: Evidence) -> Iterator[Fault]:
    answer = answer_of(evidence)
    if answer:
        yield Fault("a notification was answered", "rpc", actual=answer)


def _batch_refused(evidence: Evidence) -> Iterator[Fault]:
    answer = _batch_answer(evidence)
    if isinstance(answer, list) or "result" in answer_of(evidence):
        yield Fault("a batch was carried out, which this revision does not know", "rpc", actual=answer)


def _batch_answer(evidence: Evidence) -> Json:
    """The answer to a batch: an array has no id of ours, so over HTTP it stands in the body only."""
    response = evidence.observation.roots.get("response")
    told = response.get("json", ABSENT) if isinstance(response, dict) else ABSENT
    return evidence.observation.roots.get("rpc", told)


RULES: Final = (
    Rule(
        "ping-answered",
        "medium",
        "`ping` is answered with a result.",
        "2025-11-25, basic/utilities/ping",
        'breaks: error -32601, or nothing\nkeeps:  {"result": {}}',
        RPC,
        _ping_answered,
        until="2025-11-25",
    ),
    Rule(
        "unknown-method-refused",
        "high",
        "A method that does not exist is refused with an error.",
        "JSON-RPC 2.0, 5.1",
        'breaks: {"result": {}}\nkeeps:  {"error": {"code": -32601, "message": "Method not found"}}',
        RPC,
        _unknown_method_refused,
    ),
    Rule(
        "unknown-method-code",
        "low",
        "A method that does not exist is refused with -32601.",
        "JSON-RPC 2.0, 5.1",
        'breaks: {"error": {"code": -32603}}\nkeeps:  {"error": {"code": -32601}}',
        RPC,
        _coded(METHOD_NOT_FOUND, "an unknown method"),
    ),
    Rule(
        "malformed-json-code",
        "low",
        "Text that is no JSON is refused with -32700, where it is answered.",
        "JSON-RPC 2.0, 5.1",
        'breaks: {"error": {"code": -32603}}\nkeeps:  {"error": {"code": -32700}}, or no answer',
        RPC,
        _coded(PARSE_ERROR, "what is no JSON"),
    ),
    Rule(
        "error-shape",
        "medium",
        "An error has an integer `code` and a `message` that is text.",
        "JSON-RPC 2.0, 5.1",
        'breaks: {"error": "no such method"}\nkeeps:  {"error": {"code": -32601, "message": "…"}}',
        RPC,
        _error_shape,
    ),
    Rule(
        "null-id-refused",
        "low",
        "A request whose id is null gets no result: the protocol knows no such id.",
        "2025-11-25, basic, Requests",
        'breaks: {"id": null, "result": {}}\nkeeps:  an error, or nothing',
        RPC,
        _null_id_refused,
    ),
    Rule(
        "notification-unanswered",
        "medium",
        "A notification is not answered, not even with an error.",
        "JSON-RPC 2.0, 4.1",
        'breaks: {"id": null, "error": {"code": -32601}}\nkeeps:  nothing',
        RPC,
        _notification_unanswered,
    ),
    Rule(
        "batch-refused",
        "low",
        "A batch is not carried out: this revision has none.",
        "2025-06-18, changelog",
        "breaks: [{…}, {…}]\nkeeps:  error -32600, or nothing",
        RPC,
        _batch_refused,
        since="2025-06-18",
    ),
)
