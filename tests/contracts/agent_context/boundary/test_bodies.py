"""Tests for `bodies`: no more is taken in than is wanted (spec B.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pytest

from evalkit.contracts.agent_context.boundary.bodies import (
    MAX_BODY,
    announced,
    check_announced,
    collect,
)
from evalkit.contracts.agent_context.boundary.nouns import Announced, Gone, Unreadable
from evalkit.contracts.agent_context.vocabulary import Json
from tests.contracts.agent_context.boundary.calling import body_events, finish

PLAIN: Final = Announced("application/json", "utf-8", "identity", None)
GONE: Json = {"type": "http.disconnect"}


def collected(events: list[Json], limit: int = 10) -> bytes:
    waiting = list(events)

    async def receive() -> Json:
        return waiting.pop(0)

    taken: bytes = finish(collect(receive, limit).send)
    assert not waiting
    return taken


def refused(found: Unreadable) -> tuple[int, str, str, bool]:
    return found.status, found.code, str(found), found.closes


@pytest.mark.parametrize(
    ("content_type", "media", "charset"),
    [
        ("application/json", "application/json", "utf-8"),
        ("Application/JSON; Charset=UTF-8", "application/json", "utf-8"),
        ('application/json;charset="utf-16le"', "application/json", "utf-16le"),
        ("application/json; boundary=x; charset=latin1", "application/json", "latin1"),
        ("application/json;", "application/json", "utf-8"),
        ("text/plain", "text/plain", "utf-8"),
        ("", "", "utf-8"),
    ],
)
def test_headers_say_what_a_body_is(content_type: str, media: str, charset: str) -> None:
    body = announced("POST", {"content-type": content_type})
    assert body == Announced(media, charset, "identity", None)


def test_a_content_encoding_has_no_case_and_may_be_empty() -> None:
    assert announced("POST", {"content-encoding": "GZIP"}) == Announced("", "utf-8", "gzip", None)
    assert announced("POST", {"content-encoding": ""}) == Announced("", "utf-8", "identity", None)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_method_that_asks_has_a_body_only_where_it_says_so(method: str) -> None:
    assert announced(method, {"content-type": "application/json"}) is None
    assert announced(method, {"content-length": "3"}) == Announced("", "utf-8", "identity", 3)
    assert announced(method, {"transfer-encoding": "chunked"}) == Announced("", "utf-8", "identity", None)


@pytest.mark.parametrize("length", ["", "x", "-1", "+1", "1.0", "1e3", "5, 5", "0x5", "٣", " 5"])
def test_a_length_that_is_no_number_is_refused(length: str) -> None:
    with pytest.raises(Unreadable) as found:
        announced("POST", {"content-length": length})
    assert refused(found.value) == (400, "BAD_REQUEST", "Content-Length is not a number", True)


@pytest.mark.parametrize("length", ["11", "9" * 5000])
def test_a_body_that_says_that_it_is_too_long_is_refused_unread(length: str) -> None:
    body = announced("POST", {"content-length": length})
    assert body is not None
    with pytest.raises(Unreadable) as found:
        check_announced(body, 10)
    assert refused(found.value) == (413, "PAYLOAD_TOO_LARGE", "request entity too large", True)


@pytest.mark.parametrize(
    "body",
    [
        PLAIN,
        PLAIN._replace(length=10),
        PLAIN._replace(charset="utf-16le"),
        PLAIN._replace(encoding="gzip"),
        PLAIN._replace(encoding="deflate"),
    ],
)
def test_what_can_be_read_is_not_refused(body: Announced) -> None:
    check_announced(body, 10)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"charset": "latin-1"}, "unsupported charset 'latin-1'; known: utf-8, utf-16le"),
        ({"charset": "utf-7"}, "unsupported charset 'utf-7'; known: utf-8, utf-16le"),
        ({"charset": "utf8"}, "unsupported charset 'utf8'; known: utf-8, utf-16le"),
        ({"charset": ""}, "unsupported charset ''; known: utf-8, utf-16le"),
        ({"encoding": "br"}, "unsupported content encoding 'br'; known: identity, gzip, deflate"),
        (
            {"encoding": "gzip, gzip"},
            "unsupported content encoding 'gzip, gzip'; known: identity, gzip, deflate",
        ),
        (
            {"charset": "x" * 41},
            f"unsupported charset '{'x' * 40}'; known: utf-8, utf-16le",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_unread(changed: Mapping[str, str], text: str) -> None:
    with pytest.raises(Unreadable) as found:
        check_announced(PLAIN._replace(**changed), 10)  # type: ignore[arg-type]
    assert refused(found.value) == (415, "UNSUPPORTED_MEDIA_TYPE", text, False)


def test_what_cannot_be_read_is_told_before_how_long_it_is() -> None:
    with pytest.raises(Unreadable) as found:
        check_announced(PLAIN._replace(charset="x", encoding="y", length=11), 10)
    assert str(found.value).startswith("unsupported charset")


@pytest.mark.parametrize("pieces", [[b"0123456789"], [b"01234", b"", b"56789"], [b"0123456789", b""]])
def test_a_body_comes_whole_or_in_pieces(pieces: list[bytes]) -> None:
    assert collected(body_events(pieces)) == b"0123456789"


def test_an_event_may_leave_out_what_is_empty() -> None:
    assert collected([{"type": "http.request"}]) == b""
    assert collected([{"type": "http.request", "more_body": True}, {"type": "http.request"}]) == b""


@pytest.mark.parametrize(
    "pieces", [[b"01234567890"], [b"01234", b"567890"], [b"0123456789", b"0", b"never read"]]
)
def test_a_body_is_given_up_with_its_first_byte_too_many(pieces: list[bytes]) -> None:
    with pytest.raises(Unreadable) as found:
        collected(body_events(pieces))
    assert refused(found.value) == (413, "PAYLOAD_TOO_LARGE", "request entity too large", True)


def test_the_limit_is_55_megabytes() -> None:
    assert MAX_BODY == 57_671_680


@pytest.mark.parametrize("before", [[], [{"type": "http.request", "body": b"{", "more_body": True}]])
def test_a_client_that_goes_away_is_noticed(before: list[Json]) -> None:
    with pytest.raises(Gone):
        collected([*before, GONE])
