"""`evalkit audit`: what it calls, what it tells, and how it ends."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.commands.door import Ran, evalkit

pytestmark = pytest.mark.slow

SERVER = """
import json, os, sys
TOOLS = [
    {"name": "look", "annotations": {"readOnlyHint": True}, "inputSchema": {"type": "object"}},
    {"name": "wipe", "annotations": {"readOnlyHint": False}, "inputSchema": {"type": "object"}},
    {"name": "quiet", "inputSchema": {"type": "object"}},
]
for line in sys.stdin:
    asked = json.loads(line)
    if not isinstance(asked, dict) or "id" not in asked:
        continue
    method, params = asked.get("method"), asked.get("params", {})
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    known = {"initialize": about, "tools/list": {"tools": TOOLS}, "ping": {}}
    if method == "tools/call" and params["name"] in [tool["name"] for tool in TOOLS]:
        with open("called.txt", "a") as file:
            file.write(params["name"] + chr(10))
        told = {"result": {"content": [{"type": "text", "text": str(dict(os.environ))}]}}
    elif method in known:
        told = {"result": known[method]}
    else:
        told = {"error": {"code": -32601 if method != "tools/call" else -32602, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}), flush=True)
"""
TARGET = f"stdio:{shlex.quote(sys.executable)} server.py"


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path) -> Path:
    (tmp_path / "server.py").write_text(SERVER, encoding="utf-8")
    return tmp_path


def called(folder: Path) -> set[str]:
    return set((folder / "called.txt").read_text(encoding="utf-8").split())


def codes(ran: Ran) -> set[str]:
    return {finding["code"] for case in ran.report["cases"] for finding in case["findings"]}


def test_only_what_is_declared_read_only_is_called(folder: Path) -> None:
    ran = evalkit(folder, "audit", TARGET)
    assert called(folder) == {"look"}
    skipped = {case["id"] for case in ran.report["cases"] if case["status"] == "skip"}
    assert {"call[tool=wipe]", "call[tool=quiet]", "unknown-argument[tool=quiet]"} <= skipped


def test_what_is_allowed_by_name_is_called_too(folder: Path) -> None:
    evalkit(folder, "audit", TARGET, "--allow-writes", "wipe")
    assert called(folder) == {"look", "wipe"}


def test_the_environment_that_comes_back_breaks_the_gate_and_is_not_shown(folder: Path) -> None:
    ran = evalkit(folder, "audit", TARGET, "--failure-threshold", "1000")
    assert ran.code == 1
    assert "secret-leaked" in codes(ran)
    assert "evalkit-audit-canary-5f1d0c8e" not in ran.out + ran.err


def test_a_baseline_allows_what_is_known_and_nothing_else(folder: Path) -> None:
    (folder / "server.py").write_text(SERVER.replace("str(dict(os.environ))", "'{1: 2}'"), encoding="utf-8")
    kept = ("--baseline", "known.json")
    assert evalkit(folder, "audit", TARGET, *kept, "--update-baseline").code == 0
    assert evalkit(folder, "audit", TARGET, *kept).code == 0
    worse = SERVER.replace("str(dict(os.environ))", "'{1: 2}'").replace(
        '"name": "look",', '"name": "look.at",'
    )
    (folder / "server.py").write_text(worse, encoding="utf-8")
    ran = evalkit(folder, "audit", TARGET, *kept)
    assert ran.code == 1
    assert "tool-name-portable" in codes(ran)


def test_a_server_that_cannot_start_is_one_error_with_the_end_of_what_it_said(folder: Path) -> None:
    (folder / "server.py").write_text("import sys; sys.exit('no config: server.toml')", encoding="utf-8")
    ran = evalkit(folder, "audit", TARGET)
    assert ran.code == 3
    assert "no config: server.toml" in ran.report["error"]
    assert json.loads(ran.out)["exit"]["name"] == "harness"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((TARGET, "--allow-writes", "none"), "advertises no such tool"),
        (("server.py",), "server.py"),
        ((TARGET, "--env", "EVALKIT_NO_SUCH"), "no such environment variable"),
        (('{"stdio": ',), "this is no JSON"),
    ],
)
def test_what_cannot_be_meant_is_refused(folder: Path, words: tuple[str, ...], told: str) -> None:
    ran = evalkit(folder, "audit", *words)
    assert ran.code == 2
    assert told in ran.err


def test_the_command_that_runs_one_case_again_is_an_audit(folder: Path) -> None:
    ran = evalkit(folder, "audit", TARGET, "--format", "text")
    assert f"evalkit audit {shlex.quote(TARGET)} --case" in ran.out
