"""What a way in leads to: an app in memory or an address, and where it takes MCP messages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, NamedTuple


class AppSurface(NamedTuple):
    """The way in called `http`, in memory: an ASGI 3 app, called without a socket.

    `host` stands in the Host header, `peer` is who calls where a step names no `client`.
    `awaits` is False for an app that awaits nothing but `receive` and `send`: it needs no event loop.
    """

    app: Callable[..., Awaitable[None]]
    host: str = "127.0.0.1:5555"
    peer: str = "127.0.0.1"
    awaits: bool = True


class Address(NamedTuple):
    """The way in called `http`, live: `url` is what stands before every path, without a final slash."""

    url: str


class McpSurface(NamedTuple):
    """The way in called `mcp`, over Streamable HTTP: where it is, and the path that takes messages.

    `manifest` is the path of the contract's own document; without it the pages of `tools/list` are read.
    `era` says how a session begins: with `initialize`, or (from 2026-07-28 on) with nothing.
    """

    via: AppSurface | Address
    path: str
    manifest: str | None = None
    era: Literal["auto", "handshake", "stateless"] = "auto"
