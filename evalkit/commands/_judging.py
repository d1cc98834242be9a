"""What a command that judges does: load suites, play their cases, print one JSON report, exit by the gate."""

from __future__ import annotations

import functools
import gc
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from evalkit import baseline, reporters
from evalkit.baseline import Baseline
from evalkit.commands import _door, _output, _suites
from evalkit.commands._collect import collect
from evalkit.commands._run_arguments import RunOptions
from evalkit.commands._signals import Signals
from evalkit.errors import HarnessError, UsageError
from evalkit.gate import judge
from evalkit.model import Report
from evalkit.plan import Plan, make_plan
from evalkit.report import Outcome, make_report, tally, with_timing

Parse: TypeAlias = Callable[[list[str]], RunOptions]
"""Makes options of a command line, or raises UsageError."""


def judged(argv: list[str], parse: Parse) -> int:
    """Run what is asked for, and give the exit code."""
    gc.disable()  # loading makes many objects and no garbage; collecting meanwhile would double its time
    _output.keep_stdout()
    with Signals() as signals:
        run = functools.partial(_run, parse=parse, signals=signals)
        return _door.enter(run, argv, functools.partial(_output.refuse, argv))


def _run(argv: list[str], parse: Parse, signals: Signals) -> int:
    began, now = time.monotonic(), time.time()
    with signals.interrupting():
        options, plan, reruns = _prepared(parse(argv))
    today = time.strftime("%Y-%m-%d", time.localtime(now))
    until = began + options.seconds if options.seconds else None
    came = collect(plan, today, options, until, signals)
    outcome = _beside(came, options.baseline)
    known, gone = options.baseline, list[tuple[str, str]]()
    if known is not None:
        gone = baseline.gone(known, ((one.name, case.id) for one in plan.suites for case in one.cases))

    def report(outcome: Outcome, *, harness: bool) -> Report:
        signal = signals.code if outcome.stop == "signal" else 0
        tallies = tally(outcome)
        strange = None if known is None else len(gone)
        verdict = judge(
            tallies, options.threshold, outcome.stop, signal=signal, harness=harness, gone=strange
        )
        made = make_report(outcome, verdict, reruns=reruns, today=today)
        return _timed(made, outcome, now) if options.timings else made

    for suite, case in gone:
        _output.say(f"evalkit: the baseline knows {suite}::{case}, which is no case any more")
    if options.update:
        outcome = _updated(report(came, harness=False), came, options.update)
    return _published(functools.partial(report, outcome), options)


def _beside(outcome: Outcome, known: Baseline | None) -> Outcome:
    """The results as they count beside what is known."""
    if not known:
        return outcome
    keys = {index: (one.case.suite, one.case.id) for index, one in enumerate(outcome.plan.cases)}
    results = outcome.results.items()
    counted = {index: baseline.held(one, known.get(keys[index], Counter())) for index, one in results}
    return outcome._replace(results=counted)


def _updated(report: Report, outcome: Outcome, file: str) -> Outcome:
    """Write the new baseline, and give the results as they count beside it. Half a run makes none."""
    if outcome.stop != "finished":
        _output.say(f"evalkit: {file} was left as it was, since the run did not finish")
        return outcome
    _output.to_file(file, reporters.find("json").render(report))
    return _beside(outcome, baseline.of_report(report))


def _prepared(options: RunOptions) -> tuple[RunOptions, Plan, list[Sequence[str]]]:
    """What was asked, the cases to run, and for each suite the words that run it again."""
    again = dict(zip(options.found, options.rerun, strict=True))
    loaded = _suites.load_all(options.found, options.load, named=options.named)
    if options.load.provides and not any(suite.target for _, suite in loaded):
        raise UsageError("--provides: no live target is driven; give --target URL, or leave it out")
    plan = make_plan([suite for _, suite in loaded], options.selection)
    return options, _with_case_seconds(plan, options.case_seconds), [again[one] for one, _ in loaded]


def _with_case_seconds(plan: Plan, seconds: float | None) -> Plan:
    if seconds is None:
        return plan
    return plan._replace(
        cases=tuple(one._replace(case=one.case._replace(timeout=seconds)) for one in plan.cases)
    )


def _timed(report: Report, outcome: Outcome, now: float) -> Report:
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    return with_timing(report, outcome, started, (time.time() - now) * 1000)


def _published(report: Callable[..., Report], options: RunOptions) -> int:
    """Write the files, then stdout; where one cannot be written the verdict is `harness`, in all of them."""
    made = report(harness=False)
    written = [one for one in options.files if _is_written(made, *one)]
    if len(written) < len(options.files):
        made = _rewritten(report(harness=True), written)
    try:
        _output.show(made, options.format)
    except HarnessError as problem:
        _output.say(f"evalkit: {problem}")
        made = _rewritten(report(harness=True), written)
    return int(made["exit"]["code"])


def _is_written(report: Report, name: str, file: str) -> bool:
    try:
        _output.to_file(file, reporters.find(name).render(report))
    except HarnessError as problem:
        _output.say(f"evalkit: {problem}")
        return False
    return True


def _rewritten(report: Report, files: Sequence[tuple[str, str]]) -> Report:
    for name, file in files:
        _is_written(report, name, file)
    return report
