"""Play a plan in workers and collect its results, whatever ends the run."""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from typing import NamedTuple

from evalkit import contracts
from evalkit.commands import _output
from evalkit.commands._progress import Progress
from evalkit.commands._run_arguments import RunOptions
from evalkit.commands._signals import Interrupted, Signals
from evalkit.drivers import end_early, start_early
from evalkit.engine import TimeUp, WorkersLost
from evalkit.engine.workers import Results, run_in_workers
from evalkit.errors import HarnessError
from evalkit.gate import StopReason
from evalkit.model import CaseResult, Target
from evalkit.plan import Plan
from evalkit.report import Outcome
from evalkit.runner import OPENING_SECONDS, open_contract, run_case, run_live
from evalkit.sharing import end_shared, is_sharable
from evalkit.spellings import mask


def collect(plan: Plan, today: str, options: RunOptions, until: float | None, signals: Signals) -> Outcome:
    """Every result there is. Raises HarnessError where a contract or a target cannot be started at all.

    `today` is an ISO date; `until` is when the run is out of time (`monotonic`).
    """
    run = _Run(plan, options, until, signals)
    stop: StopReason = "finished"
    try:
        with signals.interrupting():
            run.reach_targets()
            run.open_contracts()
        if run.play(Work(plan, today)):
            stop = "max-failures"
    except TimeUp:
        stop = "time"
    except WorkersLost as problem:
        _output.say(f"evalkit: {problem}")
        stop = "worker-lost"
    except Interrupted:
        stop = "signal"
    return Outcome(plan, run.kept(), "signal" if signals.code else stop)


class Work(NamedTuple):
    """What a worker needs to play any case of the plan, and nothing that cannot be sent to it."""

    plan: Plan
    today: str

    def __call__(self, index: int) -> CaseResult:
        """Play one case."""
        one = self.plan.cases[index]
        suite = self.plan.suites[one.suite]
        if suite.target is not None:
            return run_live(one.case, suite.target, suite.facts, self.today, suite.contract)
        return run_case(one.case, open_contract(suite.contract), suite.facts, self.today)

    def seconds(self, index: int) -> float:
        """The deadline of one case."""
        return self.plan.cases[index].case.timeout

    def ahead(self, index: int) -> None:
        """Start the server of the case that comes next, where that case has one of its own."""
        one = self.plan.cases[index]
        target = self.plan.suites[one.suite].target
        if target is None or one.case.skip is not None:
            return
        from evalkit.live import early, is_started  # start-up: a run in memory needs none of it

        shares = target.share and is_sharable(one.case, "mcp", started=is_started(target))
        command = None if shares else early(target)
        if command and any(step.over == "mcp" for step in one.case.steps):
            start_early(command)

    def end(self) -> None:
        """End the programs and sessions that cases shared, and what was started for no case."""
        end_shared()
        end_early()


class Opening(NamedTuple):
    """Import contracts in a process of its own: one that hangs, crashes or leaves there ends no run."""

    names: tuple[str, ...]

    def __call__(self, index: int) -> CaseResult:
        """Import one."""
        try:
            open_contract(self.names[index])
        except HarnessError as problem:
            return CaseResult(error=("subject-failed", str(problem)))
        return CaseResult()

    def seconds(self, index: int) -> float:
        """How long that may take."""
        return OPENING_SECONDS

    def end(self) -> None:
        """Nothing is left."""


class _Run:
    """One run while it goes on."""

    def __init__(self, plan: Plan, options: RunOptions, until: float | None, signals: Signals) -> None:
        self._plan, self._options, self._until, self._signals = plan, options, until, signals
        self._results: dict[int, CaseResult] = {}
        self._cut = _Cut(options.max_failures, len(plan.cases))
        self._waits = True

    def reach_targets(self) -> None:
        """Find somebody who answers at every target."""
        targets = dict.fromkeys(suite.target for suite in self._plan.suites if suite.target is not None)
        for target in targets:
            from evalkit.live import reach  # start-up: a run in memory needs none of it

            reach(target)

    def open_contracts(self) -> None:
        """Import every contract here, once strangers' are known to let themselves be imported."""
        driven = (suite.contract for suite in self._plan.suites if suite.target is None)
        names = tuple(dict.fromkeys(driven))
        strangers = tuple(name for name in names if name not in contracts.BUILT_IN)
        tried = run_in_workers(Opening(strangers), range(len(strangers)), workers=1, until=self._until)
        with contextlib.closing(tried):
            for index, result in tried:
                if result.error:
                    raise HarnessError(_unopened(strangers[index], result.error[1]))
        for name in names:
            open_contract(name)
        gc.freeze()
        gc.set_threshold(
            50_000, 20, 100
        )  # results are kept, not garbage: looking at them often costs a tenth
        gc.enable()

    def play(self, work: Work) -> bool:
        """Play the cases until all are done, or until --max-failures says that it is enough."""
        order = self._plan.order(self._options.seed)
        results = run_in_workers(work, order, workers=self._options.jobs, until=self._until)
        with (
            Progress(self._totals(), sys.stderr) as progress,
            contextlib.closing(results),
            _each_second(lambda: self._tick(progress, results)),
            self._signals.calling(results.expire),
        ):
            for index, result in results:
                self._waits = False
                case = self._plan.cases[index].case
                self._check_started(index, result)
                self._results[index] = result
                progress.case_done(case.suite, case.id, result.status)
                if self._cut.reached(self._results):
                    return True
                self._waits = True
        return False

    def _check_started(self, index: int, result: CaseResult) -> None:
        """Raise HarnessError where a target could not be started, and has not answered any case either."""
        if result.error is None or result.error[0] != "not-started":
            return
        target = self._target_of(index)
        judged = (at for at, one in self._results.items() if one.status in ("pass", "fail"))
        if target is not None and all(self._target_of(at) != target for at in judged):
            told = mask(result.error[1], dict(target.secrets))
            raise HarnessError(f"the target {target.url} could not be started: {told}")

    def _target_of(self, index: int) -> Target | None:
        return self._plan.suites[self._plan.cases[index].suite].target

    def kept(self) -> dict[int, CaseResult]:
        """The results that count: those after the last failure allowed do not."""
        return {index: result for index, result in self._results.items() if index < self._cut.end}

    def _tick(self, progress: Progress, results: Results) -> None:
        """Only while we wait for results: progress that is just being shown must not be shown again."""
        if self._waits:
            running, now = results.current.values(), monotonic()
            progress.tick([(self._plan.cases[index].case.id, now - since) for index, since in running])

    def _totals(self) -> dict[str, int]:
        totals = {suite.name: 0 for suite in self._plan.suites}
        for one in self._plan.cases:
            totals[one.case.suite] += 1
        return totals


def _unopened(name: str, told: str) -> str:
    prefix = f"the contract {name!r} could not be imported"
    return told if told.startswith(prefix) else f"{prefix}: {told}"


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
def _each_second(act: Callable[[], object]) -> Iterator[None]:
    """Act about once a second, by the alarm of this process; where there is none, never."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, lambda number, frame: act())
    signal.setitimer(signal.ITIMER_REAL, 1, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
