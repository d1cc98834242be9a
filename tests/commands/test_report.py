"""`evalkit report`: a saved report in another format, and nothing that is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.door import Json, echo, forked, said


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Json:
    folder = tmp_path_factory.mktemp("saved")
    (folder / "s.yaml").write_text(echo(said("good"), said("bad", "goodbye")), encoding="utf-8")
    return forked(folder, "run", "s.yaml").report


def test_the_verdict_of_a_report_is_not_that_of_showing_it(saved: Json, tmp_path: Path) -> None:
    (tmp_path / "saved.json").write_text(json.dumps(saved), encoding="utf-8")
    ran = forked(tmp_path, "report", "saved.json")
    assert (ran.code, ran.err) == (0, "")
    assert "exit 1 threshold-exceeded" in ran.out


def test_a_refused_run_can_be_shown_too(tmp_path: Path) -> None:
    (tmp_path / "saved.json").write_text(forked(tmp_path, "run", "none.yaml").out, encoding="utf-8")
    ran = forked(tmp_path, "report", "saved.json", "--format", "junit")
    assert (ran.code, "missing-file" in ran.out) == (0, True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", "this is no JSON"),
        (b"\xff\xfe{\x00}\x00", "no report of evalkit"),
        (b"\x00\xff\x00", "this is no JSON"),
        (b"[" * 100_000, "this is no JSON"),
        (b'{"kind": NaN}', "this is no JSON"),
        (b"[]", "no report of evalkit"),
        (b'{"kind": "another-report", "cases": []}', "no report of evalkit"),
        (None, "No such file or directory"),
    ],
)
def test_a_file_that_is_no_report_is_refused(text: bytes | None, told: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "saved.json").write_bytes(text)
    ran = forked(tmp_path, "report", "saved.json")
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert len(ran.err.splitlines()) == 1
    assert "saved.json" in ran.err


@pytest.mark.parametrize("key", ["cases", "exit", "counts", "digest", "reportVersion"])
def test_a_report_with_a_part_missing_is_refused(key: str, saved: Json, tmp_path: Path) -> None:
    broken = {name: value for name, value in saved.items() if name != key}
    (tmp_path / "saved.json").write_text(json.dumps(broken), encoding="utf-8")
    assert forked(tmp_path, "report", "saved.json").code == 2


def test_a_report_that_calls_a_failure_passed_is_refused(saved: Json, tmp_path: Path) -> None:
    (tmp_path / "saved.json").write_text(json.dumps({**saved, "passed": True}), encoding="utf-8")
    assert forked(tmp_path, "report", "saved.json").code == 2
