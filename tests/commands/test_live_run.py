"""`evalkit run --target`: a real server, the same report as in memory, and one that is gone."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.commands.door import Ran, evalkit, forked
from tests.lending import MCP, NAME, alone, lent, lent_by_a_process, unused_port

pytestmark = pytest.mark.slow

Json = Any

WHOLE: Final = ("--provides", "fixtures", "--provides", "clock", "--provides", "source-log")


def case(name: str, tool: str, expect: Json, **words: Json) -> Json:
    asked = {"operation": "tool", "tool": tool, "args": {"note": "a"}, "expect": expect}
    return {"id": name, "title": f"The promise of {name}", **asked, **words}


READS: Final = case("reads", "read", {"equals": {"output.text": "first"}, "noSourceReads": True})
GOOD: Final = case("good", "read", {"equals": {"output.text": "first", "sources.notes.calls": 1}})
KIND: Final = {
    "id": "kind",
    "title": "The contract's own document is read",
    "operation": "manifest",
    "expect": {"equals": {"manifest.kind": "notebook"}},
}
ROWS: Final = {
    "id": "rows",
    "title": "Every tool is advertised",
    "matrix": {"tool": {"each": "manifest.tools", "key": "name"}},
    "operation": "manifest",
    "expect": {"present": ["manifest.tools"]},
}


def write(folder: Path, *cases: Json, file: str = "s.json", **words: Json) -> None:
    head = {"name": "notebook", "version": 1, "contract": NAME, "defaults": {"fixture": "one"}}
    fixtures = {"one": {"notes": {"a": "first"}}}
    suite = {**head, "fixtures": fixtures, "cases": list(cases), **words}
    text = json.dumps({key: value for key, value in suite.items() if value is not None})
    (folder / file).write_text(text, encoding="utf-8")


def judged(ran: Ran) -> Json:
    """What a report says of its cases, but for the way in."""
    return [{key: one[key] for key in one if key != "over"} for one in ran.report["cases"]]


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    with lent(alone(a="real")) as origin:
        yield origin


def test_a_live_run_reports_what_a_run_in_memory_does(tmp_path: Path, origin: str) -> None:
    write(tmp_path, READS, GOOD, KIND, ROWS)
    memory = evalkit(tmp_path, "run", "s.json")
    live = evalkit(tmp_path, "run", "s.json", "--target", origin + MCP, *WHOLE)
    assert (memory.code, live.code) == (1, 1)
    assert judged(live) == judged(memory)
    rows = {"rows[tool=read]": "pass", "rows[tool=write]": "pass"}
    assert live.statuses == {"reads": "fail", "good": "pass", "kind": "pass", **rows}
    assert (live.report["contract"], live.report["target"]) == (NAME, origin + MCP)
    assert {one["over"] for one in live.report["cases"]} == {"mcp"}
    assert memory.report["target"] == "memory"
    assert live.err == memory.err


def test_the_bytes_do_not_depend_on_the_number_of_sessions(tmp_path: Path, origin: str) -> None:
    cases = [case(f"c{number}", "read", {"equals": {"output.text": "first"}}) for number in range(12)]
    write(tmp_path, *cases, READS)
    words = ("run", "s.json", "--target", origin + MCP, *WHOLE)
    one, four = evalkit(tmp_path, *words), evalkit(tmp_path, *words, "--jobs", "4")
    assert one.out == four.out
    assert one.report["counts"] == {"pass": 12, "fail": 1, "error": 0, "skip": 0}


def test_the_rerun_line_runs_the_case_live_again(tmp_path: Path, origin: str) -> None:
    write(tmp_path, READS, GOOD)
    ran = evalkit(tmp_path, "run", "s.json", "--target", origin + MCP, *WHOLE)
    assert ran.report["rerun"] == ["run", "s.json", "--target", origin + MCP, *WHOLE]
    (tmp_path / "saved.json").write_text(ran.out, encoding="utf-8")
    shown = forked(tmp_path, "report", "saved.json").out
    (line,) = (line for line in shown.splitlines() if "  rerun " in line)
    program, *words = shlex.split(line.strip().removeprefix("rerun"))
    again = evalkit(tmp_path, *words)
    assert program == "evalkit"
    assert again.report["cases"] == [one for one in ran.report["cases"] if one["id"] == "reads"]


def test_a_target_that_takes_no_fixtures_runs_nothing_and_says_why(tmp_path: Path, origin: str) -> None:
    write(tmp_path, READS, KIND, ROWS)
    ran = evalkit(tmp_path, "run", "s.json", "--target", origin + MCP)
    assert ran.code == 5
    assert ran.statuses == dict.fromkeys(("reads", "kind", "rows[tool=read]", "rows[tool=write]"), "skip")
    reasons = {(one["skipKind"], one["reason"]) for one in ran.report["cases"]}
    assert reasons == {("capability", "the case requires `fixtures`, which the target does not offer")}


def test_over_replaces_the_way_in_but_not_what_a_case_states(tmp_path: Path, origin: str) -> None:
    write(tmp_path, GOOD, {**GOOD, "id": "stated", "over": "mcp"}, {**GOOD, "id": "plain", "over": "direct"})
    words = ("run", "s.json", "--target", origin + MCP, *WHOLE)
    assert evalkit(tmp_path, *words).statuses == {"good": "pass", "stated": "pass", "plain": "skip"}
    direct = evalkit(tmp_path, *words, "--over", "direct")
    assert direct.statuses == {"good": "skip", "stated": "pass", "plain": "skip"}


def test_a_case_without_a_fixture_is_asked_of_the_target_as_it_is(tmp_path: Path, origin: str) -> None:
    real = case("real", "read", {"equals": {"output.text": "real"}})
    write(tmp_path, real, KIND, ROWS, defaults=None)
    for words in ((), WHOLE):
        ran = evalkit(tmp_path, "run", "s.json", "--target", origin + MCP, *words)
        assert (ran.code, set(ran.statuses.values())) == (0, {"pass"})
    assert evalkit(tmp_path, "run", "s.json").code == 2


# ── a suite with a target of its own ─────────────────────────────────────────────────────────────


def test_a_suite_drives_its_own_target(tmp_path: Path, origin: str) -> None:
    provides = ["clock", "source-log"]
    via = {"fixtureVia": {"http": "/.well-known/evalkit/worlds"}, "manifest": {"http": "/notebook/manifest"}}
    target = {"http": {"url": origin + MCP}, "provides": provides, **via}
    odd = {"notes": {"a": "first"}, "of no schema": 1}
    write(tmp_path, GOOD, KIND, target=target, contract=None, fixtures={"one": odd})
    ran = evalkit(tmp_path, "run", "s.json")
    assert (ran.code, ran.statuses) == (0, {"good": "pass", "kind": "pass"})
    assert (ran.report["contract"], ran.report["target"]) == ("(none)", origin + MCP)
    assert ran.report["rerun"] == ["run", "s.json"]


def test_provides_adds_to_what_a_suite_says_of_its_target(tmp_path: Path, origin: str) -> None:
    write(tmp_path, GOOD, target={"http": {"url": origin + MCP}, "provides": ["fixtures", "clock"]})
    assert evalkit(tmp_path, "run", "s.json").statuses == {"good": "skip"}
    assert evalkit(tmp_path, "run", "s.json", "--provides", "source-log").statuses == {"good": "pass"}


def test_the_command_line_s_target_replaces_the_suite_s(tmp_path: Path, origin: str) -> None:
    write(tmp_path, GOOD, target=f"http://127.0.0.1:{unused_port()}/mcp")
    ran = evalkit(tmp_path, "run", "s.json", "--target", origin + MCP, *WHOLE)
    assert (ran.code, ran.report["target"]) == (0, origin + MCP)
    memory = evalkit(tmp_path, "run", "s.json", "--contract", NAME)
    assert (memory.code, memory.report["target"]) == (0, "memory")


def test_suites_in_memory_and_live_run_together(tmp_path: Path, origin: str) -> None:
    live = {"http": {"url": origin + MCP}, "provides": ["fixtures", "clock", "source-log"]}
    write(tmp_path, GOOD, file="a.json", target=live)
    write(tmp_path, GOOD, file="b.json", name="other")
    ran = evalkit(tmp_path, "run", "./a.json", "./b.json", "--provides", "mail")
    assert ran.code == 0
    assert [one["target"] for one in ran.report["suites"]] == [origin + MCP, "memory"]


def test_a_check_asks_no_target(tmp_path: Path) -> None:
    write(tmp_path, GOOD, KIND, ROWS, target=f"http://127.0.0.1:{unused_port()}/mcp", contract=None)
    assert forked(tmp_path, "check", "s.json").code == 0


# ── nobody there ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("rows", [(), (ROWS,)])
def test_nobody_there_at_the_start_is_exit_3(tmp_path: Path, rows: tuple[Json, ...]) -> None:
    write(tmp_path, GOOD, *rows)
    url = f"http://127.0.0.1:{unused_port()}/mcp"
    for words in (("run", "s.json"), ("eval:echo", "--fixture", "s.json")):
        ran = evalkit(tmp_path, *words, "--target", url)
        assert ran.code == 3
        assert ran.report["exit"] == {"code": 3, "name": "harness"}
        assert (
            f"the target {url} could not be reached: Connection refused; is it running?"
            in ran.report["error"]
        )


def test_the_shipped_suite_of_a_contract_is_driven_at_a_target(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{unused_port()}/api/agent-context/mcp"
    ran = evalkit(tmp_path, "eval:agent-context", "--target", url)
    assert ran.code == 3
    assert f"the target {url} could not be reached" in ran.report["error"]


def test_a_server_that_dies_makes_errors_of_what_is_left(tmp_path: Path) -> None:
    dies = case("dies", "die", {"isError": False})
    write(tmp_path, GOOD, dies, {**GOOD, "id": "after"})
    with lent_by_a_process() as origin:
        ran = evalkit(tmp_path, "run", "s.json", "--target", origin + MCP, *WHOLE)
    assert (ran.code, ran.statuses) == (1, {"good": "pass", "dies": "error", "after": "error"})
    _, died, after = ran.report["cases"]
    assert died["errorCode"] in ("connection-failed", "protocol")
    assert "DELETE" not in died["error"], "the first problem is told, not the last"
    assert after["errorCode"] == "connection-failed"
    assert "ConnectionRefusedError" in after["error"]
