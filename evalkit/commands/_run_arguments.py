"""The flags of `evalkit run` and `evalkit eval:NAME`, parsed into one value."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evalkit import reporters
from evalkit.commands import _suites
from evalkit.commands._arguments import Arguments, count, one_of, positive, seconds
from evalkit.errors import UsageError
from evalkit.loader import Options
from evalkit.model import SEVERITIES
from evalkit.plan import Selection


@dataclass(frozen=True)
class RunOptions:
    """What one run was asked to do. `named` says that the suites were named, not found."""

    paths: Sequence[Path]
    named: bool
    load: Options
    selection: Selection
    threshold: int | None
    format: str
    output: str | None
    reports: Sequence[tuple[str, str]]
    timings: bool
    jobs: int
    max_failures: int | None
    seconds: float | None
    case_seconds: float | None
    seed: int | None


def parse(argv: list[str], contract: str | None) -> RunOptions:
    """The options, or UsageError with a remedy. `contract` is the NAME of `eval:NAME`."""
    given = parser(contract).parse(argv)
    _refuse_live(given)
    if contract is not None and given.contract is not None:
        raise UsageError(f"--contract stands beside eval:{contract}, which names the contract already")
    words = given.fixture or given.suites or ([contract] if contract else [])
    env = _environment(given.env)
    return RunOptions(
        paths=[Path(word) for word in given.fixture] if given.fixture else _suites.find(words),
        named=bool(words),
        load=Options(given.contract, contract, given.over, env),
        selection=Selection(
            tuple(given.case), tuple(given.tag), given.severity, given.select or "", _failed(given.failed_in)
        ),
        threshold=given.failure_threshold,
        format=given.format,
        output=given.output,
        reports=[_format_and_file(word) for word in given.report],
        timings=given.timings,
        jobs=given.jobs,
        max_failures=1 if given.fail_fast else given.max_failures,
        seconds=given.timeout,
        case_seconds=given.case_timeout,
        seed=given.shuffle,
    )


def parser(contract: str | None = None) -> Arguments:
    """The parser, for `--help` and shell completion too."""
    name = f"eval:{contract}" if contract else "run"
    example = f"evalkit {name} --failure-threshold 0" if contract else "evalkit run suites/my-suite.yaml"
    made = Arguments(name, example, "Run suites, print one JSON report, and exit by the gate.")
    if contract is None:
        made.add_argument("suites", nargs="*", metavar="SUITE", help="a file or folder, or a suite's name")
    else:
        made.set_defaults(suites=[])
    _add_what(made)
    _add_which(made)
    _add_how(made)
    return made


def _add_what(made: Arguments) -> None:
    add = made.add_argument_group("what is driven").add_argument
    add(
        "--fixture",
        metavar="PATH",
        action="append",
        default=[],
        help="run this suite file (repeatable: exactly these)",
    )
    add("--contract", metavar="NAME", help="a contract, or python:package.module:name")
    add("--target", metavar="SPEC", help="a live target (not offered by this version)")
    add("--provides", metavar="WORD", action="append", default=[], help="what a live target can do beside")
    add(
        "--over",
        metavar="SURFACE",
        type=one_of(("direct", "mcp", "http", "cli")),
        help="the way in where a case states none",
    )
    add(
        "--env",
        metavar="NAME",
        action="append",
        default=[],
        help="an environment variable that suites may use",
    )


def _add_which(made: Arguments) -> None:
    add = made.add_argument_group("which cases").add_argument
    add("--case", metavar="ID", action="append", default=[], help="a full id, or the part before [")
    add("--tag", metavar="WORD", action="append", default=[], help="cases with this tag")
    add("--severity", metavar="LEVEL", type=one_of(SEVERITIES), help="this level and the levels above it")
    add("--select", metavar="TEXT", help="cases whose id, title or source holds this text")
    add("--failed-in", metavar="REPORT", help="cases that failed or had an error in a saved report")


def _add_how(made: Arguments) -> None:
    add = made.add_argument_group("the gate, and how to run").add_argument
    add("--failure-threshold", metavar="N", type=count, help="how many cases may fail or have an error (0)")
    formats = ("auto", *reporters.FORMATS)
    add(
        "--format",
        metavar="FORMAT",
        type=one_of(formats),
        default="auto",
        help=f"{', '.join(formats)}, for stdout",
    )
    add(
        "--report",
        metavar="FORMAT=FILE",
        action="append",
        default=[],
        help="also write this format to a file",
    )
    add("--output", metavar="FILE", help="also write the JSON report to a file")
    add("--timings", action="store_true", help="add when the run started and how long each case took")
    add("--jobs", metavar="N", type=positive, default=1, help="worker processes (1)")
    add("--fail-fast", action="store_true", help="the same as --max-failures 1")
    add("--max-failures", metavar="N", type=positive, help="stop after so many failures, in plan order")
    add("--timeout", metavar="S", type=seconds, help="seconds for the whole run")
    add("--case-timeout", metavar="S", type=seconds, help="seconds for each case, in place of its own")
    add("--shuffle", metavar="SEED", type=count, help="run in another order; the report keeps the plan's")


def _refuse_live(given: argparse.Namespace) -> None:
    for flag, value in (("--target", given.target), ("--provides", given.provides)):
        if value:
            remedy = "leave it out to drive the contract in memory"
            raise UsageError(f"{flag}: this version of evalkit reaches no live target yet; {remedy}")


def _environment(names: Sequence[str]) -> Mapping[str, str]:
    for name in names:
        if name not in os.environ:
            raise UsageError(
                f"--env {name}: there is no such environment variable; set it, or leave the flag out"
            )
    return {name: os.environ[name] for name in names}


def _format_and_file(word: str) -> tuple[str, str]:
    name, equals, file = word.partition("=")
    if not equals or not file:
        raise UsageError(f"--report {word}: write FORMAT=FILE, such as junit=report.xml")
    try:
        return one_of(tuple(reporters.FORMATS))(name), file
    except argparse.ArgumentTypeError as problem:
        raise UsageError(f"--report {word}: {problem}") from None


def _failed(file: str | None) -> frozenset[tuple[str, str]] | None:
    if file is None:
        return None
    try:
        cases = json.loads(Path(file).read_bytes())["cases"]
        return frozenset((case["suite"], case["id"]) for case in cases if case["status"] in ("fail", "error"))
    except OSError as problem:
        raise UsageError(f"--failed-in {file}: {problem.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise UsageError(
            f"--failed-in {file}: this is no report of evalkit; write one with --output"
        ) from None
