"""`--baseline`: what an earlier report knows is allowed, until it is mended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.door import echo, evalkit, said

BAD = said("bad", "goodbye")
KEPT = ("--baseline", "known.json")


def write(folder: Path, *cases: object) -> None:
    (folder / "suite.yaml").write_text(echo(*cases), encoding="utf-8")


def run(folder: Path, *words: str, code: int) -> dict[str, object]:
    ran = evalkit(folder, "run", "./suite.yaml", *words)
    assert ran.code == code, ran.err
    return ran.report  # type: ignore[no-any-return]


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path) -> Path:
    """A suite with a case that fails, and a baseline that knows it."""
    write(tmp_path, said("good"), BAD)
    run(tmp_path, *KEPT, "--update-baseline", code=0)
    return tmp_path


def test_what_is_known_passes_the_gate(folder: Path) -> None:
    report = run(folder, *KEPT, code=0)
    assert report["counts"] == {"pass": 1, "fail": 0, "error": 0, "skip": 1}
    run(folder, code=1)


def test_a_new_finding_fails(folder: Path) -> None:
    write(folder, said("good", "goodbye"), BAD)
    assert run(folder, *KEPT, code=1)["counts"] == {"pass": 0, "fail": 1, "error": 0, "skip": 1}


def test_no_threshold_forgives_what_a_baseline_does_not_know(folder: Path) -> None:
    write(folder, said("good", "goodbye"), BAD)
    report = run(folder, *KEPT, "--failure-threshold", "5", code=1)
    assert {"rule": "baseline", "limit": 0, "actual": 1, "holds": False} in report["gate"]  # type: ignore[operator]


def test_an_empty_baseline_knows_nothing(folder: Path) -> None:
    write(folder, said("good"))
    run(folder, "--baseline", "clean.json", "--update-baseline", code=0)
    write(folder, said("good", "goodbye"))
    run(folder, "--baseline", "clean.json", "--failure-threshold", "5", code=1)


def test_what_is_mended_fails_until_the_baseline_says_so(folder: Path) -> None:
    write(folder, said("good"), said("bad"))
    assert [line["code"] for line in run(folder, *KEPT, code=1)["cases"][1]["findings"]] == ["baseline-stale"]  # type: ignore[index]
    run(folder, *KEPT, "--update-baseline", code=0)
    run(folder, *KEPT, code=0)


def test_a_case_that_is_gone_is_stale(folder: Path) -> None:
    write(folder, said("good"))
    ran = evalkit(folder, "run", "./suite.yaml", *KEPT)
    assert ran.code == 1
    assert {"rule": "baseline", "limit": 0, "actual": 1, "holds": False} in ran.report["gate"]
    assert "the baseline knows strange::bad, which is no case any more" in ran.err


def test_a_baseline_holds_what_failed_and_not_what_was_allowed(folder: Path) -> None:
    first = (folder / "known.json").read_text(encoding="utf-8")
    run(folder, *KEPT, "--update-baseline", code=0)
    assert (folder / "known.json").read_text(encoding="utf-8") == first
    assert json.loads(first)["counts"] == {"pass": 1, "fail": 1, "error": 0, "skip": 0}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--baseline", "none.json"), "none.json"),
        (("--update-baseline",), "without --baseline FILE"),
        ((*KEPT, "--update-baseline", "--case", "bad"), "wants the whole run"),
    ],
)
def test_a_baseline_that_cannot_be_meant_is_refused(folder: Path, words: tuple[str, ...], told: str) -> None:
    ran = evalkit(folder, "run", "./suite.yaml", *words)
    assert ran.code == 2
    assert told in ran.err
