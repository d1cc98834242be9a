"""`evalkit record` and `--target recording:FILE`: a server that need not be there, and no guesses."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands.door import evalkit

pytestmark = pytest.mark.slow

SERVER = """
import itertools, json, os, sys
TOOLS = [{"name": "clock", "inputSchema": {"type": "object"}, "description": os.environ.get("TOKEN", "")}]
count = itertools.count()
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    known = {"initialize": lambda: about, "tools/list": lambda: {"tools": TOOLS}}
    call = lambda: {
        "content": [{"type": "text", "text": os.environ.get("TOKEN", "")}],
        "structuredContent": {"at": next(count), "args": asked["params"].get("arguments")},
    }
    answer = {**known, "tools/call": call}.get(asked["method"])
    told = {"result": answer()} if answer else {"error": {"code": -32601, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}), flush=True)
"""
CASE = """\
  - id: {0}
    title: It says {0}
    operation: tool
    tool: clock
    args: {{number: {1}}}
    expect: {{subset: {{output: {{at: {2}}}}}}}
"""
HEAD = "name: clock\nversion: 1\ncases:\n"
TARGET = f"stdio:{shlex.quote(sys.executable)} server.py"


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path) -> Path:
    (tmp_path / "server.py").write_text(SERVER, encoding="utf-8")
    suite(tmp_path, ("one", 1, 0), ("two", 2, 0))
    return tmp_path


def suite(folder: Path, *cases: tuple[str, int, int]) -> None:
    text = HEAD + "".join(CASE.format(*case) for case in cases)
    (folder / "suite.yaml").write_text(text, encoding="utf-8")


def recorded(folder: Path, *words: str, target: str = TARGET) -> Any:
    ran = evalkit(folder, "record", target, "-o", "rec.json", *words, "--", "./suite.yaml")
    assert ran.code == 0, ran.err
    return json.loads((folder / "rec.json").read_text(encoding="ascii"))


def replayed(folder: Path) -> dict[str, str]:
    (folder / "server.py").unlink(missing_ok=True)
    ran = evalkit(folder, "run", "./suite.yaml", "--target", "recording:rec.json")
    return {case["id"]: case.get("errorCode", case["status"]) for case in ran.report["cases"]}


def test_a_recording_stands_in_for_its_server(folder: Path) -> None:
    recording = recorded(folder)
    assert [tool["name"] for tool in recording["manifest"]["tools"]] == ["clock"]
    assert replayed(folder) == {"one": "pass", "two": "pass"}


def test_a_recording_replays_failures_too(folder: Path) -> None:
    recorded(folder)
    suite(folder, ("one", 1, 0), ("two", 2, 5))
    assert replayed(folder) == {"one": "pass", "two": "fail"}


def test_what_was_not_recorded_is_an_error_and_never_a_guess(folder: Path) -> None:
    recorded(folder)
    suite(folder, ("one", 1, 0), ("two", 3, 0))
    assert replayed(folder) == {"one": "pass", "two": "not-recorded"}


def test_a_new_case_gets_an_answer_only_where_all_agree(folder: Path) -> None:
    suite(folder, ("one", 1, 0), ("two", 1, 0), ("three", 2, 0))
    recorded(folder)
    suite(folder, ("new", 1, 0), ("other", 2, 0))
    assert replayed(folder) == {"new": "pass", "other": "pass"}


def test_several_answers_are_none_for_a_case_that_was_not_recorded(folder: Path) -> None:
    shared = json.dumps({"stdio": {"command": [sys.executable, "server.py"]}, "share": True})
    suite(folder, ("one", 1, 0), ("two", 1, 1))
    recorded(folder, target=shared)
    assert replayed(folder) == {"one": "pass", "two": "pass"}
    suite(folder, ("new", 1, 0))
    assert replayed(folder) == {"new": "not-recorded"}


def test_secrets_are_not_recorded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    token = "-".join(["sk", "4242", "swordfish"])
    monkeypatch.setenv("EVALKIT_TOKEN", token)
    command = [sys.executable, "server.py"]
    target = json.dumps({"stdio": {"command": command, "env": {"TOKEN": "${{ env.EVALKIT_TOKEN }}"}}})
    ran = evalkit(folder, "record", target, "-o", "rec.json", "--env", "EVALKIT_TOKEN", "--", "./suite.yaml")
    assert ran.code == 1
    text = (folder / "rec.json").read_text(encoding="ascii")
    assert token not in text + ran.out + ran.err
    assert "clock" in text


def test_a_recording_that_is_there_outlives_a_run_that_could_not_begin(folder: Path) -> None:
    recorded(folder)
    before = (folder / "rec.json").read_bytes()
    assert evalkit(folder, "record", TARGET, "-o", "rec.json", "--", "./none.yaml").code == 2
    assert (folder / "rec.json").read_bytes() == before


@pytest.mark.parametrize("text", ["{}", "no", '{"kind": "evalkit-recording", "recordingVersion": 9}'])
def test_what_is_no_recording_is_refused(folder: Path, text: str) -> None:
    (folder / "rec.json").write_text(text, encoding="utf-8")
    ran = evalkit(folder, "run", "./suite.yaml", "--target", "recording:rec.json")
    assert ran.code in (2, 3)
    assert "rec.json" in ran.err


def test_without_words_behind_the_dashes_nothing_runs(folder: Path) -> None:
    ran = evalkit(folder, "record", TARGET)
    assert ran.code == 2
    assert "write `--`" in ran.err


def test_two_recordings_can_be_compared(folder: Path) -> None:
    recorded(folder)
    (folder / "old.json").write_bytes((folder / "rec.json").read_bytes())
    text = (folder / "server.py").read_text(encoding="utf-8")
    (folder / "server.py").write_text(text.replace('"clock"', '"watch"', 1), encoding="utf-8")
    evalkit(folder, "record", TARGET, "-o", "rec.json", "--", "./suite.yaml")
    ran = evalkit(folder, "diff", "old.json", "rec.json", "--fail-on", "breaking")
    assert ran.code == 1
    assert "clock" in ran.out
