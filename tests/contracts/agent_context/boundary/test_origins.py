"""Tests for `origins`: only pages of this machine may call (spec B.3, portos-cases h-origin-*)."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.boundary.origins import is_loopback_origin
from evalkit.contracts.agent_context.boundary.peers import is_loopback


@pytest.mark.parametrize(
    "origin",
    [
        *("http://localhost", "http://LOCALHOST", "https://localhost:5555", "http://[::1]:9"),
        *("http://127.0.0.1", "http://127.9.9.9", "http://2130706433", "http://0x7f.1"),
        *("chrome-extension://localhost", "app://localhost", "http://user@localhost"),
    ],
)
def test_a_page_of_this_machine_may_call(origin: str) -> None:
    assert is_loopback_origin(origin, is_loopback)


@pytest.mark.parametrize(
    "origin",
    [
        *(
            "null",
            "https://example.com",
            "http://localhost.evil.com",
            "http://sub.localhost",
            "http://0.0.0.0",
        ),
        *("file://", "notaurl", "http://user@localhost@evil.com", "http://[::ffff:127.0.0.1]", "*", " "),
        *(
            "http://localhost, http://evil.example",
            "http://localhost/, http://evil.example",
            "http://evil.example/http://localhost",
            "http://localhost.",
        ),
        *("http://evil.example#localhost", "http://evil.example\\@localhost", "http://128.0.0.1"),
    ],
)
def test_no_other_page_may_call(origin: str) -> None:
    assert not is_loopback_origin(origin, is_loopback)


def test_a_zone_cannot_hide_the_rest_of_a_host() -> None:
    assert not is_loopback_origin("app://localhost%.evil.example", is_loopback)


def test_origins_pass_the_test_of_addresses_that_is_given() -> None:
    assert not is_loopback_origin("http://localhost", lambda host: host == "127.0.0.1")
    assert is_loopback_origin("http://0x7f.1", lambda host: host == "127.0.0.1")
