"""`evalkit init`: what it drafts loads, and holds of the server that it was drafted from."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml

from tests.commands.door import evalkit

pytestmark = pytest.mark.slow

SERVER = """
import itertools, json, sys
TOOLS = [
    {"name": "clock", "annotations": {"readOnlyHint": True}, "inputSchema": {"type": "object"}},
    {
        "name": "find",
        "annotations": {"readOnlyHint": True},
        "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
    },
    {"name": "wipe", "inputSchema": {"type": "object"}},
]
count = itertools.count()

def call(name, args):
    open("called.txt", "a").write(name + "\\n")
    if name == "clock":
        return {"structuredContent": {"zone": "no", "at": next(count)}, "content": []}
    if name == "find" and "q" in args:
        return {"content": [{"type": "text", "text": "${{ 1:30 }} 9007199254740993"}]}
    return {"isError": True, "content": [{"type": "text", "text": "no"}]}

for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    method, params = asked["method"], asked.get("params", {})
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    known = {"initialize": about, "tools/list": {"tools": TOOLS}}
    if method == "tools/call":
        told = {"result": call(params["name"], params.get("arguments", {}))}
    else:
        told = {"result": known[method]} if method in known else {"error": {"code": -32601, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}), flush=True)
"""


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path) -> Path:
    (tmp_path / "server.py").write_text(SERVER, encoding="utf-8")
    return tmp_path


def test_a_draft_loads_and_holds_of_its_server(folder: Path) -> None:
    target = f"stdio:{sys.executable} server.py"
    drafted = evalkit(folder, "init", target, "-o", "draft.yaml")
    assert drafted.code == 0, drafted.err
    assert evalkit(folder, "check", "./draft.yaml").code == 0
    ran = evalkit(folder, "run", "./draft.yaml")
    assert ran.code == 0, ran.err
    assert set(ran.statuses) == {"manifest", "call-clock", "call-find", "refuse-find", "unknown-tool"}
    suite = yaml.safe_load((folder / "draft.yaml").read_text(encoding="utf-8"))
    clock = next(case for case in suite["cases"] if case["id"] == "call-clock")
    assert clock["expect"]["subset"] == {"output": {"zone": "no"}}


def test_what_may_write_is_not_called_unasked(folder: Path) -> None:
    evalkit(folder, "init", f"stdio:{sys.executable} server.py")
    assert "wipe" not in (folder / "called.txt").read_text(encoding="utf-8")
    drafted = evalkit(folder, "init", f"stdio:{sys.executable} server.py", "--allow-writes", "wipe")
    assert "id: call-wipe" in drafted.out
    assert "wipe" in (folder / "called.txt").read_text(encoding="utf-8")


def test_a_contract_in_memory_can_be_drafted(folder: Path) -> None:
    drafted = evalkit(folder, "init", "echo", "-o", "draft.yaml")
    assert drafted.code == 0, drafted.err
    ran = evalkit(folder, "run", "./draft.yaml")
    assert ran.code == 0
    assert len(ran.statuses) == 4


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nobody",), "nobody"),
        (("unix:here",), "no path of a socket"),
        (("echo", "-o", "server.py"), "server.py is there already"),
        (("echo", "--allow-writes", "none"), "there is no such tool"),
        (("echo", "--env", "EVALKIT_NO_SUCH"), "no such environment variable"),
    ],
)
def test_what_cannot_be_meant_is_refused(folder: Path, words: tuple[str, ...], told: str) -> None:
    ran = evalkit(folder, "init", *words)
    assert ran.code == 2
    assert told in ran.err


def test_a_server_that_cannot_be_started_is_no_draft(folder: Path) -> None:
    ran = evalkit(folder, "init", "stdio:no-such-program-anywhere", "-o", "draft.yaml")
    assert ran.code == 3
    assert not (folder / "draft.yaml").exists()
