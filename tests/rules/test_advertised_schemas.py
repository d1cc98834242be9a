"""Input and output schemas, kept and broken."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.judging import broken
from tests.rules.manifests import manifest, seen, tool

AT = "manifest.tools.0"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_4 = "http://json-schema.org/draft-04/schema#"


def given(day: Any = ..., **around: Any) -> dict[str, Any]:
    """A schema of an object with the property `day`, and what stands around that."""
    return {"type": "object", "properties": {} if day is ... else {"day": day}, **around}


def judged(rule: str, schema: Any, revision: str = "2025-11-25") -> list[str]:
    """The paths, within the tool, of what breaks a rule as an input schema."""
    paths = broken(rule, seen(manifest(tool(inputSchema=schema), protocolVersion=revision)))
    assert all(path.startswith(f"{AT}.inputSchema") for path in paths)
    return [path.removeprefix(f"{AT}.inputSchema").lstrip(".") for path in paths]


def test_a_tool_without_an_input_schema() -> None:
    assert broken("input-schema-present", seen(manifest(tool(inputSchema=...)))) == [f"{AT}.inputSchema"]
    assert broken("input-schema-present", seen(manifest(tool(inputSchema=None)))) == []
    assert broken("input-schema-present", seen(manifest(tool(outputSchema=...)))) == []


@pytest.mark.parametrize("key", ["inputSchema", "outputSchema"])
@pytest.mark.parametrize("found", [None, True, "object", [], [{"type": "object"}], 1])
def test_what_is_no_object_in_place_of_a_schema(key: str, found: Any) -> None:
    assert broken("schema-object", seen(manifest(tool(**{key: found})))) == [f"{AT}.{key}"]
    assert broken("schema-valid", seen(manifest(tool(**{key: found})))) == []


def test_an_object_in_place_of_a_schema_is_one_and_no_output_schema_is_needed() -> None:
    assert broken("schema-object", seen(manifest(tool(inputSchema={}, outputSchema=...)))) == []
    assert broken("schema-object", seen(manifest(tool(outputSchema={})))) == []


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        (given("string"), "properties.day"),
        (given(None), "properties.day"),
        (given([{"type": "string"}]), "properties.day"),
        (given({"type": "text"}), "properties.day.type"),
        (given({"type": "string", "required": True}), "properties.day.required"),
        (given(required="day"), "required"),
        (given(properties=[]), "properties"),
        (given({"type": "array", "items": [{"type": "string"}]}), "properties.day.items"),
        (given({"minimum": 1, "exclusiveMinimum": True}), "properties.day.exclusiveMinimum"),
        (given(**{"$schema": 7}), "$schema"),
    ],
)
def test_a_schema_that_its_dialect_does_not_permit(schema: Any, path: str) -> None:
    assert judged("schema-valid", schema) == [path]


@pytest.mark.parametrize(
    ("schema", "revision"),
    [
        (given({"type": "array", "items": [{"type": "string"}]}, **{"$schema": DRAFT_7}), "2025-11-25"),
        (given({"type": "array", "items": [{"type": "string"}]}), "2025-06-18"),
        (given({"minimum": 1, "exclusiveMinimum": True}, **{"$schema": DRAFT_4}), "2025-11-25"),
        (given({"prefixItems": [{"type": "string"}]}), "2025-06-18"),
    ],
)
def test_a_schema_is_judged_in_its_own_dialect(schema: Any, revision: str) -> None:
    assert judged("schema-valid", schema, revision) == []


def test_a_schema_that_no_dialect_permits_is_told_in_every_revision() -> None:
    assert judged("schema-valid", given("string"), "2024-11-05") == ["properties.day"]


def test_an_output_schema_is_judged_like_an_input_schema() -> None:
    found = manifest(tool(outputSchema=given("string")))
    assert broken("schema-valid", seen(found)) == [f"{AT}.outputSchema.properties.day"]


def test_a_dialect_that_nobody_published() -> None:
    assert judged("schema-dialect-known", given(**{"$schema": "https://example.org/mine"})) == ["$schema"]
    assert judged("schema-dialect-known", given(**{"$schema": DRAFT_7})) == []
    assert judged("schema-valid", given(**{"$schema": "https://example.org/mine"})) == []


A_B = {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}
TREE = given({"$ref": "#/$defs/tree"}, **{"$defs": {"tree": given({"items": {"$ref": "#/$defs/tree"}})}})


@pytest.mark.parametrize(
    ("rule", "schema", "paths"),
    [
        ("references-resolve", given({"$ref": "#/$defs/day"}), ["properties.day.$ref"]),
        ("references-resolve", given({"$ref": "#day"}), ["properties.day.$ref"]),
        ("references-resolve", TREE, []),
        ("references-resolve", given({"$ref": "https://example.org/day.json"}), []),
        ("references-local", given({"$ref": "https://example.org/day.json"}), ["properties.day.$ref"]),
        ("references-local", given({"$ref": "day.schema.json"}), ["properties.day.$ref"]),
        ("references-local", given({"$ref": "#/$defs/day"}), []),
        ("references-local", TREE, []),
        ("references-end", given({"$ref": "#/$defs/a"}, **{"$defs": A_B}), ["properties.day"]),
        ("references-end", given(**{"$ref": "#"}), [""]),
        ("references-end", TREE, []),
        ("references-end", given({"$ref": "#"}), []),
    ],
)
def test_where_references_lead(rule: str, schema: Any, paths: list[str]) -> None:
    assert judged(rule, schema) == paths


@pytest.mark.parametrize(
    ("pattern", "is_read"),
    [("(", False), (r"(?<y>\d+)-\k<y>", False), (r"^\p{L}+$", True), (r"^(?!-)\d+(?=x)", True)],
)
def test_a_pattern_that_cannot_be_judged_is_told(pattern: str, is_read: bool) -> None:
    found = judged("patterns-checkable", given({"type": "string", "pattern": pattern}))
    assert found == ([] if is_read else ["properties.day.pattern"])
    assert judged("schema-valid", given({"type": "string", "pattern": pattern})) == []


@pytest.mark.parametrize(
    "root", [{}, {"type": ["object"]}, {"type": "array"}, {"anyOf": [{"type": "object"}]}]
)
def test_a_root_that_is_no_object(root: Any) -> None:
    assert judged("input-root-object", root) == ["type"]
    found = manifest(tool(outputSchema=root))
    assert broken("output-root-object", seen(found)) == [f"{AT}.outputSchema.type"]
    assert broken("input-root-object", seen(found)) == []


def test_a_root_that_is_an_object() -> None:
    assert judged("input-root-object", {"type": "object"}) == []
    assert broken("output-root-object", seen(manifest(tool(outputSchema={"type": "object"})))) == []
    assert broken("output-root-object", seen(manifest(tool(inputSchema={})))) == []


@pytest.mark.parametrize("word", ["anyOf", "oneOf", "allOf"])
def test_a_union_at_the_root(word: str) -> None:
    union = [{"required": ["a"]}, {"required": ["b"]}]
    assert judged("input-root-plain", given(**{word: union})) == [word]
    assert judged("input-root-plain", given({word: union})) == []
    assert broken("input-root-plain", seen(manifest(tool(outputSchema=given(**{word: union}))))) == []


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "string", "nullable": True}, True),
        ({"type": ["string", "integer"], "nullable": True}, True),
        ({"type": "string", "nullable": False}, False),
        ({"type": ["string", "null"], "nullable": True}, False),
        ({"nullable": True}, False),
        ({"const": {"type": "string", "nullable": True}}, False),
    ],
)
def test_null_in_the_words_of_another_language(schema: Any, told: bool) -> None:
    assert judged("null-said", given(schema)) == (["properties.day.nullable"] if told else [])


def test_a_property_may_be_called_nullable() -> None:
    assert judged("null-said", {"type": "object", "properties": {"nullable": {"type": "boolean"}}}) == []


CLOSED = {"additionalProperties": False, "required": ["month"]}


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        (given({}, **CLOSED), ["required"]),
        (given(given(**CLOSED)), ["properties.day.required"]),
        (given({}, required=["month"]), []),
        (given({}, required=["month"], additionalProperties={"type": "string"}), []),
        (given({}, required=["day"], additionalProperties=False), []),
        (given({}, patternProperties={"^m": {}}, **CLOSED), []),
        (given({}, **{"not": CLOSED}), []),
        (given({}, unevaluatedProperties=False, required=["month"]), []),
    ],
)
def test_a_name_that_is_required_and_cannot_be_given(schema: Any, paths: list[str]) -> None:
    assert judged("required-possible", schema) == paths


@pytest.mark.parametrize(
    ("rule", "word", "tail"),
    [("defaults-valid", "default", "default"), ("examples-valid", "examples", "examples.1")],
)
@pytest.mark.parametrize(
    ("day", "good", "bad"),
    [
        ({"type": "string"}, "x", None),
        ({"enum": ["a", "b"]}, "a", "c"),
        ({"type": "integer", "minimum": 1}, 1, 0),
        ({"$ref": "#/$defs/day"}, "2026-01-01", "today"),
        ({"type": "array", "items": {"$ref": "#"}}, [{"day": []}], [{"day": 3}]),
    ],
)
@pytest.mark.parametrize(
    "head", [{}, {"$schema": DRAFT_7}, {"$id": "https://example.org/days"}, {"$id": "days.json"}]
)
def test_a_sample_that_breaks_its_own_schema(
    rule: str, word: str, tail: str, day: Any, good: Any, bad: Any, head: Any
) -> None:
    rest = {"$defs": {"day": {"type": "string", "pattern": "^[0-9-]+$"}}, **head}
    samples = ([good, good], [good, bad]) if word == "examples" else (good, bad)
    beside = {"$ref": day["$ref"]} if "$ref" in day and head.get("$schema") else day
    assert judged(rule, given({**beside, word: samples[0]}, **rest)) == []
    assert judged(rule, given({**beside, word: samples[1]}, **rest)) == [f"properties.day.{tail}"]


def test_a_default_is_found_behind_any_name_and_at_the_root() -> None:
    names = {"a/b": {"type": "string", "default": 1}, "a~b %": {"type": "string", "default": 1}}
    schema = {"type": "object", "properties": names, "default": []}
    assert judged("defaults-valid", schema) == [
        "default",
        "properties.a/b.default",
        "properties.a~b %.default",
    ]


def test_a_sample_that_hangs_on_a_pattern_which_cannot_be_judged_is_not_told_as_broken() -> None:
    day = {"type": "string", "pattern": r"(?<y>\d+)-\k<y>", "default": "1-2"}
    assert judged("defaults-valid", given(day)) == []


def test_a_sample_is_judged_in_the_dialect_that_fits_where_nobody_said_which() -> None:
    day = {"items": [{"type": "string"}], "default": [1]}
    assert judged("defaults-valid", given(day), "2025-06-18") == ["properties.day.default"]
    assert judged("defaults-valid", given({**day, "default": ["x"]}), "2025-06-18") == []


def test_a_schema_that_cannot_be_used_has_no_samples_to_judge() -> None:
    assert judged("defaults-valid", given({"$ref": "#/$defs/day", "default": 1})) == []


def test_a_schema_as_deep_as_json_can_be_is_told_and_breaks_nothing() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(5000):
        deep = {"type": "array", "items": deep}
    assert judged("schema-valid", given(deep)) != []
