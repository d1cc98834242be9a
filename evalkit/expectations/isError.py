"""The tool result's `isError` is this; an absent one counts as false.

expect:
  isError: true
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._results import RESULT_CODES, TOOL, odd_content, tool_failed, tool_result
from evalkit.model import Evidence, Finding, Json

OPERATIONS: Final = TOOL
SCHEMA: Final[Json] = {"type": "boolean", "description": "Whether the tool must answer with an error."}
CODES: Final[Mapping[str, str]] = {
    "unexpected-error": "The tool answered with an error, and the suite wants success.",
    "error-expected": "The tool answered as if all were well, and the suite wants an error.",
    **RESULT_CODES,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding where the result is an error and should not be, or the other way round.

    Content that is none of MCP makes a result that says neither.
    """
    result = tool_result(evidence)
    if isinstance(result, Finding):
        yield result
    elif result.get("isError", False) is wanted:
        yield from odd_content(result)
    elif wanted:
        message = "the tool succeeded, and an error is wanted"
        yield Finding("error-expected", message, "toolResult.isError", expected=True, actual=False)
    else:
        yield tool_failed(evidence, "the tool failed", "unexpected-error", expected=False)
