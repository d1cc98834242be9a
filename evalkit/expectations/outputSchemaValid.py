"""The structured output is valid under the output schema that the tool advertises; `false`: it is not.

expect:
  outputSchemaValid: true
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._results import (
    OUTPUT_CODES,
    RESULT_CODES,
    TOOL,
    failed,
    no_output,
    tool_failed,
    tool_result,
)
from evalkit.expectations._schemas import ADVERTISED_SCHEMA_CODES, advertised, must_break, violations
from evalkit.model import Evidence, Finding, Json
from evalkit.values import ABSENT

OPERATIONS: Final = TOOL
READS_MANIFEST: Final = True
SCHEMA: Final[Json] = {
    "type": "boolean",
    "description": "Whether the structured output must be valid under the advertised schema, or break it.",
}
CODES: Final[Mapping[str, str]] = {
    "output-invalid": "The structured output breaks the output schema that the tool advertises.",
    "output-valid": "The output is valid, and the suite wants it to break the advertised schema.",
    **OUTPUT_CODES,
    **RESULT_CODES,
    **ADVERTISED_SCHEMA_CODES,
}


def conflicts(expect: Mapping[str, Json]) -> Iterator[str]:
    """Yield why the word cannot stand beside others: an error is never judged by the schema of success."""
    if expect.get("isError") is True:
        yield "outputSchemaValid judges the output of success, and an error (isError: true) has none"


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each violation; of an error result only that the tool failed."""
    result = tool_result(evidence)
    if isinstance(result, Finding):
        yield result
        return
    if failed(evidence):
        yield tool_failed(evidence, "the tool failed")
        return
    schema = advertised(evidence, "outputSchema")
    if isinstance(schema, Finding):
        yield schema
    output = evidence.observation.roots.get("output", ABSENT)
    if output is ABSENT:
        yield no_output(evidence)
    elif not isinstance(schema, Finding) and wanted:
        yield from violations(schema, output, "output", "output-invalid")
    elif not isinstance(schema, Finding):
        yield from must_break(schema, output, "output", "output-valid")
