"""How an adapter says what came of its work."""

from __future__ import annotations

from ...javascript import to_string
from ..nouns import Json


def done(summary: str, **fields: Json) -> Json:
    """A result: one sentence for whoever asked, and the tool's own fields."""
    return {"ok": True, "summary": summary, **fields}


def failed(summary: str) -> Json:
    """A refusal. The sentence becomes the error of the call (spec C.3)."""
    return {"ok": False, "summary": summary}


def counted(count: float, noun: str) -> str:
    """`1 note`, `2 notes`, `1.5 notes`."""
    return f"{to_string(count)} {noun}{'' if count == 1 else 's'}"
