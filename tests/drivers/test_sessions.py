"""Operations that begin sessions or go within them: `session`, `rpc` with `session`, partial manifests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalkit.drivers import mcp
from evalkit.errors import CaseError
from evalkit.model import Call, Json, Observation
from evalkit.surfaces import AppSurface, Command, McpSurface, Messages
from tests.drivers import vices
from tests.drivers.conftest import Held
from tests.drivers.conftest import held as held
from tests.drivers.wires import Seen, Told, Wire, as_json, result

pytestmark = pytest.mark.slow

SESSION = Call("session", {})
PARTIAL = Call("manifest", {"partial": True})


def asked(via: Any, call: Call, era: Any = "handshake") -> Observation:
    session = mcp.open(McpSurface(via, "/mcp", era=era))
    try:
        return session.send(call)
    finally:
        session.close()


def command(vice: str, *words: str) -> Command:
    return Command(vices.argv(vice, *words), start=5.0, call=5.0)


def within(message: Json) -> Call:
    return Call("rpc", {"message": message, "session": True})


# ── session ──────────────────────────────────────────────────────────────────────────────────────


def test_a_session_is_begun_and_ended_and_told_with_its_process() -> None:
    seen = asked(command("virtuous"), SESSION)
    assert seen.roots["manifest"] == {
        "serverInfo": {"name": "vices"},
        "protocolVersion": "2025-11-25",
        "capabilities": {},
    }
    assert seen.roots["process"] == {"exitCode": 0, "endedBy": "eof", "stderr": "", "stdout": []}
    assert seen.noise == ()


def test_lines_that_are_no_messages_are_told_and_are_noise() -> None:
    seen = asked(command("farewell"), SESSION)
    assert seen.roots["process"]["stdout"] == ["bye"]
    assert len(seen.noise) == 1


@pytest.mark.parametrize(("vice", "means", "code"), [("lingers", "term", -15), ("stubborn", "kill", -9)])
def test_what_ended_a_program_is_told(
    monkeypatch: pytest.MonkeyPatch, held: Held, vice: str, means: str, code: int
) -> None:
    monkeypatch.setattr(mcp, "PATIENCE", (0.1, 0.5))
    seen = asked(command(vice, held.path), SESSION)
    assert (seen.roots["process"]["endedBy"], seen.roots["process"]["exitCode"]) == (means, code)
    assert held.is_let_go()


def test_in_memory_there_is_no_process() -> None:
    def answer(line: bytes) -> list[bytes]:
        message = json.loads(line)
        if "id" not in message:
            return []
        return [json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": vices.answer(message)}).encode()]

    seen = asked(Messages(answer), SESSION)
    assert seen.roots["manifest"]["protocolVersion"] == "2025-11-25"
    assert "process" not in seen.roots


def test_a_server_that_ends_before_its_first_answer_was_not_started() -> None:
    for era in ("handshake", "auto"):
        with pytest.raises(CaseError, match=r"exit code 7.*no licence") as problem:
            asked(command("unfit"), SESSION, era)
        assert problem.value.code == "not-started"


# ── rpc within a session ─────────────────────────────────────────────────────────────────────────


def app(answers: Any) -> tuple[Wire, AppSurface]:
    wire = Wire(answers)
    return wire, AppSurface(wire, awaits=False)


def handshaking(seen: Seen) -> Told:
    if seen.method == "DELETE" or "id" not in (seen.message or {}):
        return Told(202)
    if seen.message["method"] == "initialize":
        told = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s"}}
        return result(seen, told, headers=((b"mcp-session-id", b"one"),))
    return result(seen, {"asked": seen.message})


def test_a_message_within_a_session_has_its_headers_and_is_otherwise_as_it_is() -> None:
    wire, surface = app(handshaking)
    message = {"jsonrpc": "2.0", "id": "mine", "method": "odd/one", "extra": [1]}
    seen = asked(surface, within(message))
    assert seen.roots["rpc"]["result"] == {"asked": message}
    assert seen.roots["manifest"]["protocolVersion"] == "2025-06-18"
    sent = wire.seen[2]
    assert (sent.headers["mcp-session-id"], sent.headers["mcp-protocol-version"]) == ("one", "2025-06-18")
    assert [one.message and one.message.get("method") for one in wire.seen[:2]] == [
        "initialize",
        "notifications/initialized",
    ]


def test_a_text_within_a_session_is_sent_byte_for_byte() -> None:
    wire, surface = app(handshaking)
    text = '{"jsonrpc":"2.0",  "id":3,"method":"x"}'
    asked(surface, within(text))
    assert wire.seen[2].body == text.encode()
    assert wire.seen[2].headers["mcp-session-id"] == "one"


def test_without_sessions_a_message_object_carries_the_three_words_and_its_own_win() -> None:
    wire, surface = app(lambda seen: as_json({"jsonrpc": "2.0", "id": 3, "result": {}}))
    meta = {"io.modelcontextprotocol/protocolVersion": "1900-01-01"}
    asked(surface, within({"jsonrpc": "2.0", "id": 3, "method": "x", "params": {"_meta": meta}}), "stateless")
    (sent,) = wire.seen
    assert sent.message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "1900-01-01"
    assert "io.modelcontextprotocol/clientInfo" in sent.message["params"]["_meta"]
    assert (sent.headers["mcp-method"], sent.headers["mcp-protocol-version"]) == ("x", "2026-07-28")


def test_over_standard_streams_it_goes_behind_the_handshake(tmp_path: Path) -> None:
    file = tmp_path / "log"
    seen = asked(command("obeys", str(file)), within({"jsonrpc": "2.0", "id": 9, "method": "ping"}))
    assert seen.roots["rpc"]["result"] == {}
    methods = [json.loads(line)[1] for line in file.read_text().splitlines()]
    assert methods == ["initialize", "notifications/initialized", "ping"]


# ── a partial manifest ───────────────────────────────────────────────────────────────────────────


def test_a_listing_that_breaks_off_is_an_error_unless_a_part_of_it_will_do() -> None:
    with pytest.raises(CaseError, match="exit code 5"):
        asked(command("breaks"), Call("manifest", {}))
    seen = asked(command("breaks"), PARTIAL)
    assert [tool["name"] for tool in seen.roots["manifest"]["tools"]] == ["ask"]
    assert "page 2 did not come" in seen.roots["manifest"]["incomplete"]
    assert "exit code 5" in seen.roots["manifest"]["incomplete"]


def test_a_whole_listing_is_not_called_incomplete() -> None:
    assert "incomplete" not in asked(command("virtuous"), PARTIAL).roots["manifest"]


def test_a_server_that_does_not_begin_has_no_part_of_a_manifest() -> None:
    with pytest.raises(CaseError):
        asked(command("unfit"), PARTIAL)
