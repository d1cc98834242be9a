"""What a client that knew the old manifest meets in the new one."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.changes import Change, between_manifests

TOOL: dict[str, Any] = {
    "name": "get",
    "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
    "outputSchema": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
}


def told(old: Any, new: Any) -> list[tuple[str, str, str]]:
    return [(one.level, one.code, one.path) for one in between_manifests(old, new)]


def of_tool(**change: Any) -> list[tuple[str, str, str]]:
    after = {name: value for name, value in {**TOOL, **change}.items() if value is not None}
    return told({"tools": [TOOL]}, {"tools": [after]})


def test_a_tool_that_is_gone_breaks_and_a_new_one_does_not() -> None:
    other = {**TOOL, "name": "put"}
    assert told({"tools": [TOOL]}, {"tools": [other]}) == [
        ("breaking", "tool-removed", "tools.get"),
        ("addition", "tool-added", "tools.put"),
    ]


def test_the_order_of_tools_is_no_change() -> None:
    other = {**TOOL, "name": "put"}
    assert told({"tools": [TOOL, other]}, {"tools": [other, TOOL]}) == []


def test_an_input_that_takes_less_breaks() -> None:
    narrower = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    assert of_tool(inputSchema=narrower) == [("breaking", "newly-required", "tools.get.inputSchema.required")]


def test_an_input_that_takes_more_is_an_addition() -> None:
    wider = {"type": "object", "properties": {"id": {"type": ["string", "null"]}}}
    path = "tools.get.inputSchema.properties.id.type"
    assert of_tool(inputSchema=wider) == [("addition", "type-widened", path)]


def test_an_output_that_may_hold_more_kinds_breaks() -> None:
    wider = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}
    path = "tools.get.outputSchema.properties.a.type"
    assert of_tool(outputSchema=wider) == [("breaking", "type-widened", path)]


def test_an_output_that_need_not_hold_a_name_any_more_breaks() -> None:
    loose = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert of_tool(outputSchema=loose) == [
        ("breaking", "no-longer-required", "tools.get.outputSchema.required")
    ]


def test_a_new_name_in_an_output_is_an_addition() -> None:
    more = {**TOOL["outputSchema"], "properties": {"a": {"type": "string"}, "b": {}}}
    path = "tools.get.outputSchema.properties.b"
    assert of_tool(outputSchema=more) == [("addition", "property-added", path)]


def test_an_output_schema_that_is_gone_breaks() -> None:
    assert of_tool(outputSchema=None) == [("breaking", "output-schema-removed", "tools.get.outputSchema")]


@pytest.mark.parametrize(
    ("hints", "wanted"),
    [
        ({"readOnlyHint": True}, ["readOnlyHint"]),
        ({"destructiveHint": False}, ["destructiveHint"]),
        ({"destructiveHint": True, "readOnlyHint": False, "openWorldHint": True}, []),
    ],
)
def test_a_hint_that_means_something_else_breaks(hints: dict[str, bool], wanted: list[str]) -> None:
    found = [("breaking", "hint-changed", f"tools.get.annotations.{hint}") for hint in wanted]
    assert of_tool(annotations=hints) == found


def test_what_a_model_reads_is_risky_to_change() -> None:
    assert of_tool(description="Deletes") == [("risky", "description-changed", "tools.get.description")]


def test_a_capability_that_is_gone_breaks() -> None:
    old = {"tools": [], "capabilities": {"prompts": {}, "tools": {}}}
    new = {"tools": [], "capabilities": {"tools": {"listChanged": True}, "logging": {}}}
    assert told(old, new) == [
        ("breaking", "capability-removed", "capabilities.prompts"),
        ("addition", "capability-added", "capabilities.logging"),
        ("risky", "capability-changed", "capabilities.tools"),
    ]


def test_a_change_shows_both_values() -> None:
    found = list(between_manifests({"tools": [], "instructions": "a"}, {"tools": [], "instructions": "b"}))
    told = "`instructions` changed"
    assert found == [Change("risky", "instructions-changed", "instructions", told, "a", "b")]
