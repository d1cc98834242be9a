"""Manifests that a test writes by hand: a server in order, of which it changes one thing."""

from __future__ import annotations

from typing import Any

from evalkit.model import Evidence
from tests.rules.judging import evidence

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}


def tool(name: Any = "read_day", **changed: Any) -> dict[str, Any]:
    """A tool in order but for what is changed; `...` takes a key away."""
    whole = {
        "name": name,
        "description": "What is planned on a day.",
        "inputSchema": SCHEMA,
        "annotations": {"readOnlyHint": True},
        **changed,
    }
    return {key: value for key, value in whole.items() if value is not ...}


def manifest(*tools: Any, **changed: Any) -> dict[str, Any]:
    """A server in order with these tools, or with one in order; `...` takes a key away."""
    whole = {
        "serverInfo": {"name": "days", "version": "1"},
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {"listChanged": True}},
        "tools": list(tools) if tools else [tool()],
        **changed,
    }
    return {key: value for key, value in whole.items() if value is not ...}


def seen(found: Any, earlier: Any = None, **roots: Any) -> Evidence:
    """What a step saw that asked for the manifest; `earlier` is what a step before it was told."""
    before = {} if earlier is None else {"first": {"manifest": earlier}}
    return evidence("manifest", {}, {"manifest": found, **roots}, before)
