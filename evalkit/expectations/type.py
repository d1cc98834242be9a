"""Each path holds a value of this JSON type, or of one of these.

`integer` takes 1.0 too, and `number` takes integers, as in JSON Schema.

expect:
  type:
    output.total: integer
    output.nextCursor: [integer, "null"]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._paths import MISSING, Fault, by_path, judged
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json
from evalkit.values import kind_of

_NAMES: Final[Json] = {"enum": ["null", "boolean", "integer", "number", "string", "array", "object"]}
SCHEMA: Final[Json] = by_path(
    {"anyOf": [_NAMES, {"type": "array", "minItems": 1, "uniqueItems": True, "items": _NAMES}]},
    "Path → the JSON type of the value there, or a list of types.",
)
CODES: Final[Mapping[str, str]] = {
    "type-differs": "The value at the path is of another JSON type.",
    **MISSING,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path whose value is of another type."""
    return judged(evidence, wanted, _fault)


def _fault(node: Json, value: Json) -> Fault | None:
    kind = kind_of(node)
    names = [value] if isinstance(value, str) else value
    if kind in names or (kind == "integer" and "number" in names):
        return None
    if kind == "number" and "integer" in names and node.is_integer():
        return None
    return Fault("type-differs", f"is of type {kind}, and {' or '.join(names)} is wanted")
