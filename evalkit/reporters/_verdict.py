"""What a report says of the run as a whole, in words, for every format alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from evalkit.model import SEVERITIES, Json, Report
from evalkit.reporters._shown import amount, plain

EXITS: Final[Mapping[int, str]] = {
    0: "the run is complete, and every gate line holds",
    1: "more failed than the threshold allows, or another gate line is broken",
    2: "wrong flags, or a suite that does not load; nothing was run",
    3: "a target could not be started, an output could not be written, or evalkit itself is at fault",
    4: "the run was stopped by time or by lost workers",
    5: "no case was executed",
    130: "the run was interrupted; this is what was done until then",
    143: "the run was terminated; this is what was done until then",
}
"""Exit code → its meaning."""

_STOPS: Final[Mapping[str, str]] = {
    "max-failures": "the run stopped at the allowed number of failures",
    "time": "the time of the run was over",
    "signal": "a signal stopped the run",
    "worker-lost": "workers were lost",
}


def suites(report: Report) -> dict[str, Mapping[str, Json]]:
    """Name → {name, version, contract, target, counts, rerun?}, of a report of one suite or of several."""
    if "suites" in report:
        return {suite["name"]: suite for suite in report["suites"]}
    one = {"name": report["suite"], "version": report["suiteVersion"]}
    shared = {key: report[key] for key in ("contract", "target", "counts", "rerun") if key in report}
    return {report["suite"]: one | shared}


_USAGE: Final = {"code": 2, "name": "usage"}


def ending(report: Report) -> str:
    """`exit 1 threshold-exceeded: …`"""
    told = report.get("exit", _USAGE)
    code, name = told["code"], told["name"]
    return f"exit {code} {name}: {EXITS[code]}"


def name(report: Report) -> str:
    """The name of the exit code; `usage` where the report does not say."""
    return str(report.get("exit", _USAGE)["name"])


def shortfall(report: Report) -> str:
    """What was not run and why; empty where the run is complete."""
    selected = report["plan"]["selected"]
    left = selected - len(report["cases"])
    if report["complete"] and left <= 0:
        return ""
    why = _STOPS.get(report["stopReason"], "the reason is not known")
    return f"{left} of {amount(selected, 'selected case')} not run: {why}"


def broken(report: Report) -> list[str]:
    """The gate lines that do not hold."""
    return [
        f"{plain(line['rule'])}: {line['actual']}, limit {line['limit']}"
        + (f"   ({plain(line['suite'])})" if "suite" in line else "")
        for line in report["gate"]
        if not line["holds"]
    ]


def skips(report: Report) -> list[tuple[int, str, str]]:
    """(how many, kind, reason), most frequent first, then as they come."""
    found = Counter(
        (case["skipKind"], case["reason"]) for case in report["cases"] if case["status"] == "skip"
    )
    return [(number, kind, plain(reason)) for (kind, reason), number in found.most_common()]


def remarks(report: Report) -> list[str]:
    """How many secrets were let through, and the notes of cases that have no block of their own."""
    cases = report["cases"]
    shown = sum(case.get("revealed", 0) for case in cases)
    found = [f"{amount(shown, 'secret')} shown, as mayReveal allows"] if shown else []
    quiet = (case for case in cases if "note" in case and case["status"] in ("pass", "skip"))
    return found + [f"{plain(case['suite'])}::{plain(case['id'])}   {plain(case['note'])}" for case in quiet]


def by_severity(report: Report) -> list[tuple[str, Mapping[str, int]]]:
    """(level, counts), the gravest first."""
    return [(level, report["bySeverity"][level]) for level in SEVERITIES if level in report["bySeverity"]]


def failing(report: Report) -> list[Mapping[str, Json]]:
    """The cases that fail or are in error, in plan order."""
    return [case for case in report["cases"] if case["status"] in ("fail", "error")]


def milliseconds(report: Report, case: Mapping[str, Json]) -> float | None:
    """How long a case took, where the report says so."""
    found: float | None = report.get("timing", {"cases": {}})["cases"].get(f"{case['suite']}::{case['id']}")
    return found
