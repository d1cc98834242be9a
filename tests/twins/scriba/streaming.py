"""Twins of the local API whose streams say the wrong thing, begin or go on in the wrong place (spec 6.6)."""

from __future__ import annotations

from typing import Any

from evalkit.contracts.scriba.cursors import read_cursor, write_cursor
from evalkit.contracts.scriba.localapi.frames import STREAM_HEADERS, event_frame, heartbeat
from tests.twins.twin import Twin, twin_of


def _streaming(name: str, *promised_by: str, **change: Any) -> Twin:
    return twin_of("api", name, *promised_by, **change)


def _advancing(cursor: str) -> tuple[bytes, str]:
    """A heartbeat that counts as an event, so that what comes next is missed."""
    further = write_cursor((read_cursor(cursor) or 0) + 1)
    return b"id: %s\n%s" % (further.encode(), heartbeat(cursor)[0]), further


TWINS = (
    _streaming("no stream is let in", "HT15", "HT16", is_admitted=lambda streams, limit: False),
    _streaming("a stream may be kept", "HT15", stream_headers=STREAM_HEADERS[:1]),
    _streaming(
        "a stream is plain text",
        "HT15",
        "HT22",
        stream_headers=((b"content-type", b"text/plain"), *STREAM_HEADERS[1:]),
    ),
    _streaming("a stream begins without a word", "EV06", "HT16", "HT17", opening=b""),
    _streaming("a stream begins with an event", "HT15", opening=b"data: connected\n\n"),
    _streaming(
        "an event has no id",
        "HT09[query]",
        "HT15",
        "HT21",
        "HT22",
        event_frame=lambda cursor, event: event_frame(cursor, event).partition(b"\n")[2],
    ),
    _streaming(
        "an event has no name",
        "HT15",
        event_frame=lambda cursor, event: event_frame(cursor, event).replace(
            b"event: scriba.event.v1\n", b""
        ),
    ),
    _streaming("a heartbeat advances the cursor", "HT16", "HT17", heartbeat=_advancing),
    _streaming("there is no heartbeat", "HT17", "EV06", "EV07", heartbeat=lambda cursor: (b"", cursor)),
    _streaming("a page of a stream has two rows", "HT15", "HT15-long", page_rows=2),
    _streaming(
        "a stream without a cursor begins at zero",
        "HT16",
        "EV06",
        "HT17[tail]",
        first_request=lambda cursor: ("replay", cursor or write_cursor(0)),
    ),
    _streaming("a stream always begins now", "HT09", "HT15", first_request=lambda cursor: ("capture", "")),
    _streaming("every page is waited for", "HT15-long", is_drained=lambda page: True),
    _streaming("a drained page is none", "HT17", is_drained=lambda page: False),
    _streaming(
        "a page that shows nothing is the end",
        "HT21",
        has_progressed=lambda before, page: bool(page["events"]),
    ),
    _streaming("no page leads on", "HT15", "HT15-long", has_progressed=lambda before, page: False),
)
