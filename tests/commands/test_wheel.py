"""What is installed from a wheel holds everything that a run reads."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.commands.door import ROOT, Ran, evalkit, forked

NEEDED = {
    "evalkit/report.schema.json",
    "evalkit/contracts/echo.schema.json",
    "evalkit/contracts/agent_context/fixture.schema.json",
    "evalkit/suites/suite.schema.json",
    "evalkit/suites/agent_context/suite.yaml",
}


@pytest.mark.slow
def test_a_wheel_runs_the_shipped_suites_as_the_checkout_does(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="hatchling builds the wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        archive.extractall(tmp_path / "installed")
    assert names >= NEEDED
    own = {path.relative_to(ROOT).as_posix() for path in (ROOT / "evalkit").rglob("*.py")}
    assert own <= names
    assert {f"evalkit/{path.relative_to(ROOT).as_posix()}" for path in ROOT.glob("suites/*/*.yaml")} <= names
    ran = installed(tmp_path, "eval:agent-context")
    assert (ran.code, ran.out) == (0, forked(tmp_path, "eval:agent-context").out)
    assert installed(tmp_path, "list").out == "suites/agent_context\nsuites/scriba\n"


def installed(folder: Path, *words: str) -> Ran:
    return evalkit(folder, *words, PYTHONPATH=str(folder / "installed"))
