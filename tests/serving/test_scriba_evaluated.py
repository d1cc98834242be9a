"""`evalkit run` against `evalkit scriba` in processes of its own, over a socket and over a command line."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalkit.contracts.scriba.seed import seed
from tests.commands.door import evalkit
from tests.contracts.scriba.worlds import C_CLAUDE, E4
from tests.serving.scriba import ROOT, SERVED, server, words

pytestmark = pytest.mark.slow

Json = Any

BEGINNING = f"v1.{0:016x}"


def case(name: str, operation: str, expect: Json, **words: Json) -> Json:
    return {"id": name, "title": f"The promise of {name}", "operation": operation, "expect": expect, **words}


def context(name: str, expect: Json, over: str, **args: Json) -> Json:
    return case(name, "tool", expect, tool="scriba_get_context", args=args, over=over)


def asked(over: str) -> list[Json]:
    """Calls of the tools over one way in."""
    listed = case("events", "tool", {"isError": False}, tool="scriba_list_events", over=over)
    return [
        context("shown", {"isError": False, "equals": {"output.events.length": 1}}, over, profile="work"),
        context("wrong", {"equals": {"output.events.length": 0}}, over, profile="work"),
        context("refused", {"isError": True}, over, profile="nope"),
        context("unsayable", {"isError": True}, over, other=1),
        context("compared", {"parity": {"over": [over]}}, over),
        listed,
    ]


JUDGED = {
    "shown": "pass",
    "wrong": "fail",
    "refused": "pass",
    "unsayable": "skip",
    "compared": "skip",
    "events": "skip",
}
"""A page of events has no request and no command, and for a parity the World is made anew."""


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder with databases, whose name is short enough for a socket below it."""
    with tempfile.TemporaryDirectory(prefix="s") as folder:
        seed({"config": SERVED, "cache": C_CLAUDE, "store": E4}, Path(folder))
        yield Path(folder)


def judged(folder: Path, target: Json, cases: list[Json]) -> Json:
    """The status of each case by its id."""
    suite = {"name": "s", "version": 1, "contract": "scriba", "target": target, "cases": cases}
    (folder / "s.json").write_text(json.dumps(suite), encoding="utf-8")
    ran = evalkit(folder, "run", "s.json")
    assert {one["skipKind"] for one in ran.report["cases"] if one["status"] == "skip"} == {"capability"}
    return ran.statuses


def test_a_served_socket_is_evaluated_by_requests_streams_and_tools(home: Path, tmp_path: Path) -> None:
    stream = {"path": f"/v1/events?cursor={BEGINNING}", "until": {"events": 3, "within": 20}}
    ids = {"events.0.json.id": "p1", "events.1.json.id": "p2", "events.2.json.id": "p4"}
    cases = [
        case("health", "http", {"status": 200, "equals": {"response.json.status": "ok"}}, path="/v1/health"),
        case("lost", "http", {"status": 200}, path="/v1/lost"),
        case("stream", "sse", {"status": 200, "equals": ids}, **stream),
        case("expired", "sse", {"status": 410}, path=f"/v1/events?cursor={BEGINNING}", until={"events": 1}),
        case("bad", "sse", {"status": 400, "count": {"events": 0}}, path="/v1/events?cursor=x"),
    ]
    with server(home) as socket:
        found = judged(tmp_path, {"unix": {"socket": str(socket)}}, [*cases, *asked("http")])
    seen = {"health": "pass", "lost": "fail", "stream": "pass", "expired": "fail", "bad": "pass"}
    assert found == {**seen, **JUDGED}


def test_a_command_line_is_evaluated_by_commands_and_tools(home: Path, tmp_path: Path) -> None:
    settings = home / ".config" / "scriba"
    settings.mkdir(parents=True)
    shutil.copy(home / "config.json", settings)
    env = {"HOME": str(home), "PYTHONPATH": str(ROOT)}
    target = {"cli": {"command": words(), "env": env}}
    helped = case("helped", "cli", {"exitCode": 0}, argv=["context", "--help"])
    assert judged(tmp_path, target, [helped, *asked("cli")]) == {"helped": "pass", **JUDGED}
