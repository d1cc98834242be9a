"""The contract's own description of itself (spec A.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from .vocabulary import (
    DEFAULT_RESULTS,
    MAX_APPROX_TOKENS,
    MAX_RESPONSE_CHARS,
    MAX_RESULTS,
    MAX_SOURCE_ITEMS,
    MAX_SUMMARY_CHARS,
    Json,
    Settings,
    Tool,
)

Limits: TypeAlias = tuple[tuple[str, int], ...]

LIMITS: Final[Limits] = (
    ("defaultResults", DEFAULT_RESULTS),
    ("maxResults", MAX_RESULTS),
    ("maxSummaryChars", MAX_SUMMARY_CHARS),
    ("maxResponseChars", MAX_RESPONSE_CHARS),
    ("maxApproxTokens", MAX_APPROX_TOKENS),
    ("maxSourceItems", MAX_SOURCE_ITEMS),
)
"""The numbers that are told. What is enforced is in `vocabulary`; the two are the same."""

EXCLUSIONS: Final = (
    "Privacy Vault and encrypted privacy records",
    "credentials, secrets, tokens, and authentication material",
    "federation peers, network topology, and machine identity",
    "repository paths, branches, shell sessions, and command history",
    "messages, browser history, health records, and raw personal exports",
)


def compose_manifest(
    settings: Settings, limits: Limits, exclusions: Sequence[str], tools: Sequence[Json]
) -> Json:
    """The whole document; it is given even where the contract is disabled."""
    return {
        "kind": "portos-agent-context",
        "schemaVersion": 3,
        "protocolVersion": "2025-11-25",
        "enabled": settings.enabled,
        "configurationValid": settings.valid,
        "transport": {
            "type": "streamable-http",
            "endpoint": "/api/agent-context/mcp",
            "loopbackOnly": True,
            "stateful": False,
        },
        "profile": settings.profile,
        "scopes": list(settings.scopes),
        "limits": dict(limits),
        "exclusions": list(exclusions),
        "actions": _actions(settings),
        "tools": list(tools),
    }


def compose_profile(settings: Settings, limits: Limits, exclusions: Sequence[str]) -> Json:
    """What is in force, as the tool `context_profile` tells it."""
    return {
        "profile": settings.profile,
        "scopes": list(settings.scopes),
        "actions": _actions(settings),
        "limits": dict(limits),
        "exclusions": list(exclusions),
    }


def describe(tool: Tool, input_schema: Json, output_schema: Json) -> Json:
    """One row of the manifest's tools. The schemas are shared, not copied."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": input_schema,
        "outputSchema": output_schema,
        "annotations": {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }


def _actions(settings: Settings) -> Json:
    return {"readPortos": settings.read_portos, "writePortos": settings.write_portos}
