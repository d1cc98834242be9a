"""Counts -> the lines of the gate and the exit code; the only place that decides it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from evalkit.model import STATUSES, GateRules, Json, Severity, Status

StopReason = Literal["finished", "max-failures", "time", "signal", "worker-lost"]
DEFAULT_THRESHOLD: Final = 0

EXITS: Final[Mapping[int, str]] = {
    0: "passed",
    1: "threshold-exceeded",
    2: "usage",
    3: "harness",
    4: "incomplete",
    5: "nothing-ran",
    130: "signal",
    143: "signal",
}


class Tally(NamedTuple):
    """What became of the cases of one suite that were selected and run.

    `beyond` counts those that a live target cannot run: its lack, which no `maxSkips` of the suite forbids.
    """

    suite: str
    rules: GateRules
    selected: int
    by_severity: Mapping[Severity, Mapping[Status, int]]
    leaks: int
    beyond: int = 0

    def count(self, *statuses: Status) -> int:
        """How many cases have one of the statuses."""
        return sum(counts[status] for counts in self.by_severity.values() for status in statuses)


class Verdict(NamedTuple):
    """The gate's lines, the threshold that counts for the run, and the exit code."""

    lines: Sequence[Json]
    threshold: int
    code: int

    @property
    def passed(self) -> bool:
        """True exactly when the exit code is 0."""
        return self.code == 0


def judge(
    tallies: Sequence[Tally],
    threshold: int | None,
    stop: StopReason,
    *,
    signal: int = 0,
    harness: bool = False,
    gone: int | None = None,
) -> Verdict:
    """The verdict. `threshold` is --failure-threshold, which replaces every suite's `maxFailures`.

    `signal` is the exit code of the signal that ended the run (130, 143); `harness` says that the
    run as a whole failed for a reason outside its cases. `gone` counts the cases that only a baseline knows;
    beside a baseline whatever fails is new or stale, and nothing forgives that. Without one it is None.
    """
    lines = [*_failure_lines(tallies, threshold), *_leak_line(tallies)]
    for tally in tallies:
        lines += _suite_lines(tally, len(tallies) > 1)
    executed = sum(tally.count("pass", "fail", "error") for tally in tallies)
    if gone is not None:
        lines.append(_line("baseline", 0, gone + sum(tally.count("fail", "error") for tally in tallies)))
    if stop == "max-failures":
        unrun = sum(tally.selected - tally.count(*STATUSES) for tally in tallies)
        lines.append(_line("unrun", 0, unrun))
    code = _code(lines, executed, stop, signal, harness)
    return Verdict(lines, int(lines[0]["limit"]), code)


def _code(lines: Iterable[Json], executed: int, stop: StopReason, signal: int, harness: bool) -> int:
    if signal:
        return signal
    if harness:
        return 3
    if stop in ("time", "worker-lost"):
        return 4
    if executed == 0:
        return 5
    return 0 if stop == "finished" and all(line["holds"] for line in lines) else 1


def _failure_lines(tallies: Sequence[Tally], threshold: int | None) -> list[Json]:
    """One line for the whole run; a suite with `maxFailures` of its own has its own line instead."""
    if threshold is not None:
        return [_line("failures", threshold, sum(tally.count("fail", "error") for tally in tallies))]
    own = [tally for tally in tallies if tally.rules.max_failures is not None]
    rest = [tally for tally in tallies if tally.rules.max_failures is None]
    lines = (
        [_line("failures", DEFAULT_THRESHOLD, sum(tally.count("fail", "error") for tally in rest))]
        if rest or not own
        else []
    )
    for tally in own:
        limit = tally.rules.max_failures or 0
        lines.append(
            _line("failures", limit, tally.count("fail", "error"), tally.suite if len(tallies) > 1 else "")
        )
    return lines


def _leak_line(tallies: Sequence[Tally]) -> Iterator[Json]:
    """A leak breaks the gate whatever the threshold."""
    if leaks := sum(tally.leaks for tally in tallies):
        yield _line("leaks", 0, leaks)


def _suite_lines(tally: Tally, named: bool) -> Iterator[Json]:
    rules, suite = tally.rules, tally.suite if named else ""
    if rules.max_skips is not None:
        yield _line("maxSkips", rules.max_skips, tally.count("skip") - tally.beyond, suite)
    executed = tally.count("pass", "fail", "error")
    if tally.selected and (executed < rules.min_executed or rules.min_executed != 1):
        yield {
            **_line("minExecuted", rules.min_executed, executed, suite),
            "holds": executed >= rules.min_executed,
        }
    for severity, limit in rules.severity.items():
        counts = tally.by_severity.get(severity, {})
        yield _line(f"severity.{severity}", limit, counts.get("fail", 0) + counts.get("error", 0), suite)


def _line(rule: str, limit: int, actual: int, suite: str = "") -> dict[str, Json]:
    line: dict[str, Json] = {"rule": rule, "limit": limit, "actual": actual, "holds": actual <= limit}
    return {**line, "suite": suite} if suite else line
