"""The catalogue as a document: its entries, and the forms in which models and MCP take them (spec C.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from .catalogue import mcp_name, required_capabilities
from .nouns import Json, SemanticTool

SCOPES: Final = ("all", "agent", "mind", "ui", "voice")
"""What a catalogue can be asked for; `all` leaves open in whose name a call would be made."""


def entry(tool: SemanticTool, input_schema: Json, output_schema: Json) -> Json:
    """One `portos_tool`, whoever asks. The schemas are shared, not copied."""
    name = mcp_name(tool)
    reads = tool.effect == "read"
    return {
        "type": "portos_tool",
        "name": tool.id,
        "version": 1,
        "providerName": name,
        "aliases": list(dict.fromkeys((*tool.aliases, name))),
        "description": tool.description,
        "input_schema": input_schema,
        "output_schema": output_schema,
        "policy": {
            "scopes": ["agent", "mind", "ui", "voice"],
            "requiredCapabilities": list(required_capabilities(tool)),
            "sideEffect": tool.effect,
            "idempotent": reads,
            "async": False,
            "confirmation": "none" if reads else "capability-grant",
        },
    }


def seen_from(entry: Json, scope: str, granted: bool | None) -> Json:
    """An entry with what `scope` may do with it; `granted` is None where grants do not decide."""
    available = scope == "all" or scope in entry["policy"]["scopes"]
    return {**entry, "availableInScope": available, "granted": granted}


def document(scope: str, entries: Sequence[Json], form: str) -> Json:
    """The catalogue of one of SCOPES in one of FORMATS; KeyError for another form.

    All forms but `portos` leave out what is not granted; `stats` counts every entry all the same.
    """
    effects = [entry["policy"]["sideEffect"] for entry in entries]
    shown = [entry for entry in entries if form == "portos" or entry["granted"] is not False]
    return {
        "type": "portos_tool_catalog",
        "schemaVersion": 1,
        "scope": scope,
        "tools": list(map(FORMATS[form], shown)),
        "stats": {
            "total": len(entries),
            "read": effects.count("read"),
            "write": effects.count("write"),
            "granted": sum(entry["granted"] is True for entry in entries),
        },
    }


def portos(entry: Json) -> Json:
    """The entry as it is."""
    return entry


def openai(entry: Json) -> Json:
    """A function tool of OpenAI."""
    return {
        "type": "function",
        "function": {
            "name": entry["providerName"],
            "description": entry["description"],
            "parameters": entry["input_schema"],
        },
    }


def anthropic(entry: Json) -> Json:
    """A tool of Anthropic's messages."""
    return {
        "name": entry["providerName"],
        "description": entry["description"],
        "input_schema": entry["input_schema"],
    }


def mcp(entry: Json) -> Json:
    """A row of `tools/list`; it has no title. No tool reaches out of PortOS."""
    policy = entry["policy"]
    return {
        "name": entry["providerName"],
        "description": entry["description"],
        "inputSchema": entry["input_schema"],
        "outputSchema": entry["output_schema"],
        "annotations": {
            "readOnlyHint": policy["sideEffect"] == "read",
            "destructiveHint": policy["sideEffect"] == "destructive",
            "idempotentHint": policy["idempotent"],
            "openWorldHint": False,
        },
    }


FORMATS: Final[Mapping[str, Callable[[Json], Json]]] = {
    "portos": portos,
    "openai": openai,
    "anthropic": anthropic,
    "mcp": mcp,
}
"""Each form under the name by which it is asked for."""
