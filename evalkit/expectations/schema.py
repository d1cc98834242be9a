"""Each path holds a value that is valid under this JSON Schema, written here or in a file.

The dialect is 2020-12, unless `$schema` names another.

expect:
  schema:
    output.items.0.ref: {type: string, pattern: "^[a-z]+:"}
    output: {file: schemas/list.json}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._paths import MISSING, by_path, nodes, nothing_at, pairs
from evalkit.expectations._paths import paths as paths
from evalkit.expectations._schemas import UNREADABLE, usable, violations
from evalkit.model import Evidence, Finding, Json, Path
from evalkit.schemas import SchemaError, check_vocabulary, compile_schema

SCHEMA: Final[Json] = by_path(
    {"type": ["object", "boolean"]}, "Path → the JSON Schema of the value there, or {file: path} of one."
)
CODES: Final[Mapping[str, str]] = {
    "schema-violated": "The value at the path breaks the schema that the suite gives.",
    **UNREADABLE,
    **MISSING,
}


def check(wanted: Json) -> Iterator[tuple[Path, str]]:
    """Yield each unknown keyword or format, and what keeps a schema from being used."""
    for _, schema, at in pairs(wanted):
        try:
            for unknown in check_vocabulary(schema):
                meant = f"; did you mean {unknown.nearest}?" if unknown.nearest else ""
                yield (*at, *unknown.path), f"{unknown.word} is unknown and would check nothing{meant}"
            for place in compile_schema(schema).unchecked:
                yield (*at, *place), "this pattern cannot be judged"
        except SchemaError as problem:
            yield (*at, *problem.path), f"the schema cannot be used: {problem.message}"


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each violation at each path."""
    for path, given, at in pairs(wanted):
        schema = usable(given, "the schema", path, at)
        if isinstance(schema, Finding):
            yield schema
            continue
        found = nodes(evidence, path)
        if not found:
            yield nothing_at(path, given, at)
        for where, node in found:
            yield from violations(schema, node, where, "schema-violated", at)
