"""`pytest -p evalkit.pytest` collects suites as tests, and never without being asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.door import ROOT, case, echo, said, suite, with_subjects

pytestmark = pytest.mark.slow


def run(folder: Path, *words: str, plugin: bool = True) -> subprocess.CompletedProcess[str]:
    asked = ("-p", "evalkit.pytest") if plugin else ()
    argv = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *asked, *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""}
    return subprocess.run(
        argv, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path) -> Path:
    """A suite below `suites`, with a case of each status."""
    (tmp_path / "suites").mkdir()
    cases = [
        said("good", tags=["quick"]),
        said("bad", "goodbye"),
        said("later", skip="not yet"),
        case("lost", "none"),
    ]
    (tmp_path / "suites" / "mine.json").write_text(echo(*cases), encoding="utf-8")
    return tmp_path


def test_each_case_is_a_test_with_its_block(folder: Path) -> None:
    ran = run(folder, "suites", "-rs")
    assert ran.returncode == 1
    assert "bad: The promise of bad" in ran.stdout
    assert "error[value-differs]" in ran.stdout
    assert "rerun   evalkit run suites/mine.json --case bad" in ran.stdout
    assert "declared: not yet" in ran.stdout
    assert "2 failed, 1 passed, 1 skipped" in ran.stdout


def test_nothing_is_collected_unasked(folder: Path) -> None:
    assert run(folder, "suites", plugin=False).returncode == 5


def test_cases_are_chosen_by_name_or_tag(folder: Path) -> None:
    assert "1 passed, 3 deselected" in run(folder, "suites", "-k", "quick").stdout
    assert "1 passed" in run(folder, "suites/mine.json::good").stdout


def test_a_folder_is_one_suite(folder: Path) -> None:
    whole = folder / "suites" / "whole"
    whole.mkdir()
    head = json.loads(echo(said("a")))
    cases = head.pop("cases")
    (whole / "suite.yaml").write_text(json.dumps(head), encoding="utf-8")
    (whole / "part.yaml").write_text(json.dumps({"cases": cases}), encoding="utf-8")
    assert "1 passed" in run(folder, "suites/whole").stdout


def test_a_suite_that_does_not_load_is_an_error_with_its_place(folder: Path) -> None:
    (folder / "suites" / "mine.json").write_text(echo({"id": "a"}), encoding="utf-8")
    ran = run(folder, "suites")
    assert ran.returncode == 2
    assert "suites/mine.json:" in ran.stdout


def test_files_elsewhere_are_collected_only_where_they_are_named(folder: Path) -> None:
    (folder / "other.json").write_text(echo(said("good")), encoding="utf-8")
    assert "1 passed" in run(folder, "other.json").stdout
    assert "other.json" not in run(folder, "--collect-only", "-q").stdout


def test_a_case_that_ends_its_process_fails_alone(tmp_path: Path) -> None:
    with_subjects(tmp_path)
    (tmp_path / "mine.json").write_text(suite(case("a", "ends_its_process"), case("b")), encoding="utf-8")
    ran = run(tmp_path, "mine.json")
    assert "1 failed, 1 passed" in ran.stdout
