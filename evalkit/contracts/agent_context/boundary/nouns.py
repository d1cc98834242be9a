"""The values that pass between the rules of the boundary (spec B)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from ..vocabulary import Json

Receive: TypeAlias = Callable[[], Awaitable[Json]]
"""ASGI's `receive`: the next event of a request."""

Parse: TypeAlias = Callable[[str], Json]
"""The text of a body → what it says, or Unreadable."""

Headers: TypeAlias = tuple[tuple[str, str], ...]

CHARSETS: Final[Mapping[str, str]] = {"utf-8": "utf-8", "utf-16le": "utf-16-le"}
"""Each charset that is read, and Python's name for it."""

ENCODINGS: Final[Mapping[str, int]] = {"identity": 0, "gzip": 31, "deflate": 15}
"""Each content encoding that is read, and the window bits by which zlib knows it; 0 is not packed."""


class Announced(NamedTuple):
    """What the headers say of a body, in lower case. `length` is in bytes, None where it is not said."""

    media: str
    charset: str
    encoding: str
    length: int | None


class Envelope(NamedTuple):
    """One JSON-RPC message. `params` is None where there are none; only a request has an `id`."""

    kind: Literal["request", "notification", "response"]
    id: Json = None
    method: str = ""
    params: Json = None


class Unreadable(Exception):
    """A body that is refused: status, code and text of the answer (spec B.1).

    `closes`: the rest of the body is not waited for, so the connection has to end.
    """

    def __init__(
        self, status: int, code: str, text: str, *, context: Json = None, closes: bool = False
    ) -> None:
        self.status = status
        self.code = code
        self.context = context
        self.closes = closes
        super().__init__(text)


class Gone(Exception):
    """The client went away before its body was complete: nobody is left to answer."""


def too_large(text: str = "request entity too large") -> Unreadable:
    """More than is taken in."""
    return Unreadable(413, "PAYLOAD_TOO_LARGE", text, closes=True)


def malformed(text: str) -> Unreadable:
    """A body that is not what it says it is."""
    return Unreadable(400, "BAD_REQUEST", text, context={"originalError": "SyntaxError"})
