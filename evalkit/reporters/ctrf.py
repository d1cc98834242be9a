"""The report as CTRF, the Common Test Report Format (ctrf.io), with one test a case."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from evalkit.model import Json, Report
from evalkit.reporters import _blocks, _verdict
from evalkit.reporters._shown import text_of

_VERSION: Final = "1.0.0"
_WORDS: Final = {"pass": "passed", "fail": "failed", "error": "failed", "skip": "skipped"}
_STATUSES: Final = ("passed", "failed", "skipped", "pending", "other")
_RUN: Final = "evalkit"


def render(report: Report) -> str:
    """The document. Times are 0 in a report without `--timings`, for the format demands some."""
    tests = list(_mistakes(report) if "errors" in report else _tests(report))
    counts = {status: sum(test["status"] == status for test in tests) for status in _STATUSES}
    start = _started(report)
    summary = {"tests": len(tests), **counts, "start": start, "stop": start + _lasted(report)}
    results = {"tool": {"name": "evalkit"}, "summary": summary, "tests": tests}
    return json.dumps({"reportFormat": "CTRF", "specVersion": _VERSION, "results": results}, indent=1) + "\n"


def _tests(report: Report) -> Iterator[Json]:
    command = _blocks.commands(report)
    for case in report["cases"]:
        yield _test(case, report, command(case))
    # A run that is no success though no case says so must not look green.
    if not report["passed"] and (not report["complete"] or not _verdict.failing(report)):
        told = "\n".join(filter(None, [_verdict.shortfall(report), *_verdict.broken(report)]))
        yield _failed(_verdict.ending(report), told)


def _test(case: Mapping[str, Json], report: Report, command: str) -> Json:
    test = {
        "name": case["id"],
        "status": _WORDS[case["status"]],
        "rawStatus": case["status"],
        "duration": round(_verdict.milliseconds(report, case) or 0),
        "suite": [case["suite"]],
        "filePath": case["file"],
        "line": case["line"],
        "tags": [case["severity"], *case.get("tags", ())],
    }
    if case["status"] == "skip":
        return {**test, "message": f"{case['skipKind']}: {case['reason']}"}
    if case["status"] == "pass":
        return test
    first = case["error"] if "error" in case else case["findings"][0]["message"]
    return {**test, "message": first, "trace": text_of(_blocks.of_case(case, command))}


def _mistakes(report: Report) -> Iterator[Json]:
    for mistake in report["errors"]:
        trace = text_of(_blocks.of_mistake(mistake))
        place = {"filePath": mistake["file"], "line": mistake["line"]}
        yield {**_failed(mistake["code"], mistake["message"]), **place, "trace": trace}
    if not report["errors"]:
        yield _failed(_verdict.ending(report), report["error"])


def _failed(name: str, told: str) -> dict[str, Json]:
    """A test that stands for what no case says."""
    return {"name": name, "status": "failed", "duration": 0, "suite": [_RUN], "message": told}


def _started(report: Report) -> int:
    """Milliseconds since 1970."""
    if "timing" not in report:
        return 0
    return int(datetime.fromisoformat(report["timing"]["started"]).timestamp() * 1000)


def _lasted(report: Report) -> int:
    return round(report["timing"]["milliseconds"]) if "timing" in report else 0
