"""Where schemas stand inside a schema, and which of them judge the same value as the schema around them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evalkit.schemas._words import Json, Path, word_set

HOLDS_MAP: Final = word_set(
    "$defs definitions dependencies dependentSchemas patternProperties properties",
)
_HOLDS_LIST: Final = word_set("allOf anyOf disallow extends items oneOf prefixItems type")
_HOLDS_ONE: Final = word_set(
    "additionalItems additionalProperties contains contentSchema else extends if items not propertyNames"
    " then unevaluatedItems unevaluatedProperties"
)
_SAME_VALUE: Final = word_set(
    "allOf anyOf dependencies dependentSchemas disallow else extends if not oneOf then type"
)


def children(schema: Json) -> Iterator[tuple[Path, Json]]:
    """Each object schema directly inside of an object schema, with the path that leads there."""
    for word, value in schema.items():
        if isinstance(value, list) and word in _HOLDS_LIST:
            yield from (((word, at), item) for at, item in enumerate(value) if isinstance(item, dict))
        elif not isinstance(value, dict):
            continue
        elif word in HOLDS_MAP:
            yield from (((word, name), item) for name, item in value.items() if isinstance(item, dict))
        elif word in _HOLDS_ONE:
            yield (word,), value


def subschemas(root: Json) -> Iterator[tuple[Path, Json]]:
    """Every object schema of a document, the root first; constants, enums and examples are not entered."""
    waiting: list[tuple[Path, Json]] = [((), root)] if isinstance(root, dict) else []
    while waiting:
        path, schema = waiting.pop()
        yield path, schema
        waiting.extend((path + tail, child) for tail, child in reversed(list(children(schema))))


def judges_same_value(word: str | int, schema: Json) -> bool:
    """Whether a keyword's schemas judge the very value that `schema` judges, not a part of it."""
    return word in _SAME_VALUE and (word not in ("then", "else") or "if" in schema)
