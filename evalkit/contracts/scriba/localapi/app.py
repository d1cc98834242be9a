"""The local API as an ASGI app: the order in which a request is judged, and no rule (spec 6.4, 6.5)."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import Final, NamedTuple

from ..faults import caught
from ..nouns import Service
from .nouns import LIMITS, App, Attend, Head, Json, Limits, Pairs, Receive, Refusal, Reply, Run, Send, Work
from .rules import API, ApiRules
from .streaming import Slots, Stream, follow, imagined

AHEAD: Final = 8
"""Pages of a stream that are read in one go: to open the files for each row would be most of the work."""

_POLICY_VIOLATION: Final = 1008


class Parts(NamedTuple):
    """What the app is made of."""

    service: Service
    rules: ApiRules
    limits: Limits
    run: Run
    attend: Attend
    slots: Slots


async def inline(work: Work, seconds: float) -> Json:
    """Do the work at once, however long it takes."""
    return work()


def make_app(
    service: Service,
    rules: ApiRules = API,
    limits: Limits = LIMITS,
    *,
    run: Run = inline,
    attend: Attend | None = None,
) -> App:
    """An ASGI 3 app. It awaits nothing but `receive`, `send`, `run` and the pauses of `attend`'s clients.

    Without `run` and `attend` it therefore needs no event loop: the service is asked on the spot, a stream's
    waiting takes no time, and its client leaves after 20 seconds of it, so that every stream ends.
    """
    parts = Parts(service, rules, limits, run, attend or imagined(), Slots())

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
    """One request and its answer."""
    head = _head(scope)
    try:
        route = _admit(parts.rules, head)
        if route == "events":
            await _stream(parts, head, receive, send)
            return
        reply = await (_context(parts, head) if route == "context" else _health(parts))
    except Refusal as refusal:
        reply = _error(parts.rules, refusal.code)
    await send(_start(reply.status, (*reply.headers, (b"content-length", b"%d" % len(reply.body)))))
    await send({"type": "http.response.body", "body": b"" if head.method == "HEAD" else reply.body})


def _head(scope: Json) -> Head:
    headers = tuple((bytes(name).lower(), bytes(value)) for name, value in scope["headers"])
    return Head(scope["method"], scope["path"], scope.get("query_string", b""), headers)


def _admit(rules: ApiRules, head: Head) -> str:
    """Where a request goes. Raises Refusal where it goes nowhere."""
    route = rules.route_of(head.path)
    if route is None:
        raise Refusal("not_found")
    for check in rules.guards:
        if (code := check(head)) is not None:
            raise Refusal(code)
    return route


async def _health(parts: Parts) -> Reply:
    """That the server is there; no data is touched for it."""
    return Reply(200, parts.rules.json_headers, parts.rules.compact(parts.rules.health) + b"\n")


async def _context(parts: Parts, head: Head) -> Reply:
    """The document. Raises Refusal."""
    profile = parts.rules.profile_of(head)
    body = await _done(parts, lambda: parts.rules.compact(parts.service.context(profile)) + b"\n")
    if isinstance(body, Exception):
        raise Refusal(parts.rules.context_code(body))
    return Reply(200, parts.rules.json_headers, body)


async def _stream(parts: Parts, head: Head, receive: Receive, send: Send) -> None:
    """A stream from its first page to its end. Raises Refusal only before anything was sent."""
    cursor, profile = parts.rules.cursor_of(head), parts.rules.profile_of(head)
    if not parts.rules.is_admitted(parts.slots.taken, parts.limits.streams):
        raise Refusal("stream_limit_reached")
    parts.slots.taken += 1
    try:
        mode, before = parts.rules.first_request(cursor)
        first = await _page(parts, profile, mode, before)
        if isinstance(first, Exception):
            raise Refusal(parts.rules.events_code(first))
        with contextlib.suppress(OSError):  # how some servers say that the client has hung up
            await _send_stream(parts, profile, before, first, receive, send)
    finally:
        parts.slots.taken -= 1


async def _send_stream(
    parts: Parts, profile: str | None, before: str, first: Json, receive: Receive, send: Send
) -> None:
    async def write(frame: bytes) -> None:
        await send({"type": "http.response.body", "body": frame, "more_body": True})

    ahead: dict[str, Json] = {}

    async def page(cursor: str) -> Json | Exception:
        if cursor not in ahead:
            ahead.clear()
            read = await _done(parts, lambda: parts.service.replay(cursor, rows, AHEAD, profile))
            if isinstance(read, Exception):
                return read
            at = cursor
            for one in read:
                ahead[at], at = one, one["cursor"]["next"]
        return ahead.pop(cursor)

    rows = parts.rules.page_rows
    stream = Stream(parts.rules, parts.limits, parts.attend(receive), write, page)
    await send(_start(200, parts.rules.stream_headers))
    await follow(stream, before, first)
    await send({"type": "http.response.body"})


async def _page(parts: Parts, profile: str | None, mode: str, cursor: str) -> Json | Exception:
    rows = parts.rules.page_rows
    return await _done(parts, lambda: parts.service.events(mode, cursor, rows, profile))


async def _done(parts: Parts, work: Work) -> Json | Exception:
    """What a read gives, or why it gives nothing; that it took too long is one reason."""
    try:
        return await parts.run(partial(caught, work), parts.limits.read_seconds)
    except TimeoutError as late:
        return late


def _error(rules: ApiRules, code: str) -> Reply:
    return Reply(rules.statuses[code], rules.error_headers(code), rules.error_body(code))


def _start(status: int, headers: Pairs) -> Json:
    return {"type": "http.response.start", "status": status, "headers": list(headers)}


async def _live(receive: Receive, send: Send) -> None:
    """The server's own start and stop: nothing has to be done for either."""
    while True:
        event = await receive()
        await send({"type": f"{event['type']}.complete"})
        if event["type"] == "lifespan.shutdown":
            return
