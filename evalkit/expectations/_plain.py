"""What the answer to a tool call has over MCP and plain calls, and lacks over a command line or a request."""

from __future__ import annotations

from typing import Final

from evalkit.errors import CapabilityMissing
from evalkit.model import Evidence

PLAIN: Final = frozenset({"cli", "http"})
"""The ways in over which a tool's answer is its structured output, and no more."""


def require_more(evidence: Evidence, what: str) -> None:
    """Raise CapabilityMissing where a word needs what a plain answer to a tool call lacks."""
    if evidence.call.operation == "tool" and evidence.over in PLAIN:
        raise CapabilityMissing(f"a tool call over `{evidence.over}` gives no {what}")
