"""Plan and results -> the one JSON report: every finding at its place, secrets masked, long values cut."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Final, NamedTuple

from evalkit.gate import EXITS, StopReason, Tally, Verdict
from evalkit.model import SEVERITIES, STATUSES, Case, CaseResult, Finding, Json, Report, Suite
from evalkit.placing import origin_of, place_of
from evalkit.plan import Plan
from evalkit.spellings import Needles, needles_for, without_half
from evalkit.values import ABSENT, encode

VERSION: Final = 1
LONGEST: Final = 4096
"""How many characters of a value the report shows."""
EXCERPT: Final = 200
"""How many characters of a source line the report shows."""

NO_CONTRACT: Final = "(none)"
"""What a report says of a live target of which no contract is named."""


class Outcome(NamedTuple):
    """What a run came to: a result for each case that was run, by its index in the plan."""

    plan: Plan
    results: Mapping[int, CaseResult]
    stop: StopReason = "finished"


def tally(outcome: Outcome) -> list[Tally]:
    """The counts of each suite, for the gate."""
    plan = outcome.plan
    tallies = []
    for index, suite in enumerate(plan.suites):
        chosen = [number for number, one in enumerate(plan.cases) if one.suite == index]
        ran = [
            (plan.cases[number].case, outcome.results[number])
            for number in chosen
            if number in outcome.results
        ]
        leaks = sum(result.leaked for _, result in ran)
        lacking = sum(result.skip is not None and result.skip[0] == "capability" for _, result in ran)
        beyond = lacking if suite.target is not None else 0
        tallies.append(Tally(suite.name, suite.gate, len(chosen), _by_severity(ran), leaks, beyond))
    return tallies


def make_report(
    outcome: Outcome, verdict: Verdict, *, reruns: Sequence[Sequence[str]], today: str = ""
) -> Report:
    """The document. `reruns` holds for each suite the words after `evalkit` that run it again."""
    plan, tallies = outcome.plan, tally(outcome)
    complete = outcome.stop == "finished"
    body: dict[str, Json] = {
        "kind": "evalkit-report",
        "reportVersion": VERSION,
        **_heads(plan, tallies, reruns),
        "failureThreshold": verdict.threshold,
        "passed": verdict.passed,
        "complete": complete,
        "stopReason": outcome.stop,
        "exit": {"code": verdict.code, "name": EXITS[verdict.code]},
        "counts": {status: sum(one.count(status) for one in tallies) for status in STATUSES},
        "bySeverity": _summed(tallies),
        "gate": list(verdict.lines),
        "inputs": _inputs(plan.suites),
        "plan": {"cases": plan.total, "selected": len(plan.cases), "digest": plan.digest},
        **(
            {"today": today}
            if today and any(one.case.skip and one.case.skip.until for one in plan.cases)
            else {}
        ),
        "cases": [
            _case_entry(plan.suites[one.suite], one.case, outcome.results[number])
            for number, one in enumerate(plan.cases)
            if number in outcome.results
        ],
    }
    digest = hashlib.sha256(encode(body).encode("utf-8", "surrogatepass")).hexdigest()
    return {**body, "digest": f"sha256:{digest}"}


def schema_text() -> str:
    """The JSON Schema of the report, as the file beside this one says it."""
    return FilePath(__file__).with_name("report.schema.json").read_text(encoding="utf-8")


def with_timing(report: Report, outcome: Outcome, started: str, milliseconds: float) -> Report:
    """The report with the only part that differs from run to run; the digest leaves it out."""
    cases = {
        f"{one.case.suite}::{one.case.id}": round(outcome.results[number].milliseconds, 3)
        for number, one in enumerate(outcome.plan.cases)
        if number in outcome.results
    }
    return {**report, "timing": {"started": started, "milliseconds": round(milliseconds, 3), "cases": cases}}


def _heads(plan: Plan, tallies: Sequence[Tally], reruns: Sequence[Sequence[str]]) -> dict[str, Json]:
    if len(plan.suites) == 1:
        suite = plan.suites[0]
        head = {"suite": suite.name, "suiteVersion": suite.version}
        return {**head, **_driven(suite), "rerun": list(reruns[0])}
    return {
        "suites": [
            {
                "name": suite.name,
                "version": suite.version,
                **_driven(suite),
                "rerun": list(rerun),
                "counts": {status: one.count(status) for status in STATUSES},
            }
            for suite, one, rerun in zip(plan.suites, tallies, reruns, strict=True)
        ]
    }


def _driven(suite: Suite) -> dict[str, str]:
    return {
        "contract": suite.contract or NO_CONTRACT,
        "target": suite.target.url if suite.target else "memory",
    }


def _by_severity(ran: Sequence[tuple[Case, CaseResult]]) -> dict[Json, dict[Json, int]]:
    counts: dict[Json, dict[Json, int]] = {}
    for severity in SEVERITIES:
        of_severity = [result.status for case, result in ran if case.severity == severity]
        if of_severity:
            counts[severity] = {status: of_severity.count(status) for status in STATUSES}
    return counts


def _summed(tallies: Sequence[Tally]) -> dict[str, Json]:
    present = [severity for severity in SEVERITIES if any(severity in one.by_severity for one in tallies)]
    return {
        severity: {
            status: sum(one.by_severity.get(severity, {}).get(status, 0) for one in tallies)
            for status in STATUSES
        }
        for severity in present
    }


def _inputs(suites: Sequence[Suite]) -> list[dict[str, str]]:
    files = dict.fromkeys((one.file, one.sha256) for suite in suites for one in suite.documents)
    return [{"file": file, "sha256": sha256} for file, sha256 in files]


def _case_entry(suite: Suite, case: Case, result: CaseResult) -> dict[str, Json]:
    document, last = suite.documents[case.document], case.steps[-1].call
    told = _teller(case, result)
    entry: dict[str, Json] = {
        "suite": case.suite,
        "id": case.id,
        "title": told(case.title),
        "severity": case.severity,
        **({"tags": told(list(case.tags))} if case.tags else {}),
        "source": case.source,
        "file": document.file,
        "line": document.place(case.place)[0],
        "fixture": case.fixture_name,
        "tool": told(result.tool or str(last.words.get("tool", last.operation))),
        "over": result.over,
        "call": told(result.call),
        "status": result.status,
        "findings": [_finding_entry(suite, case, finding, told) for finding in result.findings],
    }
    if result.error is not None:
        entry |= {"errorCode": result.error[0], "error": told(result.error[1])}
    if result.skip is not None:
        entry |= {"skipKind": result.skip[0], "reason": told(result.skip[1])}
    if result.revealed:
        entry["revealed"] = result.revealed
    if result.note:
        entry["note"] = told(result.note)
    return entry


def _uncut(excerpt: str, secrets: Mapping[str, str]) -> str:
    return without_half(excerpt, secrets.values()) if len(excerpt) >= EXCERPT else excerpt


def _finding_entry(
    suite: Suite, case: Case, finding: Finding, told: Callable[[Json], Json]
) -> dict[str, Json]:
    step = case.steps[finding.step]
    file, line, column, excerpt = place_of(suite, case, step, finding)
    entry: dict[str, Json] = {
        "code": finding.code,
        "expectation": finding.expectation,
        "step": finding.step + 1,
        "line": line,
        "column": column,
        "excerpt": told(_uncut(excerpt, case.secrets))[:EXCERPT],
        "message": told(finding.message),
    }
    if file != suite.documents[case.document].file:
        entry["file"] = file
    if finding.severity:
        entry["severity"] = finding.severity
    if finding.path:
        entry["path"] = told(finding.path)
    for key, value in (("expected", finding.expected), ("actual", finding.actual)):
        if value is not ABSENT:
            entry[key] = told(value)
    origin = origin_of(suite, case, finding)
    return {**entry, "origin": {**origin, "path": told(origin["path"])}} if origin else entry


def _teller(case: Case, result: CaseResult) -> Callable[[Json], Json]:
    """How the report shows a value: without a secret, then cut; half a secret would not be found."""
    if not case.secrets:
        return _cut
    needles = needles_for(case.secrets)
    more = [result.tool, result.call, result.note, result.error, result.skip]
    if not result.findings and not needles.search([case.title, case.tags, more]):
        return _cut
    return lambda value: _cut(_masked(value, needles))


def _cut(value: Json) -> Json:
    """The value, or the beginning of its text with its full size and hash."""
    try:
        text = value if isinstance(value, str) else encode(value)
    except ValueError:
        return "(a number of more digits than Python writes)"
    if len(text) <= LONGEST:
        return value
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:LONGEST]}… ({len(text)} characters in all, sha256 {digest})"


def _masked(value: Json, needles: Needles) -> Json:
    """Masked in texts, keys and numbers."""
    if isinstance(value, str):
        return needles.mask(value)
    if isinstance(value, dict):
        return {needles.mask(key): _masked(inner, needles) for key, inner in value.items()}
    if isinstance(value, list):
        return [_masked(inner, needles) for inner in value]
    return "<secret>" if needles.search(value) else value
