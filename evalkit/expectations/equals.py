"""Each path holds exactly this JSON value.

1 equals 1.0, true is not 1, null is not absent, arrays are ordered, objects are not.

expect:
  equals:
    output.total: 3
    output.items.0.title: Workspace
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._paths import MISSING, Fault, by_path, judged
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json
from evalkit.values import kind_of, same

SCHEMA: Final[Json] = by_path({}, "Path → the JSON value that must stand there.")
CODES: Final[Mapping[str, str]] = {
    "value-differs": "The value at the path is another one than the suite wants.",
    **MISSING,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path whose value is not JSON-equal to the wanted one."""
    return judged(evidence, wanted, _fault)


def _fault(node: Json, value: Json) -> Fault | None:
    if same(node, value):
        return None
    if kind_of(node) != kind_of(value):
        return Fault("value-differs", f"is of type {kind_of(node)}, and {kind_of(value)} is wanted")
    return Fault("value-differs", "is not the value that is wanted")
