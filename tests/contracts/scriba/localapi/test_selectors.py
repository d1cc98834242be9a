"""Tests for `selectors`: what of a query and of headers is taken, and what is refused (spec 6.5)."""

from __future__ import annotations

import pytest

from evalkit.contracts.scriba.localapi.nouns import Head, Refusal
from evalkit.contracts.scriba.localapi.selectors import cursor_of, profile_of


def head(query: bytes = b"", *cursors: bytes) -> Head:
    headers = [(b"host", b"x"), *((b"last-event-id", cursor) for cursor in cursors)]
    return Head("GET", "/v1/events", query, tuple(headers))


@pytest.mark.parametrize(
    ("query", "profile"),
    [
        (b"", None),
        (b"cursor=x", None),
        (b"Profile=x", None),
        (b"profile=work", "work"),
        (b"profile=UPPER", "UPPER"),
        (b"a=1&profile=w%6frk&b", "work"),
        (b"pro%66ile=work", "work"),
        (b"&&profile=a=b&&", "a=b"),
        (b"profile=a+b", "a b"),
        (b"profile=%ff", "\udcff"),
        (b"profile=\xc3\xa9", "é"),
        (b"profile=\x1cwork", "\x1cwork"),
    ],
)
def test_a_profile_is_taken_as_it_is_decoded(query: bytes, profile: str | None) -> None:
    assert profile_of(head(query)) == profile


@pytest.mark.parametrize(
    "query",
    [
        b"profile=",
        b"profile",
        b"profile=%20work",
        b"profile=work%20",
        b"profile=+work",
        b"profile=work%09",
        b"profile=work%C2%A0",
        b"profile=%E2%80%8Awork",
        b"profile=a&profile=b",
        b"profile=a&profile=a",
        b"profile=work;bad=x",
        b"profile=work&bad=;",
        b";",
        b"profile=%zz",
        b"bad=%1",
        b"bad%=1",
    ],
)
def test_a_profile_that_is_not_one_plain_value_is_refused(query: bytes) -> None:
    """HT06."""
    with pytest.raises(Refusal, match=r"^invalid_profile$"):
        profile_of(head(query))


@pytest.mark.parametrize(
    ("asked", "cursor"),
    [
        (head(), None),
        (head(b"cursor=v1.01"), "v1.01"),
        (head(b"", b"v1.01"), "v1.01"),
        (head(b"cursor=a", b"a"), "a"),
        (head(b"cursor=a%2e1", b"a.1"), "a.1"),
        (head(b"cursor=a;b"), None),
        (head(b"profile=;&cursor=a"), "a"),
    ],
)
def test_a_cursor_is_taken_from_header_or_query(asked: Head, cursor: str | None) -> None:
    """HT09."""
    assert cursor_of(asked) == cursor


@pytest.mark.parametrize(
    "asked",
    [
        head(b"cursor=a&cursor=a"),
        head(b"", b"a", b"a"),
        head(b"cursor=a&cursor=b", b"a"),
        head(b"cursor="),
        head(b"cursor"),
        head(b"", b""),
        head(b"cursor=%20a"),
        head(b"cursor=a+"),
        head(b"", b"a "),
        head(b"cursor=a", b""),
    ],
)
def test_a_cursor_that_is_not_one_plain_value_is_refused(asked: Head) -> None:
    """HT10."""
    with pytest.raises(Refusal, match=r"^invalid_cursor$"):
        cursor_of(asked)


def test_a_header_and_a_query_that_differ_are_refused() -> None:
    """HT09."""
    with pytest.raises(Refusal, match=r"^cursor_disagreement$"):
        cursor_of(head(b"cursor=a", b"b"))
