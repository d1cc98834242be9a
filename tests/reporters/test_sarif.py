"""The report as SARIF 2.1.0, held against the facts of its schema that code scanning asks for."""

from __future__ import annotations

import json
from typing import Any

from evalkit.reporters.sarif import render
from tests.reporters.reports import FILE, case, finding, gate, mistake, report, usage_error


def run_of(document: Any) -> Any:
    log = json.loads(render(document))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    known = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert len(known) == len(run["tool"]["driver"]["rules"])
    for result in run["results"]:
        assert result["ruleId"] in known
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        (location,) = result["locations"]
        region = location["physicalLocation"]["region"]
        assert all(value >= 1 for value in region.values())
    return run


def test_a_finding_is_a_result_at_its_line() -> None:
    (result,) = run_of(report([case("fail", id="a", findings=[finding()])]))["results"]
    assert result["ruleId"] == "text-found"
    assert result["level"] == "error"
    place = result["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": FILE}, "region": {"startLine": 52, "startColumn": 18}}
    told = "text that must not come back was found (at output.items.0.summary)"
    assert result["message"]["text"] == f"agent-context::a: {told}"


def test_severity_becomes_the_level() -> None:
    cases = [case("fail", id=level, severity=level) for level in ("critical", "high", "medium", "low")]
    levels = [result["level"] for result in run_of(report(cases))["results"]]
    assert levels == ["error", "error", "warning", "note"]


def test_a_rule_is_as_grave_as_its_gravest_result() -> None:
    cases = [case("fail", id=level, severity=level) for level in ("low", "critical", "medium")]
    (rule,) = run_of(report(cases))["tool"]["driver"]["rules"]
    assert rule == {"id": "text-found", "properties": {"security-severity": "9.5"}}


def test_a_fingerprint_stays_when_lines_move_and_tells_places_apart() -> None:
    moved = [finding(), finding(line=99), finding(path="output.items.1.summary")]
    results = run_of(report([case("fail", findings=moved)]))["results"]
    first, second, other = (result["partialFingerprints"] for result in results)
    assert first == second != other


def test_an_error_is_a_result_at_its_case() -> None:
    (result,) = run_of(report([case("error", id="a")]))["results"]
    assert (result["ruleId"], result["level"]) == ("timeout", "error")
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 41}


def test_a_run_that_passed_has_no_result() -> None:
    run = run_of(report([case(), case("skip", id="b")]))
    assert run["results"] == []
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (True, 0)


def test_a_gate_line_that_is_broken_is_a_notification() -> None:
    broken = report([case()], gate=[gate("maxSkips", 2, 1)], exit={"code": 1, "name": "threshold-exceeded"})
    (invocation,) = run_of(broken)["invocations"]
    assert invocation["exitCode"] == 1
    told = "maxSkips: 2, limit 1"
    assert [note["message"]["text"] for note in invocation["toolExecutionNotifications"]] == [told]


def test_a_suite_that_does_not_load_is_no_successful_execution() -> None:
    run = run_of(usage_error(mistake()))
    assert run["invocations"][0]["executionSuccessful"] is False
    assert run["results"][0]["ruleId"] == mistake()["code"]
    assert mistake()["remedy"] in run["results"][0]["message"]["text"]
