"""The report as CTRF, held against the facts of its schema."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evalkit.reporters.ctrf import render
from tests.reporters.reports import FILE, case, finding, gate, mistake, report, usage_error

KNOWN = {
    *("name", "status", "rawStatus", "duration", "suite", "filePath", "line", "tags", "message", "trace"),
}


def results_of(document: Any) -> Any:
    found = json.loads(render(document))
    assert found.keys() == {"reportFormat", "specVersion", "results"}
    assert found["reportFormat"] == "CTRF"
    summary, tests = found["results"]["summary"], found["results"]["tests"]
    assert summary["tests"] == len(tests)
    for status in ("passed", "failed", "skipped", "pending", "other"):
        assert summary[status] == sum(test["status"] == status for test in tests)
    assert all(type(value) is int for value in summary.values())
    for test in tests:
        assert {"name", "status", "duration"} <= test.keys() <= KNOWN
        assert type(test["duration"]) is int
    return found["results"]


def test_each_case_is_a_test_with_its_place() -> None:
    (test,) = results_of(report([case(id="a[x=1]")]))["tests"]
    assert test == {
        "name": "a[x=1]",
        "status": "passed",
        "rawStatus": "pass",
        "duration": 0,
        "suite": ["agent-context"],
        "filePath": FILE,
        "line": 41,
        "tags": ["critical", "privacy"],
    }


@pytest.mark.parametrize(
    ("status", "word", "message"),
    [
        ("fail", "failed", "text that must not come back was found"),
        ("error", "failed", "no answer within 10 s"),
        ("skip", "skipped", "declared: waits for the clock"),
    ],
)
def test_a_case_tells_why_it_did_not_pass(status: str, word: str, message: str) -> None:
    (test,) = results_of(report([case(status)]))["tests"]
    assert (test["status"], test["rawStatus"], test["message"]) == (word, status, message)


def test_a_failure_has_its_blocks_as_trace() -> None:
    (test,) = results_of(report([case("fail", findings=[finding()])]))["tests"]
    assert f"  --> {FILE}:52:18\n" in test["trace"]


def test_times_are_whole_milliseconds() -> None:
    times = {"agent-context::a": 12.6}
    timing = {"started": "1970-01-01T00:01:00Z", "milliseconds": 36.4, "cases": times}
    results = results_of(report([case(id="a")], timing=timing))
    assert (results["summary"]["start"], results["summary"]["stop"]) == (60_000, 60_036)
    assert results["tests"][0]["duration"] == 13


def test_a_run_that_is_no_success_though_no_case_says_so_has_a_test_that_does() -> None:
    broken = report([case()], gate=[gate("maxSkips", 2, 1)], exit={"code": 1, "name": "threshold-exceeded"})
    *_, last = results_of(broken)["tests"]
    assert (last["status"], last["message"]) == ("failed", "maxSkips: 2, limit 1")


def test_a_suite_that_does_not_load_is_a_failed_test() -> None:
    (test,) = results_of(usage_error(mistake()))["tests"]
    assert (test["name"], test["status"]) == (mistake()["code"], "failed")
    (whole,) = results_of(usage_error())["tests"]
    assert whole["status"] == "failed"


def test_a_case_without_tags_has_its_severity_as_its_only_one() -> None:
    plain = case()
    plain.pop("tags", None)
    (test,) = results_of(report([plain]))["tests"]
    assert test["tags"] == [plain["severity"]]
