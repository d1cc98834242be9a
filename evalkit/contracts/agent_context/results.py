"""The shape of a tool result, and the exact texts of every refusal (spec A.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .javascript import cut
from .vocabulary import Json
from .writing import write

CLOSED: Final = "Agent context is disabled or invalid."

_ERROR_CHARS: Final = 500
_ECHOED_CHARS: Final = 120


def success(output: Json) -> Json:
    """The output twice, as data and as the JSON text of that data; `isError` is absent."""
    return {"content": [{"type": "text", "text": write(output)}], "structuredContent": output}


def failure(text: str) -> Json:
    """One sentence, and no data."""
    return {"isError": True, "content": [{"type": "text", "text": cut(text, _ERROR_CHARS)}]}


def unknown_tool(name: str) -> str:
    """A name that is not known, or not granted: the two cannot be told apart."""
    return f"Unknown or ungranted tool: {cut(name, _ECHOED_CHARS)}"


def missing_scope(scope: str) -> str:
    """A tool without the scope that it needs."""
    return f"Tool requires the {scope} scope."


def invalid_input(issues: Sequence[str]) -> str:
    """Arguments that the tool does not accept, by the path of each issue."""
    return f"Invalid tool input at: {', '.join(issues)}"


def unavailable(problem: Exception) -> str:
    """Anything that went wrong behind the gate. What it was stays private."""
    return "Context source unavailable for this request."
