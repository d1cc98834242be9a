"""What no client should send, over real sockets: each is answered or dropped, and the server goes on."""

from __future__ import annotations

import gzip
import json
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serving.serving import ENDPOINT, Client, Server, serving, settings_file

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
HEAD = (
    f"POST {ENDPOINT} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
).encode()
SECONDS = 20


@pytest.fixture(name="server", scope="module")
def server_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all of them: it has to survive each."""
    folder = tmp_path_factory.mktemp("served")
    with serving("--demo", "--settings", settings_file(folder)) as server:
        yield server
        server.stop(signal.SIGTERM)
        assert server.process.returncode == 0


@pytest.fixture(autouse=True)
def still_well(server: Server) -> Iterator[None]:
    """After each, an ordinary call is answered."""
    yield
    client = Client(server.port)
    assert client.call("time_now", {})["structuredContent"]["state"] == "completed"
    client.close()


def sent(server: Server, *pieces: bytes, half_closed: bool = False) -> bytes:
    """All that comes back until the server closes, or says how long its answer is."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as connection:
        for piece in pieces:
            try:
                connection.sendall(piece)
            except (BrokenPipeError, ConnectionResetError):
                break
        if half_closed:
            connection.shutdown(socket.SHUT_WR)
        return received(connection)


def received(connection: socket.socket) -> bytes:
    answer = b""
    try:
        while not is_whole(answer) and (more := connection.recv(65536)):
            answer += more
    except ConnectionResetError:
        pass
    return answer


def is_whole(answer: bytes) -> bool:
    head, end, body = answer.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(end and lengths) and len(body) >= int(lengths[0].partition(b":")[2])


def status(answer: bytes) -> int:
    assert answer.startswith(b"HTTP/1.1 "), answer[:200]
    return int(answer.split(b" ", 2)[1])


def with_length(body: bytes, *headers: bytes) -> bytes:
    lines = b"".join(header + b"\r\n" for header in headers)
    return HEAD + lines + b"Content-Length: %d\r\n\r\n" % len(body) + body


def chunked(body: bytes) -> Iterator[bytes]:
    yield HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    for start in range(0, len(body), 1 << 20):
        piece = body[start : start + (1 << 20)]
        yield b"%x\r\n" % len(piece) + piece + b"\r\n"
    yield b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("body", "headers", "wanted"),
    [
        (PING, (), 200),
        (b"\xef\xbb\xbf" + PING, (), 200),
        (gzip.compress(PING, mtime=0), (b"Content-Encoding: gzip",), 200),
        (b"", (), 400),
        (PING[:-1], (), 400),
        (b'{"a":"\xff"}', (), 400),
        (b"[" * 100_000, (), 400),
        (b'{"a":' * 100_000, (), 400),
        (b"not gzip", (b"Content-Encoding: gzip",), 400),
        (gzip.compress(PING, mtime=0)[:-5], (b"Content-Encoding: gzip",), 400),
        (gzip.compress(b" " * (60 << 20), mtime=0), (b"Content-Encoding: gzip",), 413),
        (PING, (b"Content-Encoding: br",), 415),
    ],
    ids=[
        "ping",
        "bom",
        "gzip",
        "empty",
        "byte-short",
        "not-utf8",
        "deep-lists",
        "deep-objects",
        "no-gzip",
        "cut-gzip",
        "gzip-bomb",
        "unknown-encoding",
    ],
)
def test_a_body_is_answered_by_what_it_is(
    server: Server, body: bytes, headers: tuple[bytes, ...], wanted: int
) -> None:
    assert status(sent(server, with_length(body, *headers))) == wanted


def test_a_body_too_large_is_refused_by_what_it_says_of_its_length(server: Server) -> None:
    assert status(sent(server, HEAD + b"Content-Length: 62914560\r\n\r\n")) == 413


def test_a_body_too_large_that_says_nothing_of_its_length_is_refused_while_it_is_read(server: Server) -> None:
    assert status(sent(server, *chunked(b" " * (60 << 20)))) == 413


def test_headers_of_64_kilobytes_are_refused(server: Server) -> None:
    answer = sent(server, HEAD + b"X-Long: " + b"x" * (64 << 10) + b"\r\nContent-Length: 2\r\n\r\n{}")
    assert status(answer) in (400, 431)


@pytest.mark.parametrize(
    "request_line",
    [b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00"],
    ids=["bytes", "no-path", "tls"],
)
def test_what_is_no_http_is_refused_or_dropped(server: Server, request_line: bytes) -> None:
    answer = sent(server, request_line, half_closed=True)
    assert answer == b"" or status(answer) == 400


def test_a_connection_closed_on_one_side_in_the_middle_of_a_body_is_let_go(server: Server) -> None:
    answer = sent(server, HEAD + b"Content-Length: 40\r\n\r\n" + PING[:10], half_closed=True)
    assert answer == b"" or status(answer) == 400


def test_a_request_closed_on_one_side_after_its_end_is_answered(server: Server) -> None:
    assert status(sent(server, with_length(PING, b"Connection: close"), half_closed=True)) == 200


def test_two_requests_in_one_piece_are_both_answered(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as connection:
        connection.sendall(with_length(PING) + with_length(PING, b"Connection: close"))
        answer = b""
        while more := connection.recv(65536):
            answer += more
    assert answer.count(b"HTTP/1.1 200") == 2


def test_a_thousand_idle_connections_keep_nobody_out(server: Server) -> None:
    idle = []
    try:
        for _ in range(1000):
            idle.append(socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS))
        client = Client(server.port)
        assert client.call("time_now", {})["structuredContent"]["state"] == "completed"
        client.close()
    finally:
        for connection in idle:
            connection.close()


@pytest.mark.slow
def test_a_body_that_does_not_come_is_not_waited_for_beyond_the_deadline(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(HEAD + b"Content-Length: 40\r\n\r\n{")
        answer = received(connection)
    assert status(answer) == 408


def test_a_secret_of_the_store_reaches_no_log(tmp_path: Path) -> None:
    canary = "canary-" + "7" * 12
    with serving("--demo", "--settings", settings_file(tmp_path)) as server:
        client = Client(server.port)
        assert client.call("brain_capture", {"text": canary})["structuredContent"]["state"] == "completed"
        assert canary in json.dumps(client.call("brain_recent", {}))
        sent(server, with_length(b'{"text": "' + canary.encode()))
        sent(server, f"GET /api/cos/tools?intent={canary} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        client.close()
        server.process.send_signal(signal.SIGTERM)
        out, err = server.process.communicate(timeout=SECONDS)
    assert canary.encode() not in server.told + out + err
