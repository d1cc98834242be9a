"""Reports written by hand, each of them valid by report.schema.json."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import jsonschema_rs

from evalkit.model import SEVERITIES, STATUSES, Json

ROOT: Final = Path(__file__).parents[2]
SCHEMA: Final[Json] = json.loads((ROOT / "evalkit/report.schema.json").read_text("utf-8"))
VALIDATOR: Final = jsonschema_rs.Draft202012Validator(SCHEMA)
FILE: Final = "suites/agent_context/redaction.yaml"
_DIGEST: Final = "sha256:" + "ab" * 32


def finding(**other: Json) -> dict[str, Json]:
    """A finding of `excludes`, as the design's example shows it, with other words in place of some."""
    return {
        "code": "text-found",
        "expectation": "excludes",
        "step": 1,
        "line": 52,
        "column": 18,
        "excerpt": '      excludes: ["/Users/alice"]',
        "path": "output.items.0.summary",
        "expected": "/Users/alice",
        "actual": "… from /Users/alice/example.",
        "message": "text that must not come back was found",
    } | other


def mismatch(expected: Json, actual: Json, **other: Json) -> dict[str, Json]:
    """A finding of `equals` whose wanted value the excerpt does not show."""
    words = {
        "code": "value-differs",
        "expectation": "equals",
        "line": 60,
        "column": 7,
        "excerpt": "      output.match:",
        "path": "output.match",
        "expected": expected,
        "actual": actual,
        "message": "output.match is not the value that is wanted",
    }
    return finding() | words | other


def case(status: str = "pass", **other: Json) -> dict[str, Json]:
    """A case of this status, with other words in place of some."""
    own: dict[str, dict[str, Json]] = {
        "fail": {"findings": [finding()]},
        "error": {"errorCode": "timeout", "error": "no answer within 10 s"},
        "skip": {"skipKind": "declared", "reason": "waits for the clock"},
        "pass": {},
    }
    return {
        "suite": "agent-context",
        "id": "search-redacts[profile=summary]",
        "title": "A summary shows no path of the user's",
        "severity": "critical",
        "tags": ["privacy"],
        "source": f"{FILE}#search-redacts",
        "file": FILE,
        "line": 41,
        "fixture": "complete",
        "tool": "search_context",
        "over": "direct",
        "call": 'search_context {"query":"secret","scopes":["brain"]}',
        "status": status,
        "findings": [],
        **own[status],
    } | other


def report(cases: Sequence[Mapping[str, Json]], **other: Json) -> dict[str, Json]:
    """A complete run of one suite; counts, gate and exit follow from the cases unless given."""
    counts = count(cases)
    broken = counts["fail"] + counts["error"] > 0
    exit_code = {"code": 1, "name": "threshold-exceeded"} if broken else {"code": 0, "name": "passed"}
    levels = {level: [entry for entry in cases if entry["severity"] == level] for level in SEVERITIES}
    document = {
        "kind": "evalkit-report",
        "reportVersion": 1,
        "suite": "agent-context",
        "suiteVersion": 1,
        "contract": "agent-context",
        "target": "memory",
        "failureThreshold": 0,
        "passed": other.get("exit", exit_code)["code"] == 0,
        "complete": True,
        "stopReason": "finished",
        "exit": exit_code,
        "counts": counts,
        "bySeverity": {level: count(entries) for level, entries in levels.items() if entries},
        "gate": [gate("failures", counts["fail"] + counts["error"])],
        "inputs": [
            {"file": "suites/agent_context/suite.yaml", "sha256": "cd" * 32},
            {"file": FILE, "sha256": "ef" * 32},
        ],
        "plan": {"cases": len(cases), "selected": len(cases), "digest": _DIGEST},
        "cases": list(cases),
        "digest": _DIGEST,
    } | other
    return valid({key: value for key, value in document.items() if value is not None})


def several(cases: Sequence[Mapping[str, Json]], **other: Json) -> dict[str, Json]:
    """A run of the suites that the cases name."""
    names = dict.fromkeys(entry["suite"] for entry in cases)
    suites = [
        {
            "name": name,
            "version": 1,
            "contract": "echo",
            "target": "memory",
            "counts": count([entry for entry in cases if entry["suite"] == name]),
        }
        for name in names
    ]
    one = dict.fromkeys(("suite", "suiteVersion", "contract", "target"))
    return report(cases, **{**one, "suites": suites, **other})


def usage_error(*mistakes: Mapping[str, Json]) -> dict[str, Json]:
    """The report of suites that do not load, or of wrong flags where there is no mistake."""
    error = "the suites do not load" if mistakes else "--jobs takes a positive integer"
    return valid(
        {
            "kind": "evalkit-report",
            "reportVersion": 1,
            "passed": False,
            "error": error,
            "errors": list(mistakes),
        }
    )


def mistake(**other: Json) -> dict[str, Json]:
    """A misspelt key."""
    return {
        "code": "unknown-key",
        "message": "unknown key in `cases`: `expct`",
        "remedy": "did you mean `expect`?",
        "file": FILE,
        "line": 9,
        "column": 5,
        "excerpt": "    expct:",
    } | other


def gate(rule: str, actual: int, limit: int = 0, **other: Json) -> dict[str, Json]:
    """A gate line that holds while `actual` is at most `limit`."""
    return {"rule": rule, "limit": limit, "actual": actual, "holds": actual <= limit} | other


def count(cases: Sequence[Mapping[str, Json]]) -> dict[str, int]:
    """How many cases have each status."""
    found = Counter(entry["status"] for entry in cases)
    return {status: found[status] for status in STATUSES}


def valid(document: dict[str, Json]) -> dict[str, Json]:
    """The document, if the schema allows it; the validator cannot read lone surrogates, so `?` stands in."""
    VALIDATOR.validate(_encodable(document))
    return document


def _encodable(value: Json) -> Json:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(inner) for key, inner in value.items()}
    return list(map(_encodable, value)) if isinstance(value, list) else value
