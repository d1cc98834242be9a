"""Schemas are judged as the specification says, and what cannot be judged never passes."""

from __future__ import annotations

import enum
import functools
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_specifications  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.model import Json
from evalkit.schemas import (
    UNCHECKABLE,
    SchemaError,
    Violation,
    check_vocabulary,
    compile_schema,
)
from evalkit.schemas._dialects import dialect_of

CORPUS = Path(__file__).parents[1] / "../shared/corpus/mcp-servers"
DRAFT_3 = "http://json-schema.org/draft-03/schema#"
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


class FrozenDict(dict[str, Any]):
    """Stands in for the read-only mappings that fixtures are made of."""


class FrozenList(list[Any]):
    """Stands in for the read-only lists that fixtures are made of."""


class Text(str):
    __slots__ = ()


class Colour(enum.StrEnum):
    RED = "red"


def refusal(schema: Any, **options: str) -> SchemaError:
    with pytest.raises(SchemaError) as caught:
        compile_schema(schema, **options)
    return caught.value


def broken(schema: Any, instance: Any) -> list[Violation]:
    """The violations, after the two ways of asking agreed about the verdict."""
    compiled = compile_schema(schema)
    found = compiled.violations(instance)
    assert compiled.holds(instance) is (not found)
    return found


def keywords(schema: Any, instance: Any) -> list[tuple[tuple[str | int, ...], str]]:
    return [(each.path, each.keyword) for each in broken(schema, instance)]


# The verdict


@pytest.mark.parametrize(
    ("schema", "instance"),
    [
        ({"type": "integer"}, 1.0),
        ({"type": "integer"}, 10**30),
        ({"const": 9007199254740993}, 9007199254740993),
        ({"const": 1}, 1.0),
        ({"uniqueItems": True}, [1, True]),
        ({"maxLength": 2}, "😀😀"),
        ({"type": ["string", "null"]}, None),
        ({"format": "date-time"}, "2026-09-01T16:56:29Z"),
        ({"format": "date-time"}, "2026-09-01T16:56:29+01:00"),
        ({"pattern": "^\\p{L}+$"}, "é漢"),
        ({"pattern": "^(?<year>\\d{4})$"}, "2026"),
        ({"pattern": "^(?!secret)(?=.*a).*$"}, "abc"),
        ({"pattern": "(?<=a+)b"}, "aab"),
        ({"multipleOf": 0.01}, 19.99),
        ({"maximum": 10**30}, 10**30),
    ],
)
def test_what_the_specification_allows_holds(schema: Any, instance: Any) -> None:
    assert broken(schema, instance) == []


@pytest.mark.parametrize(
    ("schema", "instance", "keyword"),
    [
        ({"type": "integer"}, True, "type"),
        ({"type": "number"}, False, "type"),
        ({"type": "integer"}, 1.5, "type"),
        ({"const": 9007199254740993}, 9007199254740992, "const"),
        ({"const": 1}, True, "const"),
        ({"enum": [1, "a"]}, True, "enum"),
        ({"uniqueItems": True}, [1, 1.0], "uniqueItems"),
        ({"maxLength": 2}, "😀😀😀", "maxLength"),
        ({"minLength": 2}, "😀", "minLength"),
        ({"pattern": "^[a-z]+$"}, "abc\n", "pattern"),
        ({"pattern": "^\\p{L}+$"}, "1", "pattern"),
        ({"pattern": "^\\d$"}, "١", "pattern"),
        ({"pattern": "^(?!secret)"}, "secret", "pattern"),
        ({"format": "date-time"}, "2026-09-01T16:56:29.958", "format"),
        ({"format": "uri"}, "not a uri", "format"),
        ({"maximum": 10**30}, 10**30 + 1, "maximum"),
        ({"$schema": DRAFT_4, "type": "integer"}, 1.0, "type"),
        ({"additionalProperties": False}, {"a": 1}, "additionalProperties"),
        ({"additionalProperties": False, "properties": {"b": {}}}, {"a": 1}, "additionalProperties"),
        ({"contains": {"const": 1}}, [2], "contains"),
        ({"contains": {"const": 1}, "minContains": 2}, [1], "minContains"),
        ({"contains": {"const": 1}, "maxContains": 1}, [1, 1], "maxContains"),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, "propertyNames"),
        ({"not": {"type": "integer"}}, 1, "not"),
        (False, 1, "falseSchema"),
    ],
)
def test_what_the_specification_forbids_is_a_violation(schema: Any, instance: Any, keyword: str) -> None:
    assert keywords(schema, instance) == [((), keyword)]


def test_definitions_and_defs_both_resolve() -> None:
    for word in ("definitions", "$defs"):
        for dialect in (DRAFT_7, "https://json-schema.org/draft/2020-12/schema"):
            schema = {"$schema": dialect, "$ref": f"#/{word}/Name", word: {"Name": {"type": "string"}}}
            assert [each.schema_path for each in broken(schema, 1)] == [(word, "Name", "type")]


def test_a_tree_may_refer_to_itself() -> None:
    tree = {"type": "object", "properties": {"child": {"$ref": "#"}}}
    assert keywords(tree, {"child": {"child": 1}}) == [(("child", "child"), "type")]


def test_an_embedded_resource_is_found_by_its_own_address() -> None:
    schema = {
        "$id": "https://example.com/root",
        "properties": {"a": {"$ref": "part"}},
        "$defs": {"p": {"$id": "https://example.com/part", "type": "integer"}},
    }
    assert keywords(schema, {"a": "x"}) == [(("a",), "type")]


def test_the_default_dialect_counts_only_where_none_is_named() -> None:
    pair = {"items": [{"type": "string"}]}
    assert refusal(pair).code == "schema-invalid"
    assert not compile_schema(pair, default_dialect=DRAFT_7).holds([1])
    named = {"$schema": DRAFT_4, "type": "integer"}
    assert not compile_schema(named, default_dialect=DRAFT_7).holds(1.0)


def test_a_dialect_is_known_with_and_without_its_hash_and_by_https() -> None:
    for uri in (DRAFT_7, DRAFT_7.rstrip("#"), DRAFT_7.replace("http:", "https:")):
        assert compile_schema({"$schema": uri, "items": [{}], "additionalItems": False}).holds([1])


# What is no JSON


@pytest.mark.parametrize(
    ("instance", "path"),
    [
        ({"a": "\ud83d"}, ("a",)),
        ({"\ud83d": 1}, ("\ud83d",)),
        ({"a": math.nan}, ("a",)),
        ({"a": [1, math.inf]}, ("a", 1)),
        ({1: 2}, ("1",)),
        ({"a": 10**5000}, ("a",)),
        (math.nan, ()),
    ],
)
def test_what_no_json_text_can_say_is_a_violation_and_no_exception(instance: Any, path: Any) -> None:
    assert keywords({}, instance) == [(path, "json")]


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", object()])
def test_a_python_value_that_a_keyword_looks_at_is_a_violation_and_no_exception(value: Any) -> None:
    assert keywords({"properties": {"a": {"type": "string"}}}, {"a": value}) == [(("a",), "json")]


def test_nan_is_not_taken_for_null() -> None:
    assert keywords({"type": ["null", "number"]}, math.nan) == [((), "json")]


def test_the_largest_fraction_is_json() -> None:
    assert broken({"type": "number"}, sys.float_info.max) == []


def test_a_flaw_hides_no_violation_elsewhere() -> None:
    schema = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["c"]}
    assert keywords(schema, {"a": math.nan, "b": 1}) == [
        ((), "required"),
        (("a",), "json"),
        (("b",), "type"),
    ]


def test_subclasses_are_judged_by_what_they_hold() -> None:
    schema = {
        "properties": {"list": {"type": "array"}, "text": {"maxLength": 3}, "colour": {"const": "red"}},
        "required": ["text"],
    }
    good = FrozenDict(list=FrozenList([1]), text=Text("abc"), colour=Colour.RED)
    assert broken(schema, good) == []
    assert keywords(schema, FrozenDict(text=Text("abcd"))) == [(("text",), "maxLength")]
    assert broken(schema, {Text("text"): "abc"}) == []


def test_an_instance_that_is_nested_too_deep_is_a_violation() -> None:
    instance: Any = 1
    for _ in range(100_000):
        instance = {"a": instance}
    assert keywords({"properties": {"a": {"$ref": "#"}}}, instance) == [((), "json")]


# Schemas that cannot be used


@pytest.mark.parametrize(
    ("schema", "code", "path"),
    [
        ({"type": "foo"}, "schema-invalid", ("type",)),
        ({"properties": {"a": {"minLength": -1}}}, "schema-invalid", ("properties", "a", "minLength")),
        ([], "schema-invalid", ()),
        ("{}", "schema-invalid", ()),
        (None, "schema-invalid", ()),
        ({"$schema": 1}, "schema-invalid", ("$schema",)),
        ({"$schema": "https://example.com/mine"}, "schema-unknown-dialect", ("$schema",)),
        ({"const": math.nan}, "schema-not-json", ("const",)),
        ({"title": "\ud83d"}, "schema-not-json", ("title",)),
        ({"properties": {"a": {"$ref": "#/$defs/X"}}}, "ref-unresolvable", ("properties", "a", "$ref")),
        ({"items": {"$ref": "#name"}}, "ref-unresolvable", ("items", "$ref")),
        ({"$schema": DRAFT_3, "$ref": "#/X"}, "ref-unresolvable", ("$ref",)),
        ({"$schema": DRAFT_3, "type": 5}, "schema-invalid", ("type",)),
    ],
)
def test_a_schema_that_cannot_be_used_says_where_and_why(schema: Any, code: str, path: Any) -> None:
    error = refusal(schema)
    assert (error.code, error.path) == (code, path)
    assert refusal(schema).message == error.message


def test_an_unresolvable_reference_is_named() -> None:
    assert '"#/$defs/Missing"' in refusal({"items": {"$ref": "#/$defs/Missing"}}).message


@pytest.mark.parametrize(
    "reference", ["https://example.invalid/x.json", "x.json#/a", "file:///etc/passwd", "http://[", "urn:x:y"]
)
@pytest.mark.parametrize("dialect", [DRAFT_3, DRAFT_7, "https://json-schema.org/draft/2020-12/schema"])
def test_another_document_is_never_fetched(reference: str, dialect: str) -> None:
    error = refusal({"$schema": dialect, "properties": {"a": {"$ref": reference}}})
    assert error.code in ("ref-remote", "schema-invalid")
    assert error.path[:2] == ("properties", "a")


def test_not_even_a_file_that_exists_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"type": "string"}')
    assert refusal({"$ref": (tmp_path / "x.json").as_uri()}).code == "ref-remote"


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}},
        {"anyOf": [{"type": "string"}, {"$ref": "#"}]},
        {"not": {"$ref": "#"}},
        {"if": True, "then": {"$ref": "#"}},
        {"dependentSchemas": {"a": {"$ref": "#"}}},
        {"$dynamicAnchor": "x", "$dynamicRef": "#x"},
        {"$anchor": "x", "oneOf": [{"$ref": "#x"}]},
        {"$id": "https://example.com/a", "allOf": [{"$ref": "https://example.com/a"}]},
        {"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveRef": "#"},
        {"$schema": DRAFT_3, "extends": {"$ref": "#"}},
        {"allOf": [{"$ref": "#/components/x"}], "components": {"x": {"$ref": "#"}}},
    ],
)
def test_a_circle_of_references_is_an_error(schema: Any) -> None:
    assert refusal(schema).code == "ref-loop"


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"$ref": "#"}}},
        {"items": {"$ref": "#"}},
        {"anyOf": [{"type": "string"}, {"items": {"$ref": "#"}}]},
        {"propertyNames": {"$ref": "#"}},
        {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "object"}}},
        {"then": {"$ref": "#"}},
        {"$schema": DRAFT_7, "$ref": "#/definitions/a", "allOf": [{"$ref": "#"}], "definitions": {"a": {}}},
        {"const": {"$ref": "#"}},
        {"properties": {"$ref": {"type": "string"}}},
    ],
)
def test_references_that_make_progress_are_no_circle(schema: Any) -> None:
    assert compile_schema(schema).holds({"b": ["c"]}) or schema == {"const": {"$ref": "#"}}


def test_a_long_chain_of_references_is_followed() -> None:
    chain: dict[str, Any] = {f"d{at}": {"$ref": f"#/$defs/d{at + 1}"} for at in range(3000)}
    chain["d3000"] = {"$ref": "#/$defs/d0"}
    assert refusal({"$defs": chain}).code == "ref-loop"


# Patterns that this machine cannot judge

ODD = "^\\h+$"
"""Means something in PCRE and nothing in ECMA 262."""


def test_an_uncheckable_pattern_never_passes_in_silence() -> None:
    found = broken({"properties": {"a": {"pattern": ODD}}}, {"a": "abc"})
    assert [(each.path, each.keyword, each.schema_path) for each in found] == [
        (("a",), "pattern", ("properties", "a", "pattern"))
    ]
    assert found[0].message.startswith(UNCHECKABLE)
    assert ODD in found[0].message


def test_what_stands_beside_an_uncheckable_pattern_is_still_judged() -> None:
    schema = {
        "properties": {"a": {"pattern": ODD, "minLength": 9}, "b": {"pattern": "^x$"}},
        "required": ["c"],
    }
    assert keywords(schema, {"a": "abc", "b": "y"}) == [
        ((), "required"),
        (("a",), "minLength"),
        (("a",), "pattern"),
        (("b",), "pattern"),
    ]


def test_an_uncheckable_pattern_says_nothing_where_it_judges_nothing() -> None:
    schema = {"properties": {"a": {"pattern": ODD}}, "anyOf": [{"type": "object"}, {"pattern": ODD}]}
    assert broken(schema, {"a": 1}) == []
    assert broken(schema, {}) == []


@pytest.mark.parametrize(
    ("schema", "instance", "keyword"),
    [
        ({"not": {"pattern": ODD}}, "abc", "not"),
        ({"anyOf": [{"pattern": ODD}, {"type": "integer"}]}, "abc", "anyOf"),
        ({"oneOf": [{"pattern": ODD}, {"type": "string"}]}, "abc", "oneOf"),
        ({"propertyNames": {"pattern": ODD}}, {"abc": 1}, "propertyNames"),
        ({"contains": {"pattern": ODD}}, ["abc"], "contains"),
        ({"if": {"pattern": ODD}, "then": {"maxLength": 1}}, "abc", "maxLength"),
        ({"$schema": DRAFT_3, "disallow": [{"pattern": ODD}]}, "abc", "disallow"),
        ({"$schema": DRAFT_3, "type": [{"pattern": ODD}, "integer"]}, "abc", "type"),
    ],
)
def test_a_verdict_that_hangs_on_an_uncheckable_pattern_says_so(
    schema: Any, instance: Any, keyword: str
) -> None:
    found = broken(schema, instance)
    assert [each.keyword for each in found] == [keyword]
    assert found[0].message.startswith(UNCHECKABLE)


def test_a_verdict_that_no_uncheckable_pattern_can_change_is_certain() -> None:
    for schema in (
        {"anyOf": [{"pattern": ODD, "maxLength": 1}, {"type": "integer"}]},
        {"not": {"anyOf": [{"pattern": ODD}, {"type": "string"}]}},
        {"pattern": ODD, "maxLength": 1},
    ):
        found = [each for each in broken(schema, "abc") if each.keyword != "pattern"]
        assert len(found) == 1
        assert UNCHECKABLE not in found[0].message.partition(";")[0]


@pytest.mark.parametrize("dialect", [DRAFT_4, DRAFT_7, "https://json-schema.org/draft/2020-12/schema"])
def test_an_uncheckable_property_pattern_is_told_of_every_object_with_members(dialect: str) -> None:
    schema = {
        "$schema": dialect,
        "patternProperties": {ODD: {"type": "string"}, "^a": {"type": "integer"}},
        "additionalProperties": False,
    }
    assert broken(schema, {}) == []
    assert keywords(schema, {"b": 1, "a": "x"}) == [((), "patternProperties"), (("a",), "type")]


def test_a_pattern_that_explodes_is_uncheckable_instead_of_endless() -> None:
    found = broken({"pattern": "^(?!x)(a|a)*(?=b)$"}, "a" * 60)
    assert [each.keyword for each in found] == ["pattern"]
    assert found[0].message.startswith(UNCHECKABLE)
    assert keywords({"pattern": "^(a+)+$"}, "a" * 100_000 + "b") == [((), "pattern")]


def test_a_property_may_be_called_pattern() -> None:
    schema = {"properties": {"pattern": {"type": "string"}, "patternProperties": {"type": "object"}}}
    assert keywords(schema, {"pattern": 1}) == [(("pattern",), "type")]


def test_the_unchecked_patterns_can_be_listed_without_an_instance() -> None:
    schema = compile_schema({"properties": {"a": {"pattern": ODD}, "b": {"pattern": "^x$"}}})
    assert dict(schema.unchecked) == {("properties", "a", "pattern"): ODD}


@pytest.mark.parametrize("word", ["pattern", "patternProperties"])
@pytest.mark.parametrize("draft", ["07/schema#", "2020-12/schema"])
def test_an_unchecked_pattern_is_found_in_a_schema_with_an_id_of_its_own(draft: str, word: str) -> None:
    a: Json = {"pattern": "^x$"} if word == "pattern" else {"patternProperties": {"^x$": {}}}
    odd: Json = {"pattern": ODD} if word == "pattern" else {"patternProperties": {ODD: {}}}
    uri = (
        f"http://json-schema.org/draft-{draft}" if "#" in draft else f"https://json-schema.org/draft/{draft}"
    )
    inner = {"$id": "urn:example:inner", "properties": {"a": odd}}
    schema = {
        "$schema": uri,
        "properties": {"a": a, "b": {"$ref": "urn:example:inner"}},
        "definitions": {"inner": inner},
    }
    assert dict(compile_schema(schema).unchecked) == {("definitions", "inner", "properties", "a", word): ODD}
    assert broken(schema, {"a": {"x": 1}, "b": {}}) == []


# Messages and order


def test_openapi_nullable_gets_a_hint() -> None:
    (found,) = broken({"properties": {"a": {"type": "string", "nullable": True}}}, {"a": None})
    assert "nullable" in found.message
    (other,) = broken({"properties": {"a": {"type": "string", "nullable": True}}}, {"a": 1})
    assert "nullable" not in other.message


def test_a_message_shows_a_scalar_whole_or_not_at_all() -> None:
    short, long = "secret-of-20-letters", "s" * 200
    assert f'"{short}"' in broken({"type": "integer"}, short)[0].message
    for schema in ({"type": "integer"}, {"pattern": "^x"}, {"anyOf": [{"type": "integer"}, {"const": 1}]}):
        message = broken(schema, long)[0].message
        assert "sss" not in message
        assert "200 characters" in message


def test_a_message_never_holds_a_large_instance() -> None:
    big = {f"key{at}": "x" * 50 for at in range(1000)}
    for schema in (
        False,
        {"type": "array"},
        {"additionalProperties": False},
        {"enum": [1]},
        {"maxProperties": 1},
    ):
        assert all(len(each.message) < 700 for each in broken(schema, big))


def test_unexpected_properties_are_named() -> None:
    assert (
        '"typo"' in broken({"additionalProperties": False, "properties": {"a": {}}}, {"typo": 1})[0].message
    )
    assert '"typo"' in broken({"unevaluatedProperties": False}, {"typo": 1})[0].message


def test_a_union_names_the_nearest_cause() -> None:
    schema = {
        "anyOf": [{"type": "string"}, {"properties": {"a": {"properties": {"b": {"type": "integer"}}}}}]
    }
    assert 'a.b: "x" is not of type "integer"' in broken(schema, {"a": {"b": "x"}})[0].message


def test_violations_stand_in_the_order_of_the_instance_whatever_the_order_of_the_schema() -> None:
    part = {"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "string"}}}
    turned = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "type": "object"}
    instance = [{"b": 1, "a": 1}] * 11
    paths = [each.path for each in broken({"items": part}, instance)]
    assert paths == [(at, name) for at in range(11) for name in ("a", "b")]
    assert paths == [each.path for each in broken({"items": turned}, instance)]


# Draft 3


def test_draft_3_is_judged_with_the_same_patterns_and_formats() -> None:
    schema = {
        "$schema": DRAFT_3,
        "properties": {
            "name": {"required": True, "pattern": "^\\p{L}+$"},
            "when": {"format": "date-time"},
            "host": {"format": "host-name"},
            "odd": {"pattern": ODD},
        },
        "patternProperties": {"^x\\p{L}$": {"type": "integer"}},
    }
    assert broken(schema, {"name": "é", "when": "2026-09-01T16:56:29Z", "host": "a.example"}) == []
    assert keywords(schema, {}) == [(("name",), "required")]
    bad = {"name": "é\n", "when": "2026-09-01T16:56:29", "host": "-", "odd": "a", "xy": "1"}
    assert keywords(schema, bad) == [
        (("host",), "format"),
        (("name",), "pattern"),
        (("odd",), "pattern"),
        (("when",), "format"),
        (("xy",), "type"),
    ]


# The vocabulary of hand-written schemas


def test_an_unknown_keyword_or_format_is_found_with_the_nearest_known_one() -> None:
    schema = {
        "properties": {"minLenght": {"minLenght": 1, "format": "datetime"}},
        "enum": [{"typ": 1}],
        "$defs": {"x": {"items": {"zzz": True}}},
    }
    found = [(each.path, each.word, each.nearest) for each in check_vocabulary(schema)]
    assert found == [
        (("properties", "minLenght", "minLenght"), "minLenght", "minLength"),
        (("properties", "minLenght", "format"), "datetime", "date-time"),
        (("$defs", "x", "items", "zzz"), "zzz", None),
    ]


def test_a_keyword_of_another_dialect_is_unknown() -> None:
    assert [each.word for each in check_vocabulary({"additionalItems": False})] == ["additionalItems"]
    assert check_vocabulary({"$schema": DRAFT_7, "additionalItems": False}) == []
    assert [each.word for each in check_vocabulary({"$schema": DRAFT_7, "format": "uuid"})] == ["uuid"]
    assert check_vocabulary(True) == []


@pytest.mark.parametrize("dialect", ["draft-04", "draft-06", "draft-07", "draft/2019-09", "draft/2020-12"])
def test_the_known_words_are_those_of_the_published_metaschema(dialect: str) -> None:
    uri = f"http{'s' if '20' in dialect else ''}://json-schema.org/{dialect}/schema"
    document = jsonschema_specifications.REGISTRY[uri].contents
    published = set(document["properties"])
    for part in document.get("allOf", []):
        published |= set(
            jsonschema_specifications.REGISTRY.resolver(uri).lookup(part["$ref"]).contents["properties"]
        )
    # What a dialect lists as left over from older ones is judged by no 2020-12 engine.
    leftover = {"dependencies", "$recursiveAnchor", "$recursiveRef"} if "20" in dialect else set()
    known = dialect_of({}, uri).keywords
    assert published - leftover <= known | {"$recursiveAnchor", "$recursiveRef"}


# The same verdicts as the reference implementation


def reference_paths(schema: Any, instance: Any) -> set[tuple[str | int, ...]]:
    judge = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    checker = judge.FORMAT_CHECKER
    return {
        tuple(error.absolute_path) for error in judge(schema, format_checker=checker).iter_errors(instance)
    }


def assert_same(schema: Any, instance: Any) -> None:
    found = broken(schema, instance)
    assert {each.path for each in found} == reference_paths(schema, instance)


def scalars() -> st.SearchStrategy[Any]:
    return st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-5, 200),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=5),
    )


def instances(schema: Any, depth: int = 3) -> st.SearchStrategy[Any]:
    """Values that a schema might be about: often of its types and names, never surely valid."""
    options = [scalars()]
    if depth and isinstance(schema, dict):
        options += [st.sampled_from(schema["enum"])] if schema.get("enum") else []
        options += [
            instances(part, depth - 1)
            for word in ("anyOf", "oneOf", "allOf")
            for part in schema.get(word, [])
        ]
        if isinstance(schema.get("items"), dict):
            options.append(st.lists(instances(schema["items"], depth - 1), max_size=3))
        if schema.get("properties"):
            inner = {name: instances(part, depth - 1) for name, part in schema["properties"].items()}
            options += [st.fixed_dictionaries({}, optional=inner | {"other": scalars()})] * 3
    return st.one_of(options)


@functools.cache
def advertised() -> list[Any]:
    """The tool schemas of the recorded servers."""
    recorded = [json.loads(file.read_text("utf-8")) for file in sorted(CORPUS.glob("*.json"))]
    tools = [tool for one in recorded for tool in one.get("tools") or []]
    return [tool[word] for tool in tools for word in ("inputSchema", "outputSchema") if tool.get(word)]


HAND_WRITTEN: list[Any] = [
    {
        "type": "object",
        "properties": {
            "a": {"type": "string", "minLength": 1},
            "b": {"type": ["integer", "null"], "maximum": 9},
        },
        "required": ["a"],
        "additionalProperties": False,
    },
    {
        "type": "array",
        "items": {"$ref": "#/$defs/n"},
        "uniqueItems": True,
        "$defs": {"n": {"enum": [1, "1", None, True]}},
    },
    {"anyOf": [{"type": "string", "maxLength": 2}, {"type": "integer", "minimum": 3}]},
    {"oneOf": [{"multipleOf": 3}, {"multipleOf": 5}, {"type": "string"}]},
    {"not": {"type": ["object", "number"]}},
    {"if": {"type": "string"}, "then": {"pattern": "^[a-z]"}, "else": {"type": "null"}},
    {
        "$schema": DRAFT_7,
        "definitions": {"x": {"type": "boolean"}},
        "properties": {"a": {"$ref": "#/definitions/x"}},
    },
    {
        "properties": {"a": {"$ref": "#"}, "b": {"items": {"$ref": "#"}}},
        "type": ["object", "string"],
        "maxProperties": 2,
    },
    {"properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}, "unevaluatedProperties": False},
]


@pytest.mark.parametrize("schema", HAND_WRITTEN, ids=range(len(HAND_WRITTEN)))
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_both_engines_give_one_verdict_on_schemas_written_for_it(schema: Any, data: st.DataObject) -> None:
    assert_same(schema, data.draw(instances(schema)))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the recorded servers are not here")
@given(data=st.data())
@settings(max_examples=400, deadline=None)
def test_both_engines_give_one_verdict_on_the_schemas_of_real_servers(data: st.DataObject) -> None:
    schema = data.draw(st.sampled_from(advertised()))
    assert_same(schema, data.draw(instances(schema)))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the recorded servers are not here")
def test_both_engines_give_one_verdict_on_the_calls_of_real_servers() -> None:
    for file in sorted(CORPUS.glob("*.json")):
        recorded = json.loads(file.read_text("utf-8"))
        tools = {tool["name"]: tool for tool in recorded.get("tools") or []}
        for call in (recorded.get("calls") or {}).values():
            tool = tools.get(call["request"].get("name"), {})
            result = (call.get("response") or {}).get("result") or {}
            assert_same(tool.get("inputSchema", {}), call["request"].get("arguments"))
            assert_same(tool.get("outputSchema", {}), result.get("structuredContent"))


# Cost


def test_importing_the_module_loads_no_engine() -> None:
    code = "import sys, evalkit.schemas; print({'jsonschema', 'jsonschema_rs'} & set(sys.modules))"
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "set()"


def test_a_schema_seen_before_is_not_compiled_again() -> None:
    first = compile_schema({"type": "object", "properties": {"a": {"type": "string"}}})
    assert compile_schema(FrozenDict(type="object", properties={"a": {"type": "string"}})) is first
    assert compile_schema({"const": 1}) is not compile_schema({"const": 1.0})
