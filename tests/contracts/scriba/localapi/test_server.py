"""Tests for `server` over real sockets: bytes, streams, limits, and how it ends (spec 6.2, 6.3, 6.6)."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalkit.contracts.scriba.localapi.nouns import Limits
from tests.contracts.scriba.localapi.calling import HEARTBEAT, OPENING
from tests.contracts.scriba.localapi.reaching import (
    QUICK,
    SECONDS,
    Connection,
    Reader,
    ask,
    connect,
    opened_soon,
    rest,
    send,
    served,
)
from tests.contracts.scriba.localapi.tiny_ledger import TinyLedger, cursor

ROOT = Path(__file__).parents[4]
HEALTH = (
    b'{"schemaVersion":"scriba.local.health.v1","status":"ok",'
    b'"contextVersion":"scriba.context.v1","eventVersion":"scriba.events.v1"}\n'
)
GET = b"GET /v1/health HTTP/1.1\r\nHost: x\r\n"


def frame(number: int, event: str) -> bytes:
    return f'id: {cursor(number)}\nevent: scriba.event.v1\ndata: {{"id":"{event}"}}\n\n'.encode()


class Slow(TinyLedger):
    """A ledger whose reads wait until they are let go."""

    def __init__(self) -> None:
        super().__init__("p1")
        self.go = threading.Event()

    def context(self, profile: str | None) -> Any:
        self.go.wait(SECONDS)
        return super().context(profile)


def test_the_three_routes_answer_over_the_socket(folder: Path) -> None:
    with served(folder, TinyLedger("p1")) as server:
        assert ask(server.path, "/v1/health") == (200, HEALTH)
        assert ask(server.path, "/v1/context?profile=work") == (
            200,
            b'{"schemaVersion":"scriba.context.v1","profile":"work"}\n',
        )
        assert ask(server.path, "/v1/context", "HEAD") == (405, b"")
        assert ask(server.path, "/v1/nope", "POST")[0] == 404
        with Reader(server.path, f"/v1/events?cursor={cursor(0)}") as reader:
            assert [reader.frame(), reader.frame()] == [OPENING, frame(1, "p1")]


def test_one_connection_takes_many_requests(folder: Path) -> None:
    with served(folder, TinyLedger()) as server, contextlib.closing(Connection(server.path)) as connection:
        for _ in range(3):
            connection.request("GET", "/v1/health")
            assert connection.getresponse().read() == HEALTH
            first = connection.sock
        connection.request("GET", "/v1/nope")
        assert connection.getresponse().read() == b'{"error":{"code":"not_found"}}\n'
        assert connection.sock is first


def test_a_stream_has_the_headers_of_the_specification(folder: Path) -> None:
    with served(folder, TinyLedger()) as server, Reader(server.path) as reader:
        assert reader.response.getheader("Content-Type") == "text/event-stream"
        assert reader.response.getheader("Cache-Control") == "no-cache"
        assert reader.response.getheader("X-Content-Type-Options") == "nosniff"
        assert reader.response.getheader("Server") is None


def test_a_tail_gets_what_is_written_and_heartbeats_in_between(folder: Path) -> None:
    """HT16, HT17."""
    ledger = TinyLedger("p1")
    limits = QUICK._replace(heartbeat_seconds=0.05)
    with served(folder, ledger, limits) as server, Reader(server.path) as reader:
        assert [reader.frame(), reader.frame(), reader.frame()] == [OPENING, HEARTBEAT, HEARTBEAT]
        ledger.add("p2")
        frames = iter(reader.frame, frame(2, "p2"))
        assert set(frames) <= {HEARTBEAT}


def test_a_client_that_comes_and_goes_has_every_event_once_and_in_order(folder: Path) -> None:
    """HT18: while a writer appends, by hand and by row, with rows of others in between."""
    count = 400
    ledger = TinyLedger()

    def write() -> None:
        for number in range(1, count + 1):
            ledger.add(f"p{number}" if number % 3 else None)

    writer = threading.Thread(target=write)
    found: list[bytes] = []
    with served(folder, ledger, QUICK._replace(streams=2)) as server:
        writer.start()
        last = cursor(0)
        wanted = [number for number in range(1, count + 1) if number % 3]
        while len(found) < len(wanted):
            with opened_soon(server.path, last=last) as reader:
                assert reader.frame() == OPENING
                for _ in range(min(17, len(wanted) - len(found))):
                    found.append(reader.frame())
                last = found[-1].split(b"\n")[0].removeprefix(b"id: ").decode()
        writer.join()
    assert found == [frame(number, f"p{number}") for number in wanted]


def test_an_expired_cursor_is_gone_before_any_header_of_a_stream(folder: Path) -> None:
    """HT13."""
    ledger = TinyLedger("p1", "p2")
    ledger.floor = 2
    with served(folder, ledger) as server:
        text = (
            b"GET /v1/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\nLast-Event-ID: " + cursor(1).encode()
        )
        with send(server.path, text + b"\r\n\r\n") as opened:
            head, _, body = rest(opened).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 410 ")
    assert b"event-stream" not in head
    assert body == b'{"error":{"code":"cursor_expired"}}\n'


def test_a_stream_that_expires_says_so_and_ends(folder: Path) -> None:
    """HT20."""
    ledger = TinyLedger("p1")
    with served(folder, ledger) as server, Reader(server.path) as reader:
        assert reader.frame() == OPENING
        ledger.floor = 9
        assert reader.frame() == b'event: cursor_expired\ndata: {"reasonCode":"cursor_expired"}\n\n'
        assert reader.frame() == b""


def test_header_lines_of_one_name_are_told_apart(folder: Path) -> None:
    """HT10."""
    twice = f"Last-Event-ID: {cursor(0)}\r\n".encode() * 2
    with served(folder, TinyLedger()) as server:
        text = b"GET /v1/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + twice + b"\r\n"
        with send(server.path, text) as opened:
            assert rest(opened).endswith(b'\r\n\r\n{"error":{"code":"invalid_cursor"}}\n')


def test_a_body_is_refused_without_being_waited_for(folder: Path) -> None:
    """HT03."""
    with served(folder, TinyLedger()) as server:
        for announced in (b"Content-Length: 1000000", b"Transfer-Encoding: chunked"):
            with send(server.path, GET + announced + b"\r\n\r\n") as opened:
                answer = rest(opened)
            assert answer.startswith(b"HTTP/1.1 400 ")
            assert answer.endswith(b'\r\n\r\n{"error":{"code":"request_body_not_allowed"}}\n')


def test_the_slot_of_a_client_that_leaves_is_free_soon(folder: Path) -> None:
    """HT19: long before a poll or a heartbeat would notice."""
    limits = Limits(streams=1, poll_seconds=600.0, heartbeat_seconds=600.0)
    with served(folder, TinyLedger("p1"), limits) as server:
        with Reader(server.path) as reader:
            assert reader.frame() == OPENING
            assert ask(server.path, "/v1/events") == (503, b'{"error":{"code":"stream_limit_reached"}}\n')
            assert ask(server.path, "/v1/context")[0] == 200
        with opened_soon(server.path) as reader:
            assert reader.frame() == OPENING


def test_a_reader_that_takes_nothing_is_dropped(folder: Path) -> None:
    ledger = TinyLedger()
    for number in range(64):
        ledger.add(f"p{number}", size=64 * 1024)
    limits = QUICK._replace(streams=1, write_seconds=0.1)
    text = f"GET /v1/events?cursor={cursor(0)} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    with served(folder, ledger, limits) as server, send(server.path, text) as lazy:
        lazy.recv(1)
        with opened_soon(server.path) as reader:
            assert reader.frame() == OPENING
        assert not rest(lazy).endswith(b"\r\n0\r\n\r\n")
        read = {int(after[3:], 16) for mode, after, _, _ in ledger.asked if mode == "replay"}
        assert max(read - {64}) < 32, "nothing is read ahead of a reader that takes nothing"


def test_a_reader_that_leaves_a_part_of_one_frame_is_dropped(folder: Path) -> None:
    """The system holds most of it, and what the server holds is little."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        held_by_the_system = ours.send(bytes(1 << 24))
    ledger = TinyLedger()
    ledger.add("p1", size=held_by_the_system + 16 * 1024)
    limits = Limits(streams=1, write_seconds=0.1, poll_seconds=600.0, heartbeat_seconds=600.0)
    text = f"GET /v1/events?cursor={cursor(0)} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    with served(folder, ledger, limits) as server, send(server.path, text) as lazy:
        lazy.recv(1)
        with opened_soon(server.path) as reader:
            assert reader.frame() == OPENING


def test_a_head_that_does_not_come_ends_its_connection(folder: Path) -> None:
    limits = QUICK._replace(head_seconds=0.05)
    with served(folder, TinyLedger(), limits) as server:
        for half in (b"", b"G", GET, GET + b"A: b\r\n"):
            with send(server.path, half) as opened:
                assert rest(opened) == b""
        assert ask(server.path, "/v1/health") == (200, HEALTH)


def test_an_idle_connection_ends(folder: Path) -> None:
    with (
        served(folder, TinyLedger(), QUICK._replace(idle_seconds=0)) as server,
        send(server.path, GET + b"\r\n") as opened,
    ):
        assert rest(opened).endswith(HEALTH)


def test_a_head_that_is_too_long_is_refused(folder: Path) -> None:
    long = GET + b"X-Long: " + b"a" * 17_000
    with served(folder, TinyLedger()) as server:
        for text in (long, long + b"\r\n\r\n"):
            with send(server.path, text) as opened:
                assert re.match(rb"HTTP/1\.1 4(00|31) ", rest(opened))
        assert ask(server.path, "/v1/health") == (200, HEALTH)


def test_what_is_no_http_is_refused(folder: Path) -> None:
    with served(folder, TinyLedger()) as server:
        with send(server.path, b"\x16\x03\x01 nonsense\r\n\r\n") as opened:
            assert rest(opened).startswith(b"HTTP/1.1 400 ")
        assert server.told == ["Invalid HTTP request received."]


def test_the_operator_is_told_of_a_fault_once_and_by_its_kind_alone(folder: Path) -> None:
    ledger = TinyLedger()
    ledger.failure = OSError("/home/somebody/store.sqlite")
    with served(folder, ledger) as server:
        for _ in range(3):
            assert ask(server.path, "/v1/context")[0] == 503
        assert ask(server.path, "/v1/context?profile=")[0] == 400
        assert server.told == ["a read failed: OSError"]


def test_a_client_that_has_only_stopped_sending_is_answered(folder: Path) -> None:
    ledger = Slow()
    with served(folder, ledger) as server, connect(server.path) as opened:
        opened.sendall(b"GET /v1/context HTTP/1.1\r\nHost: x\r\n\r\n")
        opened.shutdown(socket.SHUT_WR)
        ledger.go.set()
        assert rest(opened).endswith(b'{"schemaVersion":"scriba.context.v1","profile":"personal"}\n')


def test_a_read_that_hangs_is_given_up_and_holds_up_nobody(folder: Path) -> None:
    ledger = Slow()
    with served(folder, ledger, QUICK._replace(read_seconds=0.2)) as server:
        hanging = send(server.path, b"GET /v1/context HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert ask(server.path, "/v1/health") == (200, HEALTH)
        with hanging:
            assert rest(hanging).endswith(b'\r\n\r\n{"error":{"code":"context_unavailable"}}\n')
        server.stop()
        ledger.go.set()


def test_a_stop_ends_streams_in_order_and_removes_the_socket(folder: Path) -> None:
    limits = Limits(poll_seconds=600.0, heartbeat_seconds=600.0)
    with served(folder, TinyLedger("p1"), limits) as server:
        with send(server.path, b"GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n") as opened:
            while not (text := opened.recv(65536)).endswith(OPENING + b"\r\n"):
                assert text
            server.stop()
            assert rest(opened) == b"0\r\n\r\n"
        assert not server.path.exists()
        assert [entry.name for entry in server.path.parent.iterdir()] == ["context.sock.lock"]
        assert server.told == []


def test_a_stop_waits_for_no_reader_that_takes_nothing(folder: Path) -> None:
    ledger = TinyLedger()
    for number in range(64):
        ledger.add(f"p{number}", size=64 * 1024)
    limits = QUICK._replace(write_seconds=600.0, stop_seconds=1)
    text = f"GET /v1/events?cursor={cursor(0)} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    with served(folder, ledger, limits) as server, send(server.path, text) as lazy:
        lazy.recv(1)
        server.stop()
        assert not server.path.exists()


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux tells what a process listens on")
def test_nothing_listens_on_tcp(folder: Path) -> None:
    with started(folder) as process:
        inodes = set()
        for entry in Path(f"/proc/{process.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                inodes |= set(re.findall(r"socket:\[(\d+)\]", os.readlink(entry)))
        assert inodes, "it listens somewhere"
        for table in ("tcp", "tcp6", "udp", "udp6"):
            lines = Path(f"/proc/{process.pid}/net/{table}").read_text().splitlines()[1:]
            assert not inodes & {line.split()[9] for line in lines}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_is_a_clean_end_and_the_next_start_works_at_once(folder: Path, number: int) -> None:
    path = folder / "own" / "context.sock"
    for _ in range(2):
        with started(folder) as process:
            assert stat.S_IMODE(path.lstat().st_mode) == 0o600
            with Reader(path) as reader:
                assert reader.frame() == OPENING
                process.send_signal(number)
                assert reader.frame() == b""
            assert process.wait(SECONDS) == 0
            assert process.communicate() == (b"", b"")
        assert [entry.name for entry in path.parent.iterdir()] == ["context.sock.lock"]


def test_a_read_that_hangs_does_not_keep_the_process(folder: Path) -> None:
    with started(folder) as process:
        assert ask(folder / "own" / "context.sock", "/v1/context")[0] == 503
        process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS) == 0


def test_a_server_that_was_killed_is_followed_by_one_that_recovers(folder: Path) -> None:
    """LS05."""
    path = folder / "own" / "context.sock"
    with started(folder) as process:
        process.kill()
        process.wait(SECONDS)
    assert path.is_socket()
    with started(folder):
        assert ask(path, "/v1/health") == (200, HEALTH)


def test_a_second_process_is_refused_and_the_first_goes_on(folder: Path) -> None:
    """LS04."""
    with started(folder):
        second = launch(folder)
        assert second.communicate(timeout=SECONDS) == (b"", b"refused: AlreadyServed\n")
        assert second.returncode == 1
        assert ask(folder / "own" / "context.sock", "/v1/health") == (200, HEALTH)


def launch(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.contracts.scriba.localapi.serving"]
    return subprocess.Popen(
        [*command, str(folder / "own" / "context.sock")],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@contextlib.contextmanager
def started(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server in a process of its own that answers, and is gone afterwards."""
    with launch(folder) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n", process.communicate()
            yield process
        finally:
            if process.poll() is None:
                process.kill()
