"""Each path holds an array of at most this many items.

expect:
  maxItems:
    output.items: 25
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._paths import MISSING, WRONG_TYPE, Fault, by_path, judged, wrong_type
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json

SCHEMA: Final[Json] = by_path(
    {"type": "integer", "minimum": 0}, "Path → the most items that the array there may have."
)
CODES: Final[Mapping[str, str]] = {
    "too-many-items": "The array at the path has more items than the suite allows.",
    **WRONG_TYPE,
    **MISSING,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path that holds no array, or too long a one."""
    return judged(evidence, wanted, _fault)


def _fault(node: Json, most: Json) -> Fault | None:
    if not isinstance(node, list):
        return wrong_type(node, "arrays")
    if len(node) <= most:
        return None
    return Fault("too-many-items", f"has {len(node)} items, and {most} are allowed", len(node))
