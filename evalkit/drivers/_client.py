"""Makes exchanges with an address: nothing added, nothing followed, nothing for ever."""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import urlsplit
from urllib.request import getproxies

from evalkit.drivers import _wire
from evalkit.drivers._exchange import NothingMore, Request, Response, header, headers_of
from evalkit.drivers._wire import Plain, Unreached
from evalkit.errors import CapabilityMissing, CaseError, OutOfTime
from evalkit.surfaces import Address

if TYPE_CHECKING:
    from evalkit.drivers._far import Answered as FarAnswered
    from evalkit.drivers._far import Far

    Answered: TypeAlias = _wire.Answered | FarAnswered

CONNECTING: Final = 30.0
PATIENCE: Final = 600.0
"""Seconds for a connection, and for one answer, head and body: a case's own deadline is sooner."""

_FAMILIES: Final = ("localhost", "127.0.0.1", "::1")


class Network:
    """The transport to an address. It keeps its connections open between exchanges."""

    def __init__(self, address: Address, patience: float = PATIENCE) -> None:
        """Take an address; nothing is connected before the first exchange."""
        self._reached = _reached(address, patience)
        host = self._reached.host
        self._hosts = _FAMILIES if host == "localhost" and address.socket is None else (host,)
        self._patience = patience
        self._own = headers_of((), dict(address.headers))

    def send(self, request: Request) -> Response:
        """Send and wait for the head of the answer. The target goes out behind the address as it is."""
        if request.peer is not None:
            raise CapabilityMissing("over a socket nobody can choose the address from which a request comes")
        length = header(request.headers, b"content-length")
        if length.isdecimal() and int(length) != len(request.body):
            told = f"a `content-length` of {length} beside a body of {len(request.body)} bytes"
            raise CapabilityMissing(f"over a socket no request can go out with {told}")
        request = self._with_own(request)
        patience = self._patience if request.within is None else min(self._patience, request.within)
        begun = monotonic()
        answer = self._sent(request, patience)
        body = _Body(answer, begun + self._patience, self._patience)
        chunks = body if request.within is None else _CutBody(body, answer, begun + patience)
        return Response(answer.status, answer.headers, chunks)

    def close(self) -> None:
        """Close every connection."""
        self._reached.close()

    def _with_own(self, request: Request) -> Request:
        """The request with the headers of the address that it does not say itself."""
        if not self._own:
            return request
        said = {name.lower() for name, _ in request.headers}
        own = tuple(one for one in self._own if one[0].lower() not in said)
        return request._replace(headers=(*own, *request.headers))

    def _sent(self, request: Request, patience: float) -> Answered:
        """The answer from the first host that can be reached; `localhost` may be either family."""
        problems = []
        for host in self._hosts:
            try:
                answer = self._reached.sent(host, request, patience, min(CONNECTING, patience))
            except Unreached as problem:
                problems.append(problem)
                continue
            self._hosts = (host,)
            return answer
        raise CaseError("connection-failed", f"the connection failed: {problems[0]}")


def _reached(address: Address, patience: float) -> Plain | Far:
    """What makes the exchanges: our own where nothing stands between, else httpx."""
    try:
        host = urlsplit(address.url).hostname or ""
    except ValueError as problem:
        raise CaseError("connection-failed", f"the address cannot be read: {problem}") from None
    here = address.socket is not None or is_loopback(host)
    if _wire.is_plain(address.url) and (here or not getproxies()):
        return Plain(address.url, address.socket)
    from evalkit.drivers._far import Far  # start-up: httpx alone is 100 ms

    return Far(address.url, address.socket, patience, here=here)


class _Body:
    """The pieces of a body as they come; they may be closed before the first is read."""

    def __init__(self, answer: Answered, ends: float, patience: float) -> None:
        self._answer, self._ends, self._patience = answer, ends, patience
        self._pieces = answer.pieces()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = next(self._pieces)
        if monotonic() > self._ends:
            raise OutOfTime(self._patience)
        return piece

    def close(self) -> None:
        self._answer.close()


class _CutBody:
    """A body that ends at a moment: its socket is shut down then, which wakes whoever reads it."""

    def __init__(self, body: _Body, answer: Answered, ends: float) -> None:
        self._body, self._over = body, False
        self._timer = threading.Timer(max(0.0, ends - monotonic()), self._cut, (answer.socket,))
        self._timer.daemon = True
        self._timer.start()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._over:
            raise NothingMore
        try:
            return next(self._body)
        except (CaseError, StopIteration):
            if self._over:
                raise NothingMore from None
            raise

    def close(self) -> None:
        self._timer.cancel()
        self._body.close()

    def _cut(self, wire: socket.socket) -> None:
        self._over = True
        with suppress(OSError):  # it may have ended just now
            socket.socket.shutdown(wire, socket.SHUT_RDWR)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its name or number."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
