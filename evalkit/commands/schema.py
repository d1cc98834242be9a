"""`evalkit schema`: the JSON Schema of a suite or of a report, for editors and other tools."""

from __future__ import annotations

import json

from evalkit.commands import _output
from evalkit.commands._arguments import Arguments, one_of
from evalkit.language import suite_schema
from evalkit.report import schema_text


def parser() -> Arguments:
    """The flags."""
    made = Arguments("schema", "evalkit schema suite > suite.schema.json", "Print a JSON Schema.")
    made.add_argument("what", type=one_of(("suite", "report")), help="suite or report")
    return made


def main(argv: list[str]) -> int:
    """Print the schema, and give the exit code."""
    what = parser().parse(argv).what
    _output.to_stdout(suite_text() if what == "suite" else schema_text())
    return 0


def suite_text() -> str:
    """The suite language, generated from the tables of operations and expectations."""
    return json.dumps(suite_schema(), indent=2, ensure_ascii=False) + "\n"
