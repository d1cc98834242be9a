"""The same server over Streamable HTTP, virtuous but for one vice: `python -m tests.vices.http_server NAME`.

It prints its URL. `Front.answer` is all that HTTP adds; a vice changes one function or one flag of it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, NamedTuple

from tests.vices.server import HANDSHAKE, Server

Json = Any

PATH: Final = "/mcp"
LONGEST: Final = 4 * 1024 * 1024
_JSON: Final = {"content-type": "application/json"}
_PONG: Final = b'{"jsonrpc": "2.0", "id": 1, "result": {}}'
_LOCAL: Final = re.compile(r"(?:https?://)?(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?")


class Told(NamedTuple):
    """An answer over HTTP."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = {}


class Front:
    """What stands before the server; each check gives a refusal, or nothing."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.checks: dict[str, Callable[[Mapping[str, str], Json], Told | None]] = {
            "origin": lambda headers, message: _foreign(headers.get("origin", "localhost")),
            "host": lambda headers, message: _foreign(headers.get("host", "localhost")),
            "version": self.known_version,
        }
        self.kind = "application/json"
        self.encode: Callable[[str], bytes] = str.encode
        self.malformed = Told(400)
        self.too_large = Told(413)
        self.accepted = Told(202)
        self.other_methods: dict[str, Told] = {"GET": Told(405), "DELETE": Told(405)}
        self.given: dict[str, str] = {}

    def known_version(self, headers: Mapping[str, str], message: Json) -> Told | None:
        told = headers.get("mcp-protocol-version", HANDSHAKE[0])
        return None if told in HANDSHAKE or _method(message) == "initialize" else Told(400)

    def answer(self, headers: Mapping[str, str], body: bytes) -> Told:
        if len(body) > LONGEST:
            return self.too_large
        try:
            message = json.loads(body)
        except ValueError:
            return self.malformed
        for check in self.checks.values():
            if refusal := check(headers, message):
                return refusal
        lines = self.server.answers(body.decode())
        if not lines:
            return self.accepted
        given = self.given if _method(message) == "initialize" else {}
        return Told(200, self.encode(lines[0]), {"content-type": self.kind, **given})


def _method(message: Json) -> Json:
    return message.get("method") if isinstance(message, dict) else None


def _foreign(name: str) -> Told | None:
    return None if _LOCAL.fullmatch(name) else Told(403)


FAULTS: Final[dict[str, tuple[Callable[[Front], object], str]]] = {
    "any page is let in": (lambda front: front.checks.pop("origin"), "origin-checked"),
    "any name is served": (lambda front: front.checks.pop("host"), "host-checked"),
    "any revision in the header": (lambda front: front.checks.pop("version"), "version-header-checked"),
    "a fault of the server for what is no JSON": (
        lambda front: setattr(front, "malformed", Told(500)),
        "malformed-body-refused",
    ),
    "a fault of the server for what is too large": (
        lambda front: setattr(front, "too_large", Told(500)),
        "large-body-answered",
    ),
    "a notification that gets a body": (
        lambda front: setattr(front, "accepted", Told(200, b"{}", _JSON)),
        "notification-accepted",
    ),
    "a page for GET": (
        lambda front: front.other_methods.update(GET=Told(200, b"<p>Hello", {"content-type": "text/html"})),
        "get-streams-or-refuses",
    ),
    "a fault of the server for DELETE": (
        lambda front: front.other_methods.update(DELETE=Told(500)),
        "delete-ends-or-refuses",
    ),
    "sessions that nobody gave are served": (
        lambda front: front.given.update({"mcp-session-id": "abc"}),
        "unknown-session-refused",
    ),
}
"""Each vice, and the rule that finds it."""


def _in_sessions(front: Front) -> None:
    """Sessions, as the revisions with a handshake know them."""
    front.given["mcp-session-id"] = "1868a90c"
    front.checks["session"] = lambda headers, message: (
        None
        if _method(message) == "initialize" or headers.get("mcp-session-id") == "1868a90c"
        else Told(404 if "mcp-session-id" in headers else 400)
    )


def _as_events(front: Front) -> None:
    """Each answer as an event stream of one event; who accepts JSON only is refused."""
    front.kind = "text/event-stream"
    front.encode = lambda line: f": a comment\r\nevent: message\r\ndata: {line}\r\n\r\n".encode()
    front.checks["accept"] = lambda headers, message: (
        None if "text/event-stream" in headers.get("accept", "") else Told(406)
    )


def _events_for_all(front: Front) -> None:
    _as_events(front)
    del front.checks["accept"]


FAULTS["events for who accepts JSON only"] = (_events_for_all, "accept-honoured")


def _spaced_session(front: Front) -> None:
    _in_sessions(front)
    front.given["mcp-session-id"] = "1868 a90c"
    front.checks["session"] = lambda headers, message: (
        None
        if _method(message) == "initialize" or headers.get("mcp-session-id") == "1868 a90c"
        else Told(404)
    )


FAULTS["a session with a space"] = (_spaced_session, "session-id-visible")


def _page(front: Front) -> None:
    """Only what an audit asks by hand, or no client could begin."""
    whole = front.answer

    def answer(headers: Mapping[str, str], body: bytes) -> Told:
        told = whole(headers, body)
        by_hand = b'"tools/list"' in body and json.loads(body)["id"] == 1 and "event" in headers["accept"]
        return told._replace(headers={"content-type": "text/html"}) if by_hand else told

    front.answer = answer  # type: ignore[method-assign]


FAULTS["an answer that says it is a page"] = (_page, "answer-kind")

VIRTUES: Final[dict[str, Callable[[Front], object]]] = {
    "plain": lambda front: None,
    "sessions": _in_sessions,
    "event streams": _as_events,
    "an event stream for GET": lambda front: front.other_methods.update(
        GET=Told(200, b": hello\n\n", {"content-type": "text/event-stream"})
    ),
    "a foreign origin is misdirected": lambda front: front.checks.update(
        origin=lambda headers, message: Told(421) if _foreign(headers.get("origin", "localhost")) else None
    ),
    "a large body is taken": lambda front: setattr(front, "too_large", Told(200, _PONG, _JSON)),
}


def served(front: Front) -> None:
    """Until it is killed."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body at once

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            self._tell(front.answer({name.lower(): value for name, value in self.headers.items()}, body))

        def do_GET(self) -> None:
            self._tell(front.other_methods["GET"])

        def do_DELETE(self) -> None:
            self._tell(front.other_methods["DELETE"])

        def _tell(self, told: Told) -> None:
            self.send_response(told.status)
            for name, value in {**told.headers, "content-length": str(len(told.body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(told.body)

        def log_message(self, *told: object) -> None:
            """Write nothing."""

    opened = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{opened.server_port}{PATH}", flush=True)
    opened.serve_forever()


if __name__ == "__main__":
    made = Front(Server())
    changes = {**VIRTUES, **{name: change for name, (change, _) in FAULTS.items()}}
    changes[sys.argv[1]](made)
    served(made)
