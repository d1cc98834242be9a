"""What other projects' CI takes from this repository: the action, and the hook for pre-commit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.commands.door import ROOT, echo, said

ACTION: Any = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS: Any = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


class Ran(NamedTuple):
    """How the run step ended: what it printed, the job's summary, its outputs."""

    code: int
    out: str
    summary: str
    outputs: str


def act(folder: Path, **inputs: str) -> Ran:
    """The run step, as a runner starts it."""
    (summary, outputs) = (folder / "summary.md", folder / "outputs")
    summary.write_text("before\n", encoding="utf-8")
    outputs.write_text("", encoding="utf-8")
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(folder),
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_OUTPUT": str(outputs),
        **{f"EVALKIT_{name.upper()}": value for name, value in inputs.items()},
    }
    ran = subprocess.run(
        ["bash", str(ROOT / "action.sh")],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout, summary.read_text("utf-8"), outputs.read_text("utf-8"))


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path) -> Path:
    (tmp_path / "my suite.yaml").write_text(echo(said("good"), said("bad", "goodbye")), encoding="utf-8")
    return tmp_path


def test_the_run_step_is_the_script_and_takes_every_input_as_a_variable() -> None:
    (step,) = [step for step in ACTION["runs"]["steps"] if step.get("id") == "run"]
    assert step["run"] == 'bash "$GITHUB_ACTION_PATH/action.sh"'
    read = {name for name in step["env"] if f"${{{name}:-}}" in (ROOT / "action.sh").read_text("utf-8")}
    assert read == set(step["env"])
    for one in ACTION["runs"]["steps"]:
        assert "${{" not in one.get("run", ""), "an input in a script's text would be code"


def test_a_failing_case_is_annotated_summed_up_and_kept(folder: Path) -> None:
    ran = act(folder, suite="./my suite.yaml")
    assert ran.code == 1
    assert ran.out.startswith("::error file=my suite.yaml,line=")
    assert ran.summary.startswith("before\n## evalkit: not passed")
    assert ran.outputs == f"report={folder}/evalkit-report.json\n"
    assert (folder / "evalkit-report.json").is_file()


def test_the_threshold_decides(folder: Path) -> None:
    assert act(folder, suite="./my suite.yaml", threshold="1").code == 0


def test_further_words_come_one_a_line(folder: Path) -> None:
    assert act(folder, suite="./my suite.yaml", args="--case\ngood\n").code == 0


def test_a_suite_that_does_not_load_is_annotated_and_leaves_no_report(folder: Path) -> None:
    (folder / "my suite.yaml").write_text("name: [", encoding="utf-8")
    ran = act(folder, suite="./my suite.yaml")
    assert ran.code == 2
    assert "::error file=my suite.yaml,line=1" in ran.out
    assert ran.outputs == ""


def test_a_target_alone_is_audited(folder: Path) -> None:
    ran = act(folder, target="stdio:no-such-program-anywhere")
    assert ran.code == 3
    assert "no-such-program-anywhere" in ran.out


def test_the_hook_runs_a_command_that_is_there(folder: Path) -> None:
    (hook,) = HOOKS
    assert {"id", "name", "entry", "language"} <= hook.keys()
    suites = folder / "suites"
    suites.mkdir()
    (suites / "a.yaml").write_text("name: [", encoding="utf-8")
    program, *words = hook["entry"].split()
    argv = [str(Path(sys.executable).parent / program), *words]
    ran = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 2
    assert "suites/a.yaml:" in ran.stderr
