"""`evalkit list`: everything that can be named."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalkit import contracts, expectations, reporters
from evalkit.language import OPERATIONS
from evalkit.rules import table
from tests.commands.door import ROOT, echo, forked, said

ALL = {
    "contracts": contracts.BUILT_IN,
    "expectations": expectations.WORDS,
    "rules": table(),
    "operations": OPERATIONS,
    "formats": reporters.FORMATS,
}


@pytest.mark.parametrize("what", ALL)
def test_a_list_has_a_line_for_every_row_of_its_table(what: str, tmp_path: Path) -> None:
    ran = forked(tmp_path, "list", what)
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.out.splitlines()] == list(ALL[what])
    assert all(len(line.split()) > 1 for line in ran.out.splitlines())


def test_a_rule_is_listed_with_its_severity(tmp_path: Path) -> None:
    lines = forked(tmp_path, "list", "rules").out.splitlines()
    assert "tool-names-unique            high      No two tools have one name." in lines


def test_suites_are_listed_as_reports_name_them(tmp_path: Path) -> None:
    shipped = "suites/agent_context\nsuites/scriba\n"
    assert forked(ROOT, "list").out == forked(tmp_path, "list", "suites").out == shipped


def test_cases_are_listed_with_severity_and_promise(tmp_path: Path) -> None:
    text = echo(said("one", severity="high"), said("two[x=1]"), name="s")
    (tmp_path / "s.yaml").write_text(text.replace('"contract": "echo"', '"title": "-"'), encoding="utf-8")
    ran = forked(tmp_path, "list", "cases", "s.yaml", "--contract", "echo")
    assert ran.out == (
        "s::one  high      The promise of one\ns::two[x=1]  medium    The promise of two[x=1]\n"
    )


def test_a_list_that_is_not_of_suites_takes_none(tmp_path: Path) -> None:
    ran = forked(tmp_path, "list", "formats", "s.yaml")
    assert (ran.code, ran.out) == (2, "")
    ran = forked(tmp_path, "list", "format")
    assert (ran.code, "did you mean 'formats'?" in ran.err) == (2, True)


def test_contracts_that_others_installed_are_listed(tmp_path: Path) -> None:
    info = tmp_path / "clock-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: clock\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[evalkit.contracts]\nclock = clock.subject\n", encoding="utf-8")
    from tests.commands.door import evalkit  # a new process, since the path is read at its start

    ran = evalkit(tmp_path, "list", "contracts", PYTHONPATH=f"{ROOT}:{tmp_path}")
    assert "clock             clock.subject" in ran.out.splitlines()
