"""The report for people: every failure with its place in the suite, then a summary of the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from evalkit.model import STATUSES, Json, Report
from evalkit.reporters import _blocks, _verdict
from evalkit.reporters._shown import Span, amount, columns, plain, text_of

_WIDTH: Final = 87
_STYLES: Final = {"pass": "green", "fail": "bold red", "error": "bold magenta", "skip": "yellow"}
_SLOWEST: Final = 5


def render(report: Report) -> str:
    """Plain text, without colours."""
    return text_of(spans(report))


def spans(report: Report) -> Iterator[Span]:
    """The same text in pieces: (style in rich's words or empty, text), for a terminal to colour."""
    if "errors" in report:
        yield from _mistakes(report)
        return
    yield from failures(report)
    yield from _counts(report)
    rows = [f"{number:>5}  {kind:<16}  {reason}" for number, kind, reason in _verdict.skips(report)]
    yield from _section("skipped", rows)
    yield from _section("notes", [f"  {remark}" for remark in _verdict.remarks(report)])
    yield from _slowest(report)
    yield from _end(report)


def failures(report: Report) -> Iterator[Span]:
    """The block of each case that failed or has an error."""
    command = _blocks.commands(report)
    for case in _verdict.failing(report):
        yield from _header(case)
        yield from _blocks.of_case(case, command(case))
        yield "", "\n"


def _mistakes(report: Report) -> Iterator[Span]:
    for mistake in report["errors"]:
        yield from _blocks.of_mistake(mistake)
    yield "bold red", "error"
    yield "", f": {plain(report['error'])}\n"
    yield "bold red", f"{_verdict.ending(report)}\n"


def _header(case: Mapping[str, Json]) -> Iterator[Span]:
    status = case["status"]
    yield _STYLES[status], status.upper()
    left = f" {case['severity']:<8}  {plain(case['suite'])}::{plain(case['id'])}"
    findings = [amount(len(case["findings"]), "finding")] if case["findings"] else []
    right = ", ".join([case["errorCode"], *findings] if "error" in case else findings)
    gap = _WIDTH - len(status) - columns(left) - len(right)
    yield "bold", left
    yield "", f"{' ' * max(gap, 2)}{right}\n\n"


def _counts(report: Report) -> Iterator[Span]:
    """A row a severity, a row a suite where there are several, and one of all."""
    found = _verdict.suites(report)
    for suite in found.values():
        yield "bold", plain(suite["name"])
        way = f"contract {plain(suite['contract'])}   target {plain(suite['target'])}"
        yield "", f" {suite['version']}   {way}\n"
    yield "", "\n"
    rows = _verdict.by_severity(report)
    if len(found) > 1:
        rows += [(plain(suite["name"]), suite["counts"]) for suite in found.values()]
    yield from _table([*rows, ("all", report["counts"])])


def _table(rows: Sequence[tuple[str, Mapping[str, int]]]) -> Iterator[Span]:
    width = max(columns(name) for name, _ in rows)
    yield "dim", f"  {'':<{width}}{''.join(f'{status:>8}' for status in STATUSES)}\n"
    for name, counts in rows:
        yield "", f"  {name}{' ' * (width - columns(name))}"
        for status in STATUSES:
            yield _STYLES[status] if counts[status] else "dim", f"{counts[status]:>8}"
        yield "", "\n"


def _slowest(report: Report) -> Iterator[Span]:
    timed = [(_verdict.milliseconds(report, case), case) for case in report["cases"]]
    slowest = sorted(((time, case) for time, case in timed if time is not None), key=lambda row: -row[0])
    yield from _section(
        "slowest",
        [f"{time:>9.1f} ms  {plain(c['suite'])}::{plain(c['id'])}" for time, c in slowest[:_SLOWEST]],
    )


def _section(title: str, rows: Sequence[str]) -> Iterator[Span]:
    if rows:
        yield "bold", f"\n{title}\n"
        yield "", "".join(f"{row}\n" for row in rows)


def _end(report: Report) -> Iterator[Span]:
    missing = _verdict.shortfall(report)
    broken = _verdict.broken(report)
    yield "", "\n"
    if missing:
        yield "bold red", f"INCOMPLETE  {missing}\n"
    for line in broken:
        yield "bold red", "BROKEN  "
        yield "", f"{line}\n"
    yield "bold green" if report["passed"] else "bold red", f"{_verdict.ending(report)}\n"
