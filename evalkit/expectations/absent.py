"""Each path leads nowhere; JSON null counts as there.

expect:
  absent: [output.sourceTruncated]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._paths import nodes, pairs, paths_alone
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json

SCHEMA: Final[Json] = paths_alone("Paths that must lead nowhere; null counts as there.")
CODES: Final[Mapping[str, str]] = {"path-present": "The path leads somewhere, and it must not."}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each place that a path leads to."""
    for path, _, at in pairs(wanted):
        for where, node in nodes(evidence, path):
            yield Finding("path-present", f"{where} is there, and must not be", where, actual=node, at=at)
