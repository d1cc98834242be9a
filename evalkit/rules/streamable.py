"""Rules of Streamable HTTP: who is let in, what a status says, and what sessions and headers are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.errors import CapabilityMissing
from evalkit.model import Evidence, Json
from evalkit.rules import Fault, Judge, Rule
from evalkit.rules._answers import answer_of
from evalkit.values import ABSENT

SENT: Final = frozenset({"rpc", "http", "sse"})

_TRANSPORTS: Final = "2025-11-25, basic/transports, Streamable HTTP"
_VISIBLE: Final = re.compile(r"[\x21-\x7e]+")
_KINDS: Final = ("application/json", "text/event-stream")
_NO_CONTENT: Final = (202, 204)


def _let_in(what: str) -> Judge:
    """A judge of a request that must not be carried out, because of where it says that it comes from."""

    def judge(evidence: Evidence) -> Iterator[Fault]:
        status = _status(evidence)
        if status < 400 or "result" in answer_of(evidence):
            yield Fault(f"a request {what} was let in", "response.status", 403, status)

    return judge


def _refused(wanted: tuple[int, ...], what: str) -> Judge:
    """A judge of a request that is the client's mistake."""

    def judge(evidence: Evidence) -> Iterator[Fault]:
        status = _status(evidence)
        if status not in wanted:
            yield Fault(f"{what} is answered with another status", "response.status", list(wanted), status)

    return judge


def _is_client_error(what: str) -> Judge:
    def judge(evidence: Evidence) -> Iterator[Fault]:
        status = _status(evidence)
        if status >= 500:
            yield Fault(f"{what} is answered as a fault of the server", "response.status", 400, status)

    return judge


def _kind_known(evidence: Evidence) -> Iterator[Fault]:
    kind = str(_headers(evidence).get("content-type", "")).partition(";")[0].strip().lower()
    if _status(evidence) == 200 and kind not in _KINDS:
        path = "response.headers.content-type"
        yield Fault("the answer to a request is neither JSON nor an event stream", path, list(_KINDS), kind)


def _notification_accepted(evidence: Evidence) -> Iterator[Fault]:
    response = _response(evidence)
    status, body = _status(evidence), response.get("body", "")
    if status not in _NO_CONTENT and status < 400:
        yield Fault("a notification is not accepted with 202", "response.status", 202, status)
    if status in _NO_CONTENT and body:
        yield Fault("an accepted notification has a body", "response.body", "", body)


def _get_answered(evidence: Evidence) -> Iterator[Fault]:
    status, kind = _status(evidence), str(_headers(evidence).get("content-type", ""))
    if status == 200 and not kind.lower().startswith("text/event-stream"):
        path = "response.headers.content-type"
        yield Fault("GET gives something else than an event stream", path, "text/event-stream", kind)
    elif status != 200 and not 400 <= status < 500:
        yield Fault("GET is neither an event stream nor refused with 405", "response.status", 405, status)


def _accept_honoured(evidence: Evidence) -> Iterator[Fault]:
    """Of a request that takes JSON only."""
    kind = str(_headers(evidence).get("content-type", ""))
    if _status(evidence) == 200 and not kind.lower().startswith("application/json"):
        path = "response.headers.content-type"
        yield Fault("a request that accepts JSON only got something else", path, "application/json", kind)


def _session_visible(evidence: Evidence) -> Iterator[Fault]:
    session = _headers(evidence).get("mcp-session-id", ABSENT)
    if session is not ABSENT and not _VISIBLE.fullmatch(str(session)):
        path = "response.headers.mcp-session-id"
        yield Fault("the session's id holds other than visible ASCII characters", path, actual=session)


def _unknown_session(evidence: Evidence) -> Iterator[Fault]:
    """Of a request with a session that never was, to a server that gives sessions."""
    if not _gives_sessions(evidence):
        return
    status = _status(evidence)
    if status < 400 or "result" in answer_of(evidence):
        yield Fault("a session that does not exist is served", "response.status", 404, status)


def _gives_sessions(evidence: Evidence) -> bool:
    responses = (observation.roots.get("response") for observation in evidence.earlier.values())
    found = (one.get("headers", {}) for one in responses if isinstance(one, dict))
    return any("mcp-session-id" in headers for headers in found)


def _response(evidence: Evidence) -> Mapping[str, Json]:
    """The answer over HTTP. Raises CapabilityMissing where there is no such."""
    response = evidence.observation.roots.get("response")
    if not isinstance(response, dict):
        raise CapabilityMissing("there is no HTTP answer over this way in")
    return response


def _status(evidence: Evidence) -> int:
    return int(_response(evidence).get("status", 0))


def _headers(evidence: Evidence) -> Mapping[str, Json]:
    headers = _response(evidence).get("headers")
    return headers if isinstance(headers, dict) else {}


RULES: Final = (
    Rule(
        "origin-checked",
        "high",
        "A request from another site's page is refused, before anything is carried out.",
        f"{_TRANSPORTS}, Security Warning",
        "breaks: 200 to Origin: http://evil.example\nkeeps:  403",
        SENT,
        _let_in("from the page of another site (Origin)"),
    ),
    Rule(
        "host-checked",
        "low",
        "A request to a name that is not this server's is refused: a page can rebind its own name to it.",
        f"{_TRANSPORTS}, Security Warning",
        "breaks: 200 to Host: evil.example\nkeeps:  403 or 421",
        SENT,
        _let_in("to a foreign host name (Host)"),
    ),
    Rule(
        "version-header-checked",
        "medium",
        "A revision in `MCP-Protocol-Version` that does not exist is refused with 400.",
        "2025-11-25, basic/transports, Protocol Version Header",
        "breaks: 200 to MCP-Protocol-Version: 1999-01-01\nkeeps:  400",
        SENT,
        _refused((400,), "a protocol version that does not exist"),
        since="2025-06-18",
    ),
    Rule(
        "malformed-body-refused",
        "medium",
        "A body that is no JSON is the client's mistake, and no fault of the server.",
        _TRANSPORTS,
        "breaks: 500\nkeeps:  400 with error -32700",
        SENT,
        _is_client_error("a body that is no JSON"),
    ),
    Rule(
        "answer-kind",
        "high",
        "The answer to a request is `application/json` or `text/event-stream`.",
        f"{_TRANSPORTS}, Sending Messages to the Server",
        "breaks: text/plain\nkeeps:  application/json",
        SENT,
        _kind_known,
    ),
    Rule(
        "notification-accepted",
        "medium",
        "A notification is accepted with 202 and no body.",
        f"{_TRANSPORTS}, Sending Messages to the Server",
        "breaks: 200 with {}\nkeeps:  202",
        SENT,
        _notification_accepted,
    ),
    Rule(
        "get-streams-or-refuses",
        "medium",
        "GET gives an event stream, or is refused with 405.",
        f"{_TRANSPORTS}, Listening for Messages from the Server",
        "breaks: 200 with a page of HTML\nkeeps:  405",
        SENT,
        _get_answered,
        until="2025-11-25",
    ),
    Rule(
        "accept-honoured",
        "low",
        "A client that accepts JSON only gets JSON, or is refused with 406.",
        "RFC 9110, 12.5.1",
        "breaks: an event stream to Accept: application/json\nkeeps:  406",
        SENT,
        _accept_honoured,
    ),
    Rule(
        "delete-ends-or-refuses",
        "medium",
        "DELETE ends a session, or is refused: it is no fault of the server.",
        f"{_TRANSPORTS}, Session Management",
        "breaks: 500\nkeeps:  200, 204 or 405",
        SENT,
        _is_client_error("DELETE"),
        until="2025-11-25",
    ),
    Rule(
        "large-body-answered",
        "low",
        "A body of 8 MiB is answered, or refused with 413, and no fault of the server.",
        "RFC 9110, 15.5.14",
        "breaks: 500\nkeeps:  413",
        SENT,
        _is_client_error("a body of 8 MiB"),
    ),
    Rule(
        "session-id-visible",
        "medium",
        "A session's id holds visible ASCII characters only.",
        f"{_TRANSPORTS}, Session Management",
        "breaks: Mcp-Session-Id: a b\nkeeps:  Mcp-Session-Id: 1868a90c",
        SENT,
        _session_visible,
        until="2025-11-25",
    ),
    Rule(
        "unknown-session-refused",
        "high",
        "A server that gives sessions serves none that it did not give.",
        f"{_TRANSPORTS}, Session Management",
        "breaks: a result to Mcp-Session-Id: never-given\nkeeps:  404",
        SENT,
        _unknown_session,
        until="2025-11-25",
    ),
)
