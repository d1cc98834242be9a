"""Tests for `tokens`: which token a request shows, and how it is kept and sent back."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.access.tokens import (
    LIFETIME_SECONDS,
    ended_cookie,
    hash_token,
    is_live,
    presented_token,
    session_cookie,
)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("portos_auth=abc", "abc"),
        ("theme=dark; portos_auth=abc; x=1", "abc"),
        ("theme=dark;portos_auth=abc", "abc"),
        (" portos_auth = abc ", "abc"),
        ("portos_auth=a=b", "a=b"),
        ("portos_auth=a%2Fb%3d", "a/b="),
        ("portos_auth=%C3%A9", "é"),
        ("portos_auth=one; portos_auth=two", "one"),
        ("portos_auth=", None),
        ("PORTOS_AUTH=abc", None),
        ("xportos_auth=abc", None),
        ("portos_auth", None),
        ("", None),
    ],
)
def test_a_token_comes_in_the_cookie(header: str, expected: str | None) -> None:
    assert presented_token({"cookie": header}) == expected


@pytest.mark.parametrize("value", ["%E0", "%", "%4", "%zz", "abc%", "%+1", "%C3%28", "%ED%A0%80", "%FF"])
def test_a_malformed_escape_is_no_cookie(value: str) -> None:
    assert presented_token({"cookie": f"portos_auth={value}"}) is None
    assert presented_token({"cookie": f"portos_auth={value}", "authorization": "Bearer good"}) == "good"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Bearer abc", "abc"),
        ("bearer abc", "abc"),
        ("BEARER abc", "abc"),
        ("  Bearer    abc  ", "abc"),
        ("Bearer a b", "a b"),
        ("Bearer", None),
        ("Bearer ", None),
        ("Bearerabc", None),
        ("Token abc", None),
        ("Basic abc", None),
        ("abc", None),
        ("", None),
    ],
)
def test_a_token_comes_as_a_bearer(header: str, expected: str | None) -> None:
    assert presented_token({"authorization": header}) == expected


def test_a_cookie_hides_a_bearer() -> None:
    assert presented_token({"cookie": "portos_auth=bad", "authorization": "Bearer good"}) == "bad"


def test_another_cookie_hides_nothing() -> None:
    assert presented_token({"cookie": "portos_auth=; x=bad", "authorization": "Bearer good"}) == "good"


def test_nothing_shows_nothing() -> None:
    assert presented_token({}) is None


def test_a_token_is_kept_as_its_sha256() -> None:
    # FIPS 180-2, B.1: SHA-256 of abc.
    assert hash_token("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_any_text_can_be_hashed() -> None:
    assert hash_token("\ud800") != hash_token("\ud801")


@pytest.mark.parametrize(
    ("expires_at", "expected"), [(None, False), (99, False), (100, False), (100.1, True)]
)
def test_a_session_is_live_before_its_end(expires_at: float | None, expected: bool) -> None:
    assert is_live(expires_at, 100) is expected


def test_a_session_lasts_for_thirty_days() -> None:
    assert LIFETIME_SECONDS == 2_592_000


def test_no_script_and_no_other_site_gets_the_cookie() -> None:
    assert session_cookie("a-b_1") == "portos_auth=a-b_1; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"


def test_the_cookie_ends_at_once() -> None:
    assert ended_cookie() == "portos_auth=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"


@pytest.mark.parametrize("token", ["abc", "a b;c=d,e", 'x"y\r\nSet-Cookie: z', "é%E0", "1.2~3"])
def test_a_token_comes_back_as_it_was_sent(token: str) -> None:
    sent = session_cookie(token).split("; ")[0]
    assert sent.isascii()
    assert not set(sent) & set('\r\n ",;')
    assert presented_token({"cookie": sent}) == token
