"""What each tool accepts: the advertised JSON Schema beside the check that enforces it (spec A.4, A.5).

Both count characters as JSON Schema does, in code points, and judge a text as it was sent, before trimming.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from .javascript import trim, utf16_length
from .vocabulary import (
    MAX_QUERY_CHARS,
    MAX_REF_CHARS,
    MAX_RESULTS,
    MAX_SAFE_INTEGER,
    SCOPES,
    Json,
)

_NON_BLANK: Final = r"[^\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"


class _Field(NamedTuple):
    """One argument. `issues` names each thing wrong with a value by its path, as zod does."""

    schema: Json
    issues: Callable[[str, Json], list[str]]
    required: bool = False


def input_schema(tool: str) -> Json:
    """The JSON Schema of a tool's arguments, as advertised."""
    return _SCHEMAS[tool]


def input_issues(tool: str, args: Json) -> list[str]:
    """The paths of all issues, in the order of the schema, unknown keys last; empty where all is well.

    An issue of the arguments as a whole, or an unknown key, is called `input`.
    """
    if not isinstance(args, dict):
        return ["input"]
    fields = _FIELDS[tool]
    issues: list[str] = []
    for name, field in fields.items():
        if name in args:
            issues += field.issues(name, args[name])
        elif field.required:
            issues.append(name)
    if not args.keys() <= fields.keys():
        issues.append("input")
    return issues


def _text(longest: int) -> _Field:
    def issues(path: str, value: Json) -> list[str]:
        if not isinstance(value, str):
            return [path, *_length_issues(path, value, longest)]
        return [path] if len(value) > longest or not trim(value) else []

    schema = {"type": "string", "minLength": 1, "maxLength": longest, "pattern": _NON_BLANK}
    return _Field(schema, issues, required=True)


def _scope() -> _Field:
    def issues(path: str, value: Json) -> list[str]:
        return [] if value in SCOPES else [path]

    return _Field({"type": "string", "enum": list(SCOPES)}, issues, required=True)


def _scopes() -> _Field:
    def issues(path: str, value: Json) -> list[str]:
        if not isinstance(value, list):
            return [path, *_length_issues(path, value, len(SCOPES))]
        wrong = [f"{path}.{index}" for index, scope in enumerate(value) if scope not in SCOPES]
        repeated = [path] if not wrong and len(set(value)) < len(value) else []
        return wrong + _length_issues(path, value, len(SCOPES)) + repeated

    items = {"type": "string", "enum": list(SCOPES)}
    schema = {"type": "array", "items": items, "minItems": 1, "maxItems": len(SCOPES), "uniqueItems": True}
    return _Field(schema, issues)


def _integer(lowest: int, highest: int | None = None) -> _Field:
    def issues(path: str, value: Json) -> list[str]:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value % 1 != 0:
            return [path]
        unsafe = abs(value) > MAX_SAFE_INTEGER
        return [path] * sum((unsafe, value < lowest, highest is not None and value > highest))

    maximum = MAX_SAFE_INTEGER if highest is None else highest
    return _Field({"type": "integer", "minimum": lowest, "maximum": maximum}, issues)


def _length_issues(path: str, value: Json, longest: int) -> list[str]:
    """What zod's length checks add: they judge whatever has a length, even where the type is wrong."""
    if not isinstance(value, (str, list)):
        return []
    length = utf16_length(value) if isinstance(value, str) else len(value)
    return [] if 1 <= length <= longest else [path]


_FIELDS: Final[Mapping[str, Mapping[str, _Field]]] = {
    "search_context": {
        "query": _text(MAX_QUERY_CHARS),
        "scopes": _scopes(),
        "limit": _integer(1, MAX_RESULTS),
    },
    "get_context": {"ref": _text(MAX_REF_CHARS)},
    "list_context": {
        "scope": _scope(),
        "cursor": _integer(0),
        "limit": _integer(1, MAX_RESULTS),
    },
    "resolve_navigation": {"query": _text(MAX_QUERY_CHARS)},
    "context_profile": {},
}


def _schema(fields: Mapping[str, _Field]) -> Json:
    required = [name for name, field in fields.items() if field.required]
    return {
        "type": "object",
        "properties": {name: field.schema for name, field in fields.items()},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


_SCHEMAS: Final = {tool: _schema(fields) for tool, fields in _FIELDS.items()}
