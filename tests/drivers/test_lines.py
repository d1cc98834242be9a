"""MCP over lines in memory: a function that is given one line and gives lines stands for the program."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from evalkit.drivers import mcp
from evalkit.drivers._channel import MOST_NOISE, Heard
from evalkit.errors import CapabilityMissing, CaseError
from evalkit.model import Call, Json, Observation, Subject
from evalkit.surfaces import McpSurface, Messages
from tests.drivers import vices
from tests.playing import FREE, loaded, played, suite_file

CALL = Call("tool", {"tool": "ask", "args": {"q": 1}})
Answer = Callable[[Json], Iterable[Any]]


def answered(message: Json) -> list[Json]:
    """As a virtuous server answers."""
    if "id" not in message:
        return []
    head = {"jsonrpc": "2.0", "id": message["id"]}
    result = vices.answer(message)
    return [{**head, **({"error": {"code": -32601}} if result is None else {"result": result})}]


class Scripted:
    """A message function that remembers its lines; `instead` answers calls in place of a virtuous server."""

    def __init__(self, instead: Answer = answered) -> None:
        self.lines: list[bytes] = []
        self._instead = instead

    def __call__(self, line: bytes) -> Iterable[bytes]:
        self.lines.append(line)
        message = json.loads(line)
        said = self._instead(message) if message.get("method") in ("tools/call", None) else answered(message)
        for one in said:
            yield one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n"


def asked(script: Scripted, call: Call = CALL, era: Any = "handshake") -> Observation:
    session = mcp.open(McpSurface(Messages(script), era=era))
    seen = session.send(call)
    assert session.close() is None
    return seen


def test_each_message_is_one_line_without_its_end() -> None:
    script = Scripted()
    seen = asked(script, Call("tool", {"tool": "ask", "args": {"q": "a\nb"}}))
    assert [json.loads(line)["method"] for line in script.lines] == [
        "initialize",
        "notifications/initialized",
        "tools/call",
        "tools/list",
    ]
    assert not any(b"\n" in line for line in script.lines)
    assert seen.roots["output"]["args"] == {"q": "a\nb"}
    assert seen.noise == ()


def test_either_era_is_found() -> None:
    assert asked(Scripted(), era="auto").roots["manifest"]["protocolVersion"] == "2025-11-25"


def test_what_is_not_said_at_once_never_comes() -> None:
    with pytest.raises(CaseError, match="`tools/call` got no answer") as problem:
        asked(Scripted(lambda message: ()))
    assert problem.value.code == "protocol"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (b"log\n", 'is no JSON: "log"'),
        (b"log", 'is no JSON: "log"'),
        (b"\xff", 'is no JSON: "\ufffd"'),
        (b"17\n", 'is JSON, but no JSON-RPC message: "17"'),
        (b'{"jsonrpc": "2.0"}', "is JSON, but no JSON-RPC message"),
        (b'{"jsonrpc": "2.0", "id": 5}', "is JSON, but no JSON-RPC message"),
        (b'{"method": "notifications/message"}', "is JSON, but no JSON-RPC message"),
        (b'{"jsonrpc": "2.0", "id": 99, "result": {}}', "answers a request that nobody has made"),
        (b"x" * 401, "is no JSON: 401 bytes"),
    ],
)
def test_what_is_no_message_is_noise(said: bytes, told: str) -> None:
    seen = asked(Scripted(lambda message: [said, *answered(message)]))
    assert seen.roots["output"]["args"] == {"q": 1}
    assert len(seen.noise) == 1
    assert seen.noise[0].startswith("line 2 of standard output ")
    assert told in seen.noise[0]


def test_a_line_that_holds_several_is_several() -> None:
    both = b'{"jsonrpc": "2.0", "method": "a"}\nnoise\n'
    seen = asked(Scripted(lambda message: [both, *answered(message)]))
    assert seen.roots["notifications"] == [{"jsonrpc": "2.0", "method": "a"}]
    assert len(seen.noise) == 1


def test_much_noise_is_counted() -> None:
    heard = Heard({})
    for number in range(MOST_NOISE + 3):
        heard.note(str(number))
    assert heard.take_noise() == (*map(str, range(MOST_NOISE)), "3 more like these")
    assert heard.take_noise() == ()


@pytest.mark.parametrize(
    ("change", "code", "told"),
    [
        (lambda answer: {**answer, "jsonrpc": "1.0"}, "protocol", "not marked as JSON-RPC 2.0"),
        (lambda answer: {**answer, "error": {"code": 1}}, "protocol", "a result and an error at once"),
        (lambda answer: json.dumps(answer).replace("{}", "NaN").encode(), "not-json", "it is no JSON"),
        (lambda answer: json.dumps(answer).replace('"id"', '"id": 7, "id"').encode(), "not-json", "no JSON"),
    ],
)
def test_an_answer_that_breaks_the_protocol_is_none(change: Any, code: str, told: str) -> None:
    def instead(message: Json) -> list[Any]:
        return [change({"jsonrpc": "2.0", "id": message["id"], "result": {}})]

    with pytest.raises(CaseError, match=told) as problem:
        asked(Scripted(instead))
    assert problem.value.code == code


def test_a_question_of_the_server_is_answered_before_the_answer_comes() -> None:
    def instead(message: Json) -> list[Any]:
        if "method" in message:
            called.append(message["id"])
            return [{"jsonrpc": "2.0", "id": "q", "method": "ping"}]
        return [{"jsonrpc": "2.0", "id": called[0], "result": {"structuredContent": message}}]

    called: list[Any] = []
    assert asked(Scripted(instead)).roots["output"] == {"jsonrpc": "2.0", "id": "q", "result": {}}


def test_a_message_as_it_is_goes_alone() -> None:
    script = Scripted()
    seen = asked(script, Call("rpc", {"message": {"jsonrpc": "2.0", "id": 1, "method": "ping"}}))
    assert seen.roots == {
        "rpc": {"jsonrpc": "2.0", "id": 1, "result": {}},
        "notifications": [],
    }
    assert len(script.lines) == 1
    script = Scripted()
    assert "rpc" not in asked(script, Call("rpc", {"message": {"jsonrpc": "2.0", "method": "a"}})).roots
    assert len(script.lines) == 1


def test_a_document_at_a_path_is_not_there() -> None:
    session = mcp.open(McpSurface(Messages(Scripted()), manifest="/about", era="handshake"))
    with pytest.raises(CapabilityMissing, match="/about"):
        session.send(Call("manifest", {}))


def test_what_the_function_raises_goes_through() -> None:
    def instead(message: Json) -> list[Any]:
        raise ZeroDivisionError("here")

    with pytest.raises(ZeroDivisionError):
        asked(Scripted(instead))


HEAD = f'name: s\nversion: 1\ncontract: "{FREE}"\ndefaults: {{fixture: {{}}, over: mcp}}\ncases:\n'


def test_a_case_in_memory_keeps_within_the_guard_and_tells_noise(tmp_path: Path) -> None:
    case = "{id: a, title: A, operation: tool, tool: ask, args: {q: 1}, expect: {equals: {output.args.q: 1}}}"
    suite = loaded(suite_file(tmp_path, f"{HEAD}  - {case}\n"))
    plays: list[tuple[Answer, list[str]]] = [
        (answered, []),
        (lambda message: [b"log", *answered(message)], ["noise"]),
    ]
    for instead, codes in plays:
        subject = Subject({"mcp": McpSurface(Messages(Scripted(instead)), era="handshake")})
        result = played(suite, lambda _world, subject=subject: subject)["a"]  # type: ignore[misc]
        assert ([one.code for one in result.findings], result.error) == (codes, None)


def test_in_memory_no_process_and_no_http_is_loaded() -> None:
    program = """
import sys
from evalkit.drivers import cli, mcp
from evalkit.model import Call
from evalkit.surfaces import McpSurface, Messages, Program
session = mcp.open(McpSurface(Messages(lambda line: [b'{"jsonrpc": "2.0", "id": 1, "result": {}}'])))
session.send(Call("rpc", {"message": {"jsonrpc": "2.0", "id": 1, "method": "ping"}}))
session.close()
cli.open(Program(lambda argv, stdin, stdout, stderr: 0)).send(Call("cli", {"argv": []}))
dear = {"asyncio", "httpx", "subprocess", "selectors", "select", "threading", "socket", "shlex"}
ours = {"evalkit.drivers._child", "evalkit.drivers._keeper", "evalkit.drivers._posts"}
print(sorted((dear | ours) & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n", done.stdout
