"""What `tools/call` answers, whether there is a document or not (spec 7.5)."""

from __future__ import annotations

import json

from ..nouns import Json, PageUnavailable, ProfileUnavailable


def success(text: str) -> Json:
    """The document, and its text, of which it is made: so they cannot differ."""
    return {"content": [_text(text)], "structuredContent": json.loads(text), "isError": False}


def failure(text: str) -> Json:
    """A text and nothing else."""
    return {"content": [_text(text)], "isError": True}


def reason(problem: Exception) -> str:
    """What is said of what went wrong: a code, or that there is no data; never the message of a stranger."""
    if isinstance(problem, PageUnavailable):
        return problem.code
    return "profile_unavailable" if isinstance(problem, ProfileUnavailable) else "data unavailable"


def _text(text: str) -> Json:
    return {"type": "text", "text": text}
