"""Serves on a real Unix socket in a thread, and talks to it byte by byte."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from evalkit.contracts.scriba.localapi.nouns import LIMITS, Limits
from evalkit.contracts.scriba.localapi.server import serve
from evalkit.contracts.scriba.nouns import Service

SECONDS = 30.0
QUICK = LIMITS._replace(poll_seconds=0.01)


class Served(NamedTuple):
    """A server that answers; `told` is what it has told its operator."""

    path: Path
    told: list[str]
    stop: Callable[[], None]


@contextlib.contextmanager
def served(folder: Path, service: Service, limits: Limits = QUICK, **more: Any) -> Iterator[Served]:
    path = folder / "own" / "context.sock"
    ready, over = threading.Event(), threading.Event()
    told: list[str] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            serve(
                service,
                str(path),
                limits=limits,
                ready=ready.set,
                tell=told.append,
                is_over=over.is_set,
                **more,
            )
        except BaseException as problem:
            raised.append(problem)
            ready.set()

    def stop() -> None:
        over.set()
        thread.join(SECONDS)
        assert not thread.is_alive()
        assert raised == []

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert ready.wait(SECONDS)
        yield Served(path, told, stop)
    finally:
        stop()


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket, with the client of the standard library."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = connect(self._path)


def connect(path: Path) -> socket.socket:
    opened = socket.socket(socket.AF_UNIX)
    opened.settimeout(SECONDS)
    opened.connect(str(path))
    return opened


def ask(path: Path, target: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
    """One request over a connection of its own → status and body."""
    with contextlib.closing(Connection(path)) as connection:
        connection.request(method, target, headers={n.replace("_", "-"): v for n, v in headers.items()})
        response = connection.getresponse()
        return response.status, response.read()


def send(path: Path, text: bytes) -> socket.socket:
    """A connection on which these bytes were sent."""
    opened = connect(path)
    opened.sendall(text)
    return opened


def rest(opened: socket.socket) -> bytes:
    """All that comes until the other end closes; a reset is an end, too."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := opened.recv(65536):
            found += piece
    return found


class Reader:
    """A client of the event stream."""

    def __init__(self, path: Path, target: str = "/v1/events", last: str | None = None) -> None:
        self._connection = Connection(path)
        self._connection.request("GET", target, headers={} if last is None else {"Last-Event-ID": last})
        self.response = self._connection.getresponse()
        self.status = self.response.status

    def frame(self) -> bytes:
        """The next frame with its empty line; nothing at the end."""
        found = b""
        while not found.endswith(b"\n\n"):
            line = self.response.readline()
            if not line:
                assert not found
                return b""
            found += line
        return found

    def close(self) -> None:
        self.response.close()
        self._connection.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def opened_soon(path: Path, target: str = "/v1/events", last: str | None = None) -> Reader:
    """A stream, asked for again as long as no slot is free yet."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        reader = Reader(path, target, last)
        if reader.status != 503:
            return reader
        reader.close()
    raise AssertionError("no slot became free")
