"""The whole structured result is within the manifest's own `limits.maxResponseChars` and `maxApproxTokens`.

Characters are the UTF-16 units of its compact JSON text; tokens are a quarter of them, rounded up.

expect:
  withinBudgets: true
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.errors import CapabilityMissing
from evalkit.expectations._manifest import MANIFEST_CODES
from evalkit.expectations._measures import BUDGET_CODES, CHARS_A_TOKEN, exceeded, surely_within, tokens
from evalkit.expectations._results import OUTPUT_CODES, TOOL, no_output
from evalkit.model import Evidence, Finding, Json
from evalkit.values import ABSENT, encode, find, utf16_length

OPERATIONS: Final = TOOL
READS_MANIFEST: Final = True
SCHEMA: Final[Json] = {
    "const": True,
    "description": "The whole structured result is within the limits that the manifest states.",
}
CODES: Final[Mapping[str, str]] = {**BUDGET_CODES, **OUTPUT_CODES, **MANIFEST_CODES}

_CHARS: Final = "manifest.limits.maxResponseChars"
_TOKENS: Final = "manifest.limits.maxApproxTokens"


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each limit passed. Raise CapabilityMissing where the manifest states none."""
    limits = {path: find(evidence.observation.roots, path) for path in (_CHARS, _TOKENS)}
    for path, limit in limits.items():
        if limit is ABSENT:
            raise CapabilityMissing(f"withinBudgets needs {path}, and the target does not state it")
        if isinstance(limit, bool) or not isinstance(limit, (int, float)):
            yield Finding("manifest-malformed", f"{path} is no number", path, actual=limit)
            return
    output = evidence.observation.roots.get("output", ABSENT)
    if output is ABSENT:
        yield no_output(evidence)
        return
    if surely_within(output, min(limits[_CHARS], limits[_TOKENS] * CHARS_A_TOKEN)):
        return
    chars = utf16_length(encode(output))
    yield from exceeded("chars", chars, limits[_CHARS], "output")
    yield from exceeded("tokens", tokens(chars), limits[_TOKENS], "output")
