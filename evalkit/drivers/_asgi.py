"""Calls an ASGI app directly; one that awaits nothing is stepped by hand, without an event loop."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from evalkit.drivers._exchange import Chunks, Headers, NothingMore, Request, Response, completed
from evalkit.errors import CaseError
from evalkit.model import Json
from evalkit.surfaces import AppSurface

App: TypeAlias = Callable[..., Awaitable[None]]

PART: Final = 64 * 1024
"""Bytes of a request's body that the app receives at once, as servers do."""

_ESCAPE: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
_CLIENT_PORT: Final = 50000
_DISCONNECT: Final = {"type": "http.disconnect"}


class Place(NamedTuple):
    """What is the same in every request to a surface: who calls, the Host header, the rest of the scope."""

    peer: str
    host: bytes
    scope: Mapping[str, Any]


def place_of(surface: AppSurface, state: Mapping[str, Any] | None = None) -> Place:
    """The place of a surface. `state` is what the app's lifespan left for its requests, where it has one."""
    host, _, port = surface.host.rpartition(":")
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "scheme": "http",
        "root_path": "",
        "server": (host, int(port)) if port.isdecimal() else (surface.host, None),
    }
    if state is not None:
        scope["state"] = state
    return Place(surface.peer, surface.host.encode(), scope)


def scope_of(place: Place, request: Request) -> dict[str, Any]:
    """What a server would tell the app of a request (ASGI 3, HTTP scope)."""
    path, _, query = request.target.partition(b"?")
    scope = {
        **place.scope,
        "method": request.method,
        "path": _unescaped(path),
        "raw_path": path,
        "query_string": query,
        "headers": [(name.lower(), value) for name, value in completed(request, place.host)],
        "client": (place.peer if request.peer is None else request.peer, _CLIENT_PORT),
    }
    if "state" in scope:
        scope["state"] = dict(scope["state"])
    return scope


def parts_of(body: bytes) -> deque[dict[str, Any]]:
    """The messages in which an app receives a body: at least one, which may be empty."""
    if len(body) <= PART:
        return deque([{"type": "http.request", "body": body, "more_body": False}])
    last = (len(body) - 1) // PART
    return deque(
        {"type": "http.request", "body": body[at * PART : (at + 1) * PART], "more_body": at < last}
        for at in range(last + 1)
    )


class Reply:
    """What an app has sent so far: the head, and pieces of the body that nobody has read yet."""

    __slots__ = ("_bodiless", "chunks", "complete", "headers", "status")

    def __init__(self, method: str) -> None:
        """Begin with nothing; an answer to HEAD has no body, whatever the app sends."""
        self.status = 0
        self.headers: Headers = ()
        self.chunks: deque[bytes] = deque()
        self.complete = False
        self._bodiless = method == "HEAD"

    def take(self, message: Mapping[str, Json]) -> bool:
        """Take what the app sent; whether more is to come. Raises CaseError for what ASGI forbids."""
        kind = message["type"]
        if kind == "http.response.start" and not self.status:
            self.status = message["status"]
            self.headers = tuple([(bytes(name), bytes(value)) for name, value in message.get("headers", ())])
            return True
        if kind != "http.response.body" or not self.status or self.complete:
            raise CaseError("protocol", f"the app sends `{kind}` where ASGI does not allow it")
        if (body := message.get("body", b"")) and not self._bodiless:
            self.chunks.append(bytes(body))
        self.complete = not message.get("more_body", False)
        return not self.complete

    def check(self) -> None:
        """Raise CaseError where an app has ended that has not sent a whole answer."""
        if not self.complete:
            half = f"half an answer (status {self.status})" if self.status else "no answer"
            raise CaseError("protocol", f"the app ended after {half}")


class Stepped:
    """The transport to an app that awaits nothing but `receive` and `send`."""

    def __init__(self, surface: AppSurface) -> None:
        """Keep the app; nothing has to be opened."""
        self._app, self._place = surface.app, place_of(surface)

    def send(self, request: Request) -> Response:
        """Run the app until the head of its answer is there."""
        return _Steps(self._app, scope_of(self._place, request), request).response()

    def close(self) -> None:
        """Nothing was opened."""


class _Pause:
    """What the app awaits while nobody reads, or when nothing can come."""

    def __await__(self) -> Generator[_Pause, None, None]:
        yield self


_READ: Final = _Pause()
_NEVER: Final = _Pause()


class _Steps:
    """One run of the app, a step at a time: it goes on when the next piece of its answer is asked for."""

    __slots__ = ("_may_rest", "_parts", "_reply", "_run")

    def __init__(self, app: App, scope: Mapping[str, Any], request: Request) -> None:
        self._parts = parts_of(request.body)
        self._reply = Reply(request.method)
        self._may_rest = request.within is not None
        self._run = app(scope, self._receive, self._send).__await__()

    def response(self) -> Response:
        reply = self._reply
        while not reply.status:
            self._step()
        return Response(reply.status, reply.headers, self._chunks())

    def _chunks(self) -> Chunks:
        reply = self._reply
        try:
            while True:
                while reply.chunks:
                    yield reply.chunks.popleft()
                if reply.complete:
                    return
                self._step()
        finally:
            self._run.close()

    def _step(self) -> None:
        """Let the app go on until it pauses or ends."""
        try:
            waits_for = next(self._run)
        except StopIteration:
            self._reply.check()
            return
        if waits_for is _NEVER:
            if self._may_rest and self._reply.status:
                raise NothingMore
            raise CaseError("protocol", "the app waits for its client to hang up before it has answered")
        if waits_for is not _READ:
            raise RuntimeError("the app awaits more than `receive` and `send`: its surface must say `awaits`")

    async def _receive(self) -> Mapping[str, Json]:
        if self._parts:
            return self._parts.popleft()
        if not self._reply.complete:
            await _NEVER
        return _DISCONNECT

    async def _send(self, message: Mapping[str, Json]) -> None:
        if self._reply.take(message) and message["type"] == "http.response.body":
            await _READ


def _unescaped(path: bytes) -> str:
    if b"%" in path:
        path = _ESCAPE.sub(lambda escape: bytes((int(escape[1], 16),)), path)
    return path.decode(errors="replace")
