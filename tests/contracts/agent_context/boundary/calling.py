"""Calls an ASGI app by hand, without an event loop, over a contract that only takes notes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from evalkit.contracts.agent_context.app import App, make_app
from evalkit.contracts.agent_context.boundary.policy import BOUNDARY, Gate, Route
from evalkit.contracts.agent_context.boundary.rules import BoundaryRules
from evalkit.contracts.agent_context.vocabulary import Json

MCP: Final = "/api/agent-context/mcp"
MANIFEST: Final = "/api/agent-context/manifest"
NOW: Final = 1_767_323_045.678
OPEN: Final = {"enabled": True}
CLOSED: Final = {"enabled": False}
JSON_ONLY: Final = {"content-type": "application/json"}
USUAL: Final = {**JSON_ONLY, "accept": "application/json, text/event-stream"}


class Answer(NamedTuple):
    """A response; header names in lower case, of several the last."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Json:
        """The body as JSON, which it must be and say that it is."""
        assert self.headers["content-type"] == "application/json; charset=utf-8"
        return json.loads(self.body)


class Notes:
    """A contract behind the boundary: it tells two tools, and remembers the calls that it answers."""

    def __init__(self) -> None:
        self.calls: list[Json] = []

    def is_open(self, settings: Json) -> bool:
        """As the settings say."""
        return settings["enabled"] is True

    def manifest(self, settings: Json) -> Json:
        """Two tools, and whether it is enabled."""
        return {"enabled": settings["enabled"], "tools": [{"name": "first"}, {"name": "second"}]}

    def call_tool(self, settings: Json, name: str, args: Json, key: str | None) -> Json:
        """The name back; the tool `broken` raises."""
        self.calls.append((settings, name, args, key))
        if name == "broken":
            raise ValueError("/home/someone/secret")
        return {"content": [{"type": "text", "text": name}]}


class Stage(NamedTuple):
    """An app and the contract behind it."""

    app: App
    notes: Notes

    def ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        body: bytes | Sequence[bytes] = b"",
        peer: str | None = "127.0.0.1",
    ) -> Answer:
        """One request; a body given as a list comes in pieces."""
        pairs = headers.items() if isinstance(headers, Mapping) else headers
        scope = scope_of(method, path, list(pairs), peer)
        pieces = [body] if isinstance(body, bytes) else list(body)
        return answered(step(self.app, scope, body_events(pieces)))

    def post(self, message: Json, **more: str) -> Answer:
        """A message, as a client of MCP sends it; `more` are headers, `_` for `-`."""
        named = {name.replace("_", "-"): value for name, value in more.items()}
        return self.ask("POST", MCP, {**USUAL, **named}, json.dumps(message).encode())

    def result(self, method: str, params: Json = ..., number: Json = 1) -> Json:
        """The result of a request that must succeed."""
        answer = self.post(request(method, params, number))
        assert answer.status == 200
        told = answer.json()
        assert list(told) == ["jsonrpc", "id", "result"]
        assert (told["jsonrpc"], told["id"]) == ("2.0", number)
        return told["result"]


def stage(
    settings: Json = OPEN,
    rules: BoundaryRules = BOUNDARY,
    gate: Gate | None = None,
    routes: Sequence[Route] = (),
) -> Stage:
    """An app over a contract that takes notes; the clock stands still."""
    notes = Notes()
    return Stage(
        make_app(notes, lambda: settings, rules, now=lambda: NOW, gate=gate, routes=routes),
        notes,
    )


def request(method: str, params: Json = ..., number: Json = 1) -> Json:
    """A JSON-RPC request; without params where none are given."""
    more = {} if params is ... else {"params": params}
    return {"jsonrpc": "2.0", "id": number, "method": method, **more}


def refusal(answer: Answer) -> tuple[int, str, str]:
    """Status, code and text of an error that is answered in the one shape (spec B.1)."""
    told = answer.json()
    assert told["timestamp"] == 1_767_323_045_678
    assert list(told) in (["error", "code", "timestamp"], ["error", "code", "timestamp", "context"])
    return answer.status, told["code"], told["error"]


def rpc_error(answer: Answer) -> tuple[int, int, str, Json]:
    """Status of the response, then code, text and id of a JSON-RPC error."""
    told = answer.json()
    assert list(told) == ["jsonrpc", "id", "error"]
    assert list(told["error"]) == ["code", "message"]
    return answer.status, told["error"]["code"], told["error"]["message"], told["id"]


def scope_of(method: str, path: str, headers: Sequence[tuple[str, str]], peer: str | None) -> Json:
    """The scope of a request as a server gives it."""
    return {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers],
        "client": None if peer is None else (peer, 50_000),
    }


def body_events(pieces: Sequence[bytes]) -> list[Json]:
    """The events by which a body comes."""
    last = len(pieces) - 1
    return [
        {"type": "http.request", "body": piece, "more_body": index < last}
        for index, piece in enumerate(pieces)
    ]


def step(app: App, scope: Json, events: Sequence[Json]) -> list[Json]:
    """What an app sends. It must not wait for anything but these events."""
    waiting = list(events)
    sent: list[Json] = []

    async def receive() -> Json:
        return waiting.pop(0)

    async def send(event: Json) -> None:
        sent.append(event)

    finish(app(scope, receive, send).__await__().send)
    return sent


def finish(send: Callable[[None], object]) -> Json:
    """What a coroutine returns that is never put off."""
    try:
        send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits for something else")


def answered(sent: Sequence[Json]) -> Answer:
    """The response in two events, as servers expect them; a length that is told is the right one."""
    start, end = sent
    assert (start["type"], end["type"]) == ("http.response.start", "http.response.body")
    assert all(name == name.lower() for name, _ in start["headers"])
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in start["headers"]}
    return Answer(start["status"], headers, end["body"])
