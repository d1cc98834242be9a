"""Takes in the body of a request as bytes, as far as it is wanted and no further (spec B.1, B.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .nouns import CHARSETS, ENCODINGS, Announced, Gone, Receive, Unreadable, too_large

MAX_BODY: Final = 55 * 1024 * 1024
"""Bytes, on the wire and unpacked."""

_BODILESS: Final = ("GET", "HEAD")
_LONGEST_NUMBER: Final = 15
_LONGEST_ECHO: Final = 40


def announced(method: str, headers: Mapping[str, str]) -> Announced | None:
    """What body a request announces; None for one without. Unreadable where its length is no number."""
    length = headers.get("content-length")
    if length is None and method in _BODILESS and "transfer-encoding" not in headers:
        return None
    media, _, parameters = headers.get("content-type", "").partition(";")
    return Announced(
        media.strip().lower(),
        _charset(parameters) if parameters else "utf-8",
        (headers.get("content-encoding") or "identity").lower(),
        None if length is None else _length(length),
    )


def check_announced(body: Announced, limit: int) -> None:
    """Refuse, before a byte is read, what could not be read or is longer than `limit` bytes."""
    if body.charset not in CHARSETS:
        raise _unsupported("charset", body.charset, CHARSETS)
    if body.encoding not in ENCODINGS:
        raise _unsupported("content encoding", body.encoding, ENCODINGS)
    if body.length is not None and body.length > limit:
        raise too_large()


async def collect(receive: Receive, limit: int) -> bytes:
    """All bytes of a body. Unreadable as soon as they are more than `limit`; Gone where the client goes."""
    event = await receive()
    if event["type"] == "http.request" and not event.get("more_body"):
        whole: bytes = event.get("body", b"")
        if len(whole) > limit:
            raise too_large()
        return whole
    # One growing buffer: a list of many tiny pieces would take far more than the limit.
    taken = bytearray()
    while event["type"] == "http.request":
        taken += event.get("body", b"")
        if len(taken) > limit:
            raise too_large()
        if not event.get("more_body"):
            return bytes(taken)
        event = await receive()
    raise Gone


def _charset(parameters: str) -> str:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip('"').lower()
    return "utf-8"


def _length(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise Unreadable(400, "BAD_REQUEST", "Content-Length is not a number", closes=True)
    return int(text) if len(text) <= _LONGEST_NUMBER else 10**_LONGEST_NUMBER


def _unsupported(what: str, found: str, known: Mapping[str, object]) -> Unreadable:
    text = f"unsupported {what} {found[:_LONGEST_ECHO]!r}; known: {', '.join(known)}"
    return Unreadable(415, "UNSUPPORTED_MEDIA_TYPE", text)
