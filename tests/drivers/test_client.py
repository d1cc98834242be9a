"""Exchanges over real sockets: the bytes that go out, and every way in which an answer can fail to come."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import chain, repeat

import pytest

from evalkit.deadline import deadline
from evalkit.drivers._client import Network, is_loopback
from evalkit.drivers._exchange import LARGEST, Request, body_of
from evalkit.drivers._transports import open_transport
from evalkit.errors import CapabilityMissing, CaseError, OutOfTime
from evalkit.surfaces import Address
from tests.drivers.wires import Seen, Socket, Told, Wire, chunked, served

GET = Request("GET", b"/")
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@contextmanager
def network(url: str, patience: float = 30.0) -> Iterator[Network]:
    with closing(Network(Address(url), patience)) as transport:
        yield transport


def test_an_address_is_reached_by_the_network() -> None:
    with closing(open_transport(Address("http://127.0.0.1:9"))) as transport:
        assert isinstance(transport, Network)


def test_a_request_goes_out_byte_for_byte_with_nothing_added_that_http_does_not_need() -> None:
    headers = ((b"X-Case", b"\xe9"), (b"x-case", b"2"), (b"Origin", b""))
    with Socket((OK + b"Content-Length: 0\r\n\r\n",)) as server, network(f"{server.url}/under") as transport:
        body_of(transport.send(Request("pOsT", b"//a/../b%2e?q=%zz", headers, b"hi")))
        host = b"127.0.0.1:%d" % server.port
    assert server.heard == [
        b"pOsT /under//a/../b%2e?q=%zz HTTP/1.1\r\nhost: " + host + b"\r\n"
        b"X-Case: \xe9\r\nx-case: 2\r\nOrigin: \r\ncontent-length: 2\r\n\r\nhi"
    ]


def test_an_answer_comes_as_it_was_sent() -> None:
    answer = b"HTTP/1.1 302 Elsewhere\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nLocation: /y\r\n"
    with (
        Socket((answer + b"Content-Length: 3\r\n\r\n\xff\x00x",)) as server,
        network(server.url) as transport,
    ):
        response = transport.send(GET)
        assert response.status == 302
        names = [name for name, _ in response.headers]
        assert names == [b"Set-Cookie", b"set-cookie", b"Location", b"Content-Length"]
        assert body_of(response) == b"\xff\x00x"
    assert len(server.heard) == 1


def test_a_body_comes_piece_by_piece_while_the_answer_is_open() -> None:
    first, rest = CHUNKED + chunked(b"one"), chunked(b"two") + b"0\r\n\r\n"
    with Socket((first, rest)) as server, network(server.url) as transport:
        response = transport.send(GET)
        assert next(response.chunks) == b"one"
        assert list(response.chunks) == [b"two"]


@pytest.mark.parametrize("read", [True, False])
def test_hanging_up_closes_the_connection_whether_or_not_anything_was_read(read: bool) -> None:
    connections = ((CHUNKED + chunked(b"x"), None), (CHUNKED + b"0\r\n\r\n",))
    with Socket(*connections) as server, network(server.url) as transport:
        response = transport.send(GET)
        if read:
            next(response.chunks)
        response.chunks.close()
        assert body_of(transport.send(GET)) == b""
    assert len(server.heard) == 2


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_a_port_where_nobody_listens_is_a_failed_connection(host: str) -> None:
    with network(f"http://{host}:{unused_port()}") as transport:
        for _ in range(2):
            with pytest.raises(CaseError, match=r"refused|address") as problem:
                transport.send(GET)
            assert problem.value.code == "connection-failed"


@pytest.mark.parametrize(
    "url", ["http://[::1", "ftp://127.0.0.1", "127.0.0.1:80/x", "http://127.0.0.1:99999"]
)
def test_what_is_no_address_is_a_failed_connection(url: str) -> None:
    with pytest.raises(CaseError) as problem, network(url) as transport:
        transport.send(GET)
    assert problem.value.code == "connection-failed"


@pytest.mark.parametrize(
    ("pieces", "code"),
    [
        ((b"",), "protocol"),
        ((b"HTTP/1.1 200",), "protocol"),
        ((b"no http at all\r\n\r\n",), "protocol"),
        ((OK + b"Content-Length: 9\r\n\r\nhalf",), "protocol"),
        ((CHUNKED + chunked(b"x"),), "protocol"),
        ((CHUNKED + b"zz\r\n",), "protocol"),
        ((OK + b"X: " + b"y" * 500_000 + b"\r\n\r\n",), "protocol"),
    ],
    ids=["nothing", "half a line", "no HTTP", "half a body", "half of chunks", "no chunk", "header flood"],
)
def test_half_an_answer_is_none(pieces: tuple[bytes, ...], code: str) -> None:
    with Socket(pieces) as server, network(server.url) as transport, pytest.raises(CaseError) as problem:
        body_of(transport.send(GET))
    assert problem.value.code == code


def test_a_body_larger_than_the_limit_is_an_error() -> None:
    pieces = (CHUNKED, *[chunked(b"x" * (LARGEST // 4))] * 4, chunked(b"x"))
    with Socket(pieces) as server, network(server.url) as transport, pytest.raises(CaseError, match="larger"):
        body_of(transport.send(GET))


@pytest.mark.parametrize(
    "request_",
    [
        Request("GET", b"/", ((b"bad name", b""),)),
        Request("GET", b"/", ((b"a", b"b\x0b"),)),
    ],
)
def test_what_http_cannot_carry_is_said_to_be_so(request_: Request) -> None:
    with served(Wire(lambda seen: Told())) as url, network(url) as transport:
        with pytest.raises(CaseError) as problem:
            transport.send(request_)
        assert problem.value.code == "unsendable"
        assert body_of(transport.send(GET)) == b""


@pytest.mark.parametrize("length", [b"5", b"3"])
def test_a_length_that_is_not_the_bodys_can_be_said_in_memory_only(length: bytes) -> None:
    request = Request("POST", b"/", ((b"content-length", length),), b"four")
    with network("http://127.0.0.1:9") as transport, pytest.raises(CapabilityMissing, match="content-length"):
        transport.send(request)


def test_nobody_chooses_the_peer_of_a_socket() -> None:
    with network("http://127.0.0.1:9") as transport, pytest.raises(CapabilityMissing, match="address"):
        transport.send(Request("GET", b"/", peer="::1"))


@pytest.mark.parametrize(
    "pieces",
    [(None,), (OK + b"Content-Length: 9\r\n\r\n", None), (CHUNKED + chunked(b"x"), None)],
    ids=["no head", "no body", "a stream that falls silent"],
)
def test_a_server_that_falls_silent_runs_into_the_deadline_of_the_case(pieces: tuple[bytes | None]) -> None:
    started = time.monotonic()
    with Socket(pieces) as server, pytest.raises(OutOfTime), deadline(0.1), network(server.url) as transport:
        body_of(transport.send(GET))
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    "pieces", [(None,), (OK + b"Content-Length: 9\r\n\r\n", None)], ids=["no head", "no body"]
)
def test_without_a_deadline_patience_ends_too(pieces: tuple[bytes | None]) -> None:
    with Socket(pieces) as server, network(server.url, 0.1) as transport, pytest.raises(OutOfTime):
        body_of(transport.send(GET))


def test_a_body_that_never_ends_runs_out_of_patience_though_the_server_is_never_silent() -> None:
    endless = chain((CHUNKED,), repeat(chunked(b"x")))
    with Socket(endless) as server, network(server.url, 0.05) as transport, pytest.raises(OutOfTime):
        body_of(transport.send(GET))


@pytest.mark.parametrize("host", ["::1", "127.0.0.1"])
def test_localhost_is_found_in_either_family(host: str) -> None:
    with (
        Socket((OK + b"Content-Length: 4\r\n\r\nhere",), host=host) as server,
        network(f"http://localhost:{server.port}") as transport,
    ):
        assert body_of(transport.send(GET)) == b"here"
    assert b"host: localhost:%d" % server.port in server.heard[0]


def test_no_proxy_stands_before_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with served(Wire(lambda seen: Told(body=b"direct"))) as url, network(url) as transport:
        assert body_of(transport.send(GET)) == b"direct"


def test_a_proxy_of_the_environment_is_used_for_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    with Socket((OK + b"Content-Length: 0\r\n\r\n",)) as proxy:
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("http_proxy", proxy.url)
        with network("http://server.example") as transport:
            body_of(transport.send(Request("GET", b"/x?y=1")))
    assert proxy.heard[0].startswith(b"GET http://server.example/x?y=1 HTTP/1.1\r\n")


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True),
        ("a.localhost", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("10.0.0.1", False),
        ("localhost.example", False),
    ],
)
def test_this_machine_is_known_by_name_and_number(host: str, here: bool) -> None:
    assert is_loopback(host) is here


def test_one_connection_serves_many_exchanges() -> None:
    def port_of(seen: Seen) -> Told:
        return Told(body=str(seen.scope["client"][1]).encode())

    with served(Wire(port_of)) as url, network(url) as transport:
        assert len({body_of(transport.send(GET)) for _ in range(5)}) == 1
