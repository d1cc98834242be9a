"""The catalogue: the five context tools in the order in which they are listed (spec A.3, A.4)."""

from __future__ import annotations

from typing import Final

from .vocabulary import Tool

TOOLS: Final = (
    Tool(
        "search_context",
        "Search context",
        "Find records of the enabled scopes by a literal piece of their text. "
        "Returns bounded, redacted items with opaque references.",
    ),
    Tool(
        "get_context",
        "Get context item",
        "Read one item again by the reference that a search or a list gave. "
        "An unknown reference gives a null item.",
    ),
    Tool(
        "list_context",
        "List context",
        "Page through the items of one enabled scope. Follow nextCursor until it is null.",
    ),
    Tool(
        "resolve_navigation",
        "Resolve navigation",
        "Find the page that a phrase means. Nothing is opened; no match gives null.",
        needs="navigation",
    ),
    Tool(
        "context_profile",
        "Context profile",
        "Tell which profile, scopes and grants are in force, and the limits and exclusions of every answer.",
    ),
)

_BY_NAME: Final = {tool.name: tool for tool in TOOLS}


def find_tool(name: str) -> Tool | None:
    """The tool of exactly this name."""
    return _BY_NAME.get(name)


def visible_tools(scopes: tuple[str, ...]) -> tuple[Tool, ...]:
    """The tools that the configured scopes leave room for, whether or not the contract is enabled."""
    return tuple(tool for tool in TOOLS if tool.needs is None or tool.needs in scopes)
