"""What may be called of a server unasked: nothing that may write, unless a person allows it by name."""

from __future__ import annotations

from evalkit.commands._arguments import Arguments
from evalkit.model import Json


def add_allow_writes(made: Arguments) -> None:
    """Add the flag that names what may be called all the same."""
    made.add_argument(
        "--allow-writes",
        metavar="TOOL",
        action="append",
        default=[],
        help="call this tool too, though it is not declared read-only",
    )


def is_read_only(tool: Json) -> bool:
    """Whether a tool, as it is listed, is declared read-only."""
    hints = tool.get("annotations")
    return isinstance(hints, dict) and hints.get("readOnlyHint") is True
