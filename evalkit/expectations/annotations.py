"""Each named tool has exactly these hints; what either side leaves out has the protocol's default.

The defaults: readOnlyHint false, destructiveHint true, idempotentHint false, openWorldHint true.

expect:
  annotations:
    delete_event: {destructiveHint: true, openWorldHint: false}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._hints import DEFAULTS, HINT_CODES, differing
from evalkit.expectations._manifest import ADVERTISED_CODES, MANIFEST, named_tools, not_advertised, tools
from evalkit.model import Evidence, Finding, Json

OPERATIONS: Final = MANIFEST
READS_MANIFEST: Final = True
SCHEMA: Final[Json] = {
    "description": "Tool name → its hints; hints that are left out have the protocol's default.",
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": False,
        "properties": {hint: {"type": "boolean"} for hint in DEFAULTS},
    },
}
CODES: Final[Mapping[str, str]] = {**HINT_CODES, **ADVERTISED_CODES}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each hint that differs, and for each tool that is not there."""
    listed = tools(evidence)
    if isinstance(listed, Finding):
        yield listed
        return
    for name, hints in wanted.items():
        found = [(index, tool) for index, tool in named_tools(listed) if tool["name"] == name]
        if not found:
            yield not_advertised(name, listed, (name,))
        for index, tool in found:
            for finding in differing(tool, index, {**DEFAULTS, **hints}):
                yield finding._replace(at=(name,))
