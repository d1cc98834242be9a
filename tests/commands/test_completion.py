"""`evalkit completion`: a script for each shell."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from evalkit.commands import COMMANDS
from tests.commands.door import forked

CHECKS = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "tcsh": ["tcsh", "-n"]}


@pytest.mark.parametrize("shell", CHECKS)
def test_a_script_knows_every_command_and_can_be_read_by_its_shell(shell: str, tmp_path: Path) -> None:
    ran = forked(tmp_path, "completion", shell)
    assert (ran.code, ran.err) == (0, "")
    assert all(name in ran.out for name in COMMANDS)
    assert "--failure-threshold" in ran.out or shell == "tcsh"  # where only the first word is completed
    (tmp_path / "script").write_text(ran.out, encoding="utf-8")
    if shutil.which(shell):
        subprocess.run([*CHECKS[shell], str(tmp_path / "script")], check=True, timeout=60)


def test_an_unknown_shell_is_told_with_those_that_are_known(tmp_path: Path) -> None:
    ran = forked(tmp_path, "completion", "ksh")
    assert (ran.code, ran.out) == (2, "")
    assert "'ksh' is not known" in ran.err
