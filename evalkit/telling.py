"""A call in one line, as results tell of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evalkit.model import Call
from evalkit.spellings import mask
from evalkit.values import quick_json

CALL_LENGTH: Final = 300


def written(call: Call, secrets: Mapping[str, str]) -> str:
    """A call in one line: the tool or the operation, and its arguments as JSON, cut at CALL_LENGTH."""
    words = {key: value for key, value in call.words.items() if key not in ("tool", "args")}
    parts = [str(call.words.get("tool", call.operation))]
    try:
        shown = [value for value in (call.words.get("args"), words or None) if value is not None]
        parts += [quick_json(value).decode() for value in shown]
    except ValueError:  # Python writes no integer of more than about 4,300 digits
        parts.append("(too long to be written)")
    text = mask(" ".join(parts), secrets)  # before it is cut: half a secret would not be found
    return text if len(text) <= CALL_LENGTH else f"{text[:CALL_LENGTH]}… ({len(text)} characters)"
