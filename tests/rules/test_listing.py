"""The handshake's facts and the listing as a whole, kept and broken."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.rules.listing import LARGEST
from tests.rules.judging import broken, evidence
from tests.rules.manifests import manifest, seen, tool

TWICE = "page 2 names a cursor for the second time, so the pages never end"
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


@pytest.mark.parametrize(
    ("found", "paths"),
    [
        (manifest(incomplete=TWICE), ["manifest.incomplete"]),
        (manifest(tools=[], incomplete="page 1 is the error -32603"), ["manifest.incomplete"]),
        (manifest(capabilities={}, incomplete=TWICE), ["manifest.incomplete"]),
        (manifest(tools=[], capabilities=..., incomplete="page 1 did not come"), ["manifest.incomplete"]),
        (manifest(tools=[], capabilities={"prompts": {}}, incomplete="page 1 is the error -32601"), []),
        (manifest(), []),
        (manifest(tools=[]), []),
    ],
)
def test_a_listing_that_breaks_off(found: Any, paths: list[str]) -> None:
    assert broken("listing-whole", seen(found)) == paths


@pytest.mark.parametrize(
    ("tools", "paths"),
    [
        ([tool(), "read", None, [], 1], [f"manifest.tools.{at}" for at in (1, 2, 3, 4)]),
        ({"read": tool()}, ["manifest.tools"]),
        (None, ["manifest.tools"]),
        (..., ["manifest.tools"]),
        ([], []),
        ([{}], []),
    ],
)
def test_an_entry_that_is_no_tool(tools: Any, paths: list[str]) -> None:
    assert broken("listing-entries", seen(manifest(tools=tools))) == paths


@pytest.mark.parametrize("rule", ["tool-named", "tool-names-unique", "schema-valid", "hints-typed"])
def test_a_manifest_without_a_list_of_tools_keeps_no_rule_of_tools(rule: str) -> None:
    for found in (manifest(tools=...), "manifest", None):
        assert broken(rule, seen(found)) == ["manifest.tools"]


@pytest.mark.parametrize("key", ["title", "description", "icons", "annotations", "execution", "_meta"])
def test_an_optional_field_of_another_type(key: str) -> None:
    assert broken("tool-fields-typed", seen(manifest(tool(**{key: None})))) == [f"manifest.tools.0.{key}"]
    assert broken("tool-fields-typed", seen(manifest(tool(**{key: 1})))) == [f"manifest.tools.0.{key}"]
    assert broken("tool-fields-typed", seen(manifest(tool(**{key: ...})))) == []


def test_fields_that_no_revision_knows_may_be_anything() -> None:
    whole = tool(title="Day", icons=[], execution={"taskSupport": "optional"}, _meta={}, cost=3, version=None)
    assert broken("tool-fields-typed", seen(manifest(whole))) == []


@pytest.mark.parametrize(
    ("told", "revision", "paths"),
    [
        (..., "2025-11-25", [""]),
        (..., "", [""]),
        (["tools"], "2025-11-25", [""]),
        (["tools"], "2026-07-28", [""]),
        ({"tools": True}, "2025-11-25", [".tools"]),
        ({"prompts": None, "tools": []}, "2025-11-25", [".prompts", ".tools"]),
        ({"tools": {"listChanged": "yes"}}, "2025-11-25", [".tools.listChanged"]),
        ({"resources": {"subscribe": 1}}, "2025-11-25", [".resources.subscribe"]),
        ({"tasks": True}, "2025-11-25", [".tasks"]),
        ({"tasks": True, "completions": True}, "2024-11-05", []),
        ({"own": True}, "2025-11-25", []),
        ({}, "2025-11-25", []),
        (..., "2026-07-28", []),
    ],
)
def test_capabilities(told: Any, revision: str, paths: list[str]) -> None:
    found = manifest(capabilities=told, protocolVersion=revision)
    assert broken("capabilities-typed", seen(found)) == [f"manifest.capabilities{path}" for path in paths]
    begun = evidence("session", {}, {"manifest": found})
    assert broken("capabilities-typed", begun) == broken("capabilities-typed", seen(found))


def test_instructions_are_a_text() -> None:
    assert broken("instructions-text", seen(manifest(instructions=["Ask."]))) == ["manifest.instructions"]
    assert broken("instructions-text", seen(manifest(instructions=None))) == ["manifest.instructions"]
    assert broken("instructions-text", seen(manifest(instructions=""))) == []
    assert broken("instructions-text", seen(manifest())) == []


A, B = tool("a"), tool("b")


@pytest.mark.parametrize(
    ("earlier", "now", "ordered", "stable"),
    [
        (manifest(A, B), manifest(B, A), ["manifest.tools"], []),
        (manifest(A, B), manifest(A), [], ["manifest.tools"]),
        (manifest(A), manifest(A, B), [], ["manifest.tools"]),
        (manifest(A, B), manifest(A, B), [], []),
        (manifest(A, B), manifest(A, incomplete=TWICE), [], []),
        (manifest(A, incomplete=TWICE), manifest(A, B), [], []),
        (None, manifest(A, B), [], []),
        ({"tools": "none"}, manifest(A, B), [], []),
    ],
)
def test_a_listing_that_is_asked_for_again(
    earlier: Any, now: Any, ordered: list[str], stable: list[str]
) -> None:
    assert broken("listing-ordered", seen(now, earlier)) == ordered
    assert broken("listing-stable", seen(now, earlier)) == stable


def test_a_change_that_was_announced_is_none() -> None:
    assert broken("listing-stable", seen(manifest(A), manifest(A, B), notifications=[3, CHANGED])) == []
    other = {"method": "notifications/message"}
    assert broken("listing-stable", seen(manifest(A), manifest(A, B), notifications=[other])) != []


def test_the_bytes_of_all_tools_count() -> None:
    around = '[{"name":"n","description":""}]'
    for text, paths in (("é" * ((LARGEST - len(around)) // 2), []), ("e" * LARGEST, ["manifest.tools"])):
        found = manifest({"name": "n", "description": text})
        assert broken("listing-small", seen(found)) == paths
    full = "e" * (LARGEST - len(around))
    assert broken("listing-small", seen(manifest({"name": "n", "description": full}))) == []
    assert broken("listing-small", seen(manifest({"name": "n", "description": full + "e"}))) != []


def test_what_is_no_utf_8_has_a_size_too() -> None:
    assert broken("listing-small", seen(manifest(tool(description="\ud800" * LARGEST)))) != []
