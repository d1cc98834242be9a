"""Writes a structured result as JSON text, byte for byte as JavaScript's `JSON.stringify` (spec A.11)."""

from __future__ import annotations

import msgspec

from .javascript import stringify
from .vocabulary import Json


def write(output: Json) -> str:
    """The JSON text of a result, in which every number is whole: only fractions are written differently."""
    return encode(output).decode()


def encode(output: Json) -> bytes:
    """The same text as it goes over a wire."""
    try:
        return msgspec.json.encode(output)
    except (UnicodeEncodeError, OverflowError):  # half a surrogate pair, or an integer of more than 64 bits
        return stringify(output).encode()
