"""A string at the path does not hold this text, or an array there holds no equal item.

expect:
  lacks:
    output.items.0.summary: alice@example.com
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._members import KINDS, UNANSWERABLE, held
from evalkit.expectations._paths import MISSING, WRONG_TYPE, Fault, by_path, judged, wrong_type
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json

SCHEMA: Final[Json] = by_path(
    {}, "Path → the text or the item that must not be in the string or array there."
)
CODES: Final[Mapping[str, str]] = {
    "text-present": "The string at the path holds the text that it must lack.",
    "item-present": "The array at the path holds an item equal to the one that it must lack.",
    **WRONG_TYPE,
    **MISSING,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path that holds the text or item."""
    return judged(evidence, wanted, _fault)


def _fault(node: Json, value: Json) -> Fault | None:
    answer = held(node, value)
    if answer is UNANSWERABLE:
        return wrong_type(node, KINDS)
    if not answer:
        return None
    if isinstance(node, str):
        return Fault("text-present", "holds the text that it must lack")
    return Fault("item-present", "holds the item that it must lack")
