"""`evalkit run`: load suites, play their cases in workers, print one JSON report, exit by the gate."""

from __future__ import annotations

import contextlib
import gc
import itertools
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evalkit import reporters
from evalkit.commands import _output, _run_arguments, _suites
from evalkit.commands._progress import Progress
from evalkit.commands._run_arguments import RunOptions
from evalkit.engine import TimeUp, WorkersLost
from evalkit.engine.workers import run_in_workers
from evalkit.errors import HarnessError, Mistake, SuiteError, UsageError
from evalkit.gate import StopReason, judge
from evalkit.model import CaseResult, Report, Suite
from evalkit.plan import Plan, make_plan
from evalkit.report import Outcome, make_report, tally, with_timing
from evalkit.runner import open_contract, run_case


def main(argv: list[str], contract: str | None = None) -> int:
    """Run, and give the exit code."""
    gc.disable()  # loading makes many objects and no garbage; collecting meanwhile would double its time
    wants_json = _wants_json(argv)
    try:
        options = _run_arguments.parse(argv, contract)
        return _run(options)
    except UsageError as problem:
        _output.say(f"evalkit: {problem}")
        return _refused(str(problem), (), wants_json, 2)
    except SuiteError as problem:
        _output.diagnose(problem.mistakes)
        count = len(problem.mistakes)
        told = f"{count} mistake{'s' * (count != 1)} in the suites; nothing was run"
        return _refused(told, problem.mistakes, wants_json, 2)
    except HarnessError as problem:
        _output.say(f"evalkit: {problem}")
        return _refused(str(problem), (), wants_json, 3)


@dataclass(frozen=True)
class Work:
    """What a worker needs to play any case of the plan, and nothing that cannot be sent to it."""

    plan: Plan
    today: str

    def __call__(self, index: int) -> CaseResult:
        """Play one case."""
        one = self.plan.cases[index]
        suite = self.plan.suites[one.suite]
        return run_case(one.case, open_contract(suite.contract), suite.facts, self.today)

    def seconds(self, index: int) -> float:
        """The deadline of one case."""
        return self.plan.cases[index].case.timeout


class _Interrupted(BaseException):
    """SIGINT or SIGTERM arrived; `code` is the exit code for it."""

    def __init__(self, code: int) -> None:
        self.code = code


@dataclass
class _Collected:
    results: dict[int, CaseResult] = field(default_factory=dict)
    stop: StopReason = "finished"
    signal: int = 0


def _run(options: RunOptions) -> int:
    suites = _loaded(options)
    plan = _with_case_seconds(make_plan(suites, options.selection), options.case_seconds)
    for suite in suites:
        open_contract(suite.contract)
    gc.freeze()
    gc.enable()
    now = time.time()
    today = time.strftime("%Y-%m-%d", time.localtime(now))
    collected = _collect(Work(plan, today), options)
    outcome = Outcome(plan, collected.results, collected.stop)

    def report(*, harness: bool) -> Report:
        verdict = judge(
            tally(outcome), options.threshold, outcome.stop, signal=collected.signal, harness=harness
        )
        made = make_report(outcome, verdict, target="memory", reruns=_reruns(suites, options), today=today)
        if not options.timings:
            return made
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
        return with_timing(made, outcome, started, (time.time() - now) * 1000)

    return _published(report, options)


def _loaded(options: RunOptions) -> list[Suite]:
    try:
        return _suites.load_all(options.paths, options.load)
    except SuiteError as problem:
        live = [mistake for mistake in problem.mistakes if mistake.code == "target-missing"]
        if options.named or len(live) != len(problem.mistakes):
            raise
        left_out = {mistake.file for mistake in live}
        _output.say(f"left out, since they need a live target: {', '.join(sorted(left_out))}")
        paths = [
            path
            for path in options.paths
            if not any(one.startswith(_suites.name_of(path)) for one in left_out)
        ]
        return _suites.load_all(paths, options.load)


def _with_case_seconds(plan: Plan, seconds: float | None) -> Plan:
    if seconds is None:
        return plan
    return replace(
        plan, cases=tuple(replace(one, case=replace(one.case, timeout=seconds)) for one in plan.cases)
    )


def _collect(work: Work, options: RunOptions) -> _Collected:
    """Every result there is, whatever ends the run; results after the last failure allowed are left out."""
    plan, collected = work.plan, _Collected()
    until = time.monotonic() + options.seconds if options.seconds else None
    results = run_in_workers(work, plan.order(options.seed), workers=options.jobs, until=until)
    cut = _Cut(options.max_failures, len(plan.cases))
    with (
        _signals_raised(),
        Progress(_totals(plan), sys.stderr) as progress,
    ):
        try:
            for index, result in results:
                collected.results[index] = result
                progress.case_done(plan.cases[index].case.suite, plan.cases[index].case.id, result.status)
                if cut.reached(collected.results):
                    collected.stop = "max-failures"
                    break
        except TimeUp:
            collected.stop = "time"
        except WorkersLost as problem:
            _output.say(f"evalkit: {problem}")
            collected.stop = "worker-lost"
        except _Interrupted as signalled:
            collected.stop, collected.signal = "signal", signalled.code
        finally:
            results.close()
    collected.results = {index: result for index, result in collected.results.items() if index < cut.end}
    return collected


def _totals(plan: Plan) -> dict[str, int]:
    totals = {suite.name: 0 for suite in plan.suites}
    for one in plan.cases:
        totals[one.case.suite] += 1
    return totals


class _Cut:
    """Where --max-failures ends the run, in plan order, so that it does not depend on the workers."""

    def __init__(self, most: int | None, total: int) -> None:
        self.end = total
        self._most, self._total = most, total
        self._next = self._failures = 0

    def reached(self, results: Mapping[int, CaseResult]) -> bool:
        """Whether so many cases have failed and a later case is left to run."""
        while self._most is not None and self._next in results:
            self._failures += results[self._next].status in ("fail", "error")
            self._next += 1
            if self._failures >= self._most:
                self.end = self._next
                return self.end < self._total
        return False


@contextlib.contextmanager
def _signals_raised() -> Iterator[None]:
    """SIGINT and SIGTERM raise _Interrupted once; a second one finds the report being written."""

    def interrupt(number: int, frame: object) -> None:
        for one in watched:
            signal.signal(one, signal.SIG_IGN)
        raise _Interrupted(128 + number)

    watched = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, interrupt) for number in watched}
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is interrupt:
            for number, handler in before.items():
                signal.signal(number, handler)


def _reruns(suites: Sequence[Suite], options: RunOptions) -> list[list[str]]:
    """The words after `evalkit` that run each suite again in the same way."""
    flags: list[str] = []
    contract = options.load.contract or options.load.fallback_contract
    if contract:
        flags += ["--contract", contract]
    if options.load.over:
        flags += ["--over", options.load.over]
    for name in options.load.env:
        flags += ["--env", name]
    typed = {_suites.name_of(path): path for path in options.paths if not path.is_absolute()}
    return [["run", str(typed.get(suite.path, suite.path)), *flags] for suite in suites]


def _published(report: Callable[..., Report], options: RunOptions) -> int:
    """Write the files, then stdout; a file that cannot be written makes the verdict `harness`."""
    made = report(harness=False)
    files = [("json", options.output)] if options.output else []
    for name, file in [*files, *options.reports]:
        try:
            _output.to_file(file, reporters.find(name).render(made))
        except HarnessError as problem:
            _output.say(f"evalkit: {problem}")
            made = report(harness=True)
    _show(made, options.format)
    return int(made["exit"]["code"])


def _show(report: Report, name: str) -> None:
    if name == "auto":
        name = "text" if sys.stdout.isatty() else "json"
    _output.to_stdout(reporters.find(name).render(report))


def _refused(message: str, mistakes: Sequence[Mistake], wants_json: bool, code: int) -> int:
    """The report of a run that did not take place; a person at a terminal has read it on stderr already."""
    if wants_json:
        _show(_output.refusal(message, mistakes), "json")
    return code


def _wants_json(argv: Sequence[str]) -> bool:
    """Whether stdout gets the JSON report, told before the flags are known to make sense."""
    return (
        not sys.stdout.isatty() or "--format=json" in argv or ("--format", "json") in itertools.pairwise(argv)
    )
