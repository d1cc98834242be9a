"""The two eras of MCP over HTTP: what each puts around a request, and how a session begins in it.

Up to revision 2025-11-25 a session begins with `initialize`, and its requests carry headers that name it.
From 2026-07-28 on nothing begins: each request carries the revision, who asks and what that one can do in
`params._meta`, and its headers repeat the method and the name that is asked for.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from evalkit import __version__
from evalkit.drivers._exchange import Headers
from evalkit.model import Json
from evalkit.values import encode

HANDSHAKE: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
STATELESS: Final = "2026-07-28"
UNSUPPORTED: Final = -32022
"""The error with which a server names the revisions that it speaks instead."""

CLIENT: Final = {"name": "evalkit", "version": __version__}
OFFER: Final[Headers] = (
    (b"content-type", b"application/json"),
    (b"accept", b"application/json, text/event-stream"),
)

_META: Final = "io.modelcontextprotocol/"
_NAMED_BY: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_PLAIN: Final = re.compile(r"(?! )[\x20-\x7e]*(?<! )")
_WRAPPED: Final = re.compile(r"=\?base64\?.*\?=")
_TOKEN: Final = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Za-z]+")

Params: TypeAlias = dict[str, Json]


class Handshake(NamedTuple):
    """A session that `initialize` began; `told` is its result. An empty version is one not yet agreed."""

    version: str = ""
    session: str = ""
    told: Mapping[str, Json] = {}

    def params(self, params: Params, meta: Mapping[str, Json], capabilities: Mapping[str, Json]) -> Params:
        """The params with what the step puts into `_meta`; the capabilities were told once."""
        return {**params, "_meta": meta} if meta else params

    def headers(self, method: str, params: Mapping[str, Json]) -> Headers:
        """`OFFER`, the revision, and the session where the server gave one."""
        named = ((b"mcp-protocol-version", self.version), (b"mcp-session-id", self.session))
        return (*OFFER, *[(name, value.encode("latin-1")) for name, value in named if value])


class Stateless(NamedTuple):
    """No session. `told` is what `server/discover` answered, where it was asked."""

    version: str = STATELESS
    told: Mapping[str, Json] | None = None

    def params(self, params: Params, meta: Mapping[str, Json], capabilities: Mapping[str, Json]) -> Params:
        """The params with the three words that each request carries in `_meta`; the step's own win."""
        ours = {"protocolVersion": self.version, "clientInfo": CLIENT, "clientCapabilities": capabilities}
        return {**params, "_meta": {**{_META + name: value for name, value in ours.items()}, **meta}}

    def headers(self, method: str, params: Mapping[str, Json]) -> Headers:
        """`OFFER`, the revision, the method, and the name of what is asked for."""
        told = ((b"mcp-protocol-version", self.version.encode()), (b"mcp-method", method.encode()))
        name = params.get(_NAMED_BY.get(method, ""))
        named = ((b"mcp-name", header_text(name)),) if isinstance(name, str) else ()
        return (*OFFER, *told, *named)


Era: TypeAlias = Handshake | Stateless
"""What is known of the other side, and how a request is dressed for it: its params and its headers."""


def headers_within(era: Era, message: Json) -> Headers:
    """The headers of a message that a step wrote itself and sends within a session."""
    said = message if isinstance(message, dict) else {}
    method, params = said.get("method"), said.get("params")
    named = method if isinstance(method, str) else ""
    headers = era.headers(named, params if isinstance(params, dict) else {})
    return headers if named else tuple(one for one in headers if one[0] != b"mcp-method")


def description_of(version: str, told: Mapping[str, Json]) -> dict[str, Json]:
    """The server as a manifest tells it, from its answer to `initialize` or `server/discover`."""
    meta = told.get("_meta")
    info = told.get("serverInfo", meta.get(f"{_META}serverInfo") if isinstance(meta, dict) else None)
    about = {"serverInfo": info, "protocolVersion": told.get("protocolVersion", version)}
    rest = {name: told[name] for name in ("capabilities", "instructions") if name in told}
    return {name: value for name, value in about.items() if value is not None} | rest


def session_of(headers: Headers) -> str:
    """The session that a server gave, if it did."""
    found = (value for name, value in headers if name.lower() == b"mcp-session-id")
    return next(found, b"").decode("latin-1")


def header_text(value: str) -> bytes:
    """A text as a header of 2026-07-28 carries it: in base64 where it is not plain, or looks like that."""
    if _PLAIN.fullmatch(value) and not _WRAPPED.fullmatch(value):
        return value.encode()
    wrapped = b2a_base64(value.encode(errors="surrogatepass"), newline=False)
    return b"=?base64?" + wrapped + b"?="


def mirrored(schema: Json, args: Mapping[str, Json]) -> Headers:
    """The `Mcp-Param-…` headers that 2026-07-28 demands for arguments that a tool's schema marks so."""
    headers = []
    for path, token in _marked(schema):
        value: Json = args
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, (str, int, float)):
            text = value if isinstance(value, str) else encode(value)
            headers.append((b"mcp-param-" + token.lower().encode(), header_text(text)))
    return tuple(headers)


def _marked(schema: Json) -> Iterator[tuple[tuple[str, ...], str]]:
    """Path and header name of each marked property; only `properties` lead to one."""
    waiting: list[tuple[tuple[str, ...], Json]] = [((), schema)]
    for path, node in waiting:  # grows while it is read
        if not isinstance(node, dict):
            continue
        token = node.get("x-mcp-header")
        if path and isinstance(token, str) and _TOKEN.fullmatch(token):
            yield path, token
        inner = node.get("properties")
        if isinstance(inner, dict):
            waiting += [((*path, name), below) for name, below in inner.items()]
