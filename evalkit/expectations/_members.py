"""What `contains` and `lacks` both ask: is this text in the string, or such an item in the array?"""

from __future__ import annotations

from typing import Final

from evalkit.model import Json
from evalkit.values import same

UNANSWERABLE: Final = None
KINDS: Final = "a text in a string, or any value in an array"


def held(node: Json, value: Json) -> bool | None:
    """Whether the string holds the text or the array an equal item; UNANSWERABLE for any other pair."""
    if isinstance(node, str):
        return value in node if isinstance(value, str) else UNANSWERABLE
    if isinstance(node, list):
        return any(same(item, value) for item in node)
    return UNANSWERABLE
