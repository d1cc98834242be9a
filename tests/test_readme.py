"""The README's examples do what it says they do."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with every file that the README shows."""
    for name, text in re.findall(r"^```\w+ (\S+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def evalkit(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "evalkit", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_the_suite_in_ten_lines_passes(folder: Path) -> None:
    ran = evalkit(folder, "run", "hello.yaml")
    assert (ran.returncode, json.loads(ran.stdout)["counts"]["pass"]) == (0, 1)
    assert len((folder / "hello.yaml").read_text().splitlines()) <= 11


def test_the_example_fails_as_shown_and_passes_when_mended(folder: Path) -> None:
    shown = re.search(r"^```console\n\$ evalkit (.*?)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert shown
    ran = evalkit(folder, *shown[1].split())
    assert (ran.stdout, ran.returncode) == (shown[2], 1)
    contract = folder / "weather.py"
    mended = contract.read_text().replace("str(output)", "__import__('json').dumps(output)")
    contract.write_text(mended, encoding="utf-8")
    assert evalkit(folder, "run", "weather.yaml").returncode == 0


def test_every_link_leads_to_a_file() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (Path(__file__).parents[1] / target).exists(), target


def test_every_exit_code_and_command_is_in_the_readme() -> None:
    from evalkit.commands import COMMANDS  # beside the text that it is held against
    from evalkit.gate import EXITS  # as above

    assert all(f"| {code} | {name} |" in README for code, name in EXITS.items() if code < 128)
    assert all(f"`evalkit {name}" in README for name in COMMANDS)
