"""Where a schema admits less, more, or nobody can tell."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.changes._schemas import differences

A = {"type": "object", "properties": {"a": {"type": "string"}}}


def told(old: Any, new: Any) -> list[tuple[str, str, str]]:
    return [(one.direction, one.code, ".".join(map(str, one.path))) for one in differences(old, new)]


ROWS: list[tuple[str, Any, Any, list[tuple[str, str, str]]]] = [
    ("newly required", A, {**A, "required": ["a"]}, [("narrower", "newly-required", "required")]),
    ("not required now", {**A, "required": ["a"]}, A, [("wider", "no-longer-required", "required")]),
    ("closed", A, {**A, "additionalProperties": False}, [("narrower", "closed", "additionalProperties")]),
    ("opened", {**A, "additionalProperties": False}, A, [("wider", "opened", "additionalProperties")]),
    ("name gone, open", A, {"type": "object"}, [("other", "property-removed", "properties.a")]),
    (
        "name gone, closed",
        {**A, "additionalProperties": False},
        {"type": "object", "additionalProperties": False},
        [("narrower", "property-removed", "properties.a")],
    ),
    ("name new", {"type": "object"}, A, [("wider", "property-added", "properties.a")]),
    ("value gone", {"enum": ["a", "b"]}, {"enum": ["a"]}, [("narrower", "enum-narrowed", "enum")]),
    ("value new", {"enum": ["a"]}, {"enum": ["a", "b"]}, [("wider", "enum-widened", "enum")]),
    ("value for const", {"const": "a"}, {"enum": ["a", "b"]}, [("wider", "enum-widened", "enum")]),
    ("enum new", {}, {"enum": [1]}, [("narrower", "enum-narrowed", "enum")]),
    (
        "type for type",
        {"type": "string"},
        {"type": "integer"},
        [("narrower", "type-narrowed", "type"), ("wider", "type-widened", "type")],
    ),
    ("whole numbers only", {"type": "number"}, {"type": "integer"}, [("narrower", "type-narrowed", "type")]),
    ("null too", {"type": "string"}, {"type": ["string", "null"]}, [("wider", "type-widened", "type")]),
    ("floor raised", {"minimum": 1}, {"minimum": 2}, [("narrower", "schema-narrower", "minimum")]),
    ("floor lowered", {"minLength": 2}, {"minLength": 1}, [("wider", "schema-wider", "minLength")]),
    ("floor new", {}, {"minItems": 1}, [("narrower", "schema-narrower", "minItems")]),
    ("ceiling raised", {"maximum": 1}, {"maximum": 2}, [("wider", "schema-wider", "maximum")]),
    ("ceiling lowered", {"maxLength": 2}, {"maxLength": 1}, [("narrower", "schema-narrower", "maxLength")]),
    ("pattern new", {}, {"pattern": "a"}, [("narrower", "schema-narrower", "pattern")]),
    ("pattern gone", {"pattern": "a"}, {}, [("wider", "schema-wider", "pattern")]),
    ("pattern changed", {"pattern": "a"}, {"pattern": "b"}, [("other", "schema-changed", "pattern")]),
    (
        "branch gone",
        {"anyOf": [{}, {"const": 1}]},
        {"anyOf": [{}]},
        [("narrower", "branch-removed", "anyOf")],
    ),
    ("branch new", {"oneOf": [{}]}, {"oneOf": [{}, {"const": 1}]}, [("wider", "branch-added", "oneOf")]),
    ("an unknown word", {}, {"x-mine": 1}, [("other", "schema-changed", "x-mine")]),
    ("another dialect", {"$schema": "a"}, {"$schema": "b"}, [("other", "schema-changed", "$schema")]),
    ("nothing fits now", True, False, [("narrower", "schema-narrower", "")]),
    ("anything fits now", {"type": "string"}, True, [("wider", "schema-wider", "")]),
    (
        "a remote reference",
        {"$ref": "https://a"},
        {"$ref": "https://b"},
        [("other", "schema-changed", "$ref")],
    ),
    (
        "behind a reference",
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}},
        {"$ref": "#/definitions/b", "definitions": {"b": {"type": ["string", "null"]}}},
        [("wider", "type-widened", "type")],
    ),
    (
        "in an item",
        {"items": {"minimum": 1}},
        {"items": {"minimum": 0}},
        [("wider", "schema-wider", "items.minimum")],
    ),
    (
        "in additional names",
        {"additionalProperties": {"type": "string"}},
        {"additionalProperties": {"type": "null"}},
        [
            ("narrower", "type-narrowed", "additionalProperties.type"),
            ("wider", "type-widened", "additionalProperties.type"),
        ],
    ),
]


@pytest.mark.parametrize(("old", "new", "wanted"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_difference_is_told_with_its_direction(
    old: Any, new: Any, wanted: list[tuple[str, str, str]]
) -> None:
    assert told(old, new) == wanted


SAME: list[tuple[Any, Any]] = [
    (A, dict(A)),
    ({"title": "a", **A}, {"title": "b", **A}),
    ({"type": "string"}, {"type": ["string"]}),
    ({"minimum": 1}, {"minimum": 1.0}),
    ({"$ref": "#/$defs/a", "$defs": {"a": A}}, {**A}),
    ({"enum": ["b", "a"]}, {"enum": ["a", "b"]}),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_what_admits_the_same_is_no_difference(old: Any, new: Any) -> None:
    assert told(old, new) == []


def test_a_schema_that_leads_back_to_itself_is_compared_once() -> None:
    tree = {"$ref": "#/$defs/n", "$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}}}}}
    other = {
        "$ref": "#/$defs/n",
        "$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}}, "minItems": 1}},
    }
    assert told(tree, other) == [("narrower", "schema-narrower", "minItems")]


def test_references_in_a_circle_end() -> None:
    ring = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
    assert told(ring, {"type": "string"}) != []
