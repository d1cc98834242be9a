"""Each path holds one of these JSON values.

expect:
  oneOf:
    output.sourceStatus: [fresh, stale]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._paths import MISSING, Fault, by_path, judged
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json
from evalkit.values import same

SCHEMA: Final[Json] = by_path(
    {"type": "array", "minItems": 1}, "Path → the JSON values of which one stands there."
)
CODES: Final[Mapping[str, str]] = {
    "not-one-of": "The value at the path is none of those that the suite allows.",
    **MISSING,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path whose value is none of the allowed ones."""
    return judged(evidence, wanted, _fault)


def _fault(node: Json, values: Json) -> Fault | None:
    if any(same(node, value) for value in values):
        return None
    return Fault("not-one-of", f"is none of the {len(values)} values that are allowed")
