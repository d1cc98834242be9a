"""The same inputs give the same report, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.door import ROOT, Json, Ran, echo, evalkit, forked, said

pytestmark = pytest.mark.slow

SHIPPED = ("eval:agent-context", "--failure-threshold", "0")
BAD = [said(f"case-{n}", "goodbye" if n % 7 == 3 else "hello") for n in range(30)]


@pytest.fixture(scope="module")
def shipped() -> Ran:
    return evalkit(ROOT, *SHIPPED)


def test_the_shipped_suite_finds_nothing_to_complain_of(shipped: Ran) -> None:
    assert (shipped.code, shipped.report["counts"]["fail"], shipped.report["counts"]["error"]) == (0, 0, 0)
    assert shipped.report["counts"]["pass"] >= 150


@pytest.mark.parametrize("flags", [["--jobs", "2"], ["--jobs", "3", "--shuffle", "11"]])
def test_neither_workers_nor_order_change_a_byte(flags: list[str], shipped: Ran) -> None:
    assert forked(ROOT, *SHIPPED, *flags).out == shipped.out


@pytest.mark.parametrize("seed", ["0", "1"])
def test_neither_the_seed_of_hashes_nor_the_working_folder_changes_a_byte(
    seed: str, tmp_path: Path, shipped: Ran
) -> None:
    folder = tmp_path if seed == "0" else Path("/")
    assert evalkit(folder, *SHIPPED, PYTHONHASHSEED=seed).out == shipped.out


def test_a_report_names_neither_the_machine_nor_its_folders(tmp_path: Path, shipped: Ran) -> None:
    (tmp_path / "s.yaml").write_text(echo(*BAD), encoding="utf-8")
    ran = forked(tmp_path, "run", str(tmp_path / "s.yaml"))
    assert str(tmp_path) not in ran.out + ran.err
    assert str(ROOT) not in shipped.out + shipped.err


def test_failures_are_the_same_bytes_too(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(echo(*BAD), encoding="utf-8")
    (tmp_path / "t.yaml").write_text(echo(*BAD, name="t"), encoding="utf-8")
    runs = [forked(tmp_path, "run", "s.yaml", "t.yaml", "--jobs", jobs) for jobs in ("1", "2", "3")]
    assert {ran.out for ran in runs} == {runs[0].out}
    assert runs[0].report["counts"] == {"pass": 52, "fail": 8, "error": 0, "skip": 0}


def without_timing(report: Json) -> Json:
    return {key: value for key, value in report.items() if key != "timing"}


def test_timings_are_the_only_part_that_differs(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(echo(*BAD), encoding="utf-8")
    plain = forked(tmp_path, "run", "s.yaml").report
    timed = [forked(tmp_path, "run", "s.yaml", "--timings").report for _ in range(2)]
    assert [without_timing(one) for one in timed] == [plain, plain]
    assert timed[0]["timing"].keys() == {"started", "milliseconds", "cases"}
    assert len(timed[0]["timing"]["cases"]) == 30


def test_the_digest_changes_when_a_finding_does(tmp_path: Path) -> None:
    digests = []
    for text in ("hello", "goodbye", "farewell"):
        (tmp_path / "s.yaml").write_text(echo(said("one", text)), encoding="utf-8")
        digests.append(forked(tmp_path, "run", "s.yaml").report["digest"])
    assert len(set(digests)) == 3


def test_a_day_stands_in_the_report_only_where_a_skip_has_one(tmp_path: Path) -> None:
    skipped = said("one", skip={"reason": "later", "until": "2999-12-31"})
    (tmp_path / "s.yaml").write_text(echo(skipped, said("two")), encoding="utf-8")
    assert "today" in forked(tmp_path, "run", "s.yaml").report
    (tmp_path / "t.yaml").write_text(echo(said("two")), encoding="utf-8")
    assert "today" not in forked(tmp_path, "run", "t.yaml").report
    assert "2999" not in json.dumps(forked(tmp_path, "run", "t.yaml").report)
