"""Tests for `peers`: only the other end of the connection says who calls."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.boundary.peers import caller, is_loopback
from evalkit.contracts.agent_context.exchange import Head


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.9.9.9", "127.255.255.255", "127.0.0.0", "127.001.02.3"),
        *("::1", "::1%lo0", "[::1]", "[::1%lo0]", "localhost", "LOCALHOST"),
        *("::ffff:127.0.0.1", "::FFFF:127.9.9.9", "[::ffff:127.0.0.1]"),
    ],
)
def test_this_machine_is_known_by_every_address_it_has(address: str) -> None:
    assert is_loopback(address)


@pytest.mark.parametrize(
    "address",
    [
        *("", "192.0.2.10", "0.0.0.0", "127.1", "127.0.0.999", "127.0.0.256", "127.0.0.1.1", "127.0.0"),
        *("128.0.0.1", "27.0.0.1", "1127.0.0.1", "127.0.0.0001", "127.0.0.x", "127.0.0.1 ", "127.0.0.1\n"),
        *("::", "::2", "::ffff:7f00:1", "::ffff:192.0.2.1", "0:0:0:0:0:0:0:1", "fe80::1"),
        *("localhost.", "sub.localhost", "localhost.evil.com", "[[::1]]", "127.0.0.١", "unix:"),
    ],
)
def test_no_other_address_is_this_machine(address: str) -> None:
    assert not is_loopback(address)


def test_no_header_says_who_calls() -> None:
    forged = {
        "x-forwarded-for": "127.0.0.1",
        "forwarded": "for=127.0.0.1",
        "x-real-ip": "127.0.0.1",
    }
    assert caller(Head("GET", "/", "", forged, "192.0.2.10")) == "192.0.2.10"
