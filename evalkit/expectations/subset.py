"""Each path holds at least this: objects may have more keys, arrays have exactly these items.

expect:
  subset:
    output.match: {path: /example-home}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._paths import MISSING, Fault, by_path, judged
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json
from evalkit.values import same

SCHEMA: Final[Json] = by_path({}, "Path → what the value there must hold; objects may hold more.")
CODES: Final[Mapping[str, str]] = {
    "part-differs": "The value at the path lacks a part that the suite wants, or has another one there.",
    **MISSING,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path whose value does not hold the wanted part."""
    return judged(evidence, wanted, _fault)


def _fault(node: Json, value: Json) -> Fault | None:
    return None if _holds(node, value) else Fault("part-differs", "does not hold what is wanted")


def _holds(node: Json, part: Json) -> bool:
    if isinstance(part, dict):
        return isinstance(node, dict) and all(
            key in node and _holds(node[key], inner) for key, inner in part.items()
        )
    if isinstance(part, list):
        return isinstance(node, list) and len(node) == len(part) and all(map(_holds, node, part))
    return same(node, part)
