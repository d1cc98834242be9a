"""Makes exchanges with an address over httpx: nothing added, nothing followed, nothing for ever."""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, Final
from urllib.request import getproxies

import httpx

from evalkit.drivers._exchange import NothingMore, Request, Response, completed, header
from evalkit.errors import CapabilityMissing, CaseError, OutOfTime
from evalkit.surfaces import Address

CONNECTING: Final = 30.0
PATIENCE: Final = 600.0
"""Seconds for a connection, and for one answer, head and body: a case's own deadline is sooner."""

_FAMILIES: Final = ("localhost", "127.0.0.1", "[::1]")


class Network:
    """The transport to an address. It keeps its connections open between exchanges."""

    def __init__(self, address: Address, patience: float = PATIENCE) -> None:
        """Take an address; nothing is connected before the first exchange."""
        try:
            self._url = httpx.URL(address.url)
        except httpx.InvalidURL as problem:
            raise CaseError("connection-failed", f"the address cannot be read: {problem}") from None
        by_file, secure = address.socket is not None, self._url.scheme == "https"
        here = by_file or is_loopback(self._url.host)
        several = self._url.host == "localhost" and not by_file
        self._hosts = _FAMILIES if several else (self._url.host,)
        self._patience = patience
        # What goes to this machine goes through no proxy; without TLS no certificates are loaded.
        wire = httpx.HTTPTransport(verify=secure, uds=address.socket) if by_file else None
        self._client = httpx.Client(trust_env=not here, verify=secure, timeout=patience, transport=wire)
        self._forwarded = not here and not secure and bool(getproxies())

    def send(self, request: Request) -> Response:
        """Send and wait for the head of the answer. The target goes out behind the address as it is."""
        if request.peer is not None:
            raise CapabilityMissing("over a socket nobody can choose the address from which a request comes")
        length = header(request.headers, b"content-length")
        if length.isdecimal() and int(length) != len(request.body):
            told = f"a `content-length` of {length} beside a body of {len(request.body)} bytes"
            raise CapabilityMissing(f"over a socket no request can go out with {told}")
        patience = self._patience if request.within is None else min(self._patience, request.within)
        begun = monotonic()
        with _as_case_errors(patience):
            answer = self._sent(request, patience)
        body = _Body(answer, begun + self._patience, self._patience)
        chunks = body if request.within is None else _CutBody(body, answer, begun + patience)
        return Response(answer.status_code, tuple(answer.headers.raw), chunks)

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    def _sent(self, request: Request, patience: float) -> httpx.Response:
        """The answer from the first host that can be reached; `localhost` may be either family."""
        problems = []
        for host in self._hosts:
            try:
                answer = self._sent_to(host, request, patience)
            except httpx.ConnectError as problem:
                problems.append(problem)
                continue
            self._hosts = (host,)
            return answer
        raise problems[0]

    def _sent_to(self, host: str, request: Request, patience: float) -> httpx.Response:
        timeouts = dict.fromkeys(("read", "write", "pool"), patience)
        extensions: dict[str, Any] = {"timeout": {**timeouts, "connect": min(CONNECTING, patience)}}
        target, url = self._url.raw_path.rstrip(b"/") + request.target, self._url.copy_with(host=host)
        if self._forwarded:  # a proxy needs the whole address in the request line, as httpx writes it
            url = url.copy_with(raw_path=target)
        else:
            extensions["target"] = target
        sent = httpx.Request(
            request.method,
            url,
            headers=list(completed(request, self._url.netloc)),
            stream=httpx.ByteStream(request.body),
            extensions=extensions,
        )
        sent.method = request.method  # httpx would write it in capitals
        return self._client.send(sent, stream=True, follow_redirects=False)


class _Body:
    """The pieces of a body as they come; they may be closed before the first is read."""

    def __init__(self, answer: httpx.Response, ends: float, patience: float) -> None:
        self._answer, self._ends, self._patience = answer, ends, patience
        self._pieces = answer.iter_raw()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        with _as_case_errors(self._patience):
            piece = next(self._pieces, None)
        if piece is None:
            raise StopIteration
        if monotonic() > self._ends:
            raise OutOfTime(self._patience)
        return piece

    def close(self) -> None:
        self._answer.close()


class _CutBody:
    """A body that ends at a moment: its socket is shut down then, which wakes whoever reads it."""

    def __init__(self, body: _Body, answer: httpx.Response, ends: float) -> None:
        self._body, self._over = body, False
        wire = answer.extensions["network_stream"].get_extra_info("socket")
        self._timer = threading.Timer(max(0.0, ends - monotonic()), self._cut, (wire,))
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


@contextmanager
def _as_case_errors(patience: float) -> Iterator[None]:
    """Say in our words why there is no answer, or only half of one."""
    try:
        yield
    except httpx.TimeoutException:
        raise OutOfTime(patience) from None
    except httpx.LocalProtocolError as problem:
        raise CaseError("unsendable", f"HTTP cannot carry this request: {problem}") from None
    except httpx.RemoteProtocolError as problem:
        raise CaseError("protocol", f"the answer is no whole HTTP answer: {problem}") from None
    except httpx.TransportError as problem:
        raise CaseError("connection-failed", f"the connection failed: {problem}") from None


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its name or number."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
