"""Writes a structured result as JSON text, byte for byte as JavaScript's `JSON.stringify` (spec A.11)."""

from __future__ import annotations

import msgspec

from .javascript import stringify
from .vocabulary import Json


def write(output: Json) -> str:
    """The JSON text of a result, in which every number is whole: only fractions are written differently."""
    try:
        return msgspec.json.encode(output).decode()
    except UnicodeEncodeError:  # half a surrogate pair, which UTF-8 cannot hold and `stringify` escapes
        return stringify(output)
