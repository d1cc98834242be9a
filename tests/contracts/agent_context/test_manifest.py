"""Tests for `manifest` and `tools`: what the contract says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evalkit.model import Json

if TYPE_CHECKING:
    from tests.contracts.agent_context.conftest import Open

TOOLS = ["search_context", "get_context", "list_context", "resolve_navigation", "context_profile"]


def test_the_default_manifest_is_closed_and_lists_its_tools(opened: Open) -> None:
    manifest = opened(settings={}).manifest()
    tools = manifest.pop("tools")
    assert [tool["name"] for tool in tools] == TOOLS
    assert manifest == {
        "kind": "portos-agent-context",
        "schemaVersion": 3,
        "protocolVersion": "2025-11-25",
        "enabled": False,
        "configurationValid": True,
        "transport": {
            "type": "streamable-http",
            "endpoint": "/api/agent-context/mcp",
            "loopbackOnly": True,
            "stateful": False,
        },
        "profile": "metadata",
        "scopes": ["navigation", "workspaces"],
        "limits": {
            "defaultResults": 10,
            "maxResults": 25,
            "maxSummaryChars": 320,
            "maxResponseChars": 20000,
            "maxApproxTokens": 5000,
            "maxSourceItems": 1000,
        },
        "exclusions": [
            "Privacy Vault and encrypted privacy records",
            "credentials, secrets, tokens, and authentication material",
            "federation peers, network topology, and machine identity",
            "repository paths, branches, shell sessions, and command history",
            "messages, browser history, health records, and raw personal exports",
        ],
        "actions": {"readPortos": False, "writePortos": False},
    }


def test_the_keys_stand_in_the_order_of_the_specification(opened: Open) -> None:
    assert list(opened().manifest()) == [
        "kind",
        "schemaVersion",
        "protocolVersion",
        "enabled",
        "configurationValid",
        "transport",
        "profile",
        "scopes",
        "limits",
        "exclusions",
        "actions",
        "tools",
    ]


def test_invalid_settings_are_told(opened: Open) -> None:
    manifest = opened(settings={"agentContext": {"enabled": True, "scopes": []}}).manifest()
    assert (manifest["enabled"], manifest["configurationValid"]) == (False, False)


@pytest.mark.parametrize("enabled", [True, False])
def test_resolve_navigation_is_listed_only_with_its_scope(opened: Open, enabled: bool) -> None:
    settings = {"agentContext": {"enabled": enabled, "scopes": ["brain"]}}
    names = [tool["name"] for tool in opened(settings=settings).manifest()["tools"]]
    assert names == ["search_context", "get_context", "list_context", "context_profile"]


def test_every_tool_is_described_as_reading_only(opened: Open) -> None:
    for tool in opened().manifest()["tools"]:
        assert list(tool) == ["name", "title", "description", "inputSchema", "outputSchema", "annotations"]
        assert tool["title"]
        assert tool["description"]
        assert tool["annotations"] == {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        }


def test_scopes_and_grants_are_told_as_configured(opened: Open) -> None:
    slice_ = {
        "enabled": True,
        "profile": "summary",
        "scopes": ["brain", "navigation"],
        "actions": {"readPortos": True},
    }
    contract = opened(settings={"agentContext": slice_})
    told: list[Json] = [contract.manifest(), contract.output("context_profile")]
    for document in told:
        assert document["profile"] == "summary"
        assert document["scopes"] == ["brain", "navigation"]
        assert document["actions"] == {"readPortos": True, "writePortos": False}
    assert told[0]["limits"] == told[1]["limits"]
    assert told[0]["exclusions"] == told[1]["exclusions"]
