"""`evalkit check`: every mistake, and nothing that a suite names is run or even imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.door import case, echo, evalkit, forked, said, suite


def test_a_sound_suite_is_told_in_a_line_and_nothing_is_imported(tmp_path: Path) -> None:
    (tmp_path / "subjects.py").write_text("open('was-imported', 'w')", encoding="utf-8")
    (tmp_path / "s.yaml").write_text(suite(case("one"), case("two")), encoding="utf-8")
    ran = forked(tmp_path, "check", "s.yaml")
    assert ran == (0, "s.yaml: strange version 1, 2 cases, sound\n", "")
    assert not (tmp_path / "was-imported").exists()


def test_every_mistake_is_told_with_its_place_and_remedy(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("name: s\nversion: 1\ncontract: ehco\ncases: []\n", encoding="utf-8")
    (tmp_path / "t.yaml").write_text("name: t\nverson: 1\ncases:\n  - {id: x}\n", encoding="utf-8")
    ran = forked(tmp_path, "check", "s.yaml", "t.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert "--> s.yaml:4:" in ran.err
    assert "--> t.yaml:2:1" in ran.err
    assert "did you mean `version`?" in ran.err
    assert str(tmp_path) not in ran.err


def test_data_that_holds_expect_is_warned_of(tmp_path: Path) -> None:
    slipped = said("one", args={"text": "hello", "expect": {"isError": False}})
    (tmp_path / "s.yaml").write_text(echo(slipped), encoding="utf-8")
    ran = forked(tmp_path, "check", "s.yaml")
    assert ran.code == 0
    assert "warning: `expect` in `args` is data; is it indented too far?" in ran.err


def test_the_contract_of_a_suite_without_one_can_be_given(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(echo(said("one")).replace('"contract": "echo"', '"title": "-"'))
    assert forked(tmp_path, "check", "s.yaml").code == 2
    assert forked(tmp_path, "check", "s.yaml", "--contract", "echo").code == 0


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_variable_that_is_not_set_is_refused(command: str, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(echo(said("one", "${{ env.TOKEN }}")), encoding="utf-8")
    assert forked(tmp_path, command, "s.yaml").code == 2
    ran = forked(tmp_path, command, "s.yaml", "--env", "TOKEN")
    assert (ran.code, "no such environment variable" in ran.err) == (2, True)


def test_a_variable_that_is_given_is_filled_in_and_never_shown(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(echo(said("one", "${{ env.TOKEN }}")), encoding="utf-8")
    ran = evalkit(tmp_path, "run", "s.yaml", "--env", "TOKEN", TOKEN="tok-" + "7" * 12)
    assert ran.statuses == {"one": "fail"}
    assert "7777" not in ran.out + ran.err
