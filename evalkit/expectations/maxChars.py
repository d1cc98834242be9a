"""Each path holds a string of at most this many characters, counted as JavaScript counts (UTF-16 units).

expect:
  maxChars:
    output.items.0.summary: 320
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._paths import MISSING, WRONG_TYPE, Fault, by_path, judged, wrong_type
from evalkit.expectations._paths import paths as paths
from evalkit.model import Evidence, Finding, Json
from evalkit.values import utf16_length

SCHEMA: Final[Json] = by_path(
    {"type": "integer", "minimum": 0},
    "Path → the most characters (UTF-16 units) that the string there may have.",
)
CODES: Final[Mapping[str, str]] = {
    "too-many-chars": "The string at the path has more characters than the suite allows.",
    **WRONG_TYPE,
    **MISSING,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path that holds no string, or too long a one."""
    return judged(evidence, wanted, _fault)


def _fault(node: Json, most: Json) -> Fault | None:
    if not isinstance(node, str):
        return wrong_type(node, "strings")
    length = utf16_length(node)
    if length <= most:
        return None
    return Fault("too-many-chars", f"has {length} characters, and {most} are allowed", length)
