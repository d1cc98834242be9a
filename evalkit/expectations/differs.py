"""Each path leads somewhere, and the value there is not this one.

expect:
  differs:
    output.requestId: ${{ steps.first.requestId }}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._paths import MISSING, Fault, by_path, judged
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json
from evalkit.values import same

SCHEMA: Final[Json] = by_path({}, "Path → the JSON value that must not stand there.")
CODES: Final[Mapping[str, str]] = {
    "value-equal": "The value at the path is the one that it must not be.",
    **MISSING,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path whose value is JSON-equal to the unwanted one."""
    return judged(evidence, wanted, _fault)


def _fault(node: Json, value: Json) -> Fault | None:
    return Fault("value-equal", "is the value that must not stand there") if same(node, value) else None
