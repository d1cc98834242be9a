"""Makes exchanges over plain HTTP/1.1 without a proxy: a small part of what httpx takes for each of them."""

from __future__ import annotations

import re
import select
import socket
from collections.abc import Iterator
from time import monotonic
from typing import Final, NoReturn

import h11

from evalkit.drivers._answers import SHOWN
from evalkit.drivers._exchange import Headers, Request, completed
from evalkit.errors import CaseError, OutOfTime
from evalkit.values import encode

RESTING: Final = 5.0
"""Seconds after which a connection that nobody used is not used again."""

ENDING: Final = 0.02
"""Seconds that a body of which the answer has been read gets to end, so that its connection can be kept."""

MOST_HEAD: Final = 100 * 1024
"""Bytes of a head, as httpx takes them."""

_PART: Final = 64 * 1024
_PLAIN: Final = re.compile(
    r"http://(?P<host>[a-z0-9.-]+|\[[0-9a-f:]+\])(?::(?P<port>[0-9]{1,5}))?(?P<path>(?:/[A-Za-z0-9_~-][\w.~-]*)*)/?",
    re.ASCII,
)


class Unreached(Exception):
    """Nobody accepts a connection; its text says why."""


class Plain:
    """An address of plain HTTP, or a Unix socket. Connections are kept open between exchanges."""

    def __init__(self, url: str, file: str | None) -> None:
        """Take an address that `is_plain`."""
        found = _PLAIN.fullmatch(url)
        assert found is not None
        host, port = found["host"], int(found["port"] or 80)
        self.host = host.strip("[]")
        self._file, self._port = file, port
        self._netloc = (host if port == 80 else f"{host}:{port}").encode()
        self._base = found["path"].encode()
        self._idle: list[_Connection] = []
        self._busy: set[_Connection] = set()
        self._ending = ENDING

    def sent(self, host: str, request: Request, patience: float, connecting: float) -> Answered:
        """The head of the answer. Raises CaseError, and Unreached where nobody accepts a connection."""
        head = completed(request, self._netloc)
        connection = self._rested() or _Connection(self._connected(host, connecting))
        self._busy.add(connection)
        response = None
        try:
            response = connection.ask(request, self._base + request.target, head, patience)
        except (OSError, h11.ProtocolError) as problem:
            _raise(problem, patience)
        finally:
            if response is None:
                self._drop(connection)
        return Answered(self, connection, response, patience)

    def close(self) -> None:
        """Close every connection."""
        for connection in (*self._idle, *self._busy):
            connection.wire.close()
        self._idle.clear()
        self._busy.clear()

    def let_go(self, connection: _Connection) -> None:
        """Keep a connection whose answer has ended, or is about to; close it where it has not."""
        kept = False
        try:
            kept = connection.is_over(self._ending)
        finally:
            if kept and connection in self._busy:
                self._busy.remove(connection)
                self._idle.append(connection)
            else:
                self._ending = 0.0  # who lets streams stand open does so each time
                self._drop(connection)

    def _drop(self, connection: _Connection) -> None:
        self._busy.discard(connection)
        connection.wire.close()

    def _rested(self) -> _Connection | None:
        """A connection that is still open; one that its server has closed can be read from."""
        while self._idle:
            connection = self._idle.pop()
            if monotonic() - connection.since <= RESTING and not connection.readable(0.0):
                return connection
            connection.wire.close()
        return None

    def _connected(self, host: str, connecting: float) -> socket.socket:
        try:
            if self._file is None:
                wire = socket.create_connection((host, self._port), connecting)
                wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return wire
            wire = socket.socket(socket.AF_UNIX)
            wire.settimeout(connecting)
            wire.connect(self._file)
        except TimeoutError:
            raise OutOfTime(connecting) from None
        except OSError as problem:
            raise Unreached(str(problem)) from None
        return wire


class Answered:
    """An answer whose body is still to come."""

    def __init__(
        self, plain: Plain, connection: _Connection, response: h11.Response, patience: float
    ) -> None:
        """Take the head."""
        self.status = response.status_code
        self.headers: Headers = tuple(response.headers.raw_items())
        self.socket = connection.wire
        self._plain, self._connection, self._patience = plain, connection, patience
        self._open = True

    def pieces(self) -> Iterator[bytes]:
        """The body, piece by piece as it comes."""
        try:
            while type(event := self._connection.event()) is h11.Data:
                yield bytes(event.data)
        except (OSError, h11.RemoteProtocolError) as problem:
            _raise(problem, self._patience)

    def close(self) -> None:
        """Hang up, unless the body is over."""
        if self._open:
            self._open = False
            self._plain.let_go(self._connection)


class _Connection:
    """One connection, on which one exchange follows the other; unused `since` then."""

    def __init__(self, wire: socket.socket) -> None:
        self.wire, self.since = wire, 0.0
        self._state = h11.Connection(h11.CLIENT, max_incomplete_event_size=MOST_HEAD)

    def ask(self, request: Request, target: bytes, head: Headers, patience: float) -> h11.Response:
        """Send, and wait for the head of the answer."""
        state = self._state
        due = state.send(h11.Request(method=request.method, target=target, headers=list(head))) or b""
        if request.body:
            due += state.send(h11.Data(data=request.body)) or b""
        due += state.send(h11.EndOfMessage()) or b""
        if self.wire.gettimeout() != patience:
            self.wire.settimeout(patience)
        try:
            self.wire.sendall(due)
        except TimeoutError:
            raise
        except OSError:
            pass  # a server may answer before it has read all, and close
        while True:
            event = self.event()
            if type(event) is h11.Response:
                return event
            if type(event) is h11.InformationalResponse and event.status_code == 101:
                return event  # type: ignore[return-value]

    def event(self) -> object:
        """The next part of the answer."""
        while (event := self._state.next_event()) is h11.NEED_DATA:
            data = self.wire.recv(_PART)
            if not data and self._state.their_state is h11.SEND_RESPONSE:
                raise h11.RemoteProtocolError(_hung_up(self._state.trailing_data[0]))
            self._state.receive_data(data)
        return event

    def is_over(self, patience: float) -> bool:
        """Whether another exchange can follow; where no more than the end of a body is left, wait for it."""
        state, ends = self._state, monotonic() + patience
        try:
            while state.their_state is h11.SEND_BODY:
                event = state.next_event()
                if event is h11.NEED_DATA and self.readable(ends - monotonic()):
                    state.receive_data(self.wire.recv(_PART))
                elif event is h11.NEED_DATA or type(event) is h11.Data:
                    return False
        except (OSError, h11.RemoteProtocolError):
            return False
        if state.our_state is not h11.DONE or state.their_state is not h11.DONE or state.trailing_data[0]:
            return False
        state.start_next_cycle()
        self.since = monotonic()
        return True

    def readable(self, patience: float) -> bool:
        """Whether something comes, or the other side closes, in so many seconds."""
        waiting = select.poll()
        waiting.register(self.wire, select.POLLIN)
        return bool(waiting.poll(max(0.0, patience) * 1000))


def is_plain(url: str) -> bool:
    """Whether an address can be written in one way only, and goes over plain HTTP."""
    found = _PLAIN.fullmatch(url)
    return found is not None and int(found["port"] or 80) < 1 << 16


def _hung_up(came: bytes) -> str:
    """What a server did that closed before its head was whole."""
    if not came:
        return "Server disconnected without sending a response."
    shown = encode(came.decode(errors="replace")) if len(came) <= SHOWN else f"{len(came)} bytes"
    return f"the server closed the connection after {shown}, which is no whole head"


def _raise(problem: Exception, patience: float) -> NoReturn:
    """Say in our words why there is no answer, or only half of one."""
    if isinstance(problem, TimeoutError):
        raise OutOfTime(patience) from None
    if isinstance(problem, h11.LocalProtocolError):
        raise CaseError("unsendable", f"HTTP cannot carry this request: {problem}") from None
    if isinstance(problem, h11.RemoteProtocolError):
        raise CaseError("protocol", f"the answer is no whole HTTP answer: {problem}") from None
    if isinstance(problem, OSError):
        raise CaseError("connection-failed", f"the connection failed: {problem}") from None
    raise problem
