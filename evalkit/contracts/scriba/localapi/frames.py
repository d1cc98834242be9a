"""The bytes of an event stream, and where a stream goes on after a page (spec 6.6)."""

from __future__ import annotations

from typing import Final

from .nouns import Json, Pairs

STREAM_HEADERS: Final[Pairs] = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache"),
    (b"x-content-type-options", b"nosniff"),
)

OPENING: Final = b": connected\n\n"

PAGE_ROWS: Final = 1
"""Rows that a page of a stream scans: only so has every event a cursor of its own."""

_HEARTBEAT: Final = b": heartbeat\n\n"
_EXPIRED: Final = b'event: cursor_expired\ndata: {"reasonCode":"cursor_expired"}\n\n'


def event_frame(cursor: str, event: bytes) -> bytes:
    """The frame of one event; `cursor` is where a client that has it continues."""
    return b"id: %s\nevent: scriba.event.v1\ndata: %s\n\n" % (cursor.encode(), event)


def heartbeat(cursor: str) -> tuple[bytes, str]:
    """The frame of a heartbeat, and where the stream continues after it: where it was."""
    return _HEARTBEAT, cursor


def last_frame(code: str) -> bytes:
    """What is still said to a client whose stream fails with this code; mostly nothing."""
    return _EXPIRED if code == "cursor_expired" else b""


def first_request(cursor: str | None) -> tuple[str, str]:
    """Mode and cursor of the first page: after the client's cursor, or from now on."""
    return ("capture", "") if cursor is None else ("replay", cursor)


def is_drained(page: Json) -> bool:
    """Whether nothing was waiting behind this page when it was read."""
    return bool(page["cursor"]["next"] == page["cursor"]["highWater"])


def has_progressed(before: str, page: Json) -> bool:
    """Whether a page asked for at `before` leads on; one that does not would be asked for without an end."""
    return bool(page["cursor"]["next"] != before)


def is_admitted(streams: int, limit: int) -> bool:
    """Whether one more stream may be opened beside so many."""
    return streams < limit
