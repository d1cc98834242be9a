"""Writes a place in the ledger as text that a client keeps, and reads it back strictly (spec 5.1)."""

from __future__ import annotations

import re
from typing import Final

_CURSOR: Final = re.compile(r"v1\.([0-7][0-9a-f]{15})")


def read_cursor(text: str) -> int | None:
    """The sequence that a cursor stands for, or None for what is no cursor."""
    found = _CURSOR.fullmatch(text)
    return int(found[1], 16) if found else None


def write_cursor(sequence: int) -> str:
    """`v1.` and sixteen hexadecimal digits; the sequence is from 0 to 2^63 - 1."""
    return f"v1.{sequence:016x}"
