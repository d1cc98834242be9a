"""Checks the arguments of a semantic tool against its closed schema: types and enums only (spec C.2, C.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from ..javascript import cut
from ..vocabulary import MAX_SAFE_INTEGER
from .nouns import Json, Refused, SemanticTool

_MESSAGE_CHARS: Final = 500


def arguments_refusal(tool: SemanticTool, arguments: Json) -> Refused | None:
    """Why the arguments are not what the schema allows, every issue in the order of the schema."""
    issues = argument_issues(tool, arguments)
    if not issues:
        return None
    text = f"Invalid arguments for '{tool.id}': {'; '.join(issues)}"
    return Refused("TOOL_VALIDATION_ERROR", cut(text, _MESSAGE_CHARS))


def argument_issues(tool: SemanticTool, arguments: Json) -> list[str]:
    """`<path> <issue>` for each thing wrong, unknown keys last; empty where all is well."""
    if not isinstance(arguments, dict):
        return ["arguments must be an object"]
    issues = []
    for name, schema in tool.properties.items():
        if name in arguments:
            issue = _issue(schema, arguments[name])
            if issue is not None:
                issues.append(f"{name} {issue}")
        elif name in tool.required:
            issues.append(f"{name} is required")
    issues += [f"{name} is not allowed" for name in arguments if name not in tool.properties]
    return issues


def settle(arguments: Json) -> Json:
    """Valid arguments with whole numbers as integers, because to JSON 5 and 5.0 are one number."""
    return {name: _settled(value) for name, value in arguments.items()}


def _issue(schema: Json, value: Json) -> str | None:
    kind = schema["type"]
    if not _CHECKS[kind](value):
        return f"must be {_WORDS[kind]}"
    if "enum" in schema and value not in schema["enum"]:
        return f"must be one of {', '.join(schema['enum'])}"
    return None


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_boolean(value: Json) -> bool:
    return isinstance(value, bool)


def _is_number(value: Json) -> bool:
    # What JSON cannot write, such as the infinity that 1e400 is read as, is no number of it.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value - value == 0


def _is_integer(value: Json) -> bool:
    return _is_number(value) and value % 1 == 0


_CHECKS: Final[Mapping[str, Callable[[Json], bool]]] = {
    "string": _is_text,
    "boolean": _is_boolean,
    "number": _is_number,
    "integer": _is_integer,
}
_WORDS: Final = {
    "string": "a string",
    "boolean": "a boolean",
    "number": "a number",
    "integer": "an integer",
}


def _settled(value: Json) -> Json:
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) <= MAX_SAFE_INTEGER
    return int(value) if is_whole else value
