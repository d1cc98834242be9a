"""`evalkit report`: a saved report in another format."""

from __future__ import annotations

from pathlib import Path

from evalkit import reporters
from evalkit.commands import _output
from evalkit.commands._arguments import Arguments, one_of
from evalkit.errors import UsageError
from evalkit.model import Report
from evalkit.report import schema_text
from evalkit.schemas import compile_schema
from evalkit.values import dotted, parse_json


def parser() -> Arguments:
    """The flags."""
    made = Arguments("report", "evalkit report saved.json --format junit", "Render a saved report.")
    made.add_argument("file", help="a report that `run --output` wrote")
    made.add_argument(
        "--format", type=one_of(tuple(reporters.FORMATS)), default="text", help="text unless given"
    )
    return made


def main(argv: list[str]) -> int:
    """Render, and give the exit code; it says nothing of the report's verdict."""
    given = parser().parse(argv)
    _output.to_stdout(reporters.find(given.format).render(read(Path(given.file))))
    return 0


def read(file: Path) -> Report:
    """A report that was saved. Raises UsageError where the file holds none."""
    try:
        report = parse_json(file.read_bytes())
    except OSError as problem:
        raise UsageError(f"{file}: {problem.strerror}") from None
    except ValueError as problem:
        raise UsageError(f"{file}: this is no JSON ({problem}); write a report with `run --output`") from None
    for violation in compile_schema(parse_json(schema_text())).violations(report):
        where = dotted(violation.path) or "the file"
        raise UsageError(f"{file}: this is no report of evalkit; {where}: {violation.message}")
    return report  # type: ignore[no-any-return]
