"""What is listened on is this machine's own, and nobody else's already."""

from __future__ import annotations

import asyncio
import socket

import pytest

from evalkit.contracts.agent_context.server.endings import CannotMean, CannotServe
from evalkit.contracts.agent_context.server.listening import address_of, listen, loopback


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.9.9.9", "127.9.9.9"),
        ("127.255.255.254", "127.255.255.254"),
        ("::1", "::1"),
        ("[::1]", "::1"),
        ("0:0:0:0:0:0:0:1", "::1"),
        ("localhost", "127.0.0.1"),
        ("LocalHost", "127.0.0.1"),
    ],
)
def test_a_loopback_host_is_taken(host: str, address: str) -> None:
    assert loopback(host) == address


@pytest.mark.parametrize(
    "host",
    [
        *("0.0.0.0", "::", "", "192.168.1.2", "10.0.0.1", "8.8.8.8", "128.0.0.1", "126.255.255.255"),
        *("::ffff:127.0.0.1", "::ffff:7f00:1", "fe80::1", "::2", "::1%lo"),
        *(
            "example.org",
            "localhost.evil.com",
            "sub.localhost",
            "127.1",
            "2130706433",
            "0x7f.1",
            "127.0.0.01",
        ),
    ],
)
def test_any_other_host_is_refused_with_the_reason(host: str) -> None:
    with pytest.raises(CannotMean, match=r"is no loopback address.*give 127\.0\.0\.1, ::1 or localhost"):
        loopback(host)


def test_port_0_gives_one_that_is_free() -> None:
    with listen("127.0.0.1", 0) as one, listen("127.0.0.1", 0) as other:
        assert one.getsockname()[1] != other.getsockname()[1]
        with socket.create_connection(one.getsockname(), timeout=10):
            pass


def test_small_answers_go_out_without_delay() -> None:
    """With Nagle's algorithm an answer in two pieces takes 40 ms more."""

    async def option_of_a_connection() -> int:
        found: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted = writer.get_extra_info("socket")
            found.set_result(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = listen("127.0.0.1", 0)
        async with await asyncio.start_server(connected, sock=listening):
            with socket.create_connection(listening.getsockname(), timeout=10):
                return await found

    assert asyncio.run(option_of_a_connection()) == 1


def test_a_port_in_use_is_told_with_the_remedy() -> None:
    with listen("127.0.0.1", 0) as one:
        port = one.getsockname()[1]
        with pytest.raises(
            CannotServe, match=rf"127\.0\.0\.1:{port} cannot be listened on: .*another --port"
        ):
            listen("127.0.0.1", port)


def test_an_address_is_written_as_in_a_url() -> None:
    assert address_of("127.0.0.1", 80) == "127.0.0.1:80"
    assert address_of("::1", 80) == "[::1]:80"
