"""The answer's headers, by name in any case: this very value, `true` for there, `false` for not there.

A header that was sent several times is judged as one, joined by `, `.

expect:
  headers:
    content-type: application/json
    etag: true
    set-cookie: false
    allow: {contains: POST}
    cache-control: {matches: "^no-store$"}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._patterns import PatternError, compiled
from evalkit.expectations._wire import HTTP, RESPONSE_CODES, none_there, response_part
from evalkit.model import Evidence, Finding, Json, Path
from evalkit.values import ABSENT

_TEXT: Final[Json] = {"type": "string", "minLength": 1}
_PART: Final[Json] = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": False,
    "properties": {"contains": _TEXT, "matches": _TEXT},
}
OPERATIONS: Final = HTTP
SCHEMA: Final[Json] = {
    "description": "Header name → its value, true (there), false (not there), {contains} or {matches}.",
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {"anyOf": [{"type": ["string", "boolean"]}, _PART]},
}
CODES: Final[Mapping[str, str]] = {
    "header-missing": "A header that the suite wants did not come back.",
    "header-present": "A header came back that must not.",
    "header-differs": "A header's value is not what the suite wants.",
    **RESPONSE_CODES,
}


def check(wanted: Json) -> Iterator[tuple[Path, str]]:
    """Yield where a regular expression cannot be read, and why."""
    for name, value in wanted.items():
        if isinstance(value, dict) and "matches" in value:
            try:
                compiled(value["matches"])
            except PatternError as problem:
                yield (name, "matches"), str(problem)


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each header that is not as wanted."""
    found = response_part(evidence, "response.headers")
    if not isinstance(found, (dict, list)):
        yield none_there("response-missing", "response.headers")
        return
    headers = _joined(found)
    for name, value in wanted.items():
        path, actual = f"response.headers.{name.lower()}", headers.get(name.lower(), ABSENT)
        fault = _fault(actual, value)
        if fault is not None:
            code, message = fault
            yield Finding(code, f"the header {name} {message}", path, value, actual, (name,))


def _joined(found: Json) -> dict[str, str]:
    """Lower-case name → values joined, from a mapping (to a text or texts) or from pairs."""
    pairs = found.items() if isinstance(found, dict) else (pair for pair in found if _is_pair(pair))
    joined: dict[str, str] = {}
    for name, value in pairs:
        for text in value if isinstance(value, list) else (value,):
            key = str(name).lower()
            joined[key] = f"{joined[key]}, {text}" if key in joined else str(text)
    return joined


def _is_pair(entry: Json) -> bool:
    return isinstance(entry, list) and len(entry) == 2


def _fault(actual: Json, value: Json) -> tuple[str, str] | None:
    if value is False:
        return None if actual is ABSENT else ("header-present", "must not be there")
    if actual is ABSENT:
        return "header-missing", "is not there"
    if value is True or actual == value:
        return None
    if isinstance(value, str):
        return "header-differs", "has another value"
    if "contains" in value and value["contains"] not in actual:
        return "header-differs", "does not hold the text"
    if "matches" in value and not compiled(value["matches"]).search(actual):
        return "header-differs", "does not match the expression"
    return None
