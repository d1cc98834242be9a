"""One HTTP exchange as values, and the one method with which a transport makes it, in memory or live."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple, Protocol, TypeAlias

from evalkit.errors import CaseError
from evalkit.model import Json
from evalkit.values import encode

Header: TypeAlias = tuple[bytes, bytes]
Headers: TypeAlias = tuple[Header, ...]

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of one body that are read; a longer one is an error, however it is sent."""

_BREAKS: Final = re.compile("[\r\n\0]")
_HAS_A_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
_IN_A_TARGET: Final = bytes(range(0x21, 0x7F))
_IN_A_QUERY: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class Chunks(Protocol):
    """A body, piece by piece; a generator is one. Closing it hangs up."""

    def __iter__(self) -> Iterator[bytes]: ...
    def __next__(self) -> bytes: ...
    def close(self) -> None: ...


class Tapped:
    """A body that keeps in `pieces` what has been read of it, so that a break loses none of that."""

    __slots__ = ("_chunks", "pieces")

    def __init__(self, chunks: Chunks) -> None:
        """Begin before the first piece."""
        self._chunks = chunks
        self.pieces: list[bytes] = []

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = next(self._chunks)
        self.pieces.append(piece)
        return piece

    def close(self) -> None:
        self._chunks.close()


class NothingMore(Exception):
    """What a body raises in place of further pieces when the request's `within` is over."""


class Request(NamedTuple):
    """What is sent. `target` is the path and query as they go out; header names keep order, case, repeats.

    `peer` is the address from which it seems to come, in memory only; None is whoever calls by default.
    `within`, where it is said, is how many seconds from now the head of the answer, and then its body, is
    waited for: a body raises NothingMore then, or in memory as soon as it is clear that nothing can come.
    """

    method: str
    target: bytes
    headers: Headers = ()
    body: bytes = b""
    peer: str | None = None
    within: float | None = None


class Response(NamedTuple):
    """What comes back: the head, then the body."""

    status: int
    headers: Headers
    chunks: Chunks


class Transport(Protocol):
    """What carries exchanges; memory and network are both just this."""

    def send(self, request: Request) -> Response:
        """Send a request and wait for the head of its answer.

        Raises CaseError where there is none, CapabilityMissing for a peer that cannot be chosen. Whatever
        an app in memory raises goes through.
        """

    def close(self) -> None:
        """Let go of what was opened."""


def target_of(path: str, query: Mapping[str, Json] | None = None) -> bytes:
    """A path as it is written, with what no request line can hold percent-encoded, and its query behind it.

    A list repeats its key; a value that is no text is written as JSON, null as nothing.
    """
    target = path.encode(errors="surrogatepass")
    if target.translate(None, _IN_A_TARGET):
        target = _escaped(target, frozenset(_IN_A_TARGET))
    if not query:
        return target
    pairs = (
        (name, value)
        for name, values in query.items()
        for value in (values if isinstance(values, list) else (values,))
    )
    added = b"&".join(_query_text(name) + b"=" + _query_text(value) for name, value in pairs)
    return target + (b"&" if b"?" in target else b"?") + added


def headers_of(defaults: Headers, said: Mapping[str, str] | None) -> Headers:
    """What a step says, before it the defaults whose names it does not say. Empty text is sent empty."""
    if not said:
        return defaults
    own = tuple((name.encode(errors="surrogatepass"), _header_bytes(name, said[name])) for name in said)
    names = {name.lower() for name, _ in own}
    return (*(one for one in defaults if one[0] not in names), *own)


def completed(request: Request, host: bytes) -> Headers:
    """The headers with those that HTTP needs, where they are not said: `host`, and the body's length."""
    names = [name.lower() for name, _ in request.headers]
    before = () if b"host" in names else ((b"host", host),)
    if not request.body and request.method not in _HAS_A_BODY:
        return (*before, *request.headers)
    if b"content-length" in names or b"transfer-encoding" in names:
        return (*before, *request.headers)
    return (*before, *request.headers, (b"content-length", b"%d" % len(request.body)))


def header(headers: Iterable[Header], name: bytes) -> str:
    """The first value of a header, by its lower-case name; empty where there is none."""
    return next((value.decode("latin-1") for key, value in headers if key.lower() == name), "")


def body_of(response: Response) -> bytes:
    """The whole body. Raises CaseError for one that is larger than LARGEST."""
    pieces, size = [], 0
    try:
        for chunk in response.chunks:
            size += len(chunk)
            check_size(size)
            pieces.append(chunk)
    finally:
        response.chunks.close()
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def check_size(size: int) -> None:
    """Raise CaseError where so many bytes of a body are too many."""
    if size > LARGEST:
        raise CaseError("protocol", f"the answer's body is larger than {LARGEST} bytes")


def _header_bytes(name: str, value: str) -> bytes:
    if _BREAKS.search(name) or _BREAKS.search(value):
        raise CaseError(
            "unsendable", f"the header {name!r} holds a line break or NUL, which HTTP cannot carry"
        )
    return value.encode(errors="surrogatepass")


def _query_text(value: Json) -> bytes:
    text = "" if value is None else value if isinstance(value, str) else encode(value)
    return _escaped(text.encode(errors="surrogatepass"), _IN_A_QUERY)


def _escaped(text: bytes, kept: frozenset[int]) -> bytes:
    return b"".join(b"%c" % one if one in kept else b"%%%02X" % one for one in text)
