"""Twins of which one surface tells something else than the others, and nothing unsound (spec 8.5)."""

from __future__ import annotations

import json
from typing import Any

from evalkit.contracts.scriba.mcp import results
from tests.twins.twin import Twin, twin_of

Json = Any


def _default_over_mcp(_arguments: Json) -> str | None:
    return None


def _of_another_time(text: str) -> Json:
    """A result whose text and structure agree with each other, and with no other surface."""
    return results.success(json.dumps({**json.loads(text), "generatedAt": "2026-01-01T00:00:01Z"}))


TWINS: tuple[Twin, ...] = (
    twin_of(
        "mcp",
        "MCP shows the default profile, whichever is asked for",
        "parity-profile",
        "parity-refused",
        profile_of=_default_over_mcp,
    ),
    twin_of(
        "mcp",
        "MCP tells another time than HTTP and the command line",
        "parity-each",
        "parity-profile",
        "CX38",
        success=_of_another_time,
    ),
    twin_of(
        "api",
        "the local API shows the default profile, whichever is asked for",
        "parity-profile",
        "parity-refused",
        profile_of=lambda _head: None,
    ),
)
