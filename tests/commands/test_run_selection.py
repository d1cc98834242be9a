"""Which suites and which of their cases a run takes, and how a case is run again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.commands.door import Json, Ran, case, echo, forked, said, suite, with_subjects

CASES = [
    said("get[x=1]", severity="critical", tags=["a", "b"], title="The first"),
    said("get[x=2]", severity="high", tags=["b"]),
    said("list", "goodbye", severity="medium", source="spec A.4"),
    said("search", severity="low"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "s.yaml").write_text(echo(*CASES, name="s"), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        (["--case", "get[x=1]"], ["get[x=1]"]),
        (["--case", "get"], ["get[x=1]", "get[x=2]"]),
        (["--case", "search", "--case", "s::list"], ["list", "search"]),
        (["--tag", "a"], ["get[x=1]"]),
        (["--tag", "a", "--tag=b"], ["get[x=1]", "get[x=2]"]),
        (["--severity", "high"], ["get[x=1]", "get[x=2]"]),
        (["--select", "The first"], ["get[x=1]"]),
        (["--select", "spec A."], ["list"]),
        (["--tag", "b", "--severity", "critical"], ["get[x=1]"]),
        ([], ["get[x=1]", "get[x=2]", "list", "search"]),
    ],
)
def test_every_filter_that_is_given_has_to_let_a_case_through(
    words: Sequence[str], chosen: Sequence[str], folder: Path
) -> None:
    ran = forked(folder, "run", "s.yaml", *words)
    assert list(ran.statuses) == chosen
    assert (ran.report["plan"]["cases"], ran.report["plan"]["selected"]) == (4, len(chosen))


def test_flags_and_suites_may_stand_in_any_order(folder: Path) -> None:
    (folder / "t.yaml").write_text(echo(said("one"), name="t"), encoding="utf-8")
    ran = forked(folder, "run", "--severity", "critical", "s.yaml", "--jobs", "2", "t.yaml", "--tag", "a")
    assert [one["name"] for one in ran.report["suites"]] == ["s", "t"]


def test_the_cases_that_failed_are_run_again(folder: Path) -> None:
    forked(folder, "run", "s.yaml", "--output", "saved.json")
    assert forked(folder, "run", "s.yaml", "--failed-in", "saved.json").statuses == {"list": "fail"}


def test_a_report_of_a_refused_run_names_no_failed_case(folder: Path) -> None:
    (folder / "saved.json").write_text(forked(folder, "run", "none.yaml").out, encoding="utf-8")
    ran = forked(folder, "run", "s.yaml", "--failed-in", "saved.json")
    assert (ran.code, "tells of a run that was refused" in ran.err) == (2, True)


# ── where a run is cut ───────────────────────────────────────────────────────────────────────────

MANY = [said(f"case-{n}", "goodbye" if n in (3, 7, 8) else "hello") for n in range(40)]


@pytest.mark.parametrize(("words", "told"), [(["--fail-fast"], 4), (["--max-failures", "2"], 8)])
def test_a_run_is_cut_in_plan_order_whatever_the_workers(
    words: Sequence[str], told: int, tmp_path: Path
) -> None:
    (tmp_path / "s.yaml").write_text(echo(*MANY), encoding="utf-8")
    ways = (["--jobs", "1"], ["--jobs", "2"], ["--jobs", "3", "--shuffle", "5"])
    runs = [forked(tmp_path, "run", "s.yaml", *words, *way) for way in ways]
    assert {ran.out for ran in runs} == {runs[0].out}
    assert (runs[0].code, runs[0].report["stopReason"]) == (1, "max-failures")
    assert list(runs[0].statuses) == [f"case-{n}" for n in range(told)]


def test_a_cut_run_is_no_success_whatever_the_threshold(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(echo(*MANY), encoding="utf-8")
    ran = forked(tmp_path, "run", "s.yaml", "--fail-fast", "--failure-threshold", "5")
    assert (ran.code, ran.report["complete"]) == (1, False)


def test_as_many_failures_as_are_allowed_at_the_very_end_cut_nothing(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(echo(said("good"), said("bad", "goodbye")), encoding="utf-8")
    ran = forked(tmp_path, "run", "s.yaml", "--fail-fast", "--failure-threshold", "1")
    assert (ran.code, ran.report["complete"]) == (0, True)


# ── names of suites ──────────────────────────────────────────────────────────────────────────────


def names(ran: Ran) -> list[str]:
    report = ran.report
    return [report["suite"]] if "suite" in report else [one["name"] for one in report["suites"]]


def write(path: Path, name: str, **words: Json) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(echo(said("one"), name=name, **words), encoding="utf-8")


def test_without_words_every_suite_below_the_own_folder_is_run(tmp_path: Path) -> None:
    write(tmp_path / "suites/b.yaml", "b")
    write(tmp_path / "suites/a/suite.yaml", "a")
    write(tmp_path / "suites/group/deep/c.json", "c")
    write(tmp_path / "suites/.hidden.yaml", "hidden")
    (tmp_path / "suites/suite.schema.json").write_text("{}", encoding="utf-8")
    assert names(forked(tmp_path, "run")) == ["b", "a", "c"]


def test_without_own_suites_the_shipped_ones_are_meant(tmp_path: Path) -> None:
    shipped = "suites/agent_context\nsuites/scriba\n"
    assert forked(tmp_path, "list", "suites").out == shipped
    (tmp_path / "suites").mkdir()
    assert forked(tmp_path, "list", "suites").out == shipped


@pytest.mark.parametrize("word", ["my-suite", "my_suite", "My-Suite"])
def test_a_suite_has_the_name_of_its_file_with_either_dash(word: str, tmp_path: Path) -> None:
    write(tmp_path / "suites/my_suite.yaml", "mine")
    assert names(forked(tmp_path, "run", word)) == ["mine"]


def test_an_own_suite_stands_before_the_shipped_one_of_its_name(tmp_path: Path) -> None:
    write(tmp_path / "suites/agent-context.yaml", "mine")
    assert names(forked(tmp_path, "run", "agent-context")) == ["mine"]
    shipped = forked(tmp_path, "eval:agent-context", "--tag", "none-has-it")
    assert names(shipped) == ["agent-context"]
    assert shipped.report["inputs"][0]["file"] == "suites/agent_context/suite.yaml"


def test_a_name_that_fits_two_suites_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "suites/a.yaml", "a")
    write(tmp_path / "suites/more/a.yaml", "b")
    ran = forked(tmp_path, "run", "a")
    assert (ran.code, "suites/a.yaml and suites/more/a.yaml; write one of these" in ran.err) == (2, True)


def test_a_suite_that_is_named_twice_is_run_once(tmp_path: Path) -> None:
    write(tmp_path / "suites/a.yaml", "a")
    assert names(forked(tmp_path, "run", "suites/a.yaml", "a", "./suites/a.yaml", "suites/")) == ["a"]


def test_a_folder_is_written_with_a_slash_and_a_file_with_its_ending(tmp_path: Path) -> None:
    write(tmp_path / "here/suite.yaml", "here")
    assert names(forked(tmp_path, "run", "here/")) == ["here"]
    assert names(forked(tmp_path / "here", "run", ".")) == ["here"]
    ran = forked(tmp_path, "run", "here")
    assert (ran.code, "write ./here for what is here" in ran.err) == (2, True)


def test_fixture_names_exactly_the_files_to_run(tmp_path: Path) -> None:
    write(tmp_path / "suites/a.yaml", "a")
    write(tmp_path / "b.yaml", "b")
    write(tmp_path / "c.yaml", "c")
    assert names(forked(tmp_path, "run", "a", "--fixture", "b.yaml", "--fixture=c.yaml")) == ["b", "c"]
    assert names(forked(tmp_path, "eval:agent-context", "--fixture", "b.yaml")) == ["b"]


def test_eval_gives_its_contract_to_a_file_that_names_none(tmp_path: Path) -> None:
    text = json.loads(echo(said("one")))
    del text["contract"]
    (tmp_path / "s.json").write_text(json.dumps(text), encoding="utf-8")
    assert forked(tmp_path, "eval:echo", "--fixture", "s.json").report["contract"] == "echo"
    assert forked(tmp_path, "run", "s.json", "--contract", "echo").report["contract"] == "echo"
    assert forked(tmp_path, "run", "s.json").code == 2


# ── suites that need a live target ───────────────────────────────────────────────────────────────


UNREACHED = {"unix": {"socket": "/s"}, "provides": ["fixtures"]}
"""A target that this version cannot drive."""


def test_a_live_suite_is_left_out_and_said_to_be_unless_it_is_named(tmp_path: Path) -> None:
    write(tmp_path / "suites/live.yaml", "live", target=UNREACHED)
    write(tmp_path / "suites/live-not.yaml", "memory")
    ran = forked(tmp_path, "run")
    assert (ran.code, names(ran)) == (0, ["memory"])
    assert "left out, since it needs a live target: suites/live.yaml" in ran.err
    assert forked(tmp_path, "run", "live").code == 2
    assert forked(tmp_path, "run", "suites/live.yaml").code == 2
    assert forked(tmp_path, "check").code == 0


def test_where_all_are_left_out_nothing_ran(tmp_path: Path) -> None:
    write(tmp_path / "suites/live.yaml", "live", target=UNREACHED)
    assert forked(tmp_path, "run").code == 5


# ── running a case again ─────────────────────────────────────────────────────────────────────────


def rerun_of(ran: Ran, folder: Path, name: str) -> Ran:
    """Paste the line that the readable form shows for a case, from the same folder."""
    (folder / "saved.json").write_text(ran.out, encoding="utf-8")
    shown = forked(folder, "report", "saved.json").out
    lines = [line.strip().removeprefix("rerun").strip() for line in shown.splitlines() if "  rerun " in line]
    (line,) = (line for line in lines if shlex.quote(name) in line)
    program, *words = shlex.split(line)
    assert program == "evalkit"
    return forked(folder, *words)


def same_finding(first: Ran, again: Ran, name: str) -> bool:
    (found,) = (one for one in first.report["cases"] if one["id"] == name)
    return bool(again.report["cases"] == [found])


BAD = said("it's bad[x=1]", "goodbye")


@pytest.mark.parametrize(
    "words",
    [
        ["run", "suites/s.yaml"],
        ["run", "./suites/s.yaml"],
        ["run", "s"],
        ["run", "suites/"],
        ["run"],
        ["run", "--fixture", "suites/s.yaml"],
        ["eval:echo", "--fixture", "suites/s.yaml"],
    ],
)
def test_a_rerun_line_can_be_pasted_and_finds_the_same(words: Sequence[str], tmp_path: Path) -> None:
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites/s.yaml").write_text(echo(said("good"), BAD, name="s"), encoding="utf-8")
    ran = forked(tmp_path, *words)
    assert same_finding(ran, rerun_of(ran, tmp_path, BAD["id"]), BAD["id"])


def test_a_rerun_line_of_a_suite_folder_elsewhere_can_be_pasted(tmp_path: Path) -> None:
    write(tmp_path / "mine/suite.yaml", "mine")
    (tmp_path / "mine/suite.yaml").write_text(echo(said("good"), BAD), encoding="utf-8")
    (tmp_path / "here").mkdir()
    for word in ("../mine", str(tmp_path / "mine")):
        ran = forked(tmp_path / "here", "run", word)
        assert same_finding(ran, rerun_of(ran, tmp_path / "here", BAD["id"]), BAD["id"])
    ran = forked(tmp_path, "run", str(tmp_path / "mine"))
    assert str(tmp_path) not in ran.out
    assert same_finding(ran, rerun_of(ran, tmp_path, BAD["id"]), BAD["id"])


def test_a_rerun_line_repeats_the_contract_and_the_time(tmp_path: Path) -> None:
    slow = case("slow", "sleeps")
    text = json.loads(suite(slow))
    del text["contract"]
    (with_subjects(tmp_path) / "s.json").write_text(json.dumps(text), encoding="utf-8")
    flags = ("--contract", "python:subjects:open_subject", "--case-timeout", "0.05")
    ran = forked(tmp_path, "run", "s.json", *flags)
    assert ran.statuses == {"slow": "error"}
    assert same_finding(ran, rerun_of(ran, tmp_path, "slow"), "slow")
