"""What a contract does to its case or to its import happens to nobody else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.commands.door import Ran, case, echo, evalkit, forked, said, suite, with_subjects

STRANGE: Mapping[str, tuple[str, str]] = {
    "raises": ("contract-raised", "RuntimeError: not today (subjects.py:"),
    "swallows": ("timeout", "no answer within 0.2 s"),
    "stops_in_c": ("timeout", "no answer within 0.2 s"),
    "gives_a_set": ("not-json", "a set at toolResult.structuredContent.said"),
    "gives_nan": ("not-json", "nan at toolResult.structuredContent.said"),
    "prints": ("printed", "noise"),
    "writes": ("printed", "noise"),
    "writes_in_c": ("printed", "noise"),
    "closes_output": ("printed", "closed"),
    "leaves": ("contract-raised", "SystemExit"),
    "ends_its_process": ("contract-exited", "exit code 0"),
    "crashes": ("contract-exited", "SIGSEGV"),
    "kills_itself": ("contract-exited", "SIGKILL"),
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """One run of every strange case, each with a good one behind it."""
    folder = with_subjects(tmp_path_factory.mktemp("strange"))
    pairs = [(case(tool, tool), case(f"after-{tool}")) for tool in STRANGE]
    cases = [one for pair in pairs for one in pair]
    text = suite(*cases, defaults={"fixture": {}, "timeout": 0.2})
    (folder / "s.yaml").write_text(text, encoding="utf-8")
    return evalkit(folder, "run", "s.yaml")


@pytest.mark.parametrize("tool", STRANGE)
def test_a_strange_answer_is_an_error_of_its_own_case_and_of_no_other(tool: str, ran: Ran) -> None:
    (found,) = (one for one in ran.report["cases"] if one["id"] == tool)
    code, told = STRANGE[tool]
    assert (found["status"], found["errorCode"]) == ("error", code)
    assert told in found["error"]
    assert ran.statuses[f"after-{tool}"] == "pass"


def test_whatever_they_did_all_cases_are_told_in_one_json_document(ran: Ran) -> None:
    assert ran.code == 1
    assert ran.report["counts"] == {"pass": len(STRANGE), "fail": 0, "error": len(STRANGE), "skip": 0}
    assert "noise" not in ran.err


# ── the import ───────────────────────────────────────────────────────────────────────────────────

NEVER_IMPORTED = {
    "raises": ("raise RuntimeError('not today')", "RuntimeError: not today"),
    "lacks a module": ("import no_such_module", "No module named 'no_such_module'"),
    "is no Python": ("def", "SyntaxError"),
    "lacks the name": ("", "has no attribute 'open_subject'"),
    "leaves": ("import sys; sys.exit(0)", "SystemExit: 0"),
    "ends its process": ("import os; os._exit(0)", "its process ended with exit code 0"),
    "crashes": ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
}


@pytest.mark.parametrize("way", NEVER_IMPORTED)
def test_a_contract_that_cannot_be_imported_is_three_with_a_refusal(way: str, tmp_path: Path) -> None:
    text, told = NEVER_IMPORTED[way]
    (tmp_path / "subjects.py").write_text(text, encoding="utf-8")
    (tmp_path / "s.yaml").write_text(suite(case("one")), encoding="utf-8")
    ran = forked(tmp_path, "run", "s.yaml")
    assert ran.code == 3
    assert told in ran.report["error"]
    assert ran.report["error"].count("could not be imported") == 1
    assert ran.report["errors"] == []
    assert str(tmp_path) not in ran.out


def test_an_import_that_takes_the_whole_time_of_the_run_ends_with_it(tmp_path: Path) -> None:
    stubborn = (
        "import time\nwhile True:\n    try:\n        time.sleep(60)\n    except BaseException:\n        pass"
    )
    (tmp_path / "subjects.py").write_text(stubborn, encoding="utf-8")
    (tmp_path / "s.yaml").write_text(suite(case("one")), encoding="utf-8")
    ran = forked(tmp_path, "run", "s.yaml", "--timeout", "0.3")
    assert (ran.code, ran.report["stopReason"], ran.report["cases"]) == (4, "time", [])


@pytest.mark.slow
def test_an_import_that_never_ends_is_three_after_half_a_minute(tmp_path: Path) -> None:
    (tmp_path / "subjects.py").write_text(
        "while True:\n    try:\n        input\n    except: 0", encoding="utf-8"
    )
    (tmp_path / "s.yaml").write_text(suite(case("one")), encoding="utf-8")
    ran = forked(tmp_path, "run", "s.yaml")
    assert ran.code == 3
    assert "no answer within 30 s" in ran.report["error"]


NOISY = """
import ctypes, os
print("noise")
os.write(1, b"noise")
ctypes.CDLL(None).puts(b"noise that is written when the process ends")
"""


def test_what_an_import_prints_stays_out_of_the_report(tmp_path: Path) -> None:
    with_subjects(tmp_path)
    with (tmp_path / "subjects.py").open("a", encoding="utf-8") as file:
        file.write(NOISY)
    (tmp_path / "s.yaml").write_text(suite(case("one"), case("two")), encoding="utf-8")
    ran = evalkit(tmp_path, "run", "s.yaml")
    assert set(ran.statuses.values()) <= {"pass", "error"}
    assert json.loads(ran.out)["counts"]["error"] <= 1
    assert "noise" in ran.err


LINGERING = """
import atexit, os, threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
atexit.register(os._exit, 0)
"""


def test_what_an_import_leaves_to_be_done_at_the_end_neither_delays_nor_changes_it(tmp_path: Path) -> None:
    with_subjects(tmp_path)
    with (tmp_path / "subjects.py").open("a", encoding="utf-8") as file:
        file.write(LINGERING)
    (tmp_path / "s.yaml").write_text(suite(case("one", "bad")), encoding="utf-8")
    assert evalkit(tmp_path, "run", "s.yaml").code == 1


def test_a_contract_is_imported_from_the_working_folder_by_its_name(tmp_path: Path) -> None:
    with_subjects(tmp_path)
    (tmp_path / "s.yaml").write_text(suite(case("one")), encoding="utf-8")
    assert forked(tmp_path, "run", "s.yaml").code == 0


def test_cases_of_contracts_that_can_be_imported_are_not_run_beside_one_that_cannot(tmp_path: Path) -> None:
    (tmp_path / "subjects.py").write_text("raise RuntimeError", encoding="utf-8")
    (tmp_path / "bad.yaml").write_text(suite(case("one")), encoding="utf-8")
    (tmp_path / "good.yaml").write_text(echo(said("one"), name="good"), encoding="utf-8")
    ran = forked(tmp_path, "run", "good.yaml", "bad.yaml")
    assert (ran.code, "cases" in ran.report) == (3, False)


# ── rows that the contract advertises ────────────────────────────────────────────────────────────

EACH = {"tool": {"each": "manifest.tools", "key": "name"}}


def test_a_row_is_made_for_each_tool_that_the_contract_advertises(tmp_path: Path) -> None:
    with_subjects(tmp_path)
    rows = case("each", "${{ matrix.tool.name }}", matrix=EACH)
    (tmp_path / "s.yaml").write_text(suite(rows), encoding="utf-8")
    assert forked(tmp_path, "run", "s.yaml").statuses == {"each[tool=good]": "pass", "each[tool=bad]": "fail"}


def test_a_contract_that_gives_no_manifest_to_make_rows_of_is_three(tmp_path: Path) -> None:
    with_subjects(tmp_path)
    with (tmp_path / "subjects.py").open("a", encoding="utf-8") as file:
        file.write("\nStrange.manifest = Strange.ends_its_process\n")
    rows = case("each", "${{ matrix.tool.name }}", matrix=EACH)
    (tmp_path / "s.yaml").write_text(suite(rows), encoding="utf-8")
    ran = forked(tmp_path, "run", "s.yaml")
    assert ran.code == 3
    assert "was asked for its manifest: its process ended with exit code 0" in ran.report["error"]
