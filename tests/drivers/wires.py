"""What tests of the drivers share: apps that answer by script, and servers on loopback sockets."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import uvicorn

from evalkit.model import Json

App: TypeAlias = Callable[..., Awaitable[None]]


class Seen(NamedTuple):
    """A request as the app got it."""

    scope: Mapping[str, Any]
    body: bytes

    @property
    def method(self) -> str:
        return str(self.scope["method"])

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self.scope["headers"]}

    @property
    def message(self) -> Json:
        return json.loads(self.body) if self.body else None


class Told(NamedTuple):
    """A reply; a body of several pieces is sent as it is cut."""

    status: int = 200
    body: bytes | tuple[bytes, ...] = b""
    kind: str = "application/json"
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Wire:
    """An ASGI app that answers as its script says, awaits nothing, and remembers what it was asked."""

    def __init__(self, answer: Callable[[Seen], Told]) -> None:
        self.answer = answer
        self.seen: list[Seen] = []

    async def __call__(self, scope: Mapping[str, Any], receive: Any, send: Any) -> None:
        pieces, more = [], True
        while more:
            message = await receive()
            pieces.append(message["body"])
            more = message["more_body"]
        self.seen.append(Seen(scope, b"".join(pieces)))
        told = self.answer(self.seen[-1])
        kind = ((b"content-type", told.kind.encode()),) if told.kind else ()
        await send({"type": "http.response.start", "status": told.status, "headers": [*kind, *told.headers]})
        chunks = told.body if isinstance(told.body, tuple) else (told.body,)
        for at, chunk in enumerate(chunks):
            await send({"type": "http.response.body", "body": chunk, "more_body": at < len(chunks) - 1})


def as_json(value: Json, status: int = 200, **more: Any) -> Told:
    """A JSON body."""
    return Told(status, json.dumps(value).encode(), **more)


def result(seen: Seen, value: Json, **more: Any) -> Told:
    """The JSON-RPC answer to a request."""
    return as_json({"jsonrpc": "2.0", "id": seen.message["id"], "result": value}, **more)


def error(seen: Seen, code: int, data: Json = None, status: int = 200) -> Told:
    """The JSON-RPC error to a request."""
    told = {"code": code, "message": "no", **({} if data is None else {"data": data})}
    return as_json({"jsonrpc": "2.0", "id": seen.message["id"], "error": told}, status)


def events(*messages: Json) -> Told:
    """An event stream of these messages, one event a piece."""
    pieces = tuple(b"event: message\ndata: " + json.dumps(one).encode() + b"\n\n" for one in messages)
    return Told(200, (*pieces, b""), "text/event-stream")


def speaking(answers: Mapping[str, Callable[[Seen], Told]], version: str = "2025-11-25") -> Wire:
    """A server of the handshake era: an answer for each method, `initialize` and notifications included."""

    def answer(seen: Seen) -> Told:
        message = seen.message
        method = message.get("method", "") if isinstance(message, dict) else ""
        if method in answers:
            return answers[method](seen)
        if method == "initialize":
            return result(seen, {"protocolVersion": version, "capabilities": {}, "serverInfo": {"name": "s"}})
        if method == "tools/list":
            return result(seen, {"tools": []})
        if isinstance(message, dict) and "id" in message and method:
            return error(seen, -32601)
        return Told(202, kind="")

    return Wire(answer)


@contextlib.contextmanager
def served(app: Any) -> Iterator[str]:
    """A real server on a free port of the loopback interface; gives its address."""
    # Without its protocol asyncio would not know it for TCP, and hold back the second half of each answer.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1, http="h11", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


class Socket:
    """A server by hand: for each connection in turn it reads a request, sends its pieces, and hangs up.

    A piece of None waits until the client has hung up. `heard` holds what was read of each request.
    """

    def __init__(self, *connections: Iterable[bytes | None], host: str = "127.0.0.1") -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.heard: list[bytes] = []
        self._connections = connections
        self._listener = socket.create_server((host, 0), family=family)
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Socket:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes a thread that still waits for a connection
        self._listener.close()
        self._thread.join()

    def _serve(self) -> None:
        for pieces in self._connections:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self.heard.append(self._request(connection))
                with contextlib.suppress(OSError):
                    self._play(connection, pieces)

    def _request(self, connection: socket.socket) -> bytes:
        read = b""
        while b"\r\n\r\n" not in read:
            read += connection.recv(65536)
        head, _, body = read.partition(b"\r\n\r\n")
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        wanted = int(lengths[0].partition(b":")[2]) if lengths else 0
        while len(body) < wanted:
            body += connection.recv(65536)
        return head + b"\r\n\r\n" + body

    def _play(self, connection: socket.socket, pieces: Iterable[bytes | None]) -> None:
        for piece in pieces:
            if piece is None:
                while connection.recv(65536):
                    pass
            else:
                connection.sendall(piece)


def chunked(*pieces: bytes) -> bytes:
    """Pieces in the chunked coding, without the last, empty one."""
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
