"""What a command imports, and that its help comes first and fast."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import pytest

from evalkit.commands import COMMANDS
from tests.commands.door import EVALKIT, ROOT, echo, evalkit, forked, said

PROGRAM = """
import sys
before = set(sys.modules)
from evalkit.cli import main
code = main(sys.argv[1:])
print(*sorted(set(sys.modules) - before), file=sys.stderr)
sys.exit(code)
"""


def imported(folder: Path, *words: str) -> set[str]:
    """The modules that a command imports beyond those of an empty program."""
    command = [sys.executable, "-c", PROGRAM, *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0
    return set(ran.stderr.splitlines()[-1].split())


def test_help_imports_nothing_but_itself(tmp_path: Path) -> None:
    assert imported(tmp_path, "--help") == {"__future__", "evalkit", "evalkit.cli", "evalkit.commands"}


def test_a_check_imports_neither_a_client_nor_an_event_loop_nor_a_contract(tmp_path: Path) -> None:
    found = imported(ROOT, "check", "suites/agent_context")
    assert "evalkit.loader" in found
    strange = {"httpx", "asyncio", "rich", "evalkit.runner", "evalkit.engine", "multiprocessing", "ssl"}
    assert not found & strange
    assert not {name for name in found if name.startswith("evalkit.contracts.")}


def test_a_run_imports_only_the_contract_and_the_format_that_it_uses(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(echo(said("one")), encoding="utf-8")
    found = imported(tmp_path, "run", "s.json")
    assert "evalkit.contracts.echo" in found
    assert not found & {"httpx", "asyncio", "rich", "yaml", "multiprocessing", "shtab"}
    assert not found & {"evalkit.live", "evalkit.targets", "evalkit.evaluation", "http.client", "starlette"}
    assert not {name for name in found if name.startswith("evalkit.contracts.agent_context")}
    assert not {name for name in found if name.startswith("evalkit.reporters.")} - {"evalkit.reporters.json"}


def test_help_starts_within_a_few_times_what_python_takes(tmp_path: Path) -> None:
    ratios = []
    for _ in range(5):
        ratios.append(seconds(*EVALKIT, "--help") / seconds(sys.executable, "-c", "pass"))
        if ratios[-1] <= 6:
            return
    pytest.fail(f"evalkit --help took {ratios} times as long as `python -c pass`")


def seconds(*command: str) -> float:
    """The shortest of three: others use the machine too."""
    times = []
    for _ in range(3):
        began = perf_counter()
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=60)
        times.append(perf_counter() - began)
    return min(times)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_shows_an_example_first(name: str, tmp_path: Path) -> None:
    ran = forked(tmp_path, name, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"usage: evalkit {name} ")
    assert not ran.out.splitlines()[0].endswith("[-h]")


def test_the_help_of_eval_shows_its_own_name(tmp_path: Path) -> None:
    ran = forked(tmp_path, "eval:agent-context", "--help")
    assert ran.out.startswith("usage: evalkit eval:agent-context --failure-threshold 0\n")


def test_help_names_every_command_and_every_exit_code(tmp_path: Path) -> None:
    for word in ("--help", "-h", "help"):
        ran = forked(tmp_path, word)
        assert (ran.code, ran.err) == (0, "")
        assert all(f"\n  {name} " in ran.out for name in COMMANDS)
    assert evalkit(tmp_path, "--version").out.startswith("evalkit 0.")


def test_no_command_at_all_is_no_success(tmp_path: Path) -> None:
    assert forked(tmp_path).code == 2
