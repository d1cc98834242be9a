"""Event streams are read alike however they are cut, and whichever line ends they use."""

from __future__ import annotations

import pytest

from evalkit.drivers._events import Event, EventStream

STREAM = (
    b"\xef\xbb\xbfretry: 1500\n"
    b": a comment\n"
    b"id: 1\n"
    b"data:\n"
    b"\n"
    b'data: {"a":\n'
    b"data:  1}\n"
    b"id: 2\n"
    b"\n"
    b"event: ping\n"
    b"data: x\n"
    b"\n"
    b"event: lost\n"
    b"\n"
    b"data\n"
    b"unknown: field\n"
    b"\n"
)
EVENTS = [
    Event("message", b"", "1"),
    Event("message", b'{"a":\n 1}', "2"),
    Event("ping", b"x"),
    Event("message", b""),
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10_000])
@pytest.mark.parametrize("line_end", [b"\n", b"\r", b"\r\n"])
def test_a_stream_is_the_same_however_it_is_cut(line_end: bytes, size: int) -> None:
    whole, stream = STREAM.replace(b"\n", line_end), EventStream()
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    assert [event for piece in pieces for event in stream.feed(piece)] == EVENTS
    assert (stream.last_id, stream.retry, stream.cut_short) == ("2", 1500, False)
    assert stream.comments == [b"a comment"]


def test_an_event_comes_with_the_byte_that_completes_it() -> None:
    stream = EventStream()
    assert list(stream.feed(b"data: x\r")) == []
    assert list(stream.feed(b"\r")) == [Event("message", b"x")]
    assert list(stream.feed(b"\n")) == []


@pytest.mark.parametrize("piece", [b"data: x\n", b"data: x", b"da"])
def test_a_stream_that_ends_within_an_event_is_cut_short_and_gives_none(piece: bytes) -> None:
    stream = EventStream()
    assert list(stream.feed(piece)) == []
    assert stream.cut_short


def test_a_retry_that_is_no_number_and_an_id_with_nul_mean_nothing() -> None:
    stream = EventStream()
    assert list(stream.feed(b"retry: soon\nid: \0\nretry: 99999999999999\n\n")) == []
    assert (stream.last_id, stream.retry) == (None, 999999)


def test_an_id_belongs_to_its_own_event_and_is_the_last_one_all_the_same() -> None:
    stream = EventStream()
    assert list(stream.feed(b"id: 5\n\ndata: x\n\n")) == [Event("message", b"x")]
    assert stream.last_id == "5"
