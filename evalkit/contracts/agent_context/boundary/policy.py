"""The order in which a request is refused, read and answered; no other file knows it (spec B.1, B.4)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from ..access.nouns import Identity
from ..exchange import Head, Reply, error_reply, json_reply
from ..mcp import INVALID_REQUEST, Service, answer, failure
from ..vocabulary import Json
from .nouns import Receive, Unreadable
from .rules import BoundaryRules

ROOT: Final = "/api/agent-context"
MANIFEST: Final = f"{ROOT}/manifest"
MCP: Final = f"{ROOT}/mcp"

BOUNDARY: Final = BoundaryRules()

Gate: TypeAlias = Callable[[Head, Json], Reply | Identity]
"""A head and the settings → the reply that refuses, or who is let in. Only OPTIONS goes past it."""

Route: TypeAlias = Callable[[Head, Json, Identity, Json], Reply | None]
"""Head, body, who asks and the settings → a reply, or None for what is not asked of this route.

The body is `...` where there is none, or none that can be understood.
"""


class Parts(NamedTuple):
    """What an app is made of. `run` computes what may take long, `within` bounds how long a body may take."""

    service: Service
    settings: Callable[[], Json]
    rules: BoundaryRules
    now: Callable[[], float]
    gate: Gate | None
    routes: Sequence[Route]
    run: Callable[[Callable[[], Json]], Awaitable[Json]]
    within: Callable[[Awaitable[bytes]], Awaitable[bytes]]


async def reply_to(parts: Parts, head: Head, receive: Receive) -> Reply:
    """OPTIONS, then the gate, then the body, then the routes. Raises Gone where nobody waits for a reply."""
    if head.method == "OPTIONS":
        return Reply(204, parts.rules.preflight_headers(head))
    settings, admitted = await parts.run(partial(_admit, parts, head))
    if isinstance(admitted, Reply):
        return admitted
    try:
        read = await _read(parts, head, receive)
        reply: Reply = await parts.run(partial(_reply, parts, head, read, admitted, settings))
    except Unreadable as refused:
        return _unreadable(refused, parts.now())
    return reply


def _admit(parts: Parts, head: Head) -> tuple[Json, Reply | Identity]:
    """The settings that hold for this request, and what the gate says; without a gate nobody is anybody."""
    settings = parts.settings()
    return settings, parts.gate(head, settings) if parts.gate else Identity()


async def _read(parts: Parts, head: Head, receive: Receive) -> Callable[[], Json]:
    """Takes in the body; understanding it is left to what comes back, as that may take long."""
    rules = parts.rules
    announced = rules.announced(head.method, head.headers)
    parse = rules.parsers.get(announced.media) if announced else None
    if announced is None or parse is None:
        return _nothing
    rules.check_announced(announced, rules.max_body)
    try:
        raw = await parts.within(rules.read_body(receive, rules.max_body))
    except TimeoutError:
        raise Unreadable(408, "REQUEST_TIMEOUT", "request body took too long", closes=True) from None
    return partial(rules.read_content, announced, raw, rules.max_body, parse)


def _nothing() -> Json:
    return ...


def _unreadable(refused: Unreadable, now: float) -> Reply:
    reply = error_reply(refused.status, refused.code, str(refused), now, refused.context)
    return reply._replace(headers=(*reply.headers, ("connection", "close"))) if refused.closes else reply


def _reply(parts: Parts, head: Head, read: Callable[[], Json], identity: Identity, settings: Json) -> Reply:
    """A body that cannot be read is told to everyone, before it is looked at who asks for what.

    Settings that changed while the body was on its way hold for all of this request, the gate included.
    """
    body = read()
    if read is not _nothing and parts.settings() != settings:
        settings, admitted = _admit(parts, head)
        if isinstance(admitted, Reply):
            return admitted
        identity = admitted
    if head.path == ROOT or head.path.startswith(f"{ROOT}/"):
        return _agent_context(parts, head, body, settings)
    for route in parts.routes:
        reply = route(head, body, identity, settings)
        if reply is not None:
            return reply
    return _not_found(parts)


def _agent_context(parts: Parts, head: Head, body: Json, settings: Json) -> Reply:
    """Only this machine and its own pages, whatever they ask for."""
    rules = parts.rules
    if not rules.is_loopback(rules.caller(head)):
        return error_reply(
            403, "AGENT_CONTEXT_LOCAL_ONLY", "Agent context accepts loopback connections only", parts.now()
        )
    origin = head.headers.get("origin")
    if origin and not rules.is_loopback_origin(origin, rules.is_loopback):
        return error_reply(
            403, "AGENT_CONTEXT_ORIGIN_REJECTED", "Agent context rejected a non-loopback Origin", parts.now()
        )
    if head.path == MCP:
        return _mcp(parts, head, body, settings)
    if head.path == MANIFEST and head.method in ("GET", "HEAD"):
        return json_reply(parts.service.manifest(settings))
    return _not_found(parts)


def _mcp(parts: Parts, head: Head, body: Json, settings: Json) -> Reply:
    """Closed beats everything; then the method, then what was agreed on, then the message."""
    if not parts.service.is_open(settings):
        return error_reply(403, "AGENT_CONTEXT_DISABLED", "Agent context is disabled", parts.now())
    if head.method in ("GET", "HEAD", "DELETE"):
        return Reply(405, (("allow", "POST"),))
    if head.method != "POST":
        return _not_found(parts)
    headers = head.headers
    if not parts.rules.accepts(headers.get("accept", "")):
        return _refused(406, "Accept must include application/json and text/event-stream")
    if not parts.rules.is_supported_version(headers.get("mcp-protocol-version", "")):
        return _refused(400, "Unsupported MCP-Protocol-Version")
    told = answer(parts.rules, parts.service, settings, body, headers.get("idempotency-key"))
    if told is None:
        return Reply(202)
    invalid = "error" in told and told["error"]["code"] == INVALID_REQUEST
    return json_reply(told, 400 if invalid else 200)


def _refused(status: int, text: str) -> Reply:
    return json_reply(failure(INVALID_REQUEST, text), status)


def _not_found(parts: Parts) -> Reply:
    return error_reply(404, "NOT_FOUND", "Not found", parts.now())
