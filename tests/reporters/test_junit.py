"""The report as JUnit XML, held against the facts of Jenkins' junit-10.xsd."""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from evalkit.model import Json
from evalkit.reporters.junit import render
from tests.reporters.reports import FILE, case, finding, gate, mistake, report, several, usage_error

CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "property": set[str](),
    "testcase": {"skipped", "error", "failure", "system-out"},
    "skipped": set[str](),
    "error": set[str](),
    "failure": set[str](),
    "system-out": set[str](),
}
ATTRIBUTES: dict[str, tuple[set[str], set[str]]] = {
    "testsuites": (set(), set()),
    "testsuite": ({"name", "tests", "failures", "errors"}, {"skipped"}),
    "properties": (set(), set()),
    "property": ({"name", "value"}, set()),
    # file and line are not in that schema, but in what pytest and others write and GitLab reads.
    "testcase": ({"name"}, {"classname", "time", "file", "line"}),
    "skipped": (set(), {"type", "message"}),
    "error": (set(), {"type", "message"}),
    "failure": (set(), {"type", "message"}),
    "system-out": (set(), set()),
}
"""Element → the attributes that it must have, and those that it may have besides."""

TIME = re.compile(r"[0-9]{1,3}(,[0-9]{3})*\.[0-9]*|[0-9]*\.[0-9]*")


def parsed(document: dict[str, Json]) -> Element:
    root = ElementTree.fromstring(render(document).encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        required, optional = ATTRIBUTES[element.tag]
        assert required <= set(element.keys()) <= required | optional
        assert {child.tag for child in element} <= CHILDREN[element.tag]
    for suite in root:
        assert suite[0].tag == "properties"
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        for word, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert suite.get(word) == str(sum(entry.find(tag) is not None for entry in cases))
    return root


def test_one_testsuite_a_suite_with_its_own_cases() -> None:
    root = parsed(
        several([case(suite="b", id="1"), case("fail", suite="a", id="2"), case("skip", suite="b", id="3")])
    )
    named = {suite.get("name"): [entry.get("name") for entry in suite.iter("testcase")] for suite in root}
    assert named == {"b": ["1", "3"], "a": ["2"]}


def test_a_case_carries_its_names_and_its_place() -> None:
    (entry,) = parsed(report([case(id="a[x=1]")])).iter("testcase")
    assert entry.attrib == {"classname": "agent-context", "name": "a[x=1]", "file": FILE, "line": "41"}
    assert entry.findtext("system-out", "").splitlines()[0] == "title: A summary shows no path of the user's"


def test_a_failure_has_the_first_code_as_type_and_all_blocks_as_text() -> None:
    second = finding(code="path-missing", message="output.b leads nowhere")
    (failure,) = parsed(report([case("fail", findings=[finding(), second])])).iter("failure")
    assert failure.get("type") == "text-found"
    assert failure.get("message") == "text that must not come back was found (and 1 more finding)"
    text = failure.text or ""
    assert f"  --> {FILE}:52:18\n" in text
    assert "error[path-missing]: output.b leads nowhere\n" in text


def test_an_error_has_its_code_and_text() -> None:
    (error,) = parsed(report([case("error")])).iter("error")
    assert error.attrib == {"type": "timeout", "message": "no answer within 10 s"}


def test_a_skip_has_its_kind_and_reason() -> None:
    (skipped,) = parsed(report([case("skip")])).iter("skipped")
    assert skipped.attrib == {"type": "declared", "message": "waits for the clock"}


def test_seconds_stand_there_only_where_the_report_has_timing() -> None:
    times = {
        "started": "2026-01-02T03:04:05Z",
        "milliseconds": 1234567.0,
        "cases": {"agent-context::a": 1234567.0},
    }
    slow, untimed = parsed(report([case(id="a"), case(id="b")], timing=times)).iter("testcase")
    assert slow.get("time") == "1234.567"
    assert TIME.fullmatch(slow.get("time", ""))
    assert untimed.get("time") is None


@pytest.mark.parametrize(
    "text",
    ["]]>", "<![CDATA[", "</failure>", "a & b", "\x00\x1b[31m", "\ufffe\uffff", chr(0xDC00), 'say "it\'s"'],
)
def test_texts_come_back_though_escaped(text: str) -> None:
    seen = "".join(mark if mark.isprintable() else f"\\u{ord(mark):04x}" for mark in text)
    (failure,) = parsed(report([case("fail", findings=[finding(message=text)])])).iter("failure")
    assert failure.get("message") == seen
    assert f"error[text-found]: {seen}\n" in (failure.text or "")
    (entry,) = parsed(report([case(title=text)])).iter("testcase")
    assert f"title: {seen}" in entry.findtext("system-out", "")


def test_an_incomplete_run_of_passing_cases_is_not_green() -> None:
    document = report(
        [case()],
        complete=False,
        stopReason="time",
        exit={"code": 4, "name": "incomplete"},
        plan={"cases": 3, "selected": 3, "digest": "sha256:" + "0" * 64},
    )
    _, run = parsed(document)
    (error,) = run.iter("error")
    assert run.get("name") == "evalkit"
    assert error.get("type") == "incomplete"
    assert error.text == "2 of 3 selected cases not run: the time of the run was over"


def test_a_broken_gate_without_a_failing_case_is_not_green() -> None:
    document = report(
        [case("skip")],
        exit={"code": 1, "name": "threshold-exceeded"},
        gate=[gate("skips", 1, suite="agent-context")],
    )
    _, run = parsed(document)
    assert [error.text for error in run.iter("error")] == ["skips: 1, limit 0   (agent-context)"]


def test_a_failing_case_speaks_for_the_run() -> None:
    assert len(parsed(report([case("fail")]))) == 1


def test_each_mistake_of_a_suite_is_an_error_at_its_place() -> None:
    first, second = parsed(usage_error(mistake(), mistake(line=12, code="wrong-type"))).iter("testcase")
    assert first.attrib == {"classname": "evalkit", "name": f"{FILE}:9:5", "file": FILE, "line": "9"}
    assert [error.get("type") for error in (*first, *second)] == ["unknown-key", "wrong-type"]


def test_wrong_flags_are_an_error() -> None:
    (error,) = parsed(usage_error()).iter("error")
    assert error.attrib == {"type": "usage", "message": "--jobs takes a positive integer"}
