"""All advertised tools, or those named, are annotated as reading only.

That is: readOnlyHint true, destructiveHint false, idempotentHint true, openWorldHint false.

expect:
  readOnlyTools: true

expect:
  readOnlyTools: [search_context, get_context]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._hints import HINT_CODES, READ_ONLY, differing
from evalkit.expectations._manifest import (
    ADVERTISED_CODES,
    LIST_CODES,
    MANIFEST,
    faults_of_list,
    named_tools,
    not_advertised,
    tools,
)
from evalkit.model import Evidence, Finding, Json

OPERATIONS: Final = MANIFEST
READS_MANIFEST: Final = True
SCHEMA: Final[Json] = {
    "description": "true for every advertised tool, or the names of those that must read only.",
    "anyOf": [
        {"const": True},
        {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string"}},
    ],
}
CODES: Final[Mapping[str, str]] = {**HINT_CODES, **LIST_CODES, **ADVERTISED_CODES}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each hint that is not the read-only one, and for each tool that is not there."""
    listed = tools(evidence)
    if isinstance(listed, Finding):
        yield listed
        return
    if wanted is True:
        yield from faults_of_list(evidence, listed)
        wanted = [tool["name"] for _, tool in named_tools(listed)]
    for index, tool in named_tools(listed):
        if tool["name"] in wanted:
            yield from differing(tool, index, READ_ONLY)
    names = {tool["name"] for _, tool in named_tools(listed)}
    for at, name in enumerate(wanted):
        if name not in names:
            yield not_advertised(name, listed, (at,))
