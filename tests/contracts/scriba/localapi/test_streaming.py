"""Tests for `streaming` and `frames` in memory, where waiting takes no time (spec 6.6)."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.contracts.scriba.localapi.app import make_app
from evalkit.contracts.scriba.localapi.nouns import Limits
from evalkit.contracts.scriba.localapi.rules import API
from evalkit.contracts.scriba.localapi.streaming import imagined
from evalkit.contracts.scriba.nouns import PageUnavailable
from tests.contracts.scriba.localapi.calling import HEARTBEAT, OPENING, Exchange
from tests.contracts.scriba.localapi.tiny_ledger import TinyLedger, cursor

EXPIRED = b'event: cursor_expired\ndata: {"reasonCode":"cursor_expired"}\n\n'


def frame(number: int, event: str) -> bytes:
    text = f'id: {cursor(number)}\nevent: scriba.event.v1\ndata: {{"id":"{event}"}}\n\n'
    return text.encode()


def replay(ledger: TinyLedger, after: int = 0, **more: Any) -> Exchange:
    return Exchange(make_app(ledger, **more), f"/v1/events?cursor={cursor(after)}")


def test_a_stream_has_these_headers_and_no_length() -> None:
    stream = Exchange(make_app(TinyLedger()), "/v1/events")
    assert stream.status == 200
    assert stream.headers == {
        "content-type": "text/event-stream",
        "cache-control": "no-cache",
        "x-content-type-options": "nosniff",
    }
    stream.hang_up()


def test_a_replay_gives_the_backlog_in_order_with_the_cursors_of_one_row_pages() -> None:
    """HT15, HT21, HT22: the third row is another account's."""
    ledger = TinyLedger("p1", "p2", None, "p4")
    stream = replay(ledger)
    assert stream.rest() == [OPENING, frame(1, "p1"), frame(2, "p2"), frame(4, "p4"), HEARTBEAT]
    assert ledger.asked[:4] == [("replay", cursor(number), 1, None) for number in range(4)]


def test_the_backlog_waits_for_no_poll() -> None:
    stream = replay(TinyLedger("p1", "p2"), limits=Limits(poll_seconds=1e9))
    assert [stream.next() for _ in range(4)] == [OPENING, frame(1, "p1"), frame(2, "p2"), HEARTBEAT]
    stream.hang_up()


def test_a_stream_without_a_cursor_begins_now_and_gives_what_comes() -> None:
    """HT16."""
    ledger = TinyLedger("p1")
    stream = Exchange(make_app(ledger), "/v1/events?profile=work")
    assert stream.next() == OPENING
    ledger.add("p2")
    ledger.add("p3")
    assert stream.rest() == [frame(2, "p2"), frame(3, "p3"), HEARTBEAT]
    assert ledger.asked[:4] == [
        ("capture", "", 1, "work"),
        ("replay", cursor(1), 1, "work"),
        ("replay", cursor(2), 1, "work"),
        ("replay", cursor(3), 1, "work"),
    ]


def test_an_empty_ledger_is_a_stream_too() -> None:
    ledger = TinyLedger()
    stream = Exchange(make_app(ledger), "/v1/events")
    assert stream.next() == OPENING
    ledger.add("p1")
    assert stream.next() == frame(1, "p1")
    stream.hang_up()


def test_idle_time_is_polled_every_interval_and_has_a_heartbeat_every_fifteen_seconds() -> None:
    """HT17: in 50 seconds there are 3 heartbeats; 99 polls, since at the hundredth the client is gone."""
    ledger = TinyLedger("p1")
    stream = Exchange(make_app(ledger, attend=imagined(50.0)), "/v1/events")
    assert stream.rest() == [OPENING, HEARTBEAT, HEARTBEAT, HEARTBEAT]
    assert len(ledger.asked) == 1 + 99


def test_a_heartbeat_never_moves_the_cursor() -> None:
    ledger = TinyLedger("p1")
    stream = replay(ledger, attend=imagined(1000.0))
    assert [stream.next(), stream.next(), stream.next()] == [OPENING, frame(1, "p1"), HEARTBEAT]
    ledger.add("p2")
    assert stream.next() == frame(2, "p2")
    stream.hang_up()
    assert {after for _, after, _, _ in ledger.asked} == {cursor(0), cursor(1)}


def test_a_heartbeat_that_moved_the_cursor_would_be_seen() -> None:
    ledger = TinyLedger("p1")
    moving = API._replace(heartbeat=lambda at: (HEARTBEAT, cursor(int(at[3:], 16) + 1)))
    stream = replay(ledger, rules=moving, attend=imagined(1000.0))
    for _ in range(3):
        stream.next()
    ledger.add("p2")
    assert stream.next() == HEARTBEAT
    stream.hang_up()


def test_a_client_that_comes_back_with_its_last_id_gets_only_what_is_later() -> None:
    """HT18."""
    ledger = TinyLedger("p1", "p2", None, "p4")
    stream = Exchange(make_app(ledger), "/v1/events", ("Last-Event-ID", cursor(2)))
    assert stream.rest() == [OPENING, frame(4, "p4"), HEARTBEAT]


def test_a_header_and_a_query_that_agree_are_one_cursor() -> None:
    """HT09."""
    app = make_app(TinyLedger("p1", "p2"))
    stream = Exchange(app, f"/v1/events?cursor={cursor(1)}", ("last-event-id", cursor(1)))
    assert stream.rest() == [OPENING, frame(2, "p2"), HEARTBEAT]


def test_a_cursor_that_expires_during_the_stream_ends_it_with_a_frame_that_has_no_id() -> None:
    """HT20."""
    ledger = TinyLedger("p1")
    stream = replay(ledger)
    assert [stream.next(), stream.next()] == [OPENING, frame(1, "p1")]
    ledger.add("p2")
    ledger.floor = 2
    assert stream.rest() == [EXPIRED]
    assert stream.sent[-1].get("more_body", False) is False


@pytest.mark.parametrize("problem", [PageUnavailable("read_error"), OSError("/home"), TimeoutError()])
def test_any_other_failure_during_the_stream_just_closes(problem: Exception) -> None:
    ledger = TinyLedger("p1")
    stream = replay(ledger)
    assert [stream.next(), stream.next()] == [OPENING, frame(1, "p1")]
    ledger.failure = problem
    assert stream.rest() == []
    assert stream.sent[-1].get("more_body", False) is False


def test_a_page_that_leads_nowhere_closes_the_stream() -> None:
    class Stuck(TinyLedger):
        def _page(self, mode: str, after: str, limit: int) -> Any:
            assert len(self.asked) < 9
            return {"events": [], "cursor": {"next": after, "highWater": cursor(9)}}

    ledger = Stuck()
    assert replay(ledger, after=1).rest() == [OPENING]
    assert len(ledger.asked) == 1


def test_rows_that_show_nothing_are_passed_without_a_word() -> None:
    ledger = TinyLedger(*[None] * 50, "p51")
    assert replay(ledger).rest() == [OPENING, frame(51, "p51"), HEARTBEAT]


def test_text_of_an_event_is_escaped_as_go_does_and_never_ends_a_line() -> None:
    assert replay(TinyLedger("a<b>&\n\u2028")).rest()[1] == (
        b"id: v1.0000000000000001\nevent: scriba.event.v1\n"
        b'data: {"id":"a\\u003cb\\u003e\\u0026\\n\\u2028"}\n\n'
    )


def test_a_client_that_has_hung_up_ends_its_stream_quietly() -> None:
    async def send(message: Any) -> None:
        raise OSError("the client has hung up")

    async def receive() -> Any:
        raise AssertionError

    app = make_app(TinyLedger("p1"), limits=Limits(streams=1))
    scope = {"type": "http", "method": "GET", "path": "/v1/events", "query_string": b"", "headers": []}
    for _ in range(2):
        with pytest.raises(StopIteration):
            app(scope, receive, send).__await__().__next__()
    assert Exchange(app, "/v1/events").status == 200
