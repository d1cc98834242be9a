"""Drives a surface by single HTTP requests, sent as the step writes them.

A step's `path`, header names and their order go out as they are. Added is only what HTTP needs: `host`, the
length of a body, and `content-type: application/json` beside `json`, each unless the step says it.
Without `method` a request with a body is a POST, another a GET.
"""

from __future__ import annotations

from binascii import Error as NotBase64
from binascii import a2b_base64
from collections.abc import Mapping
from typing import Final

from evalkit.drivers._answers import told_of
from evalkit.drivers._exchange import Headers, Request, Transport, body_of, headers_of, target_of
from evalkit.drivers._transports import open_transport
from evalkit.errors import CaseError
from evalkit.model import Call, Json, Observation, Session
from evalkit.values import quick_json

OPERATIONS: Final = frozenset({"http"})

_JSON: Final[Headers] = ((b"content-type", b"application/json"),)
_BODIES: Final = ("json", "body", "bytes")


def open(surface: object) -> Session:  # noqa: A001  every driver opens
    """Open an AppSurface or an Address."""
    return _HttpSession(open_transport(surface))


class _HttpSession:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def send(self, call: Call) -> Observation:
        """Make one exchange."""
        response = self._transport.send(_request(call.words))
        body = body_of(response)
        root, raw = told_of(response.status, response.headers, body)
        return Observation({"response": root}, raw)

    def close(self) -> None:
        """Close the transport."""
        self._transport.close()


def _request(words: Mapping[str, Json]) -> Request:
    body = _body(words)
    return Request(
        words.get("method") or ("GET" if body is None else "POST"),
        target_of(words["path"], words.get("query")),
        headers_of(_JSON if "json" in words else (), words.get("headers")),
        body or b"",
        words.get("client"),
    )


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
