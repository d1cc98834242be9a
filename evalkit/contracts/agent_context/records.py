"""Reads the fields of raw records as JavaScript does: by its truthiness and `String` (spec A.6, A.11)."""

from __future__ import annotations

from typing import Final

from .javascript import to_string
from .vocabulary import Json

BRAIN_TEXTS: Final = (
    "name",
    "title",
    "description",
    "context",
    "oneLiner",
    "artist",
    "notes",
    "nextAction",
    "mood",
    "capturedText",
    "url",
    "content",
)
"""The fields of a brain record that may be matched and returned; no other field ever is."""

_BRAIN_LABELS: Final = ("name", "title", "oneLiner", "capturedText")


def is_truthy(value: Json) -> bool:
    """Whether JavaScript takes a JSON value for true: every list and object is, be it empty."""
    return isinstance(value, (dict, list)) or bool(value)


def text(value: Json) -> str:
    """`String(value ?? "")`."""
    return "" if value is None else to_string(value)


def brain_text(record: Json) -> str:
    """The texts of a brain record, joined by spaces; what is no text does not count."""
    return " ".join([value for field in BRAIN_TEXTS if isinstance(value := record.get(field), str)])


def brain_label(record: Json) -> str | None:
    """The first field that can name a brain record, if any."""
    for field in _BRAIN_LABELS:
        if is_truthy(value := record.get(field)):
            return to_string(value)
    return None


def identity_label(key: str, record: Json) -> str:
    """How an identity section is called."""
    return to_string(record["label"]) if is_truthy(record.get("label")) else key


def words(record: Json, field: str) -> list[str]:
    """The aliases or keywords of a navigation record; null among them is an empty text."""
    value = record.get(field)
    return [text(word) for word in value] if is_truthy(value) else []
