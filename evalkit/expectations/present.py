"""Each path leads somewhere; JSON null counts as there.

expect:
  present: [output.nextCursor]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._paths import MISSING, judged, paths_alone
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json

SCHEMA: Final[Json] = paths_alone("Paths that must lead somewhere; null counts.")
CODES: Final[Mapping[str, str]] = MISSING


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path that leads nowhere."""
    return judged(evidence, wanted, lambda node, value: None)
