"""Each path holds a number between `min` and `max`, both included; one of them may be left out.

expect:
  range:
    output.total: {min: 1, max: 25}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._bounds import bounds, fits, outside, upside_down
from evalkit.expectations._paths import MISSING, WRONG_TYPE, Fault, by_path, judged, wrong_type
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json, Path

SCHEMA: Final[Json] = by_path(bounds({"type": "number"}), "Path → the bounds of the number there.")
CODES: Final[Mapping[str, str]] = {
    "out-of-range": "The number at the path is smaller than `min` or larger than `max`.",
    **WRONG_TYPE,
    **MISSING,
}


def check(wanted: Json) -> Iterator[tuple[Path, str]]:
    """Yield where `min` is larger than `max`."""
    return upside_down(wanted)


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path whose value is no number within the bounds."""
    return judged(evidence, wanted, _fault)


def _fault(node: Json, value: Json) -> Fault | None:
    if isinstance(node, bool) or not isinstance(node, (int, float)):
        return wrong_type(node, "numbers")
    return None if fits(node, value) else Fault("out-of-range", f"is not {outside(value)}")
