"""Each path holds an array in which no two items are equal, or no two have the same value at `by`.

expect:
  unique: [output.scopes]

expect:
  unique:
    output.items: {by: ref}
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Final

from evalkit.expectations._items import BY, picked
from evalkit.expectations._paths import MISSING, WRONG_TYPE, Fault, judged, paths_or, wrong_type
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json

SCHEMA: Final[Json] = paths_or(
    {"type": "object", "required": ["by"], "additionalProperties": False, "properties": {"by": BY}},
    "Paths of arrays without equal items; `by` is a path within an item.",
)
CODES: Final[Mapping[str, str]] = {
    "items-repeated": "The array at the path holds the same item, or the same value at `by`, more than once.",
    **WRONG_TYPE,
    **MISSING,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path that holds no array of different items."""
    return judged(evidence, wanted, _fault)


def _fault(node: Json, how: Json) -> Fault | None:
    if not isinstance(node, list):
        return wrong_type(node, "arrays; for a field of each item write {path: {by: field}}")
    values = picked(node, how)
    if isinstance(values, Fault):
        return values
    seen: dict[Hashable, int] = {}
    again = []
    for index, value in enumerate(values):
        if seen.setdefault(_key(value), index) != index:
            again.append(index)
    if not again:
        return None
    return Fault(
        "items-repeated", f"repeats earlier items at {again[:10]} (from 0)", [values[i] for i in again]
    )


def _key(value: Json) -> Hashable:
    """A key that two values share exactly when they are JSON-equal."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, dict):
        return ("object", frozenset((name, _key(inner)) for name, inner in value.items()))
    if isinstance(value, list):
        return ("array", *map(_key, value))
    hashable: Hashable = value
    return hashable
