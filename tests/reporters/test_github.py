"""Workflow commands: one line each, nothing of a text taken for a command, never more than are shown."""

from __future__ import annotations

from evalkit.reporters.github import MOST, render
from tests.reporters.reports import FILE, case, finding, gate, mistake, report, usage_error


def test_a_finding_stands_at_its_line() -> None:
    first, last = render(report([case("fail", id="a", findings=[finding()])])).splitlines()
    place = f"file={FILE},line=52,col=18,title=text-found%3A agent-context%3A%3Aa"
    told = "text that must not come back was found (at output.items.0.summary)"
    assert first == f"::error {place}::{told}"
    assert last.startswith("::error title=evalkit exit 1 threshold-exceeded%3A")


def test_an_error_stands_at_its_case() -> None:
    first, _ = render(report([case("error", id="a", error="100% gone\nfor good")])).splitlines()
    place = f"file={FILE},line=41,title=timeout%3A agent-context%3A%3Aa"
    assert first == f"::error {place}::100%25 gone%0Afor good"


def test_no_text_begins_a_command_of_its_own() -> None:
    nasty = finding(message="a\n::set-output name=x::y\x1b[31m", path="a,b:c")
    first, _ = render(report([case("fail", findings=[nasty])])).splitlines()
    assert first.endswith("::a%0A::set-output name=x::y\\u001b[31m (at a,b:c)")


def test_a_run_that_passed_is_one_notice() -> None:
    (line,) = render(report([case()])).splitlines()
    assert line.startswith("::notice title=evalkit exit 0 passed%3A")
    assert line.endswith("::1 pass, 0 fail, 0 error, 0 skip")


def test_what_is_beyond_the_limit_is_counted() -> None:
    lines = render(report([case("fail", id=str(number)) for number in range(MOST + 1)])).splitlines()
    assert len(lines) == MOST + 1
    assert lines[MOST - 1] == "::error title=evalkit::2 more findings in the report"
    exactly = render(report([case("fail", id=str(number)) for number in range(MOST)])).splitlines()
    assert "more finding" not in exactly[MOST - 1]


def test_a_gate_line_that_is_broken_is_told() -> None:
    broken = report([case()], gate=[gate("maxSkips", 2, 1)], exit={"code": 1, "name": "threshold-exceeded"})
    assert "maxSkips: 2, limit 1" in render(broken)


def test_a_suite_that_does_not_load_is_shown_at_its_mistake() -> None:
    first, last = render(usage_error(mistake())).splitlines()
    assert first.startswith(f"::error file={mistake()['file']},line={mistake()['line']}")
    assert mistake()["remedy"].replace("%", "%25") in first
    assert last.startswith("::error title=evalkit exit 2 usage%3A")
