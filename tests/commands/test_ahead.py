"""A case's server comes up while the case before it runs; none is started that no case needs."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.commands.door import evalkit

pytestmark = pytest.mark.slow

SERVER = """
import json, os, sys, time
def note(what):
    with open("noted.txt", "a") as file:
        print(os.getpid(), what, time.monotonic(), file=file)
note("begun")
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    if asked["method"] == "tools/call":
        note("called")
        time.sleep(0.4)
    known = {"initialize": about, "tools/call": {"content": []}}
    no = {"error": {"code": -32601, "message": "no"}}
    told = {"result": known[asked["method"]]} if asked["method"] in known else no
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}), flush=True)
note("ended")
"""
CASES = 5


def moments(folder: Path, **more: object) -> list[dict[str, float]]:
    """When each process began, was called and ended, in the order of the calls, then those never called."""
    (folder / "server.py").write_text(SERVER, encoding="utf-8")
    cases = [
        {"id": f"c{at}", "title": "It works", "operation": "tool", "tool": "t", "expect": {"isError": False}}
        for at in range(CASES)
    ]
    target = {"stdio": {"command": [sys.executable, "server.py"]}, **more}
    suite = {"name": "ahead", "version": 1, "target": target, "cases": cases}
    (folder / "suite.json").write_text(json.dumps(suite), encoding="utf-8")
    assert evalkit(folder, "run", "./suite.json").code == 0
    found: dict[str, dict[str, float]] = {}
    for line in (folder / "noted.txt").read_text(encoding="utf-8").splitlines():
        pid, what, when = line.split()
        found.setdefault(pid, {})[what] = float(when)
    return sorted(found.values(), key=lambda one: one.get("called", float("inf")))


def test_each_server_is_up_before_the_case_before_it_is_over(tmp_path: Path) -> None:
    servers = moments(tmp_path)
    assert [server.keys() for server in servers] == [{"begun", "called", "ended"}] * CASES
    assert all(later["begun"] < earlier["ended"] for earlier, later in pairwise(servers))


def test_what_is_shared_is_started_once(tmp_path: Path) -> None:
    assert len(moments(tmp_path, share=True)) == 1
