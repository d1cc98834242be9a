"""Puts something between the contract's app and whoever asks it, for what no single rule can break."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, TypeAlias, cast

from evalkit.contracts.agent_context.exchange import Reply
from evalkit.model import Json, OpenSubject, Subject, World
from evalkit.surfaces import AppSurface, McpSurface

MANIFEST = "/api/agent-context/manifest"
MCP = "/api/agent-context/mcp"

Surround: TypeAlias = Callable[[OpenSubject], OpenSubject]


class Asked(NamedTuple):
    """A request as it comes: `raw_path` is as it was sent, `path` is unescaped once."""

    method: str
    path: str
    raw_path: str
    headers: Mapping[str, str]
    peer: str
    body: bytes

    def with_header(self, name: str, value: str) -> Asked:
        """The same request with one header more."""
        return self._replace(headers={**self.headers, name: value})

    def without(self, *names: str) -> Asked:
        """The same request without some headers."""
        kept = {name: value for name, value in self.headers.items() if name not in names}
        return self._replace(headers=kept)


Ask: TypeAlias = Callable[[Asked], Awaitable[Reply]]
"""Asks the contract's own app."""


def between(handle: Callable[[Asked, Ask], Awaitable[Reply]]) -> Surround:
    """Subjects whose app is asked by `handle` alone."""

    def surround(open_subject: OpenSubject) -> OpenSubject:
        def opened(world: World) -> Subject:
            subject = open_subject(world)
            inner = cast("AppSurface", subject.surfaces["http"])
            http = inner._replace(app=_app(handle, inner.app))
            mcp = cast("McpSurface", subject.surfaces["mcp"])._replace(via=http)
            return subject._replace(surfaces={**subject.surfaces, "http": http, "mcp": mcp})

        return opened

    return surround


def answering(judge: Callable[[Asked], Reply | None]) -> Surround:
    """Subjects in which some requests are answered before the contract sees them."""

    async def handle(asked: Asked, ask: Ask) -> Reply:
        return judge(asked) or await ask(asked)

    return between(handle)


def asking(change: Callable[[Asked], Asked]) -> Surround:
    """Subjects in which the contract is asked something else."""
    return between(lambda asked, ask: ask(change(asked)))


def telling(change: Callable[[Asked, Reply], Reply]) -> Surround:
    """Subjects in which something else comes out than the contract said."""

    async def handle(asked: Asked, ask: Ask) -> Reply:
        return change(asked, await ask(asked))

    return between(handle)


def _app(handle: Callable[[Asked, Ask], Awaitable[Reply]], inner: Callable[..., Awaitable[None]]) -> Json:
    async def app(scope: Json, receive: Json, send: Json) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        raw_path, peer = scope["raw_path"].decode("latin-1"), scope["client"][0]
        asked = Asked(scope["method"], scope["path"], raw_path, headers, peer, await _body(receive))
        reply = await handle(asked, lambda changed: _ask(inner, scope, changed))
        await send({"type": "http.response.start", "status": reply.status, "headers": _pairs(reply.headers)})
        await send({"type": "http.response.body", "body": reply.body})

    return app


async def _body(receive: Json) -> bytes:
    event = await receive()
    body: bytes = event.get("body", b"")
    while event.get("more_body"):
        event = await receive()
        body += event.get("body", b"")
    return body


async def _ask(inner: Callable[..., Awaitable[None]], scope: Json, asked: Asked) -> Reply:
    sent: list[Json] = []

    async def receive() -> Json:
        return {"type": "http.request", "body": asked.body, "more_body": False}

    async def send(event: Json) -> None:
        sent.append(event)

    await inner(
        {
            **scope,
            "method": asked.method,
            "path": asked.path,
            "headers": _pairs(tuple(asked.headers.items())),
            "client": (asked.peer, scope["client"][1]),
        },
        receive,
        send,
    )
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in sent[0]["headers"])
    return Reply(sent[0]["status"], headers, b"".join(event.get("body", b"") for event in sent[1:]))


def _pairs(headers: tuple[tuple[str, str], ...]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
