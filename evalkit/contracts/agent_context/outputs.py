"""What each tool may answer: the advertised JSON Schema, and the check against it (spec A.4, A.5)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from jsonschema_rs import Draft202012Validator

from .vocabulary import (
    MAX_KIND_CHARS,
    MAX_PATH_CHARS,
    MAX_REF_CHARS,
    MAX_RESULTS,
    MAX_SAFE_INTEGER,
    MAX_SUMMARY_CHARS,
    MAX_TITLE_CHARS,
    PROFILES,
    SCOPES,
    Json,
)


def output_schema(tool: str) -> Json:
    """The JSON Schema of a tool's structured result, as advertised."""
    return _SCHEMAS[tool]


def is_valid(tool: str, output: Json) -> bool:
    """Whether a structured result is what the tool promises."""
    return _validator(tool).is_valid(output)


@cache
def _validator(tool: str) -> Draft202012Validator:
    return Draft202012Validator(_SCHEMAS[tool])


def _closed(properties: Mapping[str, Json], optional: tuple[str, ...] = ()) -> Json:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _text(longest: int) -> Json:
    return {"type": "string", "maxLength": longest}


def _or_null(schema: Json) -> Json:
    return {"anyOf": [schema, {"type": "null"}]}


_BOOLEAN: Final = {"type": "boolean"}
_COUNT: Final = {"type": "integer", "minimum": 0, "maximum": MAX_SAFE_INTEGER}
_POSITIVE: Final = {"type": "integer", "exclusiveMinimum": 0, "maximum": MAX_SAFE_INTEGER}
_SCOPE: Final = {"type": "string", "enum": list(SCOPES)}
_STATUS: Final = {"type": "string", "enum": ["fresh", "stale"]}

_ITEM: Final = _closed(
    {
        "ref": _text(MAX_REF_CHARS),
        "scope": _SCOPE,
        "kind": _text(MAX_KIND_CHARS),
        "title": _text(MAX_TITLE_CHARS),
        "summary": _text(MAX_SUMMARY_CHARS),
        "path": _text(MAX_PATH_CHARS),
    },
    optional=("path",),
)
_ITEMS: Final = {"type": "array", "items": _ITEM, "maxItems": MAX_RESULTS}
_ACTIONS: Final = _closed({"readPortos": _BOOLEAN, "writePortos": _BOOLEAN})
_LIMITS: Final = _closed(
    {
        "defaultResults": _POSITIVE,
        "maxResults": _POSITIVE,
        "maxSummaryChars": _POSITIVE,
        "maxResponseChars": _POSITIVE,
        "maxApproxTokens": _POSITIVE,
        "maxSourceItems": _POSITIVE,
    }
)

_SCHEMAS: Final[Mapping[str, Json]] = {
    "search_context": _closed(
        {
            "items": _ITEMS,
            "total": _COUNT,
            "truncated": _BOOLEAN,
            "sourceTruncated": _BOOLEAN,
            "sourceStatus": _STATUS,
        }
    ),
    "get_context": _closed({"item": _or_null(_ITEM), "sourceTruncated": _BOOLEAN, "sourceStatus": _STATUS}),
    "list_context": _closed(
        {
            "items": _ITEMS,
            "total": _COUNT,
            "nextCursor": _or_null(_COUNT),
            "truncated": _BOOLEAN,
            "sourceTruncated": _BOOLEAN,
            "sourceStatus": _STATUS,
        }
    ),
    "resolve_navigation": _closed({"match": _or_null(_ITEM), "sourceStatus": _STATUS}),
    "context_profile": _closed(
        {
            "profile": {"type": "string", "enum": list(PROFILES)},
            "scopes": {"type": "array", "items": _SCOPE},
            "actions": _ACTIONS,
            "limits": _LIMITS,
            "exclusions": {"type": "array", "items": {"type": "string"}},
        }
    ),
}
