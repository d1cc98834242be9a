"""Holds results against those of an earlier report: what was known then is allowed, what is new fails.

What was known and does not occur any more fails too, so that a baseline never allows more than it must.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from evalkit.model import CaseResult, Finding, Json, Report

REASON: Final = "known: it stands in the baseline"
STALE: Final = "baseline-stale"

Known: TypeAlias = Counter[tuple[str, str]]
"""How often each code occurs at each path; that of an error occurs once, at none."""

Baseline: TypeAlias = Mapping[tuple[str, str], Known]
"""What is known of each case, by its suite and id."""


def of_report(report: Report) -> Baseline:
    """What failed, or had an error, in a saved report."""
    known = {(case["suite"], case["id"]): _of_case(case) for case in report["cases"]}
    return {key: found for key, found in known.items() if found}


def gone(baseline: Baseline, cases: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The cases of which something is known, but which are in no suite any more."""
    return sorted(baseline.keys() - set(cases))


def held(result: CaseResult, known: Known) -> CaseResult:
    """A result as it counts beside what is known: its new findings, and what is gone. No leak is known."""
    if result.skip is not None:
        return result
    left, fresh = known.copy(), []
    for finding in result.findings:
        key = (finding.code, finding.path)
        if left[key] > 0:
            left[key] -= 1
        else:
            fresh.append(finding)
    error = result.error
    if error is not None and left[error[0], ""] > 0:
        left[error[0], ""] -= 1
        error = None
    stale = [_stale(*key) for key in sorted(+left)]
    if result.leaked:
        return result._replace(findings=(*result.findings, *stale))
    if known and not (fresh or error or stale):
        return result._replace(findings=(), error=None, skip=("expected-failure", REASON))
    allowed = known.total() - (+left).total()
    note = f"{allowed} more known to the baseline" if allowed else ""
    notes = "; ".join(filter(None, (result.note, note)))
    return result._replace(findings=(*fresh, *stale), error=error, note=notes)


def _of_case(case: Mapping[str, Json]) -> Known:
    known: Known = Counter((finding["code"], finding.get("path", "")) for finding in case["findings"])
    known.update([(case["errorCode"], "")] if "errorCode" in case else [])
    return known


def _stale(code: str, path: str) -> Finding:
    where = f" at {path}" if path else ""
    message = f"the baseline knows {code}{where}, which does not occur any more; run with --update-baseline"
    return Finding(STALE, message, path, code)
