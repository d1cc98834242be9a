"""What was answered becomes a suite that holds of it, without what changes from one answer to the next."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.drafting import Asked, Seen, draft, escaped

MANIFEST: dict[str, Any] = {
    "serverInfo": {"name": "My Server!", "version": "1"},
    "protocolVersion": "2025-11-25",
    "tools": [
        {"name": "get", "annotations": {"readOnlyHint": True, "title": "Get"}},
        {"name": "put"},
    ],
}


def answered(*outputs: Any, tool: str = "get", args: Any = None) -> Asked:
    roots = [{"toolResult": {"structuredContent": one}, "output": one} for one in outputs]
    return Asked(tool, args or {}, roots)


def expected(asked: Asked) -> dict[str, Any]:
    case = draft(Seen(MANIFEST, [asked]), {"target": "stdio:x"})["cases"][1]
    assert case["id"] == "call-get"
    found: dict[str, Any] = case["expect"]
    return found


def test_the_head_says_what_is_driven() -> None:
    suite = draft(Seen(MANIFEST), {"target": "stdio:x"})
    assert (suite["name"], suite["version"], suite["target"]) == ("my-server", 1, "stdio:x")


def test_the_manifest_is_expected_as_it_is() -> None:
    (case,) = draft(Seen(MANIFEST), {"target": "stdio:x"})["cases"]
    assert case["expect"] == {
        "count": {"manifest.tools": 2},
        "present": ['$.manifest.tools[?@.name == "get"]', '$.manifest.tools[?@.name == "put"]'],
        "annotations": {"get": {"readOnlyHint": True}},
        "equals": {"manifest.protocolVersion": "2025-11-25"},
    }


@pytest.mark.parametrize(
    ("outputs", "wanted"),
    [
        (({"a": 1}, {"a": 1}), {"equals": {"output": {"a": 1}}}),
        (({"a": 1, "at": 5}, {"a": 1, "at": 6}), {"subset": {"output": {"a": 1}}}),
        (({"a": {"b": 1, "at": 5}}, {"a": {"b": 1, "at": 6}}), {"subset": {"output": {"a": {"b": 1}}}}),
        (({"l": [{"n": 1, "at": 5}]}, {"l": [{"n": 1, "at": 6}]}), {"subset": {"output": {"l": [{"n": 1}]}}}),
        (({"a": 1, "l": [5]}, {"a": 1, "l": [6]}), {"subset": {"output": {"a": 1}}}),
        (({"a": 1, "l": [5]}, {"a": 1, "l": [5, 6]}), {"subset": {"output": {"a": 1}}}),
        (({"at": 5}, {"at": 6}), {"present": ["output"]}),
        (({"a": 1, "b": 2}, {"a": 1}), {"subset": {"output": {"a": 1}}}),
        (({"text": "x" * 5000}, {"text": "x" * 5000}), {"present": ["output"]}),
    ],
)
def test_what_changes_is_left_out(outputs: tuple[Any, Any], wanted: dict[str, Any]) -> None:
    assert expected(answered(*outputs)) == {"isError": False, **wanted}


def test_without_structured_output_the_content_is_expected() -> None:
    content = [{"type": "text", "text": "hello"}]
    assert expected(Asked("get", {}, [{"toolResult": {"content": content}}] * 2)) == {
        "isError": False,
        "equals": {"toolResult.content": content},
    }


def test_a_failure_is_expected_to_be_one() -> None:
    assert expected(Asked("get", {}, [{"toolResult": {"isError": True, "content": []}}])) == {"isError": True}
    assert expected(Asked("get", {}, [{"rpc": {"error": {"code": -32602}}}])) == {"rpcError": -32602}
    assert expected(Asked("get", {}, [{"rpc": {"error": {}}}])) == {"rpcError": True}


def test_a_wrong_call_and_an_unknown_tool_are_cases_too() -> None:
    refused = Asked("get", {"a": 1}, [{"toolResult": {"isError": True}}])
    unknown = refused._replace(tool="none")
    cases = draft(Seen(MANIFEST, (), [refused], unknown), {"target": "stdio:x"})["cases"]
    assert [case["id"] for case in cases] == ["manifest", "refuse-get", "unknown-tool"]
    assert cases[1]["args"] == {"a": 1}


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("a ${{ b }}", "a $${{ b }}"),
        (2**53, {"$int": "9007199254740992"}),
        (2**53 - 1, 2**53 - 1),
        (True, True),
        ({"$secret": "abcd"}, {"$literal": {"$secret": "abcd"}}),
        ({"$secret": "abcd", "b": 1}, {"$secret": "abcd", "b": 1}),
        ([{"${{": None}], [{"$${{": None}]),
    ],
)
def test_a_value_is_written_so_that_it_means_itself(value: Any, wanted: Any) -> None:
    assert escaped(value) == wanted
