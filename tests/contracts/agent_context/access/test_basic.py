"""Tests for `basic`: the password in a Basic header, whoever the user is."""

from __future__ import annotations

import base64

import pytest

from evalkit.contracts.agent_context.access.basic import basic_password


def encoded(text: bytes) -> str:
    return base64.b64encode(text).decode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("user:word", "word"),
        (":word", "word"),
        ("user:with:colons:", "with:colons:"),
        ("word", "word"),
        ("üser:wörd€", "wörd€"),
        ("user: word ", " word "),
        ("user:", None),
        (":", None),
        ("", None),
    ],
)
def test_the_password_is_what_follows_the_first_colon(text: str, expected: str | None) -> None:
    assert basic_password(f"Basic {encoded(text.encode())}") == expected


@pytest.mark.parametrize("header", ["basic {}", "BASIC {}", "  Basic   {}  "])
def test_the_scheme_is_written_in_any_case(header: str) -> None:
    assert basic_password(header.format(encoded(b"user:word"))) == "word"


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Basic",
        "Basic ",
        "Basic !!!",
        "Basic user:word",
        "Basic dXNlcjp3b3Jk!!",
        "Basic dXNlcjp3b3Jk dXNlcjp3b3Jk",
        "Basic dXNlcjp3b3I",
        "Basic é",
        f"Basic {encoded(bytes((255, 254, 58, 97)))}",
        f"Bearer {encoded(b'user:word')}",
        f"Basic{encoded(b'user:word')}",
    ],
)
def test_what_is_no_base64_of_text_is_no_credential(header: str) -> None:
    assert basic_password(header) is None
