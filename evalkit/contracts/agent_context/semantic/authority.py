"""Decides in whose name a semantic tool may be called, and what the owner's grants allow (spec C.3, C.5)."""

from __future__ import annotations

from typing import Final

from ..javascript import cut
from ..vocabulary import Settings
from .catalogue import required_capabilities
from .nouns import Authority, Refused, SemanticTool

_ECHOED_CHARS: Final = 120
_KNOWN: Final = ("agent", "mind", "ui", "voice")
_RULED_BY_GRANTS: Final = ("agent", "mind")


def grants(settings: Settings) -> frozenset[str]:
    """The capabilities that the settings grant to an agent."""
    granted = {"readPortos": settings.read_portos, "writePortos": settings.write_portos}
    return frozenset(capability for capability, is_on in granted.items() if is_on)


def granted(tool: SemanticTool, scope: str, capabilities: frozenset[str]) -> bool | None:
    """Whether the grants allow the tool in a scope; None where it is not they that decide."""
    if scope not in _RULED_BY_GRANTS:
        return None
    return capabilities.issuperset(required_capabilities(tool))


def unknown_tool(name: str) -> Refused:
    """Why a name that is no tool's cannot be called. Over MCP it is told in other words (spec C.3)."""
    return Refused("TOOL_NOT_FOUND", f"Unknown tool: {cut(name, _ECHOED_CHARS)}")


def authority_refusal(tool: SemanticTool, authority: Authority) -> Refused | None:
    """Why a tool may not be called in this name.

    An agent and the mind need the capabilities that the tool requires. The owner's own ways in, `ui` and
    `voice`, need none, but write only within an authenticated session.
    """
    scope, capabilities, is_authenticated = authority
    if scope not in _KNOWN:
        return Refused("TOOL_SCOPE_DENIED", f"Tool '{tool.id}' is not available in this scope")
    if scope not in _RULED_BY_GRANTS:
        return None if is_authenticated or tool.effect == "read" else _needs_session(tool)
    missing = [name for name in required_capabilities(tool) if name not in capabilities]
    return _needs_capability(tool, missing[0]) if missing else None


def _needs_session(tool: SemanticTool) -> Refused:
    return Refused("TOOL_AUTH_REQUIRED", f"Tool '{tool.id}' requires an authenticated session")


def _needs_capability(tool: SemanticTool, capability: str) -> Refused:
    return Refused("TOOL_CAPABILITY_DENIED", f"Tool '{tool.id}' requires the {capability} capability")
