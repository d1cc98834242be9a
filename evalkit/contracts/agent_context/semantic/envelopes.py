"""Reads what wraps a tool call: the closed call envelope, and the Idempotency-Key header (spec C.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from ..javascript import trim
from .nouns import Json, Refused, ToolCall

_PREFIX: Final = "agent-mcp:"
_KEY_CHARS: Final = 190
_KEY: Final = re.compile(r"[A-Za-z0-9._:-]+")
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,200}")
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,100}")


def key_request_id(key: str | None) -> str | None:
    """The request id that an Idempotency-Key stands for; None where there is no key, or an empty one.

    Raises Refused where the key is not 1 to 190 characters of `A-Z a-z 0-9 . _ : -`.
    """
    key = (key or "").strip(" \t")
    if not key:
        return None
    if not _KEY.fullmatch(key):
        raise _bad_key("may hold only the characters A-Z a-z 0-9 . _ : -")
    if len(key) > _KEY_CHARS:
        raise _bad_key(f"may have at most {_KEY_CHARS} characters, not {len(key)}")
    return _PREFIX + key


def fresh_request_id(identifier: str) -> str:
    """The request id of a call over MCP without a key; nobody can ask for it again."""
    return _PREFIX + identifier


def envelope_issues(body: Json) -> list[tuple[str, str]]:
    """The path and the issue of each thing wrong with a call envelope; the path of the whole is empty."""
    if not isinstance(body, dict):
        return [("", "must be an object")]
    issues = [
        (name, wanted)
        for name, (is_allowed, wanted) in _FIELDS.items()
        if not is_allowed(body.get(name, ...))
    ]
    issues += [(name, "is not allowed") for name in body if name not in _FIELDS]
    return issues


def read_envelope(body: Json) -> ToolCall:
    """The call that an envelope without issues asks for."""
    return ToolCall(body["name"], body.get("arguments", {}), trim(body["requestId"]))


def _bad_key(issue: str) -> Refused:
    return Refused("VALIDATION_ERROR", f"Idempotency-Key {issue}")


def _is_type(value: Json) -> bool:
    return value is ... or value == "portos_tool_call"


def _is_request_id(value: Json) -> bool:
    return isinstance(value, str) and _REQUEST_ID.fullmatch(trim(value)) is not None


def _is_name(value: Json) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def _is_version(value: Json) -> bool:
    return value is ... or (value == 1 and not isinstance(value, bool))


def _is_arguments(value: Json) -> bool:
    return value is ... or isinstance(value, dict)


_FIELDS: Final[Mapping[str, tuple[Callable[[Json], bool], str]]] = {
    "type": (_is_type, "must be portos_tool_call"),
    "requestId": (_is_request_id, "must have 1 to 200 characters of A-Z a-z 0-9 . _ : -"),
    "name": (_is_name, "must have 1 to 100 characters of A-Z a-z 0-9 . _ -"),
    "version": (_is_version, "must be 1"),
    "arguments": (_is_arguments, "must be an object"),
}
"""Every key of the envelope: what it may be (`...` stands for a missing one), and how that is said."""
