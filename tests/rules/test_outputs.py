"""The structured output of a tool and the text beside it, kept and broken."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evalkit.model import Evidence
from evalkit.rules import table
from tests.rules.calls import called, refused, result, text
from tests.rules.judging import broken, is_judged
from tests.rules.manifests import tool

OUTPUT = "toolResult.structuredContent"
FIRST = "toolResult.content.0.text"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
RULES = [rule.id for rule in table().values() if rule.judge.__module__ == "evalkit.rules.outputs"]


def promising(**schema: Any) -> dict[str, Any]:
    """A tool that promises an output of this schema."""
    return tool(outputSchema={"type": "object", **schema})


def of_day(day: Any, **around: Any) -> dict[str, Any]:
    """A tool that promises an output with a `day` of this schema."""
    return promising(properties={"day": day}, **around)


def gave(output: Any, listed: Any = ..., told: Any = ..., **around: Any) -> Evidence:
    """A call that gave an output, with the same as JSON beside it."""
    beside = text(json.dumps(output) if told is ... else told)
    return called(result(beside, structuredContent=output), listed=listed, **around)


@pytest.mark.parametrize("output", [None, [1], [], "Rain.", 7, False])
def test_an_output_that_is_no_object(output: Any) -> None:
    assert broken("output-object", gave(output)) == [OUTPUT]


def test_an_output_that_is_an_object_or_is_left_out() -> None:
    for found in (result(), result(structuredContent={}), result(structuredContent={"items": [1]})):
        assert broken("output-object", called(found)) == []
    assert not table()["output-object"].holds_for("2026-07-28")


@pytest.mark.parametrize(
    ("found", "listed", "paths"),
    [
        (result(), promising(), [OUTPUT]),
        (result(text('{"day": "monday"}')), of_day({"type": "string"}), [OUTPUT]),
        (result(isError=False), promising(), [OUTPUT]),
        (result(structuredContent={}), promising(), []),
        (result(structuredContent=None), promising(), []),
        (result(), tool(), []),
        (result(), tool(outputSchema=None), []),
        (result(structuredContent={"day": 1}), tool(), []),
    ],
)
def test_a_promised_output_is_there(found: Any, listed: Any, paths: list[str]) -> None:
    assert broken("output-present", called(found, listed=listed)) == paths


REQUIRED = of_day({"type": "string"}, required=["day"])
CLOSED = of_day({}, additionalProperties=False)


@pytest.mark.parametrize(
    ("output", "listed", "paths"),
    [
        ({"day": 1}, of_day({"type": "string"}), [f"{OUTPUT}.day"]),
        ({"day": None}, of_day({"type": "string"}), [f"{OUTPUT}.day"]),
        ({"day": None}, of_day({"type": "string", "nullable": True}), [f"{OUTPUT}.day"]),
        ({}, REQUIRED, [OUTPUT]),
        ({"dya": "monday"}, REQUIRED, [OUTPUT]),
        ({"day": 1, "rain": 2}, CLOSED, [OUTPUT]),
        ({"day": ["a", 1, 2]}, of_day({"items": {"type": "string"}}), [f"{OUTPUT}.day.1", f"{OUTPUT}.day.2"]),
        ({"day": 1.5}, of_day({"type": "integer"}), [f"{OUTPUT}.day"]),
        ({"day": "sunday"}, of_day({"enum": ["monday"]}), [f"{OUTPUT}.day"]),
        ({"day": "x"}, of_day({"type": "string", "pattern": "^a"}), [f"{OUTPUT}.day"]),
        ({"day": "monday"}, REQUIRED, []),
        ({"day": "monday", "rain": 1}, REQUIRED, []),
        ({"day": None}, of_day({"type": ["string", "null"]}), []),
        ({"day": None}, of_day({"anyOf": [{"type": "string"}, {"type": "null"}]}), []),
        ({"day": 1.0}, of_day({"type": "integer"}), []),
        ({"day": "2026-09-01T16:56:29"}, of_day({"type": "string", "format": "date-time"}), []),
        ({"day": "no date"}, promising(properties={"day": {"format": "date"}}), []),
        ({"default": "no date"}, promising(properties={"default": {"format": "date"}}), []),
        ({"day": "b"}, of_day({"pattern": r"(?<y>b)\k<y>"}), []),
        ({"day": ["a"]}, of_day({"items": [{"type": "string"}]}, **{"$schema": DRAFT_7}), []),
        ({"kids": [{"kids": []}]}, promising(properties={"kids": {"items": {"$ref": "#"}}}), []),
        ({"day": 1}, tool(), []),
        ({}, promising(), []),
    ],
)
def test_an_output_is_valid(output: Any, listed: Any, paths: list[str]) -> None:
    assert broken("output-follows-schema", gave(output, listed)) == paths


def test_what_is_no_object_is_judged_by_a_schema_only_where_it_may_be_an_output() -> None:
    listed = tool(outputSchema={"type": "array", "items": {"type": "integer"}})
    assert broken("output-follows-schema", gave([1, "a"], listed, protocolVersion="2026-07-28")) == [
        f"{OUTPUT}.1"
    ]
    assert broken("output-follows-schema", gave([1], listed, protocolVersion="2026-07-28")) == []
    assert broken("output-follows-schema", gave(["a"], listed)) == []


def test_null_where_openapi_would_allow_it_is_told_with_the_reason() -> None:
    seen = gave({"day": None}, of_day({"type": "string", "nullable": True}))
    (fault,) = table()["output-follows-schema"].judge(seen)
    assert "`nullable` is a word of OpenAPI" in fault.message
    (fault,) = table()["output-follows-schema"].judge(
        gave({"day": 1}, of_day({"type": "string", "nullable": True}))
    )
    assert "OpenAPI" not in fault.message


def test_an_output_that_is_wrong_everywhere_is_told_twenty_times() -> None:
    seen = gave({"day": [1] * 100}, of_day({"items": {"type": "string"}}))
    assert len(broken("output-follows-schema", seen)) == 20


@pytest.mark.parametrize(
    ("output", "listed", "paths"),
    [
        ({"day": "2026-09-01T16:56:29"}, of_day({"format": "date-time"}), [f"{OUTPUT}.day"]),
        ({"day": "no date"}, of_day({"format": "date"}), [f"{OUTPUT}.day"]),
        ({"default": "x"}, promising(properties={"default": {"format": "date"}}), [f"{OUTPUT}.default"]),
        ({"day": "x"}, of_day({"$ref": "#/$defs/enum"}, **{"$defs": {"enum": {"format": "date"}}}), None),
        ({"day": "2026-09-01T16:56:29Z"}, of_day({"format": "date-time"}), []),
        ({"day": "2026-09-01"}, of_day({"format": "date"}), []),
        ({"day": 7}, of_day({"format": "date"}), []),
        ({"day": "x"}, of_day({"format": "int64"}), []),
        ({"day": "x"}, of_day({"const": "x", "default": {"format": "date"}}), []),
        ({"format": "x"}, promising(properties={"format": {"type": "string"}}), []),
        ({"day": "x", "rain": 1}, promising(properties={"day": {"format": "date"}, "rain": False}), []),
    ],
)
def test_an_output_has_its_formats(output: Any, listed: Any, paths: list[str] | None) -> None:
    wanted = [f"{OUTPUT}.day"] if paths is None else paths
    assert broken("output-formats", gave(output, listed)) == wanted


def test_what_an_output_schema_asks_can_be_checked() -> None:
    behind = of_day({"pattern": r"(?<y>b)\k<y>"})
    assert broken("output-checkable", gave({"day": "b"}, behind)) == [f"{OUTPUT}.day"]
    assert broken("output-checkable", gave({"day": 7}, behind)) == []
    assert broken("output-checkable", gave({}, behind)) == []
    assert broken("output-checkable", gave({"day": "x"}, of_day({"pattern": "^b"}))) == []
    assert broken("output-checkable", gave({"day": "x"}, of_day({"pattern": "(?<=a)b"}))) == []


@pytest.mark.parametrize("rule", ["output-follows-schema", "output-formats", "output-checkable"])
def test_a_schema_that_is_none_judges_nothing(rule: str) -> None:
    assert not is_judged(rule, gave({"day": 1}, of_day({"type": "text"})))
    assert not is_judged(rule, gave({"day": 1}, of_day({"$ref": "#/$defs/day"})))
    assert is_judged(rule, called(result(), listed=of_day({"type": "text"})))


PNG = {"type": "image", "data": "iVBORw==", "mimeType": "image/png"}


@pytest.mark.parametrize(
    ("found", "paths"),
    [
        (result(content=[], structuredContent={"day": 1}), ["toolResult.content"]),
        (result(PNG, structuredContent={"day": 1}), ["toolResult.content"]),
        (result(content=..., structuredContent={}), ["toolResult.content"]),
        (result(PNG, text(""), structuredContent={"day": 1}), []),
        (result(text("Rain on monday."), structuredContent={"day": 1}), []),
        (result(content=[]), []),
        (result(PNG), []),
    ],
)
def test_a_text_stands_beside_an_output(found: Any, paths: list[str]) -> None:
    assert broken("output-in-text", called(found)) == paths


@pytest.mark.parametrize(
    ("told", "output", "paths"),
    [
        ("{}", {"day": 1}, [FIRST]),
        (" {\n} ", {"day": 1}, [FIRST]),
        ("{}", {"result": [1]}, [FIRST]),
        ("{}", {}, []),
        ("{}", {"result": {}}, []),
        ("[]", {"result": []}, []),
        ('{"day": 1}', {"day": 1}, []),
        ("Nothing: {}", {"day": 1}, []),
        ("", {"day": 1}, []),
    ],
)
def test_the_text_beside_an_output_is_not_empty(told: str, output: Any, paths: list[str]) -> None:
    assert broken("text-filled", gave(output, told=told)) == paths


@pytest.mark.parametrize(
    ("told", "output", "tails"),
    [
        ('{"id": 9007199254740993}', {"id": 9007199254740992}, [".id"]),
        ('{"id": 1}', {"id": 2}, [".id"]),
        ('{"id": 1}', {"id": "1"}, [".id"]),
        ('{"id": 1}', {"id": True}, [".id"]),
        ('{"id": null}', {"id": 0}, [".id"]),
        ('{"a": {"b": [1, 2]}}', {"a": {"b": [1, 3]}, "c": 1}, [".a.b.1"]),
        ('{"a": 1, "b": 1}', {"a": 2, "b": 2}, [".a", ".b"]),
        ('{"a": 1, "more": 1}', {"a": 2}, [".a"]),
        ('{"id": 1}', {"id": 1}, []),
        ('{"id": 1.0}', {"id": 1}, []),
        ('{"b": 1, "a": 2}', {"a": 2, "b": 1}, []),
        ('{"a": 1}', {"a": 1, "b": 2}, []),
        ('{"a": 1, "b": 2}', {"a": 1}, []),
        ('{"a": [1]}', {"a": [1, 2]}, []),
        ('{"a": 1, "x": 2}', {"a": 2, "y": 3}, []),
        ('{"a": 1}', {"result": {"a": 1}}, []),
        ('{"result": 5, "a": 1}', {"result": {"result": 5, "a": 1}}, []),
        ("3", {"result": 3}, []),
        ("[1, 2]", {"result": [1, 3]}, []),
        ("Day 1: rain.", {"id": 2}, []),
        ('{"id": 1', {"id": 2}, []),
        ('{"mean": NaN}', {"mean": None}, []),
        ("{}", {"id": 2}, []),
    ],
)
def test_a_text_does_not_contradict_the_output(told: str, output: Any, tails: list[str]) -> None:
    assert broken("text-agrees", gave(output, told=told)) == [f"{OUTPUT}{tail}" for tail in tails]


def test_of_several_texts_none_need_be_the_output() -> None:
    for rule, told in (("text-filled", "{}"), ("text-agrees", '{"day": 2}')):
        found = result(text(told), text(told), structuredContent={"day": 1})
        assert broken(rule, called(found)) == []
        assert broken(rule, called(result(PNG, text(told), structuredContent={"day": 1}))) != []


@pytest.mark.parametrize(
    ("output", "paths"),
    [
        ({"id": 2**53}, [f"{OUTPUT}.id"]),
        ({"id": -(2**53)}, [f"{OUTPUT}.id"]),
        ({"a": [1, {"b": 2**64}]}, [f"{OUTPUT}.a.1.b"]),
        ([2**53], [f"{OUTPUT}.0"]),
        ({"id": 2**53 - 1}, []),
        ({"id": str(2**53)}, []),
        ({"id": 1e300}, []),
        ({"id": True}, []),
    ],
)
def test_an_integer_is_one_that_every_client_keeps(output: Any, paths: list[str]) -> None:
    assert broken("integers-safe", gave(output)) == paths


@pytest.mark.parametrize("rule", RULES)
def test_no_rule_of_outputs_judges_a_tool_that_failed(rule: str) -> None:
    assert not is_judged(rule, called(result(isError=True), listed=promising()))
    assert not is_judged(rule, refused({"code": -32602, "message": "Unknown tool"}, listed=promising()))
    assert not table()[rule].holds_for("2025-03-26")


VIRTUOUS: dict[str, Evidence] = {
    "no output, and none promised": called(result()),
    "an output that nobody promised": gave({"day": 1}),
    "the output as JSON beside it": gave({"day": "monday"}, REQUIRED),
    "the output as spaced JSON beside it": gave(
        {"day": [1, 2]}, of_day({}), '{\n  "day": [\n    1,\n    2\n  ]\n}'
    ),
    "prose beside an output": gave({"day": "monday"}, REQUIRED, "On monday."),
    "a text that begins with an error": gave({"day": "monday"}, REQUIRED, "Error: none."),
    "an empty output": gave({}, promising()),
    "an empty list": gave({"day": []}, of_day({"type": "array", "items": {"type": "string"}})),
    "a wrapped number": gave({"result": 3}, promising(properties={"result": {"type": "integer"}}), "3"),
    "a wrapped text": gave({"result": "3"}, promising(properties={"result": {"type": "string"}}), "3"),
    "a wrapped list, one text for each": called(
        result(text("1"), text("2"), structuredContent={"result": [1, 2]}), listed=promising()
    ),
    "a union": gave({"day": None}, of_day({"type": ["integer", "null"]})),
    "draft 7": gave(
        {"day": "a"}, of_day({"$ref": "#/definitions/d"}, definitions={"d": {}}, **{"$schema": DRAFT_7})
    ),
    "a union at the root": gave({"a": 1}, promising(anyOf=[{"required": ["a"]}, {"required": ["b"]}])),
    "a time": gave({"day": "2026-01-01T00:00:00+01:00"}, of_day({"type": "string", "format": "date-time"})),
    "a large integer as a text": gave({"day": "9007199254740993"}, of_day({"type": "string"})),
    "a summary as JSON": gave({"day": [1, 2], "count": 2}, of_day({}), '{"count": 2}'),
    "emoji": gave({"day": "☔️ 日"}, of_day({"type": "string", "maxLength": 4})),
}


@pytest.mark.parametrize("name", VIRTUOUS)
def test_an_output_in_order_breaks_no_rule(name: str) -> None:
    assert {rule: found for rule in RULES if (found := broken(rule, VIRTUOUS[name]))} == {}
