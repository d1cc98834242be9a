"""The 22 semantic tools in their order, with their names and what each takes and gives (spec C.1, C.2)."""

from __future__ import annotations

from typing import Final

from .nouns import Json, SemanticTool

_TEXT: Final = {"type": "string"}
_INTEGER: Final = {"type": "integer"}
_NUMBER: Final = {"type": "number"}
_BOOLEAN: Final = {"type": "boolean"}

TOOLS: Final = (
    SemanticTool(
        "brain.capture",
        "Put a thought, reminder or note into the brain inbox as it is worded, to be sorted later.",
        "write",
        properties={"text": _TEXT},
        required=("text",),
    ),
    SemanticTool(
        "brain.search",
        "Find the latest brain inbox captures that hold a piece of text, whatever its case.",
        "read",
        properties={"query": _TEXT, "limit": _INTEGER},
        required=("query",),
    ),
    SemanticTool(
        "brain.recent",
        "List the newest captures of the brain inbox with their dates.",
        "read",
        ("brain_list_recent",),
        {"limit": _INTEGER},
    ),
    SemanticTool(
        "health.log.drink",
        "Record alcoholic drinks; beer, wine, whiskey, shot and cocktail have a usual size and strength.",
        "write",
        ("meatspace_log_drink",),
        {"name": _TEXT, "count": _NUMBER, "oz": _NUMBER, "abv": _NUMBER},
        ("name",),
    ),
    SemanticTool(
        "health.log.nicotine",
        "Record nicotine products; cigarette, vape and pouch have a usual number of milligrams.",
        "write",
        ("meatspace_log_nicotine",),
        {"product": _TEXT, "count": _NUMBER, "mgPerUnit": _NUMBER},
        ("product",),
    ),
    SemanticTool(
        "health.today",
        "Sum up in a sentence what was logged today about drinks, nicotine, weight and workouts.",
        "read",
        ("meatspace_summary_today",),
    ),
    SemanticTool(
        "health.log.weight",
        "Record a body weight in pounds or kilograms, for today or another date (YYYY-MM-DD).",
        "write",
        ("meatspace_log_weight",),
        {"weight": _NUMBER, "unit": {"type": "string", "enum": ["lb", "kg"]}, "date": _TEXT},
        ("weight",),
    ),
    SemanticTool(
        "health.log.workout",
        "Record a workout with its kind, length and intensity, for today or another date (YYYY-MM-DD).",
        "write",
        ("meatspace_log_workout",),
        {
            "type": _TEXT,
            "durationMinutes": _NUMBER,
            "intensity": {"type": "string", "enum": ["light", "moderate", "vigorous"]},
            "notes": _TEXT,
            "date": _TEXT,
        },
        ("type",),
    ),
    SemanticTool(
        "goals.list",
        "List the active goals, the most urgent first, with horizon, category and progress.",
        "read",
        ("goal_list",),
        {"limit": _INTEGER},
    ),
    SemanticTool(
        "goals.update-progress",
        "Set the progress, from 0 to 100 percent, of the goal whose title fits the query best.",
        "write",
        ("goal_update_progress",),
        {"goalQuery": _TEXT, "progress": _NUMBER},
        ("goalQuery", "progress"),
    ),
    SemanticTool(
        "goals.log-note",
        "Add a note, and the minutes spent if given, to the goal whose title fits the query best.",
        "write",
        ("goal_log_note",),
        {"goalQuery": _TEXT, "note": _TEXT, "durationMinutes": _NUMBER},
        ("goalQuery", "note"),
    ),
    SemanticTool(
        "system.processes.status",
        "Tell how many managed processes are online, and which are unhealthy.",
        "read",
        ("pm2_status",),
    ),
    SemanticTool(
        "feeds.digest",
        "List the newest unread feed items with title, feed and date, and how many are unread in all.",
        "read",
        properties={"limit": _INTEGER},
    ),
    SemanticTool(
        "feeds.mark-read",
        "Mark as read the feed item whose title fits the query, or all items, of one feed or of every feed.",
        "write",
        properties={"query": _TEXT, "all": _BOOLEAN, "feedQuery": _TEXT},
    ),
    SemanticTool(
        "journal.append",
        "Add a passage to the daily log of today or of another date (YYYY-MM-DD).",
        "write",
        ("daily_log_append",),
        {"text": _TEXT, "date": _TEXT},
        ("text",),
    ),
    SemanticTool(
        "journal.read",
        "Read the daily log of today or of another date (YYYY-MM-DD).",
        "read",
        ("daily_log_read",),
        {"date": _TEXT},
    ),
    SemanticTool(
        "time.now",
        "Tell the current date, weekday, time and time zone of the owner.",
        "read",
    ),
    SemanticTool(
        "calendar.today",
        "List today's calendar events with title, time and place.",
        "read",
        properties={"limit": _INTEGER},
    ),
    SemanticTool(
        "calendar.next",
        "Tell the next calendar event of the coming 30 days.",
        "read",
    ),
    SemanticTool(
        "weather.now",
        "Tell the current weather at home, or at the given latitude and longitude.",
        "read",
        properties={"lat": _NUMBER, "lon": _NUMBER},
    ),
    SemanticTool(
        "cos.agents.status",
        "List the coding agents that are at work, with their task, phase and elapsed time.",
        "read",
        ("code_agent_status",),
    ),
    SemanticTool(
        "catalog.search",
        "Find characters, places, objects, ideas, scenes and concepts of the creative catalog by their text.",
        "read",
        ("catalog_lookup",),
        {
            "query": _TEXT,
            "type": {
                "type": "string",
                "enum": ["character", "place", "object", "idea", "scene", "concept"],
            },
            "limit": _INTEGER,
        },
        ("query",),
    ),
)
"""Every tool, in the order in which all lists show them: 13 read and 9 write."""


def find(name: str) -> SemanticTool | None:
    """The tool of exactly this id, MCP name or legacy name."""
    return _BY_NAME.get(name)


def mcp_name(tool: SemanticTool) -> str:
    """What MCP and the providers of models call the tool: its id, with `_` for dots and dashes."""
    return tool.id.replace(".", "_").replace("-", "_")


def input_schema(tool: SemanticTool) -> Json:
    """The closed JSON Schema of the arguments. Ranges are the adapter's, so that a breach fails the tool."""
    return {
        "type": "object",
        "properties": dict(tool.properties),
        "required": list(tool.required),
        "additionalProperties": False,
    }


def output_schema(tool: SemanticTool) -> Json:
    """The open JSON Schema of every normalised result of the tool, completed or failed (spec C.3)."""
    return {
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": ["portos_tool_result"]},
            "requestId": {"type": "string"},
            "name": {"type": "string", "enum": [tool.id]},
            "version": {"type": "integer", "enum": [1]},
            "duplicate": {"type": "boolean"},
            "state": {"type": "string", "enum": ["completed", "failed"]},
            "error": {"type": "string", "maxLength": 500},
            "result": {"type": "object"},
        },
        "required": ["type", "requestId", "name", "version", "duplicate", "state"],
    }


def required_capabilities(tool: SemanticTool) -> tuple[str, ...]:
    """What must be granted before an agent or the mind may call the tool."""
    return ("readPortos",) if tool.effect == "read" else ("writePortos",)


_BY_NAME: Final = {name: tool for tool in TOOLS for name in (tool.id, mcp_name(tool), *tool.aliases)}
