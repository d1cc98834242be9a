"""Calls that must be refused, kept and broken."""

from __future__ import annotations

import time
from typing import Any

import pytest

from evalkit.model import Evidence
from evalkit.rules import table
from evalkit.rules.refusing import reads_as_error
from tests.rules.calls import called, refused, result, text
from tests.rules.judging import broken, evidence, is_judged
from tests.rules.manifests import tool

NOWHERE = "no_such_tool"
RESULT = "toolResult"
INVALID = {"code": -32602, "message": "Unknown tool"}
INTERNAL = {"code": -32603, "message": "Internal error"}
IN_WORDS = result(text("Error: no such tool"))
FAILED = result(text("No."), isError=True)
BREAKING = [
    "required-arguments-checked",
    "closed-arguments-checked",
    "argument-types-checked",
    "argument-types-strict",
]
OF_ARGUMENTS = [*BREAKING, "errors-not-told-as-success", "invalid-arguments-code"]


@pytest.mark.parametrize(
    ("seen", "paths"),
    [
        (called(result(), name=NOWHERE), [RESULT]),
        (called(IN_WORDS, name=NOWHERE), [RESULT]),
        (called(result(isError=False), name=NOWHERE), [RESULT]),
        (called(result(isError="true"), name=NOWHERE), [RESULT]),
        (called(result(content=...), name=NOWHERE), [RESULT]),
        (called(None, name=NOWHERE), [RESULT]),
        (called(result(), name="Read_day"), [RESULT]),
        (called(result(), name=NOWHERE, tools=[]), [RESULT]),
        (called(FAILED, name=NOWHERE), []),
        (refused(INVALID, name=NOWHERE), []),
        (refused(INTERNAL, name=NOWHERE), []),
        (refused("no", name=NOWHERE), []),
    ],
)
def test_a_tool_that_is_not_listed_is_refused(seen: Evidence, paths: list[str]) -> None:
    assert broken("unknown-tool-refused", seen) == paths


@pytest.mark.parametrize(
    ("seen", "paths"),
    [
        (refused(INTERNAL, name=NOWHERE), ["rpc.error.code"]),
        (refused({"code": -32601, "message": ""}, name=NOWHERE), ["rpc.error.code"]),
        (refused({"code": "-32602"}, name=NOWHERE), ["rpc.error.code"]),
        (refused({"message": "no"}, name=NOWHERE), ["rpc.error.code"]),
        (refused(INVALID, name=NOWHERE), []),
        (refused("no", name=NOWHERE), []),
        (called(FAILED, name=NOWHERE), []),
        (called(result(), name=NOWHERE), []),
    ],
)
def test_an_unknown_tool_has_its_code(seen: Evidence, paths: list[str]) -> None:
    assert broken("unknown-tool-code", seen) == paths


@pytest.mark.parametrize("rule", ["unknown-tool-refused", "unknown-tool-code"])
def test_what_may_be_listed_is_not_unknown(rule: str) -> None:
    assert not is_judged(rule, called(result()))
    assert not is_judged(rule, called(result(), name=NOWHERE, incomplete="page 2 did not come"))
    assert not is_judged(rule, called(result(), name=NOWHERE, tools=...))
    assert not is_judged(rule, evidence("tool", {"tool": NOWHERE}, {RESULT: result()}))


def taking(**schema: Any) -> dict[str, Any]:
    """A tool that takes arguments of this schema."""
    return tool(inputSchema={"type": "object", **schema})


STRING, INTEGER = {"type": "string"}, {"type": "integer"}
ONE = {"properties": {"day": STRING}, "required": ["day"]}
TWO = {"properties": {"day": STRING, "hour": INTEGER}, "required": ["day", "hour"]}


@pytest.mark.parametrize(
    ("args", "schema", "count"),
    [
        ({}, ONE, 1),
        ({"dya": "monday"}, ONE, 1),
        ({}, TWO, 2),
        ({"day": "monday"}, TWO, 1),
        ({}, {**TWO, "properties": {"day": STRING, "hour": {**INTEGER, "default": 7}}}, 2),
        ({}, {"required": ["day"]}, 1),
        ({"day": 7}, TWO, 1),
    ],
)
def test_a_required_argument_that_is_missing(args: Any, schema: Any, count: int) -> None:
    listed = taking(**schema)
    assert broken("required-arguments-checked", called(result(), args, listed)) == [RESULT] * count
    for kept in (called(FAILED, args, listed), refused(INVALID, args, listed)):
        assert broken("required-arguments-checked", kept) == []


@pytest.mark.parametrize(
    ("args", "schema"),
    [
        ({"day": "monday"}, ONE),
        ({"day": 7}, ONE),
        ({}, {"properties": {"day": {**STRING, "default": "monday"}}, "required": ["day"]}),
        (
            {},
            {
                "properties": {"day": {"$ref": "#/$defs/day"}},
                "required": ["day"],
                "$defs": {"day": {"default": 1}},
            },
        ),
        ({}, {"properties": {"day": STRING}}),
        ({}, {"properties": {"day": STRING}, "required": []}),
        ({}, {}),
        ([], ONE),
        (None, ONE),
    ],
)
def test_what_is_not_missing_or_has_a_default_need_not_be_refused(args: Any, schema: Any) -> None:
    assert not is_judged("required-arguments-checked", given(args, schema))


def given(args: Any, schema: Any, found: Any = ...) -> Evidence:
    """A call with exactly these arguments that was let pass, unless something else is said."""
    seen = called(result() if found is ... else found, listed=taking(**schema))
    return seen._replace(call=seen.call._replace(words={"tool": "read_day", "args": args}))


CLOSED = {"properties": {"day": STRING}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("args", "schema", "count"),
    [
        ({"day": "monday", "hour": 1}, CLOSED, 1),
        ({"hour": 1, "rain": 2}, CLOSED, 2),
        ({"x1": 1, "y1": 2}, {**CLOSED, "patternProperties": {"^x": {}}}, 1),
        ({"day": "monday", "hour": 1}, {"properties": {"day": {}}, "unevaluatedProperties": False}, 1),
        ({"a": 1, "b": 2}, {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False}, 1),
        ({"hour": 1}, {"additionalProperties": False}, 1),
    ],
)
def test_an_argument_that_is_not_allowed(args: Any, schema: Any, count: int) -> None:
    assert broken("closed-arguments-checked", given(args, schema)) == [RESULT] * count
    assert broken("closed-arguments-checked", given(args, schema, FAILED)) == []


@pytest.mark.parametrize(
    ("args", "schema"),
    [
        ({"day": "monday", "hour": 1}, {"properties": {"day": STRING}}),
        ({"day": "monday", "hour": 1}, {"properties": {"day": STRING}, "additionalProperties": True}),
        ({"hour": 1}, {"additionalProperties": INTEGER}),
        ({"day": "monday"}, CLOSED),
        ({"x1": 1}, {**CLOSED, "patternProperties": {"^x": {}}}),
        ({"day": {"hour": 1}}, {"properties": {"day": CLOSED}}),
    ],
)
def test_an_open_schema_allows_other_arguments(args: Any, schema: Any) -> None:
    assert not is_judged("closed-arguments-checked", given(args, schema))


OBJECT, ARRAY = {"type": "object"}, {"type": "array"}
NULLABLE = {"type": ["integer", "null"]}
UNION = {"anyOf": [INTEGER, {"type": "null"}]}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (STRING, {"a": 1}),
        (STRING, ["a"]),
        (INTEGER, "monday"),
        (INTEGER, {}),
        (INTEGER, [1]),
        ({"type": "number"}, "1,5"),
        ({"type": "boolean"}, "maybe"),
        (ARRAY, {}),
        (OBJECT, "monday"),
        (OBJECT, [1]),
        (OBJECT, 7),
        (NULLABLE, "monday"),
        (UNION, "monday"),
        ({"oneOf": [STRING, INTEGER]}, {}),
        ({"allOf": [{"minLength": 1}, STRING]}, {}),
        ({"enum": ["a", "b"]}, {}),
        ({"const": 1}, []),
        ({"$ref": "#/$defs/day"}, {}),
    ],
)
def test_a_value_that_nobody_can_mean(schema: Any, value: Any) -> None:
    seen = given({"day": value}, {"properties": {"day": schema}, "$defs": {"day": STRING}})
    assert broken("argument-types-checked", seen) == [RESULT]
    assert broken("argument-types-strict", seen) == []


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (STRING, 7),
        (STRING, True),
        (STRING, None),
        (STRING, 1.5),
        (INTEGER, "1"),
        (INTEGER, " -7 "),
        (INTEGER, "1e3"),
        (INTEGER, 1.5),
        (INTEGER, True),
        ({"type": "number"}, "1.5"),
        ({"type": "boolean"}, "TRUE"),
        ({"type": "boolean"}, 0),
        (ARRAY, "a"),
        (ARRAY, 7),
        (OBJECT, '{"a": 1}'),
        (OBJECT, None),
        (NULLABLE, "1"),
        ({"enum": ["1", "2"]}, 1),
    ],
)
def test_a_value_that_can_be_read_as_the_right_one(schema: Any, value: Any) -> None:
    seen = given({"day": value}, {"properties": {"day": schema}})
    assert broken("argument-types-strict", seen) == [RESULT]
    assert broken("argument-types-checked", seen) == []
    assert (
        broken("argument-types-strict", given({"day": value}, {"properties": {"day": schema}}, FAILED)) == []
    )


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (STRING, "monday"),
        (INTEGER, 1.0),
        (NULLABLE, None),
        (UNION, None),
        ({}, {}),
        (True, []),
        ({"type": "number"}, 1),
        ({"minLength": 3}, 7),
    ],
)
def test_a_value_of_its_type(schema: Any, value: Any) -> None:
    for rule in OF_ARGUMENTS:
        assert not is_judged(rule, given({"day": value}, {"properties": {"day": schema}}))


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({**STRING, "minLength": 3}, "a"),
        ({**INTEGER, "maximum": 3}, 5.0),
        ({"enum": ["a"]}, "b"),
        ({**OBJECT, "required": ["a"]}, {}),
        ({**ARRAY, "items": STRING}, [1]),
        (False, "a"),
    ],
)
def test_a_value_of_its_type_that_is_wrong_otherwise_breaks_no_rule_of_types(schema: Any, value: Any) -> None:
    seen = given({"day": value}, {"properties": {"day": schema}})
    assert not any(is_judged(rule, seen) for rule in BREAKING)
    assert broken("errors-not-told-as-success", seen) == []
    assert broken("invalid-arguments-code", seen) == []


@pytest.mark.parametrize("args", [None, "x", [], 7])
def test_arguments_that_are_no_object_break_no_rule_of_their_names(args: Any) -> None:
    seen = given(args, ONE)
    assert not any(is_judged(rule, seen) for rule in BREAKING)
    assert broken("errors-not-told-as-success", given(args, ONE, IN_WORDS)) == [f"{RESULT}.isError"]


@pytest.mark.parametrize("rule", OF_ARGUMENTS)
def test_no_schema_no_judgement(rule: str) -> None:
    for listed in (
        tool(inputSchema=...),
        tool(inputSchema=True),
        taking(properties={"day": {"type": "text"}}),
    ):
        assert not is_judged(rule, called(IN_WORDS, {"day": {}}, listed))
    assert not is_judged(rule, called(IN_WORDS, {}, name=NOWHERE))
    unreadable = taking(properties={"day": {"pattern": r"(?<y>b)\k<y>"}})
    assert not is_judged(rule, called(IN_WORDS, {"day": "a"}, unreadable))


WORDS = [
    "Error: day is required",
    "error",
    "ValueError: day",
    "TypeError [ERR]: day",
    "MCP error -32602: Input validation error",
    "❌ Error: day",
    "**Error** day",
    "1 validation error for readDay",
    "Traceback (most recent call last):",
    "Failed to read",
    "Invalid day",
    "Validation failed",
    "Missing required argument: day",
    "Missing arguments",
    "Unknown argument hour",
    "Unrecognized key",
    "Unexpected argument",
    "Cannot read the day",
    "Could not read the day",
    "Unable to read",
    "Bad request",
    "Required: day",
    "The argument day is required",
    "day is required",
    "Tool read_day not found",
    '{"error": "day"}',
    '{"errors": ["day"], "data": null}',
    '{"success": false}',
    '{"ok": false, "why": "day"}',
    '{"status": "error"}',
    '{"isError": true}',
]


@pytest.mark.parametrize("words", WORDS)
def test_a_refusal_in_words(words: str) -> None:
    seen = called(result(text(words)), {}, taking(**ONE))
    assert broken("errors-not-told-as-success", seen) == [f"{RESULT}.isError"]
    assert broken("required-arguments-checked", seen) == []
    assert (
        broken("errors-not-told-as-success", called(result(text(words), isError=True), {}, taking(**ONE)))
        == []
    )
    assert not is_judged("errors-not-told-as-success", called(result(text(words))))


@pytest.mark.parametrize("output", [{"error": "day"}, {"result": {"error": "day"}}, {"success": False}])
def test_a_refusal_in_an_output(output: Any) -> None:
    seen = called(result(text(""), structuredContent=output), {}, taking(**ONE))
    assert broken("errors-not-told-as-success", seen) == [f"{RESULT}.isError"]


@pytest.mark.parametrize(
    "words",
    [
        "Rain on monday.",
        "",
        "No day was given, so here is monday: rain.",
        "Monday: 0 errors",
        "Errorless",
        "Missingham: rain",
        '{"error": null, "day": "monday"}',
        '{"errors": [], "success": true}',
        '{"status": "ok"}',
        '{"status": ["error"]}',
        '["error"]',
        '{"error"',
    ],
)
def test_a_success_is_no_refusal_in_words(words: str) -> None:
    seen = called(result(text(words)), {}, taking(**ONE))
    assert broken("errors-not-told-as-success", seen) == []
    assert broken("required-arguments-checked", seen) == [RESULT]


@pytest.mark.parametrize("words", ["_" * 1_000_000, "a" * 1_000_000, "a " * 500_000, "{" * 1_000_000])
def test_a_long_text_is_looked_at_in_no_time(words: str) -> None:
    began = time.monotonic()
    assert not reads_as_error(result(text(words)))
    assert time.monotonic() - began < 1


def test_invalid_arguments_have_their_code() -> None:
    for error, paths in ((INTERNAL, ["rpc.error.code"]), (INVALID, []), ("no", [])):
        assert broken("invalid-arguments-code", refused(error, {}, taking(**ONE))) == paths
        assert not is_judged("invalid-arguments-code", refused(error))
    for found in (FAILED, result()):
        assert broken("invalid-arguments-code", called(found, {}, taking(**ONE))) == []


@pytest.mark.parametrize(
    ("error", "paths"),
    [
        ("no", ["rpc.error"]),
        (None, ["rpc.error"]),
        ({}, ["rpc.error.code", "rpc.error.message"]),
        ({"code": "-32602", "message": ""}, ["rpc.error.code"]),
        ({"code": True, "message": ""}, ["rpc.error.code"]),
        ({"code": -32602.5, "message": None}, ["rpc.error.code", "rpc.error.message"]),
        ({"code": 7, "message": "", "data": None, "own": 1}, []),
        (INVALID, []),
    ],
)
def test_an_error_has_its_shape(error: Any, paths: list[str]) -> None:
    for name in ("read_day", NOWHERE):
        assert broken("call-error-shape", refused(error, name=name)) == paths
    assert broken("call-error-shape", called(FAILED)) == []


VIRTUOUS: dict[str, Evidence] = {
    "an unknown tool, refused": refused(INVALID, name=NOWHERE),
    "an unknown tool, refused by the result": called(FAILED, name=NOWHERE),
    "a missing argument, refused": refused(INVALID, {}),
    "a missing argument, refused by the result": called(FAILED, {}),
    "a missing argument that has a default": called(
        result(), {}, taking(properties={"day": {"default": 1}}, required=["day"])
    ),
    "another argument of an open object": called(result(), {"day": "monday", "hour": 1}),
    "another argument of a closed one, refused": refused(INVALID, {"hour": 1}, taking(**CLOSED)),
    "a union, each way": called(result(), {"day": None}, taking(properties={"day": UNION})),
    "a whole number with a fraction of nothing": called(
        result(), {"day": 2.0}, taking(properties={"day": INTEGER})
    ),
    "valid arguments, and a tool that fails": called(FAILED),
    "valid arguments, and an internal error": refused(INTERNAL),
    "valid arguments, and words of an error": called(IN_WORDS),
    "no arguments where none are wanted": called(result(), {}, tool(inputSchema={"type": "object"})),
    "a listing that broke off": called(result(), name=NOWHERE, incomplete="page 2 did not come"),
}
RULES = [rule.id for rule in table().values() if rule.judge.__module__ == "evalkit.rules.refusing"]


@pytest.mark.parametrize("name", VIRTUOUS)
def test_a_refusal_in_order_breaks_no_rule(name: str) -> None:
    seen = VIRTUOUS[name]
    assert {rule for rule in RULES if is_judged(rule, seen) and broken(rule, seen)} == set()
