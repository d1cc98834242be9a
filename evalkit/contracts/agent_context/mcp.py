"""Answers one MCP message: a pure function, whatever carries the messages (spec B.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, Protocol

from .boundary.rules import BoundaryRules
from .vocabulary import MAX_SAFE_INTEGER, Json

INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602

INSTRUCTIONS: Final = (
    "Bounded, read-only context about this PortOS installation, and the semantic actions that its owner has "
    "granted. Use search_context, list_context and get_context to find records, and context_profile to see "
    "what is shared. Give each write an Idempotency-Key, so that it can be repeated safely."
)
_SERVER: Final = {"name": "PortOS Agent Tools", "version": "1"}


class Service(Protocol):
    """The contract behind the boundary. `settings` is the whole document, the same for one request."""

    def is_open(self, settings: Json) -> bool:
        """Whether tools can be called at all: enabled, and validly configured."""

    def manifest(self, settings: Json) -> Json:
        """What the contract says of itself, closed or open; `tools` are those of `tools/list`."""

    def call_tool(self, settings: Json, name: str, args: Json, key: str | None) -> Json:
        """A tool result as MCP shapes it, whatever goes wrong.

        `args` is an object, or None where there is none; `key` is the Idempotency-Key as it was sent.
        """


def answer(
    rules: BoundaryRules, service: Service, settings: Json, message: Json, key: str | None = None
) -> Json:
    """A message → its JSON-RPC answer; None for a notification or a response: those do nothing.

    `message` is any JSON, or `...` for no message at all. Only `tools/call` looks at `key`.
    """
    envelope = rules.classify(message)
    if envelope is None:
        return failure(INVALID_REQUEST, "Invalid JSON-RPC message")
    if envelope.kind != "request":
        return None
    number = _plain(envelope.id)
    is_valid = rules.params_of.get(envelope.method)
    if is_valid is None:
        return failure(METHOD_NOT_FOUND, "Method not found", number)
    if not is_valid(envelope.params):
        return failure(INVALID_PARAMS, f"Invalid {envelope.method} params", number)
    result = _METHODS[envelope.method](_Request(rules, service, settings, envelope.params, key))
    return {"jsonrpc": "2.0", "id": number, "result": result}


def failure(code: int, text: str, number: Json = None) -> Json:
    """A JSON-RPC error; `number` is the id of the request, None where that is not known."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}


class _Request(NamedTuple):
    """A request whose params are valid."""

    rules: BoundaryRules
    service: Service
    settings: Json
    params: Json
    key: str | None


def _plain(number: Json) -> Json:
    """An id as JavaScript writes it back: 1.0 as 1."""
    is_whole = isinstance(number, float) and number.is_integer() and abs(number) <= MAX_SAFE_INTEGER
    return int(number) if is_whole else number


def _initialize(request: _Request) -> Json:
    return {
        "protocolVersion": request.rules.negotiate_version(request.params["protocolVersion"]),
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": _SERVER,
        "instructions": INSTRUCTIONS,
    }


def _ping(_request: _Request) -> Json:
    return {}


def _list_tools(request: _Request) -> Json:
    return {"tools": request.service.manifest(request.settings)["tools"]}


def _call_tool(request: _Request) -> Json:
    params = request.params
    return request.service.call_tool(
        request.settings, params["name"], params.get("arguments"), request.key or None
    )


_METHODS: Final[Mapping[str, Callable[[_Request], Json]]] = {
    "initialize": _initialize,
    "ping": _ping,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}
