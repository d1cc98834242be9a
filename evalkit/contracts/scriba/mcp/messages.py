"""Answers one MCP message: a pure function of it and of the service, whatever carries it (spec 7)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from ..faults import caught
from ..nouns import Json, Service
from .catalogue import GET_CONTEXT, LIST_EVENTS
from .rules import McpRules

INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602

VERSION: Final = "0.3.0"
"""The release whose contract this keeps."""


def answer(rules: McpRules, service: Service, message: Json) -> Json:
    """A message → its JSON-RPC answer; None for a notification or a response, which change nothing."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return failure(INVALID_REQUEST, "Invalid JSON-RPC message")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    method, number, params = message.get("method"), message.get("id"), message.get("params")
    if not isinstance(method, str) or ("id" in message and not _is_id(number)):
        return failure(INVALID_REQUEST, "Invalid JSON-RPC message")
    if "id" not in message:
        return None
    if method not in _METHODS:
        return failure(METHOD_NOT_FOUND, "Method not found", number)
    result = _METHODS[method](_Request(rules, service, params)) if _is_object(params) else None
    if result is None:
        return failure(INVALID_PARAMS, f"Invalid {method} params", number)
    return {"jsonrpc": "2.0", "id": number, "result": result}


def failure(code: int, text: str, number: Json = None) -> Json:
    """A JSON-RPC error; `number` is the id of the request, None where that is not known."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}


class _Request(NamedTuple):
    rules: McpRules
    service: Service
    params: Json

    def get(self, name: str) -> Json:
        """A param; None where it is absent."""
        return None if self.params is None else self.params.get(name)


def _is_id(value: Json) -> bool:
    """A string or a number, but not `true`, and not what JSON cannot write."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _is_object(params: Json) -> bool:
    return params is None or isinstance(params, dict)


def _initialize(request: _Request) -> Json:
    offered = request.get("protocolVersion")
    if not isinstance(offered, str):
        return None
    return {
        "protocolVersion": request.rules.negotiate(offered),
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "scriba", "version": VERSION},
    }


def _ping(_request: _Request) -> Json:
    return {}


def _list_tools(request: _Request) -> Json:
    rules = request.rules
    return {"tools": [rules.describe(tool, rules.output_schema) for tool in rules.tools]}


def _call_tool(request: _Request) -> Json:
    """A tool result, whatever the service meets; None where there is no such tool or no object."""
    name, arguments = request.get("name"), request.get("arguments")
    if not isinstance(name, str) or name not in _TOOLS or not _is_object(arguments):
        return None
    return _TOOLS[name](request.rules, request.service, {} if arguments is None else arguments)


def _get_context(rules: McpRules, service: Service, arguments: Json) -> Json:
    if problem := rules.context_problem(arguments):
        return rules.failure(problem)
    return _told(rules, lambda: service.context(rules.profile_of(arguments)))


def _list_events(rules: McpRules, service: Service, arguments: Json) -> Json:
    if problem := rules.events_problem(arguments):
        return rules.failure(problem)
    page = rules.page_of(arguments)
    return _told(rules, lambda: service.events(*page, rules.profile_of(arguments)))


def _told(rules: McpRules, ask: Callable[[], Json]) -> Json:
    result = caught(lambda: rules.success(rules.write(ask()).decode()))
    # A stranger's message may hold a path (spec 7.5).
    return rules.failure(rules.reason(result)) if isinstance(result, Exception) else result


_METHODS: Final[Mapping[str, Callable[[_Request], Json]]] = {
    "initialize": _initialize,
    "ping": _ping,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}
_TOOLS: Final[Mapping[str, Callable[[McpRules, Service, Json], Json]]] = {
    GET_CONTEXT: _get_context,
    LIST_EVENTS: _list_events,
}
