"""The whole suite calls each advertised tool, and calls none that is not advertised.

A tool that every case calls only to be refused (`isError: true` or `rpcError`) need not be advertised.

expect:
  advertisedToolsCovered: true
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

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
    "const": True,
    "description": "Every advertised tool is called by the suite, and every called tool is advertised.",
}
CODES: Final[Mapping[str, str]] = {
    "tool-not-covered": "An advertised tool is called by no unskipped case of the suite.",
    "tool-repeated": "The manifest lists two tools of the same name.",
    **LIST_CODES,
    **ADVERTISED_CODES,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each tool that only one side knows."""
    listed = tools(evidence)
    if isinstance(listed, Finding):
        yield listed
        return
    yield from faults_of_list(evidence, listed)
    advertised: dict[str, int] = {}
    called = {use.tool for use in evidence.suite.tool_uses}
    for index, tool in named_tools(listed):
        name, path = tool["name"], f"manifest.tools.{index}"
        if name in advertised:
            yield Finding("tool-repeated", f"{name} is listed more than once", path, actual=name)
        elif name not in called:
            yield Finding(
                "tool-not-covered", f"{name} is advertised, and no case calls it", path, actual=name
            )
        advertised[name] = index
    for name in dict.fromkeys(use.tool for use in evidence.suite.tool_uses if not use.refused):
        if name not in advertised:
            yield not_advertised(name, listed)
