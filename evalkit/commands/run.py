"""`evalkit run`: load suites, play their cases in workers, print one JSON report, exit by the gate."""

from __future__ import annotations

import functools

from evalkit.commands import _run_arguments
from evalkit.commands._judging import judged
from evalkit.commands._run_arguments import parser as parser


def main(argv: list[str], contract: str | None = None) -> int:
    """Run, and give the exit code."""
    return judged(argv, functools.partial(_run_arguments.parse, contract=contract))
