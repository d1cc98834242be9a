"""The ASGI app of the contract: how a request comes in and a reply goes out, and no rule (spec B)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final, TypeAlias

from .boundary.nouns import Gone, Headers, Receive
from .boundary.policy import BOUNDARY, Gate, Parts, Route, reply_to
from .boundary.rules import BoundaryRules
from .exchange import Head, Reply, error_reply
from .faults import caught_later
from .mcp import Service
from .vocabulary import Json

Send: TypeAlias = Callable[[Json], Awaitable[None]]
App: TypeAlias = Callable[[Json, Receive, Send], Awaitable[None]]
Run: TypeAlias = Callable[[Callable[[], Json]], Awaitable[Json]]
Within: TypeAlias = Callable[[Awaitable[bytes]], Awaitable[bytes]]

_BODILESS: Final = (204, 304)
_POLICY_VIOLATION: Final = 1008


async def inline(work: Callable[[], Json]) -> Json:
    """Compute at once, on the spot."""
    return work()


async def unbounded(reading: Awaitable[bytes]) -> bytes:
    """Wait for a body for as long as it takes."""
    return await reading


def make_app(
    service: Service,
    settings: Callable[[], Json],
    boundary: BoundaryRules = BOUNDARY,
    *,
    now: Callable[[], float],
    gate: Gate | None = None,
    routes: Sequence[Route] = (),
    run: Run = inline,
    within: Within = unbounded,
) -> App:
    """An ASGI 3 app. It awaits nothing but `receive`, `send`, `run` and `within`.

    `settings` is called once a request, and what it gives holds for the whole of it; `now` is in seconds.
    Settings, gate and answers are computed by `run`, so that a server can move them off its event loop.
    `within` gets the reading of a body, and raises TimeoutError when that took too long (→ 408).
    """
    parts = Parts(service, settings, boundary, now, gate, routes, run, within)

    async def app(scope: Json, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await _exchange(parts, scope, receive, send)
        elif scope["type"] == "lifespan":
            await _live(receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})

    return app


async def _exchange(parts: Parts, scope: Json, receive: Receive, send: Send) -> None:
    """One request and its reply. What went wrong inside stays inside."""
    head = _head(scope, parts.rules.normalise)
    reply = await caught_later(reply_to(parts, head, receive))
    if isinstance(reply, Gone):
        return
    if isinstance(reply, Exception):
        reply = error_reply(500, "INTERNAL_ERROR", "Internal server error", parts.now())
    await send(_start(reply, parts.rules.sharing_headers(head)))
    await send({"type": "http.response.body", "body": b"" if head.method == "HEAD" else reply.body})


def _head(scope: Json, normalise: Callable[[str], str]) -> Head:
    client = scope.get("client")
    return Head(
        scope["method"],
        normalise(scope["path"]),
        scope.get("query_string", b"").decode("latin-1"),
        _joined(scope["headers"]),
        client[0] if client else "",
    )


def _joined(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers by lower-case name; several of one name become one."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in pairs:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        if name in headers:
            value = f"{headers[name]}{'; ' if name == 'cookie' else ', '}{value}"
        headers[name] = value
    return headers


def _start(reply: Reply, shared: Headers) -> Json:
    """The event that opens a response, with the length of its body."""
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in (*reply.headers, *shared)]
    if reply.status not in _BODILESS:
        headers.append((b"content-length", str(len(reply.body)).encode()))
    return {"type": "http.response.start", "status": reply.status, "headers": headers}


async def _live(receive: Receive, send: Send) -> None:
    """The server's own start and stop: nothing has to be done for either."""
    while True:
        event = await receive()
        await send({"type": f"{event['type']}.complete"})
        if event["type"] == "lifespan.shutdown":
            return
