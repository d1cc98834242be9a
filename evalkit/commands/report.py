"""`evalkit report`: a saved report in another format."""

from __future__ import annotations

from evalkit import reporters
from evalkit.commands import _output, _saved
from evalkit.commands._arguments import Arguments, one_of


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
    _output.show(_saved.read(given.file), given.format)
    return 0
