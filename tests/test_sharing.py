"""Tests of evalkit.sharing: one process or session for the cases of a worker, and what ends it early."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from evalkit.model import CaseResult, Json, Target
from evalkit.runner import run_live
from evalkit.sharing import end_shared, is_sharable
from evalkit.targets import parse
from tests.drivers import vices
from tests.drivers.conftest import held as held
from tests.drivers.wires import Seen, Told, Wire, as_json, result, served
from tests.playing import loaded, suite_file

pytestmark = pytest.mark.slow

HEAD: Final = "name: s\nversion: 1\ncases:\n"
OK: Final = "expect: {isError: false}"


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    """Nothing is shared beyond a test."""
    yield
    end_shared()


def obeying(folder: Path, *, share: bool = True) -> Target:
    return parse({"stdio": {"command": list(vices.argv("obeys", str(folder / "log")))}, "share": share})


def ask(do: str = "", more: str = OK) -> str:
    return f"operation: tool, tool: ask, args: {{do: {do or 'answer'}}}, {more}"


def played(folder: Path, target: Target, *cases: str) -> list[CaseResult]:
    lines = "".join(f"  - {{id: c{at}, title: C, {words}}}\n" for at, words in enumerate(cases))
    suite = loaded(suite_file(folder, HEAD + lines), target=target)
    return [run_live(case, target, suite.facts) for case in suite.cases]


def log(folder: Path) -> list[tuple[int, str, Json]]:
    return [tuple(json.loads(line)) for line in (folder / "log").read_text().splitlines()]


def processes(folder: Path) -> list[int]:
    return list(dict.fromkeys(pid for pid, _, _ in log(folder)))


def calls(folder: Path) -> list[int]:
    """The process of each tool call."""
    return [pid for pid, method, _ in log(folder) if method == "tools/call"]


def test_cases_share_one_process_and_one_handshake(tmp_path: Path) -> None:
    results = played(tmp_path, obeying(tmp_path), ask(), ask(), ask())
    assert [one.status for one in results] == ["pass"] * 3
    assert len(processes(tmp_path)) == 1
    assert [method for _, method, _ in log(tmp_path)].count("initialize") == 1


def test_without_share_each_case_has_a_process(tmp_path: Path) -> None:
    played(tmp_path, obeying(tmp_path, share=False), ask(), ask())
    assert len(processes(tmp_path)) == 2


def test_a_fresh_case_has_a_process_of_its_own_and_leaves_the_shared_one_alone(tmp_path: Path) -> None:
    played(tmp_path, obeying(tmp_path), ask(), ask(more=f"fresh: true, {OK}"), ask())
    first, fresh, last = calls(tmp_path)
    assert first == last != fresh


def test_a_hung_call_is_the_only_one_that_fails(tmp_path: Path) -> None:
    results = played(tmp_path, obeying(tmp_path), ask(), ask("hang", f"timeout: 0.3, {OK}"), ask())
    assert [one.status for one in results] == ["pass", "error", "pass"]
    assert results[1].error == ("timeout", "no answer within 0.3 s")
    before, hung, after = calls(tmp_path)
    assert before == hung != after


def test_a_crash_is_named_by_the_case_that_did_it(tmp_path: Path) -> None:
    results = played(tmp_path, obeying(tmp_path), ask(), ask("die"), ask())
    assert [one.status for one in results] == ["pass", "error", "pass"]
    assert results[1].error is not None
    assert results[1].error[0] == "connection-failed"
    assert "the disk is full" in results[1].error[1]


def test_a_server_that_ends_behind_its_answer_is_named_by_that_case_or_in_a_note_of_the_next(
    tmp_path: Path,
) -> None:
    target = obeying(tmp_path)
    first, second = played(tmp_path, target, ask("last"), ask())
    told = (first.error or ("", ""))[1] + second.note
    assert "ended with exit code 3" in told
    assert "the disk is full" in told
    assert second.status == "pass"


def test_a_message_that_is_sent_as_it_is_gets_no_shared_process_unless_it_joins_the_session(
    tmp_path: Path,
) -> None:
    bare = (
        'operation: rpc, message: {jsonrpc: "2.0", id: 90, method: ping}, expect: {equals: {rpc.result: {}}}'
    )
    joined = bare.replace("operation: rpc", "operation: rpc, session: true")
    results = played(tmp_path, obeying(tmp_path), ask(), bare, joined)
    assert [one.status for one in results] == ["pass"] * 3
    asked = [(pid, method) for pid, method, _ in log(tmp_path)]
    bare_pid, joined_pid = [pid for pid, method in asked if method == "ping"]
    assert joined_pid == calls(tmp_path)[0] != bare_pid
    assert [method for pid, method in asked if pid == bare_pid] == ["ping"]


def test_an_unread_answer_leaves_no_process_to_the_next_case(tmp_path: Path) -> None:
    hang = '{jsonrpc: "2.0", id: 5, method: tools/call, params: {arguments: {do: hang}}}'
    words = f"operation: rpc, session: true, message: {hang}"
    target = parse(
        {"stdio": {"command": list(vices.argv("obeys", str(tmp_path / "log"))), "call": 0.3}, "share": True}
    )
    results = played(tmp_path, target, ask(), f"{words}, expect: {{absent: [rpc]}}", ask())
    assert [one.status for one in results] == ["pass", "error", "pass"]
    assert len(processes(tmp_path)) == 2


def test_an_answer_that_may_still_come_leaves_no_process_to_the_next_case(tmp_path: Path) -> None:
    late = '{jsonrpc: "2.0", id: null, method: tools/call, params: {arguments: {do: hang}}}'
    words = f"operation: rpc, session: true, message: {late}, expect: {{absent: [rpc]}}"
    results = played(tmp_path, obeying(tmp_path), ask(), words, ask())
    assert [one.status for one in results] == ["pass"] * 3
    assert len(processes(tmp_path)) == 2


def test_noise_is_of_the_case_in_which_it_came_or_of_the_next(tmp_path: Path) -> None:
    results = played(tmp_path, obeying(tmp_path), ask("chat"), ask(), ask())
    assert sum(len(one.findings) for one in results[:2]) == 1
    assert {one.code for result in results for one in result.findings} == {"noise"}
    assert results[2].status == "pass"


def test_all_is_ended_at_the_end_of_the_worker(tmp_path: Path, held: Any) -> None:
    target = parse({"stdio": {"command": list(vices.argv("stubborn", held.path))}, "share": True})
    assert [one.status for one in played(tmp_path, target, ask(), ask())] == ["pass", "pass"]
    end_shared()
    assert held.is_let_go()


def test_what_a_session_begins_with_is_not_shared(tmp_path: Path) -> None:
    lines = (
        ask(),
        ask(more=f"client: {{roots: []}}, {OK}"),
        ask(more=f"headers: {{a: b}}, {OK}"),
        "operation: rpc, message: {}, expect: {present: [rpc]}",
        "operation: rpc, message: {}, session: true, expect: {present: [rpc]}",
        "operation: session, expect: {present: [manifest]}",
    )
    text = HEAD + "".join(f"  - {{id: c{at}, title: C, {words}}}\n" for at, words in enumerate(lines))
    cases = loaded(suite_file(tmp_path, text), target=parse("stdio:x")).cases
    assert [is_sharable(case, "mcp", started=True) for case in cases] == [
        True,
        False,
        False,
        False,
        True,
        True,
    ]
    assert is_sharable(cases[3], "mcp", started=False)
    assert is_sharable(cases[1], "http", started=False)
    assert not is_sharable(cases[0]._replace(fixture={}), "mcp", started=True)


# ── the listing ──────────────────────────────────────────────────────────────────────────────────


def listings(folder: Path) -> int:
    return [method for _, method, _ in log(folder)].count("tools/list")


def test_a_listing_that_nobody_looks_at_is_not_read(tmp_path: Path) -> None:
    words = "expect: {isError: false, present: [output.pid]}"
    results = played(tmp_path, obeying(tmp_path), ask(more=words), ask(more=words))
    assert [one.status for one in results] == ["pass", "pass"]
    assert listings(tmp_path) == 0


@pytest.mark.parametrize(
    "words",
    [
        "expect: {inputSchemaValid: true}",
        "expect: {present: [manifest.tools]}",
        "expect: {excludes: [nobody]}",
    ],
)
def test_a_listing_is_read_once_a_session(tmp_path: Path, words: str) -> None:
    results = played(tmp_path, obeying(tmp_path), *[ask(more=words)] * 3)
    assert [one.status for one in results] == ["pass"] * 3
    assert listings(tmp_path) == 1


def test_a_listing_that_has_changed_is_read_again(tmp_path: Path) -> None:
    words = "expect: {inputSchemaValid: true}"
    played(tmp_path, obeying(tmp_path), ask(more=words), ask("change", words), *[ask(more=words)] * 2)
    assert listings(tmp_path) == 2


def test_a_step_that_asks_for_the_manifest_reads_it_anew(tmp_path: Path) -> None:
    manifest = "operation: manifest, expect: {present: [manifest.tools]}"
    words = "expect: {inputSchemaValid: true}"
    played(tmp_path, obeying(tmp_path), ask(more=words), manifest, ask(more=words))
    assert listings(tmp_path) == 2


# ── over HTTP ────────────────────────────────────────────────────────────────────────────────────


def speaking(seen: Seen) -> Told:
    if seen.method == "DELETE" or "id" not in (seen.message or {}):
        return Told(202)
    if seen.message["method"] == "initialize":
        begun = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s"}}
        return result(seen, begun, headers=((b"mcp-session-id", b"one"),))
    if seen.message["method"] == "tools/call":
        return result(seen, {"content": []})
    refused = {"code": -32601, "message": "no"}
    return as_json({"jsonrpc": "2.0", "id": seen.message["id"], "error": refused})


@pytest.mark.parametrize(("share", "sessions"), [(True, 1), (False, 2)])
def test_cases_share_one_session_and_one_connection_over_http(
    tmp_path: Path, share: bool, sessions: int
) -> None:
    wire = Wire(speaking)
    with served(wire) as url:
        target = parse({"http": {"url": f"{url}/mcp"}, "share": share})
        results = played(tmp_path, target, ask(), ask())
        end_shared()
    assert [one.status for one in results] == ["pass", "pass"]
    methods = [seen.message["method"] for seen in wire.seen if seen.method == "POST"]
    assert methods.count("initialize") == sessions
    assert [seen.method for seen in wire.seen].count("DELETE") == sessions
    ports = {seen.scope["client"][1] for seen in wire.seen}
    assert len(ports) == sessions


def test_a_header_of_the_target_goes_with_every_request_unless_the_step_says_it(tmp_path: Path) -> None:
    wire = Wire(speaking)
    with served(wire) as url:
        target = parse({"http": {"url": f"{url}/mcp", "headers": {"X-Key": "k"}}})
        own = "operation: http, path: /a, headers: {x-key: other}, expect: {status: 202}"
        plain = "operation: http, path: /a, expect: {status: 202}"
        assert [one.status for one in played(tmp_path, target, ask(), own, plain)] == ["pass"] * 3
    keys = [[value for name, value in seen.scope["headers"] if name == b"x-key"] for seen in wire.seen]
    assert keys.pop(-2) == [b"other"]
    assert keys == [[b"k"]] * len(keys)


# ── a session of its own ─────────────────────────────────────────────────────────────────────────


def test_a_check_of_a_process_that_was_not_started_is_a_missing_capability(tmp_path: Path) -> None:
    words = "operation: session, expect: {equals: {process.endedBy: eof}}"
    facts = "operation: session, expect: {equals: {manifest.serverInfo.name: s}}"
    with served(Wire(speaking)) as url:
        skipped, judged = played(tmp_path, parse(f"{url}/mcp"), words, facts)
    assert skipped.skip is not None
    assert skipped.skip[0] == "capability"
    assert judged.status == "pass"
    (found,) = played(tmp_path, obeying(tmp_path), words)
    assert found.status == "pass"
