"""The report as SARIF 2.1.0, for code scanning: each finding at its line of the suite, each code a rule."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final
from urllib.parse import quote

from evalkit.model import Json, Report
from evalkit.reporters import _verdict

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {"critical": "error", "high": "error", "medium": "warning", "low": "note"}
_SCORES: Final = {"critical": "9.5", "high": "8.0", "medium": "5.0", "low": "2.0"}
"""What GitHub sorts by: `security-severity`, from 0 to 10."""

_ERROR: Final = "high"


def render(report: Report) -> str:
    """One run with one result a finding; a run that is no success says so in its invocation."""
    results = [*chain.from_iterable(_of_case(case) for case in _failing(report))]
    results += [_of_mistake(mistake) for mistake in report.get("errors", ())]
    run = {
        "tool": {"driver": {"name": "evalkit", "rules": _rules(results)}},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": results,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _failing(report: Report) -> list[Mapping[str, Json]]:
    return [] if "errors" in report else _verdict.failing(report)


def _invocation(report: Report) -> Json:
    code = int(report.get("exit", {"code": 2})["code"])
    lines = [] if "errors" in report else [_verdict.shortfall(report), *_verdict.broken(report)]
    told = [report["error"]] if "errors" in report else list(filter(None, lines))
    notes = [{"level": "error", "message": {"text": text}} for text in told]
    done = {"executionSuccessful": code in (0, 1), "exitCode": code}
    return {**done, "exitCodeDescription": _verdict.ending(report), "toolExecutionNotifications": notes}


def _of_case(case: Mapping[str, Json]) -> Iterator[Json]:
    name = f"{case['suite']}::{case['id']}"
    if "error" in case:
        yield _result(
            case["errorCode"], _ERROR, f"{name}: {case['error']}", (case["file"], case["line"], 0), name
        )
    for finding in case["findings"]:
        severity = finding.get("severity", case["severity"])
        where = f" (at {finding['path']})" if "path" in finding else ""
        place = (finding.get("file", case["file"]), finding["line"], finding["column"])
        told = f"{name}: {finding['message']}{where}"
        yield _result(finding["code"], severity, told, place, f"{name} {finding.get('path', '')}")


def _of_mistake(mistake: Mapping[str, Json]) -> Json:
    told = f"{mistake['message']}; {mistake['remedy']}"
    place = (mistake["file"], mistake["line"], mistake["column"])
    return _result(mistake["code"], _ERROR, told, place, mistake["message"])


def _result(code: str, severity: str, told: str, place: tuple[str, int, int], identity: str) -> Json:
    """`identity` tells a result from others of its code, and stays when lines move."""
    file, line, column = place
    region = {"startLine": max(line, 1), **({"startColumn": column} if column else {})}
    location = {"artifactLocation": {"uri": quote(file, errors="replace")}, "region": region}
    return {
        "ruleId": code,
        "level": _LEVELS[severity],
        "message": {"text": told},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {"evalkitFinding/v1": f"{code} {identity}".strip()},
        "properties": {"severity": severity},
    }


def _rules(results: list[Json]) -> list[Json]:
    """The codes of the results in their order; each as grave as its gravest result."""
    gravest: dict[str, str] = {}
    for result in results:
        severity = result["properties"]["severity"]
        gravest[result["ruleId"]] = min(severity, gravest.get(result["ruleId"], severity), key=_rank)
    return [
        {"id": code, "properties": {"security-severity": _SCORES[severity]}}
        for code, severity in gravest.items()
    ]


def _rank(severity: str) -> int:
    return list(_SCORES).index(severity)
