"""Read a report that an earlier run saved."""

from __future__ import annotations

from pathlib import Path

from evalkit.errors import UsageError
from evalkit.model import Report
from evalkit.report import schema_text
from evalkit.schemas import compile_schema
from evalkit.values import dotted, parse_json


def read(file: str) -> Report:
    """The report in a file. Raises UsageError where it holds none."""
    try:
        report = parse_json(Path(file).read_bytes())
    except (OSError, ValueError) as problem:
        told = getattr(problem, "strerror", None) or f"this is no JSON ({problem})"
        raise UsageError(f"{file}: {told}; write a report with `run --output`") from None
    for violation in compile_schema(parse_json(schema_text())).violations(report):
        where = dotted(violation.path) or "the file"
        raise UsageError(f"{file}: this is no report of evalkit; {where}: {violation.message}")
    return report  # type: ignore[no-any-return]
