"""Each path holds an array in order, of numbers or of strings (by code point); equal neighbours may stand.

expect:
  sorted: [output.names]

expect:
  sorted:
    output.items: {by: startsAt, order: descending}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from operator import ge, le
from typing import Final

from evalkit.expectations._items import BY, picked
from evalkit.expectations._paths import MISSING, WRONG_TYPE, Fault, judged, paths_or, wrong_type
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json
from evalkit.values import kind_of

SCHEMA: Final[Json] = paths_or(
    {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": False,
        "properties": {"by": BY, "order": {"enum": ["ascending", "descending"]}},
    },
    "Paths of arrays in order; `by` is a path within an item, `order` is ascending unless stated.",
)
CODES: Final[Mapping[str, str]] = {
    "out-of-order": "An item of the array at the path stands before one that belongs before it.",
    **WRONG_TYPE,
    **MISSING,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path that holds no array in order."""
    return judged(evidence, wanted, _fault)


def _fault(node: Json, how: Json) -> Fault | None:
    if not isinstance(node, list):
        return wrong_type(node, "arrays; for a field of each item write {path: {by: field}}")
    values = picked(node, how)
    if isinstance(values, Fault):
        return values
    kinds = {"number" if kind_of(value) == "integer" else kind_of(value) for value in values}
    if len(kinds) > 1 or kinds - {"number", "string"}:
        return Fault("wrong-type", f"has no order among items of type {', '.join(_in_order(kinds))}")
    before = ge if isinstance(how, dict) and how.get("order") == "descending" else le
    for index, (left, right) in enumerate(pairwise(values)):
        if not before(left, right):
            return Fault("out-of-order", f"is out of order at item {index + 1} (from 0)", values)
    return None


def _in_order(names: set[str]) -> list[str]:
    ordered = list(names)
    ordered.sort()
    return ordered
