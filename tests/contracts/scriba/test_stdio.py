"""MCP over standard input and output: the loop in memory, and the program in a process (spec 7.6)."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import pytest

from evalkit.contracts.scriba.mcp import messages, stdio
from evalkit.contracts.scriba.mcp.rules import McpRules
from evalkit.contracts.scriba.seed import CONFIG_FILE, seed
from tests.contracts.scriba.fakes import FakeService, raising

Json = Any

ROOT = Path(__file__).parents[3]
SECONDS = 60
INITIALIZE = {
    "protocolVersion": "2025-03-26",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def line(method: str, number: Json = None, **params: Json) -> bytes:
    own = {} if number is None else {"id": number}
    return json.dumps({"jsonrpc": "2.0", **own, "method": method, "params": params}).encode() + b"\n"


def call(number: Json, name: str = "scriba_get_context", **arguments: Json) -> bytes:
    return line("tools/call", number, name=name, arguments=arguments)


def served(requests: bytes | IO[bytes], service: FakeService | None = None) -> list[Json]:
    """What is answered, in the order in which it is."""
    out = io.BytesIO()
    own = service or FakeService()
    stream = io.BytesIO(requests) if isinstance(requests, bytes) else requests
    stdio.serve(stream, out, lambda message: messages.answer(McpRules(), own, message))
    written = out.getvalue()
    assert not written or written.endswith(b"\n")
    return [json.loads(one) for one in written.splitlines()]


def by_id(answers: Sequence[Json]) -> dict[Json, Json]:
    found = {answer["id"]: answer for answer in answers}
    assert len(found) == len(answers)
    return found


# --- the loop


def test_a_line_is_a_message_and_so_is_its_answer() -> None:
    requests = b"\r\n \n" + line("ping", 1) + line("notifications/initialized") + line("ping", "é")
    assert served(requests) == [{"jsonrpc": "2.0", "id": number, "result": {}} for number in (1, "é")]


def test_the_last_line_needs_no_end() -> None:
    assert len(served(line("ping", 1).rstrip() + b"\r\n" + line("ping", 2).rstrip())) == 2


def test_nothing_asked_is_nothing_answered() -> None:
    assert served(b"") == []


@pytest.mark.parametrize(
    "garbage",
    [
        *(
            b"hello",
            b"{",
            b"\xff",
            b'"\xed\xa0\x80"',
            b"\x00",
            b"NaN",
            b"[1e999, Infinity]",
            b"\xef\xbb\xbf{}",
        ),
        b"[" * 200_000,
        b"1" * 5000,
    ],
)
def test_garbage_is_told_and_what_follows_is_answered(garbage: bytes) -> None:
    error = {"code": -32700, "message": "Parse error"}
    assert served(garbage + b"\n" + line("ping", 1)) == [
        {"jsonrpc": "2.0", "id": None, "error": error},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
    ]


def test_a_line_without_end_is_read_past_and_not_kept() -> None:
    class Counting(io.BytesIO):
        most = 0

        def readline(self, size: int | None = -1, /) -> bytes:
            found = super().readline(size)
            self.most = max(self.most, len(found))
            return found

    requests = Counting(b"x" * (3 * stdio.MAX_LINE + 7) + b"\n" + line("ping", 1))
    answers = served(requests)
    assert [answer["id"] for answer in answers] == [None, 1]
    assert answers[0]["error"] == {"code": -32600, "message": "The message is too long"}
    assert requests.most <= stdio.MAX_LINE


def test_the_longest_line_is_answered() -> None:
    ping = line("ping", 1)
    assert len(served(b" " * (stdio.MAX_LINE - len(ping)) + ping)) == 1
    assert "error" in served(b" " * (stdio.MAX_LINE - len(ping) + 1) + ping)[0]


def test_mc12_calls_are_answered_side_by_side() -> None:
    together = threading.Barrier(8)
    service = FakeService(lambda: together.wait(SECONDS))
    answers = by_id(served(b"".join(call(number) for number in range(8)), service))
    assert sorted(answers) == [*range(8)]
    assert all(answer["result"]["isError"] is False for answer in answers.values())


def test_no_more_than_eight_calls_are_answered_at_once() -> None:
    lock, now, most = threading.Lock(), [0], [0]
    together = threading.Barrier(8)

    def count() -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        together.wait(SECONDS)
        with lock:
            now[0] -= 1

    assert len(served(b"".join(call(number) for number in range(24)), FakeService(count))) == 24
    assert most == [8]


def test_a_ping_is_answered_while_a_call_waits_and_the_call_when_the_requests_have_ended() -> None:
    may_go_on = threading.Event()

    class Requests(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            found = super().readline(size)
            if not found:
                may_go_on.set()
            return found

    service = FakeService(lambda: may_go_on.wait(SECONDS))
    assert [answer["id"] for answer in served(Requests(call(1) + line("ping", 2)), service)] == [2, 1]


@pytest.mark.parametrize(("canceled", "answered"), [(1, [2]), (2, [1]), ("1", [1, 2]), (3, [1, 2])])
def test_a_call_that_is_cancelled_is_not_answered(canceled: Json, answered: list[int]) -> None:
    may_go_on = threading.Event()

    class Requests(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            found = super().readline(size)
            if not found:
                may_go_on.set()
            return found

    requests = Requests(call(1) + call(2) + line("notifications/cancelled", requestId=canceled))
    service = FakeService(lambda: may_go_on.wait(SECONDS))
    assert sorted(answer["id"] for answer in served(requests, service)) == answered
    assert len(service.asked) == 2


@pytest.mark.parametrize("params", [None, [], {}, {"requestId": None}, {"requestId": []}])
def test_a_cancellation_of_nothing_is_nothing(params: Json) -> None:
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
    requests = json.dumps(message).encode() + b"\n" + line("ping", 1)
    assert [answer["id"] for answer in served(requests)] == [1]


def test_calls_without_an_id_that_can_be_answered_are_refused() -> None:
    answers = served(line("tools/call", None) + call(True) + call([]))
    assert [answer["error"]["code"] for answer in answers] == [-32600, -32600]


def test_it_ends_where_nobody_takes_answers() -> None:
    class Gone(io.BytesIO):
        def flush(self) -> None:
            raise BrokenPipeError

    requests = io.BytesIO(line("ping", 1) * 100)
    stdio.serve(requests, Gone(), lambda message: message)
    assert requests.tell() == len(line("ping", 1))


def test_what_interrupts_it_goes_through() -> None:
    class Interrupted(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        served(Interrupted())


def test_a_fault_of_the_service_is_one_answer_among_others() -> None:
    answers = by_id(served(call(1) + line("ping", 2), FakeService(raising(RuntimeError("/a/path")))))
    assert answers[1]["result"]["content"] == [{"type": "text", "text": "data unavailable"}]


def test_one_line_is_answered_as_in_a_stream() -> None:
    service = FakeService()

    def replied(request: bytes) -> list[Json]:
        told = stdio.reply(request, lambda message: messages.answer(McpRules(), service, message))
        assert told is None or told.endswith(b"\n")
        return [] if told is None else [json.loads(told)]

    blank, note = b" \n", line("notifications/initialized")
    for request in (blank, note, line("ping", 1), call(2), b"garbage", b"x" * (stdio.MAX_LINE + 1)):
        assert replied(request) == served(request)
    assert [*map(len, map(replied, (blank, note, b"garbage")))] == [0, 0, 1]


# --- the process


class Process:
    """`evalkit scriba mcp` over the files of a folder that holds none, unless flags say otherwise."""

    def __init__(self, home: Path, *flags: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "evalkit", "scriba", "mcp", *flags],
            cwd=home,
            env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def ask(self, *lines: bytes) -> Json:
        """Send these, and give the next answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(b"".join(lines))
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def ended(self) -> tuple[int, bytes, bytes]:
        """Close its input: exit code, what is left of its output, and all of its diagnostics."""
        out, err = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, out, err


@pytest.fixture(name="process")
def process_fixture(tmp_path: Path) -> Iterator[Process]:
    started = Process(tmp_path)
    yield started
    started.process.kill()
    started.process.communicate()


@pytest.mark.slow
def test_mc11_the_end_of_the_requests_is_a_clean_end(process: Process) -> None:
    assert process.ask(line("initialize", 1, **INITIALIZE))["result"]["protocolVersion"] == "2025-03-26"
    answered = process.ask(line("notifications/initialized"), call(2))
    assert len(answered["result"]["structuredContent"]["sources"]) == 8
    assert process.ended() == (0, b"", b"")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_mc11_a_signal_is_a_clean_end(process: Process, number: int) -> None:
    process.ask(line("initialize", 1, **INITIALIZE))
    process.process.send_signal(number)
    assert process.process.wait(SECONDS) == 0  # its input is still open
    assert process.ended() == (0, b"", b"")


@pytest.mark.slow
def test_a_signal_ends_it_where_nobody_reads_its_answers(process: Process) -> None:
    assert process.process.stdin is not None
    process.ask(line("initialize", 1, **INITIALIZE))
    process.process.stdin.write(line("tools/list", 2) * 100)
    process.process.stdin.flush()
    process.process.send_signal(signal.SIGTERM)
    assert process.process.wait(SECONDS) == 0


@pytest.mark.slow
def test_mc13_what_is_no_message_is_answered_by_messages_only(process: Process) -> None:
    assert process.ask(b"garbage\n")["error"]["code"] == -32700
    assert process.ask(line("initialize", 1, **INITIALIZE))["id"] == 1
    assert process.ended() == (0, b"", b"")


@pytest.mark.slow
def test_without_any_input_it_ends_cleanly(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "evalkit", "scriba", "mcp"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert list(tmp_path.iterdir()) == []


# --- the official client


@pytest.mark.slow
def test_mc12_the_official_client_drives_it_and_the_databases_stay_as_they_are(tmp_path: Path) -> None:
    from mcp import ClientSession, StdioServerParameters  # slow to import, and only here
    from mcp.client.stdio import stdio_client

    paths = seeded(tmp_path)
    before = digests(tmp_path)
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "evalkit", "scriba", "mcp", "--config", str(paths)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=str(tmp_path),
    )

    async def talk() -> tuple[list[str], list[Json], list[Json], Json]:
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            asked = [session.call_tool("scriba_get_context", {}) for _ in range(4)]
            asked += [
                session.call_tool("scriba_list_events", {"mode": "replay", "cursor": "v1.0000000000000000"})
                for _ in range(4)
            ]
            results = [one.model_dump(by_alias=True) for one in await asyncio.gather(*asked)]
            refused = (await session.call_tool("scriba_list_events", {"limit": 0})).model_dump(by_alias=True)
            return [tool.name for tool in tools], results[:4], results[4:], refused

    names, documents, pages, refused = asyncio.run(talk())
    assert names == ["scriba_get_context", "scriba_list_events"]
    for result in (*documents, *pages):
        assert result["isError"] is False
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert {provider["providerId"] for provider in documents[0]["structuredContent"]["providers"]} == {
        "codex"
    }
    assert [event["id"] for event in pages[0]["structuredContent"]["events"]] == ["p1"]
    assert refused["isError"] is True
    assert digests(tmp_path) == before


def seeded(folder: Path) -> Path:
    """A configuration, and databases with one observation and one event."""
    observation = {
        "observedAt": "2026-07-13T11:56:00Z",
        "windows": [{"label": "5h limit", "usedPercent": 40}],
    }
    fixture = {
        "config": {"profiles": [{"id": "personal"}], "defaultProfileId": "personal"},
        "cache": {},
        "store": {
            "profiles": [{"id": "personal", "accounts": ["acctP"]}],
            "accounts": {"acctP": {"observations": [observation]}},
            "events": [{"id": "p1", "account": "acctP", "detectedAt": "2026-07-13T11:50:00Z"}],
        },
    }
    seed(fixture, folder)
    return folder / CONFIG_FILE


def digests(folder: Path) -> dict[str, str]:
    """Every database file below a folder, but for what SQLite keeps beside it."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.suffix in (".sqlite", ".json")
    }
