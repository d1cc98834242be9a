"""Each exit code, with its report on standard output."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.commands.door import EXIT_NAMES, ROOT, Json, Ran, echo, evalkit, forked, said

GOOD = said("good")
BAD = said("bad", "goodbye")
SKIPPED = said("skipped", skip="not today")


def run(folder: Path, cases: Sequence[Json], *words: str, **head: Json) -> Ran:
    (folder / "s.yaml").write_text(echo(*cases, **head), encoding="utf-8")
    return forked(folder, "run", "s.yaml", *words)


@pytest.mark.parametrize(
    ("cases", "words", "code"),
    [
        ([GOOD], [], 0),
        ([GOOD, SKIPPED], [], 0),
        ([GOOD, BAD], [], 1),
        ([GOOD, BAD], ["--failure-threshold", "1"], 0),
        ([GOOD, BAD, said("worse", "goodbye")], ["--failure-threshold=1"], 1),
        ([SKIPPED], [], 5),
        ([GOOD], ["--tag", "none-has-it"], 5),
        ([BAD, GOOD], ["--timeout", "0.000001"], 4),
    ],
)
def test_a_verdict_has_its_exit_code(
    cases: Sequence[Json], words: Sequence[str], code: int, tmp_path: Path
) -> None:
    ran = run(tmp_path, cases, *words)
    assert ran.code == code
    assert ran.report["exit"] == {"code": code, "name": EXIT_NAMES[code]}
    assert ran.report["complete"] is (code != 4)


def test_a_broken_line_of_the_suite_s_own_gate_is_one(tmp_path: Path) -> None:
    ran = run(tmp_path, [GOOD, SKIPPED], gate={"maxSkips": 0})
    assert (ran.code, [line["rule"] for line in ran.report["gate"] if not line["holds"]]) == (1, ["maxSkips"])


def test_a_leak_is_one_whatever_the_threshold(tmp_path: Path) -> None:
    vault = {"voices": {"plain": {"$secret": "the vault opens at nine"}}}
    ran = run(tmp_path, [said("leaking", fixture=vault, expect={"isError": False})], "--failure-threshold=9")
    assert (ran.code, ran.statuses) == (1, {"leaking": "fail"})
    assert "the vault opens" not in ran.out + ran.err


def test_wrong_usage_is_two_before_anything_else(tmp_path: Path) -> None:
    ran = run(tmp_path, [BAD], "--timeout", "0.000001", "--output", "/dev/full", "--jobs", "none")
    assert (ran.code, ran.report["passed"]) == (2, False)


def test_an_output_that_cannot_be_written_comes_before_time_and_failures(tmp_path: Path) -> None:
    ran = run(tmp_path, [BAD], "--timeout", "0.000001", "--output", "no/such/folder.json")
    assert (ran.code, ran.report["stopReason"]) == (3, "time")


def test_time_comes_before_nothing_ran(tmp_path: Path) -> None:
    assert run(tmp_path, [SKIPPED, GOOD], "--timeout", "0.000001").code == 4


def broken(folder: Path, code: str) -> Ran:
    """Run a good suite in an interpreter that did something strange at its start."""
    (folder / "sitecustomize.py").write_text(code, encoding="utf-8")
    (folder / "s.yaml").write_text(echo(GOOD), encoding="utf-8")
    return evalkit(folder, "run", "s.yaml", PYTHONPATH=f"{folder}{os.pathsep}{ROOT}")


def test_lost_workers_are_four(tmp_path: Path) -> None:
    ran = broken(
        tmp_path, "import os\ndef fork():\n    raise OSError(11, 'no more processes')\nos.fork = fork"
    )
    assert (ran.code, ran.report["stopReason"], ran.report["cases"]) == (4, "worker-lost", [])
    assert "no more processes" in ran.err


def test_a_fault_of_evalkit_itself_is_three_and_never_python_s_own_one(tmp_path: Path) -> None:
    ran = broken(tmp_path, "import evalkit.gate as gate\ngate.judge = lambda *words, **more: 1 / 0")
    assert (ran.code, ran.report["errors"]) == (3, [])
    assert "a fault of evalkit itself: ZeroDivisionError" in ran.report["error"]
    assert "Traceback" in ran.err


def test_an_installation_with_a_part_missing_is_three(tmp_path: Path) -> None:
    ran = broken(tmp_path, "import sys\nsys.modules['msgspec'] = None")
    assert (ran.code, ran.out) == (3, "")
    assert "msgspec" in ran.err
    assert "Traceback" not in ran.err
