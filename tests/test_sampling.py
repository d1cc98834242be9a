"""Small values that a schema admits, and such that break it in exactly one way; the same every time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalkit.sampling import BREAKS, UNKNOWN, Break, CannotSample, broken, sample
from evalkit.schemas import compile_schema

CORPUS = Path(__file__).parents[1] / ".." / "shared" / "corpus" / "mcp-servers"

TREE = {"type": "object", "properties": {"child": {"$ref": "#"}}, "required": []}
ENDLESS = {"type": "object", "properties": {"child": {"$ref": "#"}}, "required": ["child"]}

SMALLEST: list[tuple[Any, Any]] = [
    ({"type": "string"}, "a"),
    ({"type": "string", "minLength": 3}, "aaa"),
    ({"type": "string", "maxLength": 0}, ""),
    ({"type": "string", "format": "date-time"}, "2026-01-01T00:00:00Z"),
    ({"type": "string", "format": "uuid"}, "00000000-0000-4000-8000-000000000000"),
    ({"type": "string", "pattern": "^[0-9]{3}-x$"}, "000-x"),
    ({"type": "string", "pattern": "^(ab|c)+$"}, "ab"),
    ({"type": "string", "pattern": "^[^a]$"}, "b"),
    ({"type": "string", "pattern": r"^\d+\.\w*$", "minLength": 6}, "0.aaaa"),
    ({"type": "integer"}, 1),
    ({"type": "integer", "minimum": 5}, 5),
    ({"type": "integer", "exclusiveMinimum": 5}, 6),
    ({"type": "integer", "maximum": -2}, -2),
    ({"type": "integer", "multipleOf": 7}, 0),
    ({"type": "integer", "minimum": 10, "multipleOf": 4}, 12),
    ({"type": "number", "exclusiveMinimum": 0, "maximum": 0.5}, 0.5),
    ({"type": "boolean"}, False),
    ({"type": "null"}, None),
    ({"type": ["null", "integer"]}, 1),
    ({"type": "array"}, []),
    ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [1, 1]),
    ({"type": "array", "items": {"enum": [1, 2, 3]}, "minItems": 2, "uniqueItems": True}, [1, 2]),
    ({"type": "array", "contains": {"const": "x"}}, ["x"]),
    ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]}, [1, "a"]),
    ({"type": "object"}, {}),
    ({"type": "object", "properties": {"a": {}, "b": {"type": "integer"}}, "required": ["b"]}, {"b": 1}),
    ({"type": "object", "properties": {"a": {"type": "null"}}, "minProperties": 1}, {"a": None}),
    ({"enum": ["x", "y"]}, "x"),
    ({"const": {"deep": [1]}}, {"deep": [1]}),
    ({"type": "string", "default": "red"}, "red"),
    ({"type": "string", "default": None}, "a"),
    ({"type": "integer", "examples": [42]}, 42),
    ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, 1),
    ({"oneOf": [{"type": "integer", "maximum": 5}, {"type": "integer", "minimum": 5}]}, 1),
    (
        {"allOf": [{"type": "object", "required": ["a"]}, {"properties": {"a": {"type": "integer"}}}]},
        {"a": 1},
    ),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "integer", "minimum": 3}}}, 3),
    ({"$ref": "#/definitions/a", "definitions": {"a": {"const": 2}}}, 2),
    (TREE, {}),
    ({"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"a": 1}),
    (True, "a"),
    ({}, {}),
]


@pytest.mark.parametrize(("schema", "value"), SMALLEST)
def test_a_value_is_small_valid_and_the_same_every_time(schema: Any, value: Any) -> None:
    drawn = sample(schema)
    assert compile_schema(schema).holds(drawn)
    assert drawn == sample(schema)
    assert drawn == value


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"type": "strng"},
        {"$ref": "#/$defs/none"},
        {"$ref": "https://example.org/s"},
        {"enum": []},
        {"type": "integer", "minimum": 2, "maximum": 1},
        {"not": {}},
        ENDLESS,
    ],
)
def test_where_nothing_can_be_drawn_it_says_why(schema: Any) -> None:
    with pytest.raises(CannotSample, match=r"."):
        sample(schema)


def test_another_seed_chooses_otherwise() -> None:
    schema = {"enum": ["x", "y", "z"]}
    assert [sample(schema, seed) for seed in range(4)] == ["x", "y", "z", "x"]


CLOSED: dict[str, Any] = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["id"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("how", "value"),
    [("missing", {}), ("extra", {"id": "a", UNKNOWN: "x"}), ("mistyped", {"id": {UNKNOWN: [1]}})],
)
def test_a_value_is_broken_in_one_way(how: Break, value: Any) -> None:
    assert broken(CLOSED, how) == value
    assert not compile_schema(CLOSED).holds(value)


@pytest.mark.parametrize(
    ("schema", "how", "told"),
    [
        ({**CLOSED, "required": []}, "missing", "requires nothing"),
        ({"type": "object", "properties": {"id": {}}}, "extra", "admits unknown names"),
        ({"type": "object", "properties": {"id": {}}}, "mistyped", "admits any type"),
        ({"type": "string"}, "missing", "not of an object"),
    ],
)
def test_what_a_schema_does_not_forbid_cannot_be_broken(schema: Any, how: Break, told: str) -> None:
    with pytest.raises(CannotSample, match=told):
        broken(schema, how)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the recordings of real servers are not here")
def test_arguments_are_drawn_for_every_tool_of_35_real_servers() -> None:
    schemas = [
        tool["inputSchema"]
        for file in sorted(CORPUS.glob("*.json"))
        for tool in json.loads(file.read_text(encoding="utf-8"))["tools"]
    ]
    assert len(schemas) == 362
    for schema in schemas:
        assert compile_schema(schema).holds(sample(schema))
        for how in BREAKS:
            try:
                value = broken(schema, how)
            except CannotSample:
                continue
            assert not compile_schema(schema).holds(value)


@pytest.mark.parametrize(
    ("told", "drawn"),
    [
        ("A zone (e.g., 'Europe/London').", "Europe/London"),
        ('Such as "a b".', "a b"),
        ("For example: `main`", "main"),
        ("It's the user's, e.g. ours", "a"),
        ("Call 'other' first.", "a"),
    ],
)
def test_an_example_in_quotes_in_a_description_is_drawn(told: str, drawn: str) -> None:
    assert sample({"type": "string", "description": told}) == drawn


def test_an_example_in_a_description_that_is_not_valid_is_passed_over() -> None:
    assert sample({"type": "string", "description": "e.g. 'abc'", "maxLength": 2}) == "a"
