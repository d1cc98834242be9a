"""The compact JSON text of a value, as it is measured."""

from __future__ import annotations

from evalkit.model import Json
from evalkit.values import encode


def text_of(value: Json) -> str:
    """A text as it is; anything else as compact JSON, non-ASCII characters kept."""
    return value if isinstance(value, str) else encode(value)
