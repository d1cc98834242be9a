"""Each virtuous variant: something that the specification permits and that looks like a vice, but is none."""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from tests.vices.server import HANDSHAKE, Refused, Server, failed, reading, schema, structured, text

Json = Any

VIRTUES: Final[dict[str, Callable[[Server], object]]] = {}


def _prose(name: str, result: Json) -> None:
    VIRTUES[name] = lambda server: server.gives("greet", result)


def _output(name: str, result: Json, takes: Json) -> None:
    def change(server: Server) -> None:
        server.has("add", outputSchema=takes)
        server.gives("add", result)

    VIRTUES[name] = change


def _takes(name: str, takes: Json) -> None:
    VIRTUES[name] = lambda server: server.has("erase", inputSchema=takes)


def _day(schema_of_day: Json, **around: Json) -> Json:
    return {**schema(day=schema_of_day), **around}


_prose("an empty list of content", {"content": []})
_prose("a text that is empty", text(""))
_prose("a text that begins with Error:", text("Error: is how many a good story begins."))
_prose("a text in many scripts", text("✓ é 漢 🪴"))
_prose("two texts", text("Good", "morning."))
_prose("an image", {"content": [{"type": "image", "data": "iVBORw0KGg==", "mimeType": "image/png"}]})
_prose("a resource", {"content": [{"type": "resource", "resource": {"uri": "file:///a", "text": "b"}}]})
_prose("a link to a resource", {"content": [{"type": "resource_link", "uri": "file:///a", "name": "a"}]})
_prose("isError that is false", {**text("Good morning."), "isError": False})
_prose("a note beside the result", {**text("Good morning."), "_meta": {"example.com/a": [1]}})
_prose("a text that is a JSON array", text("[1, 2]"))
_prose("a text that is null", text("null"))
_prose("structured content that no schema promised", structured({"at": "2026-09-01T16:56:29.958"}))
_prose("a text that speaks of NaN", text("NaN is no number."))
_prose("a text with an address", text("The function lives at 0x7f12a0b3c4d0."))
_prose("a text that tells a traceback in a success", text("A traceback (most recent call last) is long."))
_prose("a tool that always fails", failed("There is nobody to greet."))

_output(
    "prose beside structured output", structured({"sum": 0}, "The sum is nothing."), schema("sum", sum={})
)
_output(
    "a text that tells less than the output",
    structured({"sum": 0, "more": [1]}, '{"sum": 0}'),
    {"type": "object"},
)
_output(
    "one and one point nothing",
    structured({"sum": 1.0}, '{"sum": 1}'),
    schema("sum", sum={"type": "integer"}),
)
_output("a union of types", structured({"sum": None}), schema("sum", sum={"type": ["integer", "null"]}))
_output("an open output", structured({"sum": 0, "more": True}), {"type": "object", "properties": {"sum": {}}})
_output("an error of a tool with an output schema", failed("quota"), schema("sum", sum={"type": "integer"}))
_output(
    "a time with its offset",
    structured({"at": "2026-09-01T16:56:29+01:00"}),
    schema("at", at={"type": "string", "format": "date-time"}),
)
_output(
    "a large integer as a text", structured({"id": "9007199254740993"}), schema("id", id={"type": "string"})
)

_takes(
    "draft 7 with definitions",
    {
        **_day({"$ref": "#/definitions/day"}, definitions={"day": {"type": "string"}}),
        "$schema": "http://json-schema.org/draft-07/schema#",
    },
)
_takes(
    "a tree",
    {
        **_day({"$ref": "#/$defs/node"}),
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
            }
        },
    },
)
_takes("a pattern of ECMAScript", _day({"type": "string", "pattern": "^\\p{L}+$"}))
_takes("a union inside", _day({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}))
_takes("an object without a word of its names", {"type": "object"})
_takes("a format that nobody knows", _day({"type": "string", "format": "garden"}))

VIRTUES["no tools at all"] = lambda server: server.tools.clear()
VIRTUES["one tool a page"] = lambda server: setattr(server, "page", 1)
VIRTUES["only the first revision"] = lambda server: setattr(server, "revisions", HANDSHAKE[-1:])
VIRTUES["a server that writes a line to standard error"] = lambda server: setattr(
    server, "at_start", lambda: print("listening", file=sys.stderr, flush=True)
)
VIRTUES["a server that takes its time to start"] = lambda server: setattr(
    server, "at_start", lambda: time.sleep(1)
)
VIRTUES["a server that takes its time to end"] = lambda server: setattr(
    server, "at_end", lambda: time.sleep(1)
)
VIRTUES["JSON with escapes and spaces"] = lambda server: setattr(
    server,
    "encode",
    lambda message: json.dumps(message, indent=None, separators=(" , ", " : "), ensure_ascii=True),
)
VIRTUES["JSON as it is, in UTF-8"] = lambda server: setattr(
    server, "encode", lambda message: json.dumps(message, ensure_ascii=False)
)
VIRTUES["a notification before each answer"] = lambda server: setattr(
    server,
    "sent",
    lambda message, answers: [
        *(
            {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}}
            for _ in answers
        ),
        *answers,
    ],
)
VIRTUES["a capability of its own"] = lambda server: setattr(
    server,
    "capabilities",
    {"tools": {"listChanged": True}, "experimental": {"example.com/a": {}}, "logging": {}},
)
VIRTUES["instructions"] = lambda server: server.told.update(instructions="Be kind.")


def _lists_nothing_else(server: Server) -> None:
    server.capabilities = {"tools": {}, "prompts": {}, "resources": {}}
    server.methods["prompts/list"] = lambda params: {"prompts": []}
    server.methods["resources/list"] = lambda params: {"resources": []}


def _refuses_unknown_revisions(server: Server) -> None:
    def initialize(params: Json) -> Json:
        if params.get("protocolVersion") not in server.revisions:
            raise Refused(-32602, "Unsupported protocol version", data={"supported": list(server.revisions)})
        return server.initialize(params)

    server.methods["initialize"] = initialize


def _unknown_tools_as_results(server: Server) -> None:
    known = server.call_tool
    server.methods["tools/call"] = lambda params: (
        known(params)
        if params.get("name") in server.tools
        else failed(f"Tool {params.get('name')} not found")
    )


def _takes_what_it_does_not_know(server: Server) -> None:
    server.has(
        "greet", inputSchema={"type": "object", "properties": {"name": {"type": "string", "default": "you"}}}
    )
    server.does("greet", lambda args: text("Good morning."))


def _counts_in_private(server: Server) -> None:
    guests = itertools.count(1)
    server.does("greet", lambda args: text(f"You are guest {next(guests)}."))


def _carries_batches_out(server: Server) -> None:
    server.revisions = ("2025-03-26",)
    server.sent = lambda message, answers: (
        [[{"jsonrpc": "2.0", "id": one["id"], "result": {}} for one in message]]
        if isinstance(message, list)
        else answers
    )


VIRTUES["prompts and resources, all none"] = _lists_nothing_else
VIRTUES["an unknown revision that is refused"] = _refuses_unknown_revisions
VIRTUES["an unknown tool that is a result with isError"] = _unknown_tools_as_results
VIRTUES["an open schema with a default"] = _takes_what_it_does_not_know
VIRTUES["a read-only tool that answers differently each time"] = _counts_in_private
VIRTUES["no sessions"] = lambda server: server.speaks_without_sessions()
VIRTUES["a batch that is carried out, where the revision knows it"] = _carries_batches_out
VIRTUES["a tool of one character"] = lambda server: server.add(reading("x", schema()), lambda args: text("x"))
