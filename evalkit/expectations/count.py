"""Each path holds an array of exactly this many items, or of a number between `min` and `max`.

expect:
  count:
    output.items: 2
    manifest.tools: {min: 1}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._bounds import bounds, fits, outside, upside_down
from evalkit.expectations._paths import MISSING, WRONG_TYPE, Fault, by_path, judged, wrong_type
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json, Path

_NUMBER: Final[Json] = {"type": "integer", "minimum": 0}
SCHEMA: Final[Json] = by_path(
    {"anyOf": [_NUMBER, bounds(_NUMBER)]}, "Path → how many items the array there has, or the bounds of it."
)
CODES: Final[Mapping[str, str]] = {
    "count-differs": "The array at the path has fewer or more items than the suite wants.",
    **WRONG_TYPE,
    **MISSING,
}


def check(wanted: Json) -> Iterator[tuple[Path, str]]:
    """Yield where `min` is larger than `max`."""
    return upside_down(wanted)


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path that holds no array of this many items."""
    return judged(evidence, wanted, _fault)


def _fault(node: Json, value: Json) -> Fault | None:
    if not isinstance(node, list):
        return wrong_type(node, "arrays")
    limits = value if isinstance(value, dict) else {"min": value, "max": value}
    if fits(len(node), limits):
        return None
    return Fault("count-differs", f"has {len(node)} items, which is not {outside(limits)}", len(node))
