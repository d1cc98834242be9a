"""The flags of `evalkit run` and `evalkit eval:NAME`, parsed into one value."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evalkit import baseline, contracts, reporters
from evalkit.baseline import Baseline
from evalkit.commands import _saved, _suites
from evalkit.commands._arguments import Arguments, count, environment, one_of, positive, seconds
from evalkit.commands._probing import advertised
from evalkit.commands._suites import Found
from evalkit.errors import UsageError
from evalkit.language import PROVIDED
from evalkit.loader import Options
from evalkit.model import SEVERITIES, Report, Target
from evalkit.plan import Selection


class RunOptions(NamedTuple):
    """What one run was asked to do. `named` says that the suites were named, not found.

    `rerun` holds, for each of `found`, the words after `evalkit` that run it again in the same way.
    `baseline` is what an earlier report knows, where one is given, `update` the file that gets it anew.
    """

    found: Sequence[Found]
    named: bool
    rerun: Sequence[Sequence[str]]
    load: Options
    selection: Selection
    threshold: int | None
    format: str
    files: Sequence[tuple[str, str]]
    timings: bool
    jobs: int
    max_failures: int | None
    seconds: float | None
    case_seconds: float | None
    seed: int | None
    baseline: Baseline | None
    update: str | None


def parse(argv: list[str], contract: str | None, target: Target | None = None) -> RunOptions:
    """The options, or UsageError with a remedy. `contract` is the NAME of `eval:NAME`.

    A given `target` is driven whatever the flags say.
    """
    _refuse_unknown(contract)
    given = parser(contract).parse(argv)
    if contract is not None and given.contract is not None:
        raise UsageError(f"--contract stands beside eval:{contract}, which names the contract already")
    env = environment(given.env)
    found = _found(given, contract)
    options = Options(
        given.contract,
        contract,
        given.over,
        env,
        advertised,
        target or _target(given, env),
        tuple(given.provides),
    )
    named = bool(given.fixture or given.suites or contract)
    return made_of(given, found, [_again(one, given, contract) for one in found], options, named=named)


def made_of(
    given: argparse.Namespace,
    found: Sequence[Found],
    rerun: Sequence[Sequence[str]],
    load: Options,
    *,
    named: bool = True,
) -> RunOptions:
    """The options of what is found, as the flags of `add_which` and `add_how` have it."""
    return RunOptions(
        found=found,
        named=named,
        rerun=rerun,
        load=load,
        selection=Selection(
            tuple(given.case), tuple(given.tag), given.severity, given.select or "", _failed(given.failed_in)
        ),
        threshold=given.failure_threshold,
        format=given.format,
        files=_files(given),
        timings=given.timings,
        jobs=given.jobs,
        max_failures=1 if given.fail_fast else given.max_failures,
        seconds=given.timeout,
        case_seconds=given.case_timeout,
        seed=given.shuffle,
        baseline=_baseline(given),
        update=given.baseline if given.update_baseline else None,
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
    add_which(made)
    add_how(made)
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
    add("--target", metavar="SPEC", help="drive the server at http://127.0.0.1:5555/mcp instead")
    add(
        "--provides",
        metavar="WORD",
        type=_provided,
        action="append",
        default=[],
        help="what a live target can do beside: fixtures, clock, source-log",
    )
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


def add_which(made: Arguments) -> None:
    add = made.add_argument_group("which cases").add_argument
    add("--case", metavar="ID", action="append", default=[], help="a full id, or the part before [")
    add("--tag", metavar="WORD", action="append", default=[], help="cases with this tag")
    add("--severity", metavar="LEVEL", type=one_of(SEVERITIES), help="this level and the levels above it")
    add("--select", metavar="TEXT", help="cases whose id, title or source holds this text")
    add("--failed-in", metavar="REPORT", help="cases that failed or had an error in a saved report")


def add_how(made: Arguments) -> None:
    add = made.add_argument_group("the gate, and how to run").add_argument
    add("--failure-threshold", metavar="N", type=count, help="how many cases may fail or have an error (0)")
    add("--baseline", metavar="REPORT", help="a saved report: what failed in it may, and nothing else")
    add("--update-baseline", action="store_true", help="write what fails now to the baseline")
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


def _provided(text: str) -> str:
    """One thing that a live target can do."""
    if not re.fullmatch(PROVIDED, text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is no such word; write --provides for each of them")
    return text


def _target(given: argparse.Namespace, env: Mapping[str, str]) -> Target | None:
    if given.target is None:
        return None
    from evalkit import targets  # start-up: a run in memory has none
    from evalkit.commands import _targets  # start-up: as above

    try:
        return targets.providing(_targets.named(given.target, env, "--target"), given.provides)
    except targets.TargetError as problem:
        raise UsageError(f"--target: {problem}") from None


def _refuse_unknown(contract: str | None) -> None:
    if contract is not None:
        try:
            contracts.locate(contract)
        except contracts.UnknownContract as problem:
            raise UsageError(f"eval:{contract}: {problem}") from None


def _found(given: argparse.Namespace, contract: str | None) -> list[Found]:
    if given.fixture:
        return [one for path in given.fixture for one in _suites.at(path)]
    return _suites.find(given.suites) if contract is None else [_suites.of_contract(contract)]


def _again(one: Found, given: argparse.Namespace, contract: str | None) -> list[str]:
    words = ["run", one.word] if contract is None else [f"eval:{contract}"]
    words += ["--fixture", one.word] if contract is not None and given.fixture else []
    flags = (("--contract", given.contract), ("--target", given.target), ("--over", given.over))
    for flag, value in flags:
        words += [flag, value] if value else []
    for word in given.provides:
        words += ["--provides", word]
    for name in given.env:
        words += ["--env", name]
    return [*words, "--case-timeout", f"{given.case_timeout:.15g}"] if given.case_timeout else words


def _files(given: argparse.Namespace) -> list[tuple[str, str]]:
    """Formats and the files that they go to, the JSON report first."""
    files = [("json", given.output)] if given.output else []
    files += [_format_and_file(word) for word in given.report]
    for number, (_, file) in enumerate(files):
        if any(os.path.realpath(file) == os.path.realpath(other) for _, other in files[:number]):
            raise UsageError(f"two reports go to {file}; give each a file of its own")
    return files


def _format_and_file(word: str) -> tuple[str, str]:
    name, equals, file = word.partition("=")
    if not equals or not file:
        raise UsageError(f"--report {word}: write FORMAT=FILE, such as junit=report.xml")
    try:
        return one_of(tuple(reporters.FORMATS))(name), file
    except argparse.ArgumentTypeError as problem:
        raise UsageError(f"--report {word}: {problem}") from None


def _baseline(given: argparse.Namespace) -> Baseline | None:
    """What is known, where that is asked for. A baseline that is to be written need not be there."""
    file, update = given.baseline, given.update_baseline
    if update and file is None:
        raise UsageError("--update-baseline stands without --baseline FILE, which it writes")
    if update and (given.case or given.tag or given.severity or given.select or given.failed_in):
        raise UsageError("--update-baseline wants the whole run: leave out what selects cases")
    if file is None:
        return None
    if update:
        return {}
    return baseline.of_report(_whole(file, "--baseline"))


def _failed(file: str | None) -> frozenset[tuple[str, str]] | None:
    if file is None:
        return None
    cases = _whole(file, "--failed-in")["cases"]
    return frozenset((case["suite"], case["id"]) for case in cases if case["status"] in ("fail", "error"))


def _whole(file: str, flag: str) -> Report:
    """A saved report of a run that took place."""
    report = _saved.read(file)
    if "cases" not in report:
        raise UsageError(f"{flag} {file}: it tells of a run that was refused, so no case failed in it")
    return report
