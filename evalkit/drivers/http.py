"""Drives a surface by single HTTP requests and event streams, sent as the step writes them.

A step's `path`, header names and their order go out as they are. Added is only what HTTP needs: `host`, the
length of a body, and `content-type: application/json` beside `json`, each unless the step says it.
Without `method` a request with a body is a POST, another a GET.
A stream is asked for with `accept: text/event-stream`, and read until `until` says, or the server ends it:
`response.ended` is `events`, `within` or `server`, and `response.comments` has its comments and heartbeats.
An event has an `id` where it says one itself.
A tool is called by the request that the surface says: a status below 300 gives its result, and one from 400
on a failure.
"""

from __future__ import annotations

from binascii import Error as NotBase64
from binascii import a2b_base64
from collections.abc import Mapping
from time import monotonic
from typing import Final, cast

from evalkit.drivers._answers import raw_of, told_of
from evalkit.drivers._exchange import (
    Headers,
    Request,
    Response,
    Tapped,
    Transport,
    body_of,
    headers_of,
    target_of,
)
from evalkit.drivers._keeping import keeping
from evalkit.drivers._spoken import TOOL, Answer, SpokenSession
from evalkit.drivers._streamed import read_events
from evalkit.drivers._transports import open_transport
from evalkit.errors import CaseError
from evalkit.model import Call, Json, Observation, Session
from evalkit.surfaces import Address, AppSurface
from evalkit.values import ABSENT, quick_json

OPERATIONS: Final = frozenset({"http", "sse", TOOL})

_JSON: Final[Headers] = ((b"content-type", b"application/json"),)
_STREAM: Final[Headers] = ((b"accept", b"text/event-stream"),)
_BODIES: Final = ("json", "body", "bytes")


def open(surface: object) -> Session:  # noqa: A001  every driver opens
    """Open an AppSurface or an Address."""
    request_of = cast("AppSurface | Address", surface).request_of
    return SpokenSession(_HttpSession(open_transport(surface)), "http", request_of, _answer_of)


class _HttpSession:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def send(self, call: Call) -> Observation:
        """Make one exchange, or read one stream."""
        return self._streamed(call.words) if call.operation == "sse" else self._exchanged(call.words)

    def close(self) -> None:
        """Close the transport."""
        self._transport.close()

    def _exchanged(self, words: Mapping[str, Json]) -> Observation:
        response, chunks = self._sent(_request(words))
        with keeping(lambda: raw_of(response.headers, b"".join(chunks.pieces))):
            body = body_of(response)
        root, raw = told_of(response.status, response.headers, body)
        return Observation({"response": root}, raw)

    def _streamed(self, words: Mapping[str, Json]) -> Observation:
        until, begun = words.get("until", {}), monotonic()
        response, chunks = self._sent(_stream_request(words)._replace(within=until.get("within")))
        with keeping(lambda: raw_of(response.headers, b"".join(chunks.pieces))):
            seen = read_events(response, until, begun)
        root, raw = told_of(response.status, response.headers, b"".join(chunks.pieces))
        root |= {"comments": seen.comments, "ended": seen.ended}
        return Observation({"events": seen.events, "response": root}, raw)

    def _sent(self, request: Request) -> tuple[Response, Tapped]:
        """The answer, and what keeps the pieces of its body as they are read."""
        response = self._transport.send(request)
        chunks = Tapped(response.chunks)
        return response._replace(chunks=chunks), chunks


def _request(words: Mapping[str, Json], defaults: Headers = ()) -> Request:
    body = _body(words)
    return Request(
        words.get("method") or ("GET" if body is None else "POST"),
        target_of(words["path"], words.get("query")),
        headers_of((*defaults, *_JSON) if "json" in words else defaults, words.get("headers")),
        body or b"",
        words.get("client"),
    )


def _stream_request(words: Mapping[str, Json]) -> Request:
    """`lastEventId` goes out beside what the step says itself, so that a step can say it twice."""
    again = {"last-event-id": words["lastEventId"]} if "lastEventId" in words else {}
    return _request({**words, "headers": {**again, **words.get("headers", {})}}, _STREAM)


def _answer_of(roots: Mapping[str, Json]) -> Answer | None:
    """What an answer says of a tool call; nothing where it points elsewhere."""
    response = roots["response"]
    if response["status"] >= 400:
        return Answer(failed=True)
    return Answer(False, response.get("json", ABSENT)) if response["status"] < 300 else None


def _body(words: Mapping[str, Json]) -> bytes | None:
    said = [word for word in _BODIES if word in words]
    if len(said) > 1:
        raise CaseError("unsendable", f"a request has one body, and the step says {' and '.join(said)}")
    if "json" in words:
        return quick_json(words["json"])
    if "body" in words:
        return str(words["body"]).encode(errors="surrogatepass")
    if "bytes" not in words:
        return None
    try:
        return a2b_base64(words["bytes"], strict_mode=True)
    except (NotBase64, ValueError) as problem:
        raise CaseError("unsendable", f"`bytes` is no base64: {problem}") from None
