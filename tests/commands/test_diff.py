"""`evalkit diff`, as a user starts it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.commands.door import ROOT, evalkit

TOOL: dict[str, Any] = {"name": "get", "inputSchema": {"type": "object"}}
CLOSED = {**TOOL, "inputSchema": {"type": "object", "required": ["id"]}}


def written(folder: Path, **files: Any) -> None:
    for name, held in files.items():
        (folder / f"{name}.json").write_text(json.dumps(held), encoding="utf-8")


def test_a_breaking_change_exits_1_where_that_is_asked(tmp_path: Path) -> None:
    written(tmp_path, old={"tools": [TOOL]}, new={"tools": [CLOSED]})
    ran = evalkit(tmp_path, "diff", "old.json", "new.json", "--fail-on", "breaking")
    assert ran.code == 1
    assert "breaking  newly-required" in ran.out
    assert ran.out.endswith("1 breaking, 0 risky, 0 addition\n")
    assert evalkit(tmp_path, "diff", "old.json", "new.json").code == 0


def test_an_addition_is_not_breaking(tmp_path: Path) -> None:
    written(tmp_path, old={"tools": [CLOSED]}, new={"tools": [TOOL]})
    assert evalkit(tmp_path, "diff", "old.json", "new.json", "--fail-on", "breaking").code == 0
    assert evalkit(tmp_path, "diff", "old.json", "new.json", "--fail-on", "addition").code == 1


def test_json_holds_every_change_and_the_counts(tmp_path: Path) -> None:
    written(tmp_path, old={"initialize": {"instructions": "a"}, "tools": []}, new={"result": {"tools": []}})
    ran = evalkit(tmp_path, "diff", "old.json", "new.json", "--format", "json")
    assert json.loads(ran.out) == {
        "kind": "evalkit-diff",
        "counts": {"breaking": 0, "risky": 1, "addition": 0},
        "changes": [
            {
                "level": "risky",
                "code": "instructions-changed",
                "path": "instructions",
                "message": "`instructions` changed",
                "old": "a",
            }
        ],
    }


def test_two_reports_are_compared_case_by_case(tmp_path: Path) -> None:
    report = json.loads((ROOT / "reports" / "scriba.json").read_text(encoding="utf-8"))
    worse = {**report, "cases": report["cases"][1:]}
    written(tmp_path, old=report, new=worse)
    ran = evalkit(tmp_path, "diff", "old.json", "new.json", "--fail-on", "breaking")
    assert ran.code == 1
    assert f"case-removed           {report['suite']}::{report['cases'][0]['id']}" in ran.out


def test_a_live_server_can_stand_for_a_side(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER, encoding="utf-8")
    written(tmp_path, old={"tools": [TOOL]})
    ran = evalkit(tmp_path, "diff", "old.json", "stdio:python3 server.py", "--fail-on", "breaking")
    assert ran.code == 0, ran.err
    assert "tool-added             tools.put" in ran.out


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    report = (ROOT / "reports" / "scriba.json").read_text(encoding="utf-8")
    (tmp_path / "report.json").write_text(report, encoding="utf-8")
    (tmp_path / "half.json").write_text('{"tools": [', encoding="utf-8")
    written(tmp_path, old={"tools": []}, strange={"a": 1})
    for words, told in (
        (("old.json", "report.json"), "a report is compared with a report"),
        (("old.json", "strange.json"), "strange.json: it holds no manifest"),
        (("old.json", "half.json"), "half.json: this is no JSON"),
        (("old.json", "none.json"), "none.json: No such file"),
        (("old.json", "unix:nowhere"), "is no path of a socket"),
    ):
        ran = evalkit(tmp_path, "diff", *words)
        assert ran.code == 2
        assert told in ran.err


SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("get", "put")]
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    known = {"initialize": about, "tools/list": {"tools": tools}}
    method, error = asked["method"], {"code": -32601, "message": "no such method"}
    told = {"result": known[method]} if method in known else {"error": error}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}), flush=True)
"""
