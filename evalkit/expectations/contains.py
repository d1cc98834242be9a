"""A string at the path holds this text, or an array there holds an equal item.

expect:
  contains:
    output.items.0.summary: "[REDACTED EMAIL]"
    manifest.exclusions: Privacy Vault and encrypted privacy records
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._members import KINDS, UNANSWERABLE, held
from evalkit.expectations._paths import MISSING, WRONG_TYPE, Fault, by_path, judged, wrong_type
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json

SCHEMA: Final[Json] = by_path(
    {}, "Path → the text that a string there holds, or the item that an array holds."
)
CODES: Final[Mapping[str, str]] = {
    "text-missing": "The string at the path does not hold the text.",
    "item-missing": "The array at the path holds no equal item.",
    **WRONG_TYPE,
    **MISSING,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path that does not hold the text or item."""
    return judged(evidence, wanted, _fault)


def _fault(node: Json, value: Json) -> Fault | None:
    answer = held(node, value)
    if answer is UNANSWERABLE:
        return wrong_type(node, KINDS)
    if answer:
        return None
    if isinstance(node, str):
        return Fault("text-missing", "does not hold the text")
    return Fault("item-missing", f"holds no such item among its {len(node)}")
