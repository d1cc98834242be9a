"""The call's `args` are valid under the input schema that the tool advertises; `false`: they are not.

A call without `args` is judged as one with `{}`.

expect:
  isError: true
  inputSchemaValid: false
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._results import TOOL
from evalkit.expectations._schemas import ADVERTISED_SCHEMA_CODES, advertised, must_break, violations
from evalkit.model import Evidence, Finding, Json

OPERATIONS: Final = TOOL
READS_MANIFEST: Final = True
SCHEMA: Final[Json] = {
    "type": "boolean",
    "description": "Whether the arguments must be valid under the advertised input schema, or break it.",
}
CODES: Final[Mapping[str, str]] = {
    "input-invalid": "The arguments break the input schema that the tool advertises.",
    "input-valid": "The arguments are valid, and the suite wants them to break the advertised schema.",
    **ADVERTISED_SCHEMA_CODES,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each violation, or one that there is none where one is wanted."""
    schema = advertised(evidence, "inputSchema")
    if isinstance(schema, Finding):
        yield schema
        return
    args = evidence.call.words.get("args")
    instance = {} if args is None else args
    if wanted:
        yield from violations(schema, instance, "args", "input-invalid")
    else:
        yield from must_break(schema, instance, "args", "input-valid")
