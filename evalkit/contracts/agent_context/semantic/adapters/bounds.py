"""What an argument must be beyond its type: not blank, and inside its range (spec C.2).

Nothing is wrong with an argument that is not there: None.
"""

from __future__ import annotations

from ...javascript import to_string, trim
from ..nouns import Json


def limit(args: Json, default: int, most: int) -> int:
    """How many rows are asked for: the default where nothing, 0 or less is, and never more than `most`."""
    asked = args.get("limit", 0)
    return int(min(asked, most)) if asked > 0 else default


def blank(name: str, text: str | None) -> str | None:
    """What is wrong with a text that says nothing."""
    return None if text is None or trim(text) else f"{name} must not be empty"


def not_positive(name: str, value: float | None, most: float, unit: str = "") -> str | None:
    """What is wrong with an amount that is not more than 0 and at most `most`."""
    if value is None or 0 < value <= most:
        return None
    return f"{name} must be more than 0 and at most {to_string(most)}{unit}"


def outside(name: str, value: float | None, least: float, most: float) -> str | None:
    """What is wrong with a value that is not between two others, both included."""
    if value is None or least <= value <= most:
        return None
    return f"{name} must be between {to_string(least)} and {to_string(most)}"
