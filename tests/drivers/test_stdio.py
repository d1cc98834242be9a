"""MCP over the standard streams of real programs: what is taken for an answer, what is noise, how it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from evalkit.drivers import mcp
from evalkit.errors import CapabilityMissing, CaseError, what_came
from evalkit.model import Call, CaseResult, Json, Observation, Session, Subject
from evalkit.runner import run_case
from evalkit.surfaces import Command, McpSurface
from tests.drivers import vices
from tests.drivers.conftest import Held
from tests.playing import FREE, loaded, suite_file

pytestmark = pytest.mark.slow

CALL = Call("tool", {"tool": "ask", "args": {"q": 1}})
MANIFEST = Call("manifest", {})


def rpc(message: Json) -> Call:
    return Call("rpc", {"message": message})


def command(vice: str, *words: str, **more: Any) -> Command:
    return Command(vices.argv(vice, *words), **{"start": 5.0, "call": 5.0, **more})


@contextmanager
def opened(vice: str, *words: str, era: Any = "handshake", **more: Any) -> Iterator[Session]:
    session = mcp.open(McpSurface(command(vice, *words, **more), era=era))
    try:
        yield session
    finally:
        session.close()


def asked(vice: str, *words: str, step: Call = CALL, **more: Any) -> Observation:
    with opened(vice, *words, **more) as session:
        return session.send(step)


def broken(vice: str, *words: str, step: Call = CALL, **more: Any) -> CaseError:
    with pytest.raises(CaseError) as problem:
        asked(vice, *words, step=step, **more)
    return problem.value


def test_a_tool_is_called_after_a_handshake_and_before_the_listing() -> None:
    seen = asked("virtuous")
    assert seen.roots["output"]["args"] == {"q": 1}
    assert seen.roots["manifest"] == {
        "tools": [{"name": "ask", "inputSchema": {"type": "object"}}],
        "serverInfo": {"name": "vices"},
        "protocolVersion": "2025-11-25",
        "capabilities": {},
    }
    assert seen.roots["notifications"] == []
    assert seen.noise == ()
    assert len(seen.raw) == 3  # the handshake, the call, the listing


def test_one_process_serves_all_steps_of_a_session() -> None:
    with opened("virtuous") as session:
        pids = {session.send(CALL).roots["output"]["pid"] for _ in range(3)}
    assert len(pids) == 1
    assert asked("virtuous").roots["output"]["pid"] not in pids


# ── the eras ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("vice", ["virtuous", "strict"])
def test_a_server_of_handshakes_is_found_even_if_it_ends_at_any_other_question(vice: str) -> None:
    seen = asked(vice, step=MANIFEST, era="auto")
    assert seen.roots["manifest"]["protocolVersion"] == "2025-11-25"
    assert seen.noise == ()


def test_a_server_that_passes_over_what_it_does_not_know_is_asked_for_a_handshake(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("evalkit.drivers._lines.PROBING", 0.2)
    seen = asked("mute", step=MANIFEST, era="auto")
    assert seen.roots["manifest"]["protocolVersion"] == "2025-11-25"
    assert seen.noise == ()


@pytest.mark.parametrize("era", ["auto", "stateless"])
def test_a_server_without_sessions_is_spoken_to_without_one(era: Any) -> None:
    seen = asked("stateless", era=era)
    assert seen.roots["output"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    assert seen.roots["manifest"]["protocolVersion"] == "2026-07-28"


def test_a_server_without_sessions_that_was_too_slow_for_the_question_says_so_at_the_handshake(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("evalkit.drivers._lines.PROBING", 0.0)
    seen = asked("stateless", era="auto")
    assert seen.roots["output"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    assert seen.noise == ()


# ── noise ────────────────────────────────────────────────────────────────────────────────────────


def test_a_banner_is_noise_and_no_answer() -> None:
    seen = asked("banner")
    assert seen.roots["output"]["args"] == {"q": 1}
    assert seen.noise == ('line 1 of standard output is no JSON: "Server ready on stdio"',)
    assert b"Server ready on stdio" in seen.raw


def test_noise_between_messages_is_told_with_its_line() -> None:
    seen = asked("chatty")
    assert seen.roots["output"]["args"] == {"q": 1}
    assert seen.noise == (
        'line 2 of standard output is no JSON: "calling"',
        'line 3 of standard output is JSON, but no JSON-RPC message: "{\\"level\\": \\"info\\"}"',
        'line 4 of standard output is JSON, but no JSON-RPC message: "[1, 2]"',
        'line 5 of standard output is no JSON: ""',
    )


def test_noise_at_the_end_is_told_when_the_session_is_closed() -> None:
    with opened("farewell") as session:
        assert session.send(CALL).noise == ()
        last = session.close()
    assert last is not None
    assert last.noise == ('line 4 of standard output is no JSON: "bye"',)
    assert last.raw == (b"bye",)


def test_a_session_in_which_nothing_more_came_says_nothing() -> None:
    with opened("virtuous") as session:
        session.send(CALL)
        assert session.close() is None


def test_an_answer_that_comes_twice_or_to_nobody_is_noise() -> None:
    with opened("twice") as session:
        first = session.send(CALL)
        second = session.send(CALL)
    told = (*first.noise, *second.noise)
    assert all("answers a request for the second time" in one for one in told)
    assert len(told) == 2
    [told_of_stranger] = asked("stranger").noise
    assert "answers a request that nobody has made" in told_of_stranger


def test_an_answer_that_came_before_the_question_is_none() -> None:
    with opened("hasty", "3") as session:  # 1 is the handshake, 2 the listing
        session.send(MANIFEST)
        seen = session.send(CALL)
    assert seen.roots["output"]["args"] == {"q": 1}
    assert "answers a request that nobody has made" in seen.noise[0]


def test_an_answer_that_is_no_strict_json_is_no_answer() -> None:
    problem = broken("nan")
    assert problem.code == "not-json"
    assert "line 2 is the answer" in str(problem)


# ── what the server asks ─────────────────────────────────────────────────────────────────────────


def test_a_ping_is_answered_and_other_questions_as_the_step_says() -> None:
    client = {"roots": [{"uri": "file:///r"}]}
    seen = asked("asks", step=Call("tool", {"tool": "ask", "client": client}))
    assert seen.roots["output"] == [
        {"jsonrpc": "2.0", "id": "p", "result": {}},
        {"jsonrpc": "2.0", "id": "r", "result": {"roots": [{"uri": "file:///r"}]}},
    ]
    assert [one["method"] for one in seen.roots["notifications"]] == ["ping", "roots/list"]
    refused = asked("asks").roots["output"]
    assert refused[1]["error"]["code"] == -32601


def test_a_step_that_can_answer_more_than_was_declared_has_a_process_of_its_own() -> None:
    with opened("virtuous") as session:
        first = session.send(CALL).roots["output"]["pid"]
        more = Call("tool", {"tool": "ask", "client": {"roots": []}})
        assert session.send(more).roots["output"]["pid"] != first


# ── messages as they are ─────────────────────────────────────────────────────────────────────────


def test_a_message_is_sent_as_it_is_and_without_a_handshake() -> None:
    seen = asked("virtuous", step=rpc({"jsonrpc": "2.0", "id": 7, "method": "tools/list"}))
    assert seen.roots["rpc"]["result"]["tools"][0]["name"] == "ask"
    assert "response" not in seen.roots
    assert len(seen.raw) == 1


def test_an_error_without_an_id_answers_what_is_no_json() -> None:
    seen = asked("virtuous", step=rpc("{nonsense"))
    assert seen.roots["rpc"]["error"]["code"] == -32700


def test_a_notification_is_not_waited_for_longer_than_a_ping_behind_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("evalkit.drivers._lines.FENCED", 60.0)
    begun = monotonic()
    with opened("virtuous", call=60.0, start=60.0) as session:
        seen = session.send(rpc({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        again = session.send(rpc({"jsonrpc": "2.0", "id": None, "method": "ping"}))
    assert "rpc" not in seen.roots
    assert again.roots["rpc"]["id"] is None
    assert monotonic() - begun < 30


def test_our_own_requests_take_no_id_that_a_step_has_used() -> None:
    with opened("virtuous") as session:
        for number in (1, 2, 3):
            session.send(rpc({"jsonrpc": "2.0", "id": number, "method": "ping"}))
        seen = session.send(CALL)
    assert [b'"id": 4' in seen.raw[0], seen.noise] == [True, ()]


def test_headers_cannot_be_said() -> None:
    for call in (CALL, rpc({})):
        with pytest.raises(CapabilityMissing, match="no headers"):
            asked("virtuous", step=Call(call.operation, {**call.words, "headers": {"a": "b"}}))


# ── what goes wrong ──────────────────────────────────────────────────────────────────────────────


def test_a_program_that_is_not_there_was_not_started() -> None:
    for argv, cwd in ((("/nowhere/at-all",), None), ((sys.executable,), "/nowhere")):
        with pytest.raises(CaseError, match=r"could not be started.*/nowhere") as problem:
            mcp.open(McpSurface(Command(argv, cwd=cwd))).send(CALL)
        assert problem.value.code == "not-started"


def test_a_server_that_ends_during_a_call_is_told_with_its_last_words() -> None:
    problem = broken("dies")
    assert problem.code == "connection-failed"
    assert str(problem) == (
        "before it answered `tools/call` the server ended with exit code 3; "
        'its standard error ends with "first\\nthe disk is full"'
    )
    assert b"the disk is full" in b"".join(what_came(problem))


def test_a_server_that_says_nothing_is_told_to_have_started_and_no_more() -> None:
    problem = broken("silent", start=0.3)
    assert (problem.code, str(problem)) == ("timeout", "`initialize` got no answer within 0.3 s")


def test_a_call_that_hangs_has_a_time_of_its_own() -> None:
    problem = broken("hangs", call=0.2)
    assert (problem.code, str(problem)) == ("timeout", "`tools/call` got no answer within 0.2 s")


def test_notifications_do_not_make_the_time_longer() -> None:
    assert broken("floods", call=0.3).code == "timeout"


def test_a_line_without_end_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalkit.drivers._piped.LARGEST", 1 << 20)
    problem = broken("endless")
    assert (problem.code, str(problem)) == ("protocol", "the server wrote a line of more than 1048576 bytes")


def test_what_is_written_in_one_step_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalkit.drivers._lines.LARGEST", 1 << 20)
    problem = broken("floods")
    assert (problem.code, "more than 1048576 bytes" in str(problem)) == ("protocol", True)


def test_standard_error_is_kept_apart_and_only_its_end() -> None:
    seen = asked("noisy")
    assert seen.roots["output"]["args"] == {"q": 1}
    assert seen.noise == ()
    assert len(seen.raw[-1]) == 1 << 20
    assert set(seen.raw[-1]) == {ord("e")}


# ── nothing is left behind ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("vice", ["stubborn", "parent"])
def test_what_will_not_end_is_ended_with_its_children(held: Held, vice: str) -> None:
    begun = monotonic()
    with opened(vice, held.path) as session:
        session.send(CALL)
    assert monotonic() - begun < 5
    assert held.is_let_go()


def test_a_server_that_ends_with_its_input_is_not_killed() -> None:
    with opened("farewell") as session:
        session.send(CALL)
        child = session._talk._channel._pipe._child  # type: ignore[attr-defined]
    assert child.code == 0


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_what_will_not_end_is_ended_even_when_we_are_killed(held: Held, ending: signal.Signals) -> None:
    program = """
import sys
from evalkit.drivers import mcp
from evalkit.surfaces import Command, McpSurface
from tests.drivers.test_stdio import CALL, command

session = mcp.open(McpSurface(command("stubborn", sys.argv[1]), era="handshake"))
session.send(CALL)
print("up", flush=True)
sys.stdin.read()
"""
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", program, held.path],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout
        assert process.stdout.readline() == b"up\n"
        process.send_signal(ending)
        process.communicate()
        assert held.is_let_go()
    finally:
        process.kill()
        process.communicate()


# ── in a case ────────────────────────────────────────────────────────────────────────────────────

HEAD = f'name: s\nversion: 1\ncontract: "{FREE}"\ndefaults: {{fixture: {{}}, over: mcp}}\ncases:\n'


def case(folder: Path, words: str, vice: str, *more: str) -> CaseResult:
    suite = loaded(suite_file(folder, f"{HEAD}  - {{id: a, title: A, {words}}}\n"))
    surface = McpSurface(command(vice, *more), era="handshake")
    return run_case(suite.cases[0], lambda _world: Subject({"mcp": surface}), suite.facts, "", unwatched)


def unwatched(folder: Any) -> Any:
    """No guard: a live case may start programs."""
    return nullcontext(_Nothing())


class _Nothing:
    refusals = ()
    printed = ""


ASK = "operation: tool, tool: ask, args: {q: 1}"


def test_noise_is_a_finding_of_the_case(tmp_path: Path) -> None:
    result = case(tmp_path, f"{ASK}, expect: {{isError: false}}", "banner")
    assert (result.status, [one.code for one in result.findings]) == ("fail", ["noise"])
    assert "Server ready on stdio" in result.findings[0].message
    late = case(tmp_path, f"{ASK}, expect: {{isError: false}}", "farewell")
    assert (late.status, [one.code for one in late.findings]) == ("fail", ["noise"])
    assert case(tmp_path, f"{ASK}, expect: {{isError: false}}", "virtuous").status == "pass"


def test_noise_is_told_beside_a_deadline(tmp_path: Path) -> None:
    result = case(tmp_path, f"timeout: 0.5, {ASK}, expect: {{isError: false}}", "garbage")
    assert result.error == ("timeout", "no answer within 0.5 s")
    assert [one.code for one in result.findings] == ["noise"]
    assert "here it is" in result.findings[0].message


def test_the_deadline_of_a_case_holds_for_what_ignores_everything(tmp_path: Path, held: Held) -> None:
    begun = monotonic()
    result = case(tmp_path, f"timeout: 0.5, {ASK}, expect: {{isError: false}}", "deaf", held.path)
    assert result.error == ("timeout", "no answer within 0.5 s")
    assert monotonic() - begun < 3
    assert held.is_let_go()


def test_a_secret_on_standard_error_is_a_leak(tmp_path: Path) -> None:
    words = f"fixture: {{a: {{$secret: the disk is full}}}}, {ASK}, expect: {{isError: false}}"
    result = case(tmp_path, words, "dies")
    assert result.leaked
