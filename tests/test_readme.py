"""The README's examples do what it says they do, and what it and the contract's README point to exists."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

Json = Any

ROOT: Final = Path(__file__).parents[1]
README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRACT: Final = ROOT / "evalkit/contracts/agent_context/README.md"
SCRIBA: Final = ROOT / "evalkit/contracts/scriba/README.md"
DOCUMENTS: Final = (ROOT / "README.md", CONTRACT, SCRIBA, *sorted((ROOT / "docs").glob("*.md")))
PRINTED: Final = "127.0.0.1:5555"
"""Where the README's server listens, and what a test replaces."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with every file that the README shows."""
    for name, text in re.findall(r"^```\w+ (\S+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def evalkit(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "evalkit", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def shell_blocks(holding: str) -> list[str]:
    """The blocks of commands in the README that hold a text."""
    blocks = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    return [block for block in blocks if holding in block]


@contextmanager
def served(folder: Path, command: str) -> Iterator[str]:
    """Host and port of the server that a printed command starts, on any port that is free."""
    words = command.split()
    assert words[0] == "evalkit"
    process = subprocess.Popen(
        [sys.executable, "-m", *words, "--port", "0"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout
        told = re.search(r"http://(127\.0\.0\.1:\d+)/", process.stdout.readline())
        assert told, "the server did not start"
        yield told[1]
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


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


@pytest.mark.skipif(not (shutil.which("bash") and shutil.which("curl")), reason="it needs bash and curl")
def test_the_curl_session_works_as_printed(folder: Path) -> None:
    (start,) = shell_blocks("--demo")
    (session,) = shell_blocks("curl")
    assert session.count(PRINTED) == 1
    with served(folder, start) as place:
        command = ["bash", "-euc", session.replace(PRINTED, place)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    listed, found, first, second, manifest = map(json.loads, ran.stdout.splitlines())
    assert len(listed["result"]["tools"]) == 27
    (item,) = found["result"]["structuredContent"]["items"]
    assert "balcony" in item["summary"].lower()
    assert told(first) == (False, "completed", "agent-mcp:ferns-1")
    assert told(second) == (True, "completed", "agent-mcp:ferns-1")
    assert written(second) == written(first)
    assert (manifest["kind"], manifest["enabled"]) == ("portos-agent-context", True)


def told(answer: Json) -> tuple[bool, str, str]:
    result = answer["result"]["structuredContent"]
    return result["duplicate"], result["state"], result["requestId"]


def written(answer: Json) -> str:
    identifier: str = answer["result"]["structuredContent"]["result"]["id"]
    return identifier


def test_the_live_suite_passes_against_the_server_that_is_printed(folder: Path) -> None:
    (start,) = shell_blocks("--demo")
    suite = folder / "live.yaml"
    text = suite.read_text(encoding="utf-8")
    assert text.count(PRINTED) == 1
    with served(folder, start) as place:
        suite.write_text(text.replace(PRINTED, place), encoding="utf-8")
        ran = evalkit(folder, "run", "live.yaml")
    assert (ran.returncode, json.loads(ran.stdout)["counts"]["pass"]) == (0, 1)


def test_a_case_of_the_shipped_suite_runs_live_as_printed(folder: Path) -> None:
    (start,) = shell_blocks("--accept-fixtures")
    (run,) = shell_blocks("--target")
    words = run.replace("\\\n", " ").split()
    with served(folder, start) as place:
        words = [word.replace(PRINTED, place) for word in words]
        ran = evalkit(folder, *words[1:], "--case", "s-capture", "--case", "j-batch")
    assert ran.returncode == 0, ran.stdout
    assert {case["over"] for case in json.loads(ran.stdout)["cases"]} == {"mcp"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), target


def test_every_exit_code_and_command_is_in_the_readme() -> None:
    from evalkit.commands import COMMANDS  # beside the text that it is held against
    from evalkit.gate import EXITS  # as above

    assert all(f"| {code} | {name} |" in README for code, name in EXITS.items() if code < 128)
    assert all(f"`evalkit {name}" in README for name in COMMANDS)


def test_every_flag_of_the_server_is_in_its_document() -> None:
    from evalkit.commands.serve import parser  # beside the text that it is held against

    text = (ROOT / "docs/serving.md").read_text(encoding="utf-8")
    flags = {flag for action in parser()._actions for flag in action.option_strings} - {"-h", "--help"}
    assert {flag for flag in flags if not re.search(rf"^\| `{flag}\b", text, re.MULTILINE)} == set()


def test_every_difference_is_shown_by_a_case_or_test_that_exists() -> None:
    section = CONTRACT.read_text(encoding="utf-8").partition("## Where it differs")[2].partition("###")[0]
    rows = re.findall(r"^\| .* \| ([^|]+) \|$", section, re.MULTILINE)[1:]
    prose = re.findall(r"`(test_\w+)`", section)
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row)} | set(prose)
    assert all("`" in row for row in rows)
    assert len(rows) > 40
    assert {name for name in named if name.partition("[")[0] not in known_names()} == set()


def test_every_quirk_and_choice_of_scriba_is_shown_by_a_case_or_test_that_exists() -> None:
    section = SCRIBA.read_text(encoding="utf-8").partition("## Quirks that are kept")[2]
    rows = re.findall(r"^\| .* \| ([^|]+) \|$", section, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert len(named) > 25
    assert named - known_names() == set()


def known_names() -> set[str]:
    """The ids of the shipped cases, and the names of the tests."""
    suites = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "suites").rglob("*.yaml"))
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    return {*re.findall(r"^  - id: (\S+)", suites, re.MULTILINE), *re.findall(r"def (test_\w+)", tests)}
