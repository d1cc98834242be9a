"""The one report: valid, strict, the same bytes whatever the time; nothing secret in it, nothing too long."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from evalkit.gate import EXITS, judge
from evalkit.model import CaseResult, Finding, Json, Report, Suite, World
from evalkit.plan import Selection, make_plan
from evalkit.report import LONGEST, Outcome, make_report, tally, with_timing
from tests.playing import FREE, REPORT_SCHEMA, Puppet, loaded, played, report_of, reported, said, suite_file

HEAD: Final = f'name: s\nversion: 2\ncontract: "{FREE}"\ndefaults: {{fixture: {{}}}}\ncases:\n'
PASS: Final = "operation: tool, tool: ask, expect: {isError: false}"
FAIL: Final = "operation: tool, tool: ask, expect: {isError: true}"
SECRET: Final = "hunter" + "22-" + "9" * 8


def suite_of(folder: Path, *cases: str, name: str = "s", head: str = HEAD) -> Suite:
    lines = "".join(f"  - {{id: c{number}, title: t, {case}}}\n" for number, case in enumerate(cases))
    return loaded(suite_file(folder, head.replace("name: s", f"name: {name}") + lines, f"{name}.yaml"))


def report_for(folder: Path, *cases: str, answer: Callable[..., Json] | None = None, **more: Any) -> Report:
    puppet = Puppet(answer) if answer else Puppet()
    return reported(suite_of(folder, *cases), open_subject=puppet, **more)


def raising(world: World, name: str, args: Json) -> Json:
    raise ValueError("no")


def test_a_report_of_one_suite_has_its_name_and_counts(tmp_path: Path) -> None:
    report = report_for(tmp_path, PASS, FAIL + ", severity: critical", PASS + ", skip: later")
    assert (report["kind"], report["reportVersion"]) == ("evalkit-report", 1)
    assert (report["suite"], report["suiteVersion"], report["contract"], report["target"]) == (
        "s",
        2,
        FREE,
        "memory",
    )
    assert (report["passed"], report["complete"], report["stopReason"]) == (False, True, "finished")
    assert report["exit"] == {"code": 1, "name": "threshold-exceeded"}
    assert report["counts"] == {"pass": 1, "fail": 1, "error": 0, "skip": 1}
    assert report["bySeverity"] == {
        "critical": {"pass": 0, "fail": 1, "error": 0, "skip": 0},
        "medium": {"pass": 1, "fail": 0, "error": 0, "skip": 1},
    }
    assert report["gate"] == [{"rule": "failures", "limit": 0, "actual": 1, "holds": False}]
    assert report["plan"]["cases"] == report["plan"]["selected"] == 3
    text = (tmp_path / "s.yaml").read_bytes()
    assert report["inputs"] == [{"file": "s.yaml", "sha256": hashlib.sha256(text).hexdigest()}]
    assert "today" not in report


def test_a_case_shows_what_was_done_and_where_it_is_written(tmp_path: Path) -> None:
    (case,) = report_for(
        tmp_path,
        "operation: tool, tool: ask, args: {q: 1}, tags: [a, b], severity: low, expect: {isError: true}",
    )["cases"]
    finding = case.pop("findings")[0]
    assert case == {
        "suite": "s",
        "id": "c0",
        "title": "t",
        "severity": "low",
        "tags": ["a", "b"],
        "source": "s.yaml#c0",
        "file": "s.yaml",
        "line": 6,
        "fixture": "(in place)",
        "tool": "ask",
        "over": "direct",
        "call": 'ask {"q":1}',
        "status": "fail",
    }
    line = (tmp_path / "s.yaml").read_text().splitlines()[5]
    assert (finding["code"], finding["expectation"], finding["step"]) == ("error-expected", "isError", 1)
    assert (finding["line"], finding["column"], finding["excerpt"]) == (6, line.index("true}") + 1, line)


def test_an_error_a_skip_and_a_note_are_told(tmp_path: Path) -> None:
    until = ', skip: {reason: once, until: "2026-01-01"}'
    error, skipped, noted, expected = report_for(
        tmp_path,
        FAIL,
        PASS + ", skip: later",
        FAIL + until,
        PASS + ", requires: [mcp]",
        answer=raising,
        today="2026-01-02",
    )["cases"]
    assert (error["status"], error["errorCode"], error["error"].split(" (")[0]) == (
        "error",
        "contract-raised",
        "ValueError: no",
    )
    assert (skipped["status"], skipped["skipKind"], skipped["reason"]) == ("skip", "declared", "later")
    assert (skipped["tool"], skipped["call"], skipped["over"]) == ("ask", "", "")
    assert noted["note"] == "its skip ended on 2026-01-01: once"
    assert (expected["skipKind"], expected["status"]) == ("capability", "skip")


def test_today_stands_in_it_only_where_a_skip_has_a_date(tmp_path: Path) -> None:
    dated = PASS + ', skip: {reason: once, until: "2026-01-01"}'
    assert report_for(tmp_path, dated, today="2026-01-02")["today"] == "2026-01-02"
    assert "today" not in report_for(tmp_path, PASS + ", skip: once", today="2026-01-02")


def test_several_suites_have_a_head_each(tmp_path: Path) -> None:
    suites = [suite_of(tmp_path, PASS, name="one"), suite_of(tmp_path, FAIL, PASS, name="two")]
    report = reported(*suites, open_subject=Puppet())
    assert not {"suite", "suiteVersion", "contract", "target", "rerun"} & report.keys()
    assert [(one["name"], one["counts"]["pass"], one["rerun"]) for one in report["suites"]] == [
        ("one", 1, ["run", "one.yaml"]),
        ("two", 1, ["run", "two.yaml"]),
    ]
    assert report["counts"] == {"pass": 2, "fail": 1, "error": 0, "skip": 0}
    assert [(case["suite"], case["id"]) for case in report["cases"]] == [
        ("one", "c0"),
        ("two", "c0"),
        ("two", "c1"),
    ]


def test_two_files_that_are_shown_by_one_name_are_both_hashed(tmp_path: Path) -> None:
    for folder, name in (("a", "one"), ("b", "two")):
        (tmp_path / folder).mkdir()
        suite_of(tmp_path / folder, PASS, name=name).documents  # noqa: B018
        (tmp_path / folder / f"{name}.yaml").rename(tmp_path / folder / "same.yaml")
    suites = [loaded(tmp_path / folder / "same.yaml") for folder in "ab"]
    report = reported(*suites, open_subject=Puppet())
    assert [one["file"] for one in report["inputs"]] == ["same.yaml", "same.yaml"]
    assert len({one["sha256"] for one in report["inputs"]}) == 2


def test_the_same_inputs_give_the_same_bytes_whatever_the_order_and_the_time(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, PASS, FAIL, PASS + ", skip: later")
    plan = make_plan([suite], Selection())
    results = list(played(suite, Puppet()).values())
    forth = report_of(Outcome(plan, dict(enumerate(results))))
    back = report_of(Outcome(plan, {index: results[index]._replace(milliseconds=9.0) for index in (2, 0, 1)}))
    assert json.dumps(forth) == json.dumps(back)


def test_timing_is_the_only_part_that_the_digest_leaves_out(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, PASS)
    plan = make_plan([suite], Selection())
    outcome = Outcome(plan, {0: CaseResult(milliseconds=1.23456)})
    report = report_of(outcome)
    timed = with_timing(report, outcome, "2026-01-01T00:00:00Z", 5.6789)
    assert timed["timing"] == {
        "started": "2026-01-01T00:00:00Z",
        "milliseconds": 5.679,
        "cases": {"s::c0": 1.235},
    }
    assert {key: value for key, value in timed.items() if key != "timing"} == report
    assert list(REPORT_SCHEMA.iter_errors(timed)) == []
    other = report_of(Outcome(plan, {0: CaseResult(note="else")}))
    assert other["digest"] != report["digest"]


def test_the_digest_is_that_of_the_report_without_it(tmp_path: Path) -> None:
    report = dict(report_for(tmp_path, PASS, FAIL))
    digest = report.pop("digest")
    text = json.dumps(report, ensure_ascii=False, separators=(",", ":"))
    assert digest == "sha256:" + hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("stop", "signal", "harness", "code"),
    [
        ("finished", 0, False, 0),
        ("max-failures", 0, False, 1),
        ("finished", 0, True, 3),
        ("time", 0, False, 4),
        ("worker-lost", 0, False, 4),
        ("signal", 130, False, 130),
        ("signal", 143, False, 143),
    ],
)
def test_a_run_that_was_cut_short_reports_what_was_done(
    tmp_path: Path, stop: Any, signal: int, harness: bool, code: int
) -> None:
    plan = make_plan([suite_of(tmp_path, PASS, PASS)], Selection())
    outcome = Outcome(plan, {0: CaseResult()}, stop)
    verdict = judge(tally(outcome), None, stop, signal=signal, harness=harness)
    report = make_report(outcome, verdict, reruns=[["run", "s.yaml"]])
    assert list(REPORT_SCHEMA.iter_errors(report)) == []
    assert report["exit"] == {"code": code, "name": EXITS[code]}
    assert (report["complete"], report["stopReason"], report["passed"]) == (
        stop == "finished",
        stop,
        code == 0,
    )
    assert (len(report["cases"]), report["plan"]["selected"]) == (1, 2)


def test_a_run_in_which_nothing_was_chosen_is_reported_too(tmp_path: Path) -> None:
    plan = make_plan([suite_of(tmp_path, PASS)], Selection(tags=("none",)))
    report = report_of(Outcome(plan, {}))
    assert (report["exit"]["code"], report["plan"]["selected"], report["cases"]) == (5, 0, [])


# ── what is shown of values ──────────────────────────────────────────────────────────────────────


def shown(folder: Path, value: Json) -> Json:
    """What the report shows of a value that came back where another one was wanted."""
    case = "operation: tool, tool: ask, expect: {equals: {output.it: 1}}"
    report = report_for(folder, case, answer=lambda world, name, args: said({"it": value}))
    return report["cases"][0]["findings"][0]["actual"]


@pytest.mark.parametrize(
    "value", [None, True, 2, 1.5, "x" * LONGEST, {"a": [1, None]}, "", "\u001b[31mred", "\ud800"]
)
def test_a_short_value_is_shown_as_it_is(tmp_path: Path, value: Json) -> None:
    assert shown(tmp_path, value) == value


def test_a_long_value_is_cut_with_its_size_and_hash(tmp_path: Path) -> None:
    text = "é" * (LONGEST + 1)
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert shown(tmp_path, text) == f"{'é' * LONGEST}… (4097 characters in all, sha256 {digest})"
    items = ["x" * 100] * 50
    written = json.dumps(items, separators=(",", ":"))
    digest = hashlib.sha256(written.encode()).hexdigest()
    assert (
        shown(tmp_path, items) == f"{written[:LONGEST]}… ({len(written)} characters in all, sha256 {digest})"
    )


def test_a_long_error_is_cut_too(tmp_path: Path) -> None:
    def shouts(world: World, name: str, args: Json) -> Json:
        raise ValueError("a" * 100_000)

    (case,) = report_for(tmp_path, PASS, answer=shouts)["cases"]
    assert len(case["error"]) < LONGEST + 200


def test_a_number_that_python_cannot_write_is_no_fault_of_the_report(tmp_path: Path) -> None:
    case = "operation: tool, tool: ask, expect: {equals: {output: 1}}"

    def answer(world: World, name: str, args: Json) -> Json:
        return {"structuredContent": 10**5000}

    (finding,) = report_for(tmp_path, case, answer=answer)["cases"][0]["findings"]
    assert finding["actual"] == "(a number of more digits than Python writes)"


def test_an_integer_of_any_size_stays_exact(tmp_path: Path) -> None:
    assert shown(tmp_path, 9007199254740993) == 9007199254740993


# ── secrets ──────────────────────────────────────────────────────────────────────────────────────

FIXTURE: Final = f'fixture: {{a: {{token: {{$secret: {SECRET}}}, number: {{$secret: "5550100123"}}}}}}'


def leaking(value: Callable[[World], Json]) -> Callable[..., Json]:
    return lambda world, name, args: {"structuredContent": value(world), "content": []}


@pytest.mark.parametrize(
    "value",
    [
        lambda world: world.fixture["a"]["token"],
        lambda world: {world.fixture["a"]["token"]: 1},
        lambda world: [{"deep": f"<{world.fixture['a']['token']}>"}],
        lambda world: world.fixture["a"]["token"].encode().hex(),
        lambda world: "x" * (LONGEST - 5) + world.fixture["a"]["token"],
        lambda world: ["x" * (LONGEST - 8), world.fixture["a"]["token"]],
        lambda world: {"number": 5550100123},
        lambda world: {"number": "555-010-0123"},
    ],
)
def test_no_part_of_the_report_shows_a_secret(tmp_path: Path, value: Callable[[World], Json]) -> None:
    words = f"operation: tool, tool: ask, {FIXTURE}, expect: {{equals: {{output: 1}}, contentParity: true}}"
    report = report_for(tmp_path, words, answer=leaking(value))
    (case,) = report["cases"]
    assert "secret-leaked" in [finding["code"] for finding in case["findings"]]
    text = json.dumps(report, ensure_ascii=False)
    for part in (SECRET, SECRET[:8], SECRET.encode().hex(), "5550100123", "555-010-0123"):
        assert part not in text
    assert "<secret" in text
    assert report["gate"][-1] == {"rule": "leaks", "limit": 0, "actual": 1, "holds": False}


def test_the_call_the_error_the_title_and_the_excerpt_hide_it_too(tmp_path: Path) -> None:
    def tells(world: World, name: str, args: Json) -> Json:
        raise ValueError(f"cannot use {args['q']}")

    words = (
        f"matrix: {{q: [{{$secret: {SECRET}}}]}}, operation: tool, tool: ask, "
        f"args: {{q: '${{{{ matrix.q }}}}'}}, expect: {{isError: false}}"
    )
    text = HEAD + "  - {id: c0, title: 'asks ${{ matrix.q }}', tags: ['t ${{ matrix.q }}'], " + words + "}\n"
    report = reported(loaded(suite_file(tmp_path, text)), open_subject=Puppet(tells))
    assert SECRET not in json.dumps(report)
    (case,) = report["cases"]
    assert case["title"] == "asks <secret matrix.q.0>"
    assert case["call"] == 'ask {"q":"<secret matrix.q.0>"}'
    assert case["error"].startswith("ValueError: cannot use <secret matrix.q.0> (")
    failing = reported(
        loaded(suite_file(tmp_path, text)), open_subject=Puppet(lambda w, n, a: {"isError": True})
    )
    assert SECRET not in json.dumps(failing)
    assert "<secret matrix.q.0>" in failing["cases"][0]["findings"][0]["excerpt"]


def test_a_secret_at_the_end_of_a_long_call_is_not_shown_by_half(tmp_path: Path) -> None:
    for pad in range(270, 292):
        words = (
            f"operation: tool, tool: ask, args: {{a: {'x' * pad}, key: {{$secret: {SECRET}}}}}, "
            f"expect: {{isError: false}}"
        )
        (case,) = report_for(tmp_path, words)["cases"]
        assert SECRET[:4] not in case["call"]


@pytest.mark.parametrize("word", ["medium", "fail", "direct", "error-expected", "isError", "critical"])
def test_a_secret_that_is_a_word_of_the_report_leaves_the_report_s_own_words_alone(
    tmp_path: Path, word: str
) -> None:
    words = f"operation: tool, tool: ask, fixture: {{a: {{$secret: {word}}}}}, expect: {{isError: true}}"
    (case,) = report_for(tmp_path, words, answer=lambda world, name, args: said({"a": world.fixture["a"]}))[
        "cases"
    ]
    assert (case["severity"], case["status"], case["over"]) == ("medium", "fail", "direct")
    assert {finding["code"] for finding in case["findings"]} == {"secret-leaked", "error-expected"}


def test_what_may_be_revealed_is_counted_and_still_not_shown(tmp_path: Path) -> None:
    words = f"operation: tool, tool: ask, {FIXTURE}, mayReveal: [a.token], expect: {{equals: {{output: 1}}}}"
    report = report_for(tmp_path, words, answer=leaking(lambda world: world.fixture["a"]["token"]))
    (case,) = report["cases"]
    assert (case["revealed"], [one["code"] for one in case["findings"]]) == (1, ["value-differs"])
    assert case["findings"][0]["actual"] == "<secret fixture.a.token>"
    assert SECRET not in json.dumps(report)


def test_a_case_without_secrets_masks_nothing(tmp_path: Path) -> None:
    assert shown(tmp_path, "<secret nothing>") == "<secret nothing>"


def test_a_finding_of_another_severity_says_so(tmp_path: Path) -> None:
    plan = make_plan([suite_of(tmp_path, PASS)], Selection())
    finding = Finding("secret-leaked", "m", "output", ..., "<secret fixture.a>", severity="critical")
    report = report_of(Outcome(plan, {0: CaseResult(findings=(finding,))}))
    assert report["cases"][0]["findings"][0]["severity"] == "critical"
    assert report["cases"][0]["severity"] == "medium"
