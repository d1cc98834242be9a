"""A string at the path matches this regular expression somewhere; `^` and `$` anchor to its very ends.

The expression is Python's; `$` does not match before a final newline.

expect:
  matches:
    output.items.0.ref: "^workspaces:workspace:[0-9a-f]{20}$"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._paths import MISSING, WRONG_TYPE, Fault, by_path, judged, pairs, wrong_type
from evalkit.expectations._paths import paths as paths
from evalkit.expectations._patterns import PatternError, compiled
from evalkit.model import Evidence, Finding, Json, Path

SCHEMA: Final[Json] = by_path(
    {"type": "string", "minLength": 1}, "Path → the regular expression that the string there matches."
)
CODES: Final[Mapping[str, str]] = {
    "no-match": "The string at the path does not match the regular expression.",
    **WRONG_TYPE,
    **MISSING,
}


def check(wanted: Json) -> Iterator[tuple[Path, str]]:
    """Yield where a regular expression cannot be read, and why."""
    for _, pattern, at in pairs(wanted):
        try:
            compiled(pattern)
        except PatternError as problem:
            yield at, str(problem)


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path whose string does not match."""
    return judged(evidence, wanted, _fault)


def _fault(node: Json, pattern: Json) -> Fault | None:
    if not isinstance(node, str):
        return wrong_type(node, "strings")
    return None if compiled(pattern).search(node) else Fault("no-match", "does not match the expression")
