"""Judging a value by a JSON Schema: the advertised one of a tool, or one that a suite gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._manifest import ADVERTISED_CODES, tool_named
from evalkit.model import Evidence, Finding, Json, Path
from evalkit.schemas import UNCHECKABLE, Schema, SchemaError, compile_schema
from evalkit.values import ABSENT, dotted

UNREADABLE: Final[Mapping[str, str]] = {
    "schema-unreadable": "The schema cannot be used: it breaks its dialect, or a reference leads nowhere.",
    "pattern-not-checkable": "A pattern of the schema cannot be judged here, so its value is not judged.",
}
ADVERTISED_SCHEMA_CODES: Final[Mapping[str, str]] = {
    "schema-missing": "The tool advertises no such schema, so there is nothing to judge by.",
    **UNREADABLE,
    **ADVERTISED_CODES,
}


def advertised(evidence: Evidence, key: str) -> Schema | Finding:
    """The compiled `inputSchema` or `outputSchema` of the tool that was called, or why there is none."""
    name = evidence.call.words["tool"]
    tool = tool_named(evidence, name)
    if isinstance(tool, Finding):
        return tool
    schema = tool.get(key)
    if schema is None:
        return Finding("schema-missing", f"{name} advertises no {key}", "manifest.tools", actual=tool)
    return usable(schema, f"the {key} of {name}", "manifest.tools")


def usable(schema: Json, name: str, path: str, at: Path = ()) -> Schema | Finding:
    """The compiled schema, or the finding that it cannot be used."""
    try:
        return compile_schema(schema)
    except SchemaError as problem:
        where = f" at {dotted(problem.path)}" if problem.path else ""
        message = f"{name} cannot be used: {problem.message}{where}"
        return Finding("schema-unreadable", message, path, actual=schema, at=at)


def violations(schema: Schema, instance: Json, root: str, code: str, at: Path = ()) -> Iterator[Finding]:
    """One finding for each violation, of this code unless a pattern could not be judged."""
    for violation in schema.violations(instance):
        where = dotted((root, *violation.path))
        given = "pattern-not-checkable" if violation.message.startswith(UNCHECKABLE) else code
        actual = _value_at(instance, violation.path)
        yield Finding(given, f"{where}: {violation.message}", where, actual=actual, at=at)


def must_break(schema: Schema, instance: Json, root: str, code: str) -> Iterator[Finding]:
    """One finding of this code where the instance is valid, or those that say that it cannot be known."""
    found = list(violations(schema, instance, root, code))
    if not found:
        yield Finding(code, f"{root} is valid, and must not be", root, actual=instance)
    elif all(finding.code != code for finding in found):
        yield from found


def _value_at(instance: Json, path: Path) -> Json:
    for part in path:
        try:
            instance = instance[part]
        except (KeyError, IndexError, TypeError):
            return ABSENT
    return instance
