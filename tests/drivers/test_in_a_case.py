"""Both ways in within a whole case: under the guard, with its deadline, judged by the words of a suite."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from evalkit.model import CaseResult, Subject
from evalkit.surfaces import AppSurface, McpSurface
from tests.drivers.test_mcp_sdk import judge
from tests.drivers.wires import Seen, Told, Wire, as_json, speaking
from tests.drivers.wires import result as answered
from tests.playing import FREE, loaded, played, suite_file

HEAD = f'name: s\nversion: 1\ncontract: "{FREE}"\ndefaults: {{fixture: {{}}}}\ncases:\n'


def result(folder: Path, case: str, **surfaces: Any) -> CaseResult:
    """The result of one case in flow style."""
    suite = loaded(suite_file(folder, f"{HEAD}  - {{id: a, title: A, {case}}}\n"))
    return played(suite, lambda world: Subject(surfaces))["a"]


def test_an_http_request_is_judged_by_status_and_headers(tmp_path: Path) -> None:
    surface = AppSurface(Wire(lambda seen: as_json({"a": 1}, 418)), awaits=False)
    case = "operation: http, path: /x, expect: {status: 418, headers: {content-type: application/json}"
    assert result(tmp_path, case + ", equals: {response.json.a: 1}}", http=surface).status == "pass"
    assert result(tmp_path, case + ", equals: {response.json.a: 2}}", http=surface).status == "fail"


def test_a_tool_is_judged_over_mcp(tmp_path: Path) -> None:
    wire = speaking({"tools/call": lambda seen: answered(seen, {"structuredContent": {"a": 1}})})
    surface = McpSurface(AppSurface(wire, awaits=False), "/mcp", era="handshake")
    case = (
        "over: mcp, operation: tool, tool: ask, args: {q: 1}, expect: {isError: false, equals: {output.a: 1}}"
    )
    assert result(tmp_path, case, mcp=surface).status == "pass"


@pytest.mark.parametrize("era", ["handshake", "stateless"])
def test_an_app_with_an_event_loop_keeps_within_the_guard(tmp_path: Path, era: Any) -> None:
    surface = McpSurface(AppSurface(judge().streamable_http_app()), "/mcp", era=era)
    case = "over: mcp, operation: tool, tool: add, args: {a: 1, b: 2}, expect: {inputSchemaValid: true"
    found = result(tmp_path, case + ", outputSchemaValid: true, equals: {output.total: 3}}", mcp=surface)
    assert (found.status, found.error, found.findings) == ("pass", None, ())


async def never(scope: Any, receive: Any, send: Any) -> None:
    """Answers nothing, and waits for ever."""
    if scope["type"] == "http":
        await asyncio.Event().wait()


async def busy(scope: Any, receive: Any, send: Any) -> None:
    """Answers nothing, and never rests."""
    while scope["type"] == "http":
        pass


@pytest.mark.parametrize(("app", "awaits"), [(never, True), (busy, True), (busy, False)])
def test_an_app_that_never_answers_is_a_timeout(tmp_path: Path, app: Any, awaits: bool) -> None:
    case = "timeout: 0.05, operation: http, path: /x, expect: {status: 200}"
    found = result(tmp_path, case, http=AppSurface(app, awaits=awaits))
    assert found.error == ("timeout", "no answer within 0.05 s")


def test_an_error_page_is_an_error_that_shows_it(tmp_path: Path) -> None:
    wire = Wire(lambda seen: as_json({"error": "disabled"}, 403))
    surface = McpSurface(AppSurface(wire, awaits=False), "/mcp", era="handshake")
    case = "over: mcp, operation: tool, tool: ask, expect: {isError: true}"
    found = result(tmp_path, case, mcp=surface)
    assert found.error is not None
    assert found.error[0] == "protocol"
    assert "status 403" in found.error[1]
    assert "disabled" in found.error[1]


def test_what_an_app_raises_is_the_contracts_own_fault(tmp_path: Path) -> None:
    def raising(seen: Any) -> Any:
        raise ZeroDivisionError("here")

    case = "operation: http, path: /x, expect: {status: 200}"
    found = result(tmp_path, case, http=AppSurface(Wire(raising), awaits=False))
    assert found.error is not None
    assert found.error[0] == "contract-raised"


def test_a_secret_in_a_header_of_the_answer_is_a_leak(tmp_path: Path) -> None:
    secret = "tok-" + "7" * 12
    surface = AppSurface(
        Wire(lambda seen: as_json({}, headers=((b"x-token", secret.encode()),))), awaits=False
    )
    head = HEAD.replace("{fixture: {}}", "{fixture: {token: {$secret: " + secret + "}}}")
    text = f"{head}  - {{id: a, title: A, operation: http, path: /x, expect: {{status: 200}}}}\n"
    found = played(loaded(suite_file(tmp_path, text)), lambda world: Subject({"http": surface}))["a"]
    assert found.leaked


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def test_a_secret_on_a_page_that_answers_nothing_is_a_leak(tmp_path: Path) -> None:
    wire = Wire(lambda seen: as_json({"error": "closed by nora.lind"}, 403))
    surface = McpSurface(AppSurface(wire, awaits=False), "/mcp", era="handshake")
    case = "fixture: {owner: {$secret: nora.lind}}, over: mcp, operation: tool, tool: ask"
    found = result(tmp_path, f"{case}, expect: {{isError: true}}", mcp=surface)
    assert (found.status, found.error and found.error[0]) == ("fail", "protocol")
    assert [(one.code, one.severity) for one in found.findings] == [("secret-leaked", "critical")]


def closing() -> None:
    """A subject that cannot be closed."""
    raise OSError("busy")


def test_what_broke_first_is_told_and_what_it_had_said_is_searched(tmp_path: Path) -> None:
    wire = Wire(lambda seen: as_json({"error": "closed by nora.lind"}, 403))
    surface = McpSurface(AppSurface(wire, awaits=False), "/mcp", era="handshake")
    case = "fixture: {owner: {$secret: nora.lind}}, over: mcp, operation: tool, tool: ask"
    suite = loaded(
        suite_file(tmp_path, f"{HEAD}  - {{id: a, title: A, {case}, expect: {{isError: true}}}}\n")
    )
    found = played(suite, lambda world: Subject({"mcp": surface}, close=closing))["a"]
    assert found.leaked
    assert found.error is not None
    assert found.error[0] == "protocol"


async def half(scope: Any, receive: Any, send: Any) -> None:
    """Sends half an answer, with what should not be in it, and waits for ever."""
    if scope["type"] == "http":
        head = {"type": "http.response.start", "status": 200}
        await send({**head, "headers": [(b"content-type", b"application/json")]})
        for piece in (b'{"owner": "nora', b'.lind", '):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await asyncio.Event().wait()


@pytest.mark.parametrize(
    "words",
    [
        "operation: http, path: /x, expect: {status: 200}",
        "over: mcp, operation: manifest, expect: {present: [manifest]}",
    ],
)
def test_a_secret_in_half_an_answer_is_a_leak_though_the_deadline_ends_it(tmp_path: Path, words: str) -> None:
    app = AppSurface(half)
    case = f"fixture: {{owner: {{$secret: nora.lind}}}}, timeout: 0.2, {words}"
    found = result(tmp_path, case, http=app, mcp=McpSurface(app, "/mcp", era="handshake"))
    assert found.error == ("timeout", "no answer within 0.2 s")
    assert (found.status, {one.code for one in found.findings}) == ("fail", {"secret-leaked"})


def test_a_secret_in_an_answer_is_a_leak_though_the_listing_after_it_breaks(tmp_path: Path) -> None:
    def raising(seen: Seen) -> Told:
        raise ValueError("the listing is broken")

    told = {"content": [{"type": "text", "text": "nora.lind"}]}
    wire = speaking({"tools/call": lambda seen: answered(seen, told), "tools/list": raising})
    surface = McpSurface(AppSurface(wire, awaits=False), "/mcp", era="handshake")
    case = "fixture: {owner: {$secret: nora.lind}}, over: mcp, operation: tool, tool: ask"
    found = result(tmp_path, f"{case}, expect: {{inputSchemaValid: true}}", mcp=surface)
    assert (found.status, found.error and found.error[0]) == ("fail", "contract-raised")
    assert {one.code for one in found.findings} == {"secret-leaked"}


def test_a_session_that_cannot_be_ended_keeps_no_subject_open(tmp_path: Path) -> None:
    closed: list[str] = []
    usual = speaking({"initialize": begun}).answer

    def answer(seen: Seen) -> Told:
        if seen.method == "DELETE":
            raise OSError("busy")
        return usual(seen)

    surface = McpSurface(AppSurface(Wire(answer), awaits=False), "/mcp", era="handshake")
    case = "over: mcp, operation: manifest, expect: {present: [manifest]}"
    suite = loaded(suite_file(tmp_path, f"{HEAD}  - {{id: a, title: A, {case}}}\n"))
    found = played(suite, lambda world: Subject({"mcp": surface}, close=lambda: closed.append("closed")))["a"]
    assert (found.status, closed) == ("error", ["closed"])


def begun(seen: Seen) -> Told:
    """A handshake that gives a session."""
    agreed = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s"}}
    return answered(seen, agreed, headers=((b"mcp-session-id", b"s"),))
