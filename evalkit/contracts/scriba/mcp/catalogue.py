"""The two tools as `tools/list` shows them, in this order (spec 7.1-7.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias

from ..nouns import DEFAULT_EVENTS, MAX_EVENTS, Json
from .arguments import CURSOR_CHARS, CURSOR_PATTERN, MODES, PROFILE_CHARS, PROFILE_PATTERN

GET_CONTEXT: Final = "scriba_get_context"
LIST_EVENTS: Final = "scriba_list_events"

Document: TypeAlias = Literal["context", "events"]


class Tool(NamedTuple):
    """A tool; `document` names the schema of what it gives."""

    name: str
    told: str
    input_schema: Json
    document: Document


_PROFILE: Final = {
    "type": "string",
    "pattern": PROFILE_PATTERN,
    "maxLength": PROFILE_CHARS,
    "description": "A profile other than the default.",
}

TOOLS: Final = (
    Tool(
        GET_CONTEXT,
        "Quota windows, budgets, reset grants and recent policy events, and how fresh each of them is.",
        {"type": "object", "properties": {"profile": _PROFILE}, "additionalProperties": False},
        "context",
    ),
    Tool(
        LIST_EVENTS,
        "Policy events: the latest, or with mode `replay` those after a cursor. Go on from cursor.next until "
        "it equals cursor.highWater.",
        {
            "type": "object",
            "properties": {
                "profile": _PROFILE,
                "mode": {"type": "string", "enum": [*MODES], "default": MODES[0]},
                "cursor": {
                    "type": "string",
                    "pattern": CURSOR_PATTERN,
                    "minLength": CURSOR_CHARS,
                    "maxLength": CURSOR_CHARS,
                },
                "limit": {"type": "integer", "minimum": 1, "maximum": MAX_EVENTS, "default": DEFAULT_EVENTS},
            },
            "additionalProperties": False,
            "oneOf": [
                {"properties": {"mode": {"const": "latest"}}, "not": {"required": ["cursor"]}},
                {"properties": {"mode": {"const": "replay"}}, "required": ["mode", "cursor"]},
            ],
        },
        "events",
    ),
)

ANNOTATIONS: Final = {"readOnlyHint": True, "openWorldHint": False}


def describe(tool: Tool, output_schema: Callable[[Document], Json]) -> Json:
    """One item of `tools/list`."""
    return {
        "name": tool.name,
        "description": tool.told,
        "inputSchema": tool.input_schema,
        "outputSchema": output_schema(tool.document),
        "annotations": ANNOTATIONS,
    }
