"""Tells one tool call from another by what it would do, however it is worded (spec C.4)."""

from __future__ import annotations

from hashlib import sha256

from ..javascript import stringify
from .nouns import Json


def fingerprint(tool_id: str, arguments: Json, scope: str) -> str:
    """64 hex digits. Aliases and the order of keys make no difference; another scope does."""
    asked = canonical({"name": tool_id, "arguments": arguments, "scope": scope})
    return sha256(asked.encode()).hexdigest()


def canonical(value: Json) -> str:
    """JSON text with the keys of every object in order."""
    return stringify(_sorted(value))


def _sorted(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [_sorted(member) for member in value]
    return value
