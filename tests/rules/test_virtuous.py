"""What the specification permits breaks no rule: each of these servers is in order."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.rules import repeating, table
from tests.rules.manifests import SCHEMA, manifest, seen, tool

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
JUDGED = [rule for rule in table().values() if "manifest" in rule.operations and rule not in repeating.RULES]


def taking(day: Any, **around: Any) -> dict[str, Any]:
    """A server with a tool that takes a `day` of this schema."""
    return manifest(tool(inputSchema={"type": "object", "properties": {"day": day}, **around}))


def giving(**schema: Any) -> dict[str, Any]:
    """A server with a tool that promises an answer of this schema."""
    return manifest(tool(outputSchema={"type": "object", **schema}))


NODE = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}
TREE = {"$ref": "#/$defs/node"}

VIRTUOUS: dict[str, dict[str, Any]] = {
    "a plain server": manifest(),
    "no tools at all": manifest(tools=[]),
    "no tools, and a server that never said it has any": manifest(
        tools=[], capabilities={"prompts": {}}, incomplete="page 1 is the error -32601"
    ),
    "no capability at all": manifest(tools=[], capabilities={}),
    "capabilities with flags, and one of its own": manifest(
        capabilities={"tools": {"listChanged": False}, "resources": {"subscribe": True}, "own": True}
    ),
    "a server with a title, icons and an empty version": manifest(
        serverInfo={"name": "days", "title": "Days", "version": "", "icons": []}
    ),
    "instructions": manifest(instructions="Ask for a day."),
    "a name of one character": manifest(tool("a")),
    "a name of 64 characters": manifest(tool("n" * 64)),
    "names that differ in case": manifest(tool("day"), tool("Day")),
    "names that begin with a digit, `_` or `-`": manifest(tool("1day"), tool("_day"), tool("-day")),
    "a title, icons, a task and a note": manifest(
        tool(title="Day", icons=[{"src": "data:,"}], execution={"taskSupport": "optional"}, _meta={"a": 1})
    ),
    "a description in another script": manifest(tool(description="日程")),
    "a description that speaks of errors": manifest(tool(description="Error: never, it says.")),
    "no arguments": manifest(tool(inputSchema={"type": "object"})),
    "no arguments, and closed": manifest(tool(inputSchema={"type": "object", "additionalProperties": False})),
    "an empty `required`": taking({}, required=[]),
    "a union of types": taking({"type": ["string", "null"], "default": None}),
    "a union of schemas": taking({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}),
    "a property of a boolean schema": taking(True),
    "a property that may not be": taking(False),
    "draft 7, with definitions": taking(
        {"$ref": "#/definitions/day"}, definitions={"day": {"type": "string"}}, **{"$schema": DRAFT_7}
    ),
    "draft 7, with a tuple": taking({"items": [{"type": "string"}]}, **{"$schema": DRAFT_7}),
    "draft 2019-09": taking({"type": "string"}, **{"$schema": DRAFT_2019}),
    "definitions in 2020-12": taking({"$ref": "#/definitions/day"}, definitions={"day": {"type": "string"}}),
    "$defs": taking({"$ref": "#/$defs/day"}, **{"$defs": {"day": {"type": "string"}}}),
    "$defs that nobody uses": taking({}, **{"$defs": {"day": {"type": "string"}}}),
    "words beside a reference": taking(
        {"$ref": "#/$defs/day", "description": "A day"}, **{"$defs": {"day": {"type": "string"}}}
    ),
    "an anchor": taking({"$ref": "#day"}, **{"$defs": {"d": {"$anchor": "day", "type": "string"}}}),
    "an id of its own": taking({"type": "string"}, **{"$id": "https://example.org/day"}),
    "a tree": taking(TREE, **{"$defs": {"node": NODE}}),
    "a tree of its own root": taking({"type": "array", "items": {"$ref": "#"}}),
    "a tree as an answer": giving(properties={"root": TREE}, **{"$defs": {"node": NODE}}),
    "a pattern of ECMAScript's": taking({"type": "string", "pattern": r"^\p{L}+(?=-)[^\s@]\/$"}),
    "a pattern that looks behind": taking({"type": "string", "pattern": r"(?<=a)b"}),
    "a date-time": taking({"type": "string", "format": "date-time", "examples": ["2026-01-01T00:00:00Z"]}),
    "a format that nobody knows": taking({"type": "string", "format": "int64"}),
    "words that no dialect knows": taking({"type": "string", "x-order": 1, "example": 7}),
    "a default of each kind": taking(
        {
            "properties": {
                "a": {"type": "string", "default": ""},
                "b": {"type": "integer", "default": 1.0},
                "c": {"type": "array", "default": []},
                "d": {"type": "object", "default": {}},
                "e": {"default": None},
                "f": {"enum": ["x", None], "default": None},
            }
        }
    ),
    "a property that is called default": taking({}, default={"day": "x"}),
    "properties that are called like keywords": manifest(
        tool(
            inputSchema={
                "type": "object",
                "properties": {
                    "default": {"type": "integer"},
                    "examples": {"type": "integer"},
                    "nullable": {"type": "boolean"},
                    "$ref": {"type": "string"},
                    "required": {"type": "boolean"},
                },
            }
        )
    ),
    "a nested union and a condition": taking(
        {"oneOf": [{"const": "a"}, {"const": "b"}], "if": {"const": "a"}, "then": {"minLength": 1}}
    ),
    "an integer beyond 2^53": taking({"type": "integer", "maximum": 2**64, "default": 2**63}),
    "a name that is required and not described, of an open object": taking({}, required=["month"]),
    "a closed object": taking({"type": "string"}, required=["day"], additionalProperties=False),
    "a union at the root of the answer": giving(anyOf=[{"required": ["a"]}, {"required": ["b"]}]),
    "an open answer": giving(additionalProperties=True),
    "an answer with prose beside it": giving(properties={"text": {"type": "string"}}),
    "`nullable: false`": taking({"type": "string", "nullable": False}),
    "readOnly and its defaults": manifest(tool(annotations={"readOnlyHint": True})),
    "readOnly false, said": manifest(tool(annotations={"readOnlyHint": False})),
    "readOnly, and not destructive, said": manifest(
        tool(annotations={"readOnlyHint": True, "destructiveHint": False, "idempotentHint": False})
    ),
    "destructive, said": manifest(tool(annotations={"readOnlyHint": False, "destructiveHint": True})),
    "only additive": manifest(tool(annotations={"destructiveHint": False, "title": "Add a day"})),
    "a hint of its own": manifest(tool(annotations={"readOnlyHint": True, "costHint": "low"})),
    "an answer that is an array, where that may be": manifest(
        tool(outputSchema={"type": "array", "items": {"type": "string"}}), protocolVersion="2026-07-28"
    ),
    "no serverInfo, where there is no handshake": manifest(serverInfo=..., protocolVersion="2026-07-28"),
    "a tuple, where nobody said which dialect": manifest(
        tool(inputSchema={**SCHEMA, "properties": {"day": {"items": [{}]}}}), protocolVersion="2025-03-26"
    ),
}


@pytest.mark.parametrize("name", VIRTUOUS)
def test_a_server_in_order_breaks_no_rule(name: str) -> None:
    found = VIRTUOUS[name]
    evidence = seen(found, earlier=found)
    told = [
        (rule.id, fault.path, fault.message)
        for rule in JUDGED
        if rule.holds_for(found["protocolVersion"])
        for fault in rule.judge(evidence)
    ]
    assert told == []


def test_a_name_of_128_characters_with_dots_is_only_hard_to_carry_elsewhere() -> None:
    evidence = seen(manifest(tool("n." * 64)))
    told = [(rule.id, rule.severity) for rule in JUDGED for _ in rule.judge(evidence)]
    assert told == [("tool-name-portable", "low")]
