"""Times a tool call: direct, over the app in memory, and live beside a bare app of the same bytes."""

from __future__ import annotations

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from evalkit.contracts.agent_context.subject import open_subject
from evalkit.contracts.agent_context.writing import encode
from evalkit.frozen import freeze
from evalkit.model import DirectSurface
from evalkit.surfaces import AppSurface
from evalkit.world import CaseFolder, FakeWorld

ENDPOINT = "/api/agent-context/mcp"
HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
SETTINGS = {
    "agentContext": {
        "enabled": True,
        "profile": "summary",
        "scopes": ["navigation", "workspaces", "brain", "identity"],
        "actions": {"readPortos": True, "writePortos": True},
    }
}
FIXTURE = {
    "workspaces": [{"appId": f"a{at}", "appName": f"App {at}", "taskCount": at} for at in range(10)],
    "brain": {
        "ideas": [
            {"id": str(at), "title": f"Idea {at}", "description": "water the trees"} for at in range(50)
        ]
    },
    "semantic": {
        "brainInbox": [
            {"id": f"inbox-{at}", "capturedAt": "2026-01-01T00:00:00Z", "capturedText": f"Note {at}"}
            for at in range(10)
        ]
    },
}
CALLS: Mapping[str, Any] = {
    "context_profile": {},
    "list_context": {"scope": "workspaces"},
    "search_context": {"query": "trees", "scopes": ["brain"]},
    "brain_recent": {},
}
BARE = """
import socket, sys, uvicorn
body = open(sys.argv[1], "rb").read()
start = {"type": "http.response.start", "status": 200, "headers": [
    (b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]}
async def app(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    await send(start)
    await send({"type": "http.response.body", "body": body})
opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
opened.bind(("127.0.0.1", 0))
opened.listen(128)
print(f"http://127.0.0.1:{opened.getsockname()[1]}/api/agent-context/mcp", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off", http="h11",
    loop="asyncio")).run([opened])
"""


def message(tool: str, args: Any) -> bytes:
    """A call of a tool as it goes over a wire."""
    params = {"name": tool, "arguments": args}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def in_turn(*works: Callable[[], object], rounds: int = 15, times: int = 200) -> list[float]:
    """The median seconds of one run of each, taken in turn."""
    seconds: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for own, work in zip(seconds, works, strict=True):
            started = time.perf_counter()
            for _ in range(times):
                work()
            own.append((time.perf_counter() - started) / times)
    return [statistics.median(own) for own in seconds]


def in_memory() -> None:
    """Each call direct, with JSON in and out, and over the app."""
    subject = open_subject(FakeWorld(freeze(FIXTURE), freeze(SETTINGS), CaseFolder()))
    direct: DirectSurface = subject.surfaces["direct"]  # type: ignore[assignment]
    surface: AppSurface = subject.surfaces["http"]  # type: ignore[assignment]
    for tool, args in CALLS.items():
        body = message(tool, args)

        def plain(body: bytes = body) -> bytes:
            asked = json.loads(body)
            params = asked["params"]
            result = direct.call_tool(params["name"], params["arguments"])
            return encode({"jsonrpc": "2.0", "id": asked["id"], "result": result})

        base, over = in_turn(plain, partial(through, surface, body))
        told = f"{tool}: direct with JSON in and out {base * 1e6:.0f} µs"
        print(f"  {told}; over the app {over / base:.2f}x ({(over - base) * 1e6:.0f} µs more)", flush=True)


def through(surface: AppSurface, body: bytes) -> bytes:
    """One POST to an app that awaits nothing else than its own request and reply."""
    events = iter([{"type": "http.request", "body": body, "more_body": False}])
    answered: list[bytes] = []

    async def receive() -> Any:
        return next(events)

    async def send(event: Any) -> None:
        if event["type"] == "http.response.body":
            answered.append(event["body"])

    headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    headers.append((b"content-length", str(len(body)).encode()))
    scope = {
        "type": "http",
        "method": "POST",
        "path": ENDPOINT,
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 1),
    }
    running = surface.app(scope, receive, send)
    try:
        running.send(None)  # type: ignore[attr-defined]
    except StopIteration:
        return b"".join(answered)
    raise SystemExit("the app awaits something else")


def live() -> None:
    """Sequential calls over one connection, beside an app that only sends the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        settings, answer = Path(folder, "settings.json"), Path(folder, "answer.json")
        settings.write_text(json.dumps(SETTINGS), encoding="utf-8")
        serve = [
            "-m",
            "evalkit",
            "serve",
            "agent-context",
            "--port",
            "0",
            "--demo",
            "--settings",
            str(settings),
        ]
        with started(serve) as ours:
            for tool, args in CALLS.items():
                body = message(tool, args)
                answer.write_bytes(posted(ours, body))
                with started(["-c", BARE, str(answer)]) as bare:
                    base, over = in_turn(
                        partial(posted, bare, body),
                        partial(posted, ours, body),
                        rounds=9,
                        times=100,
                    )
                told = f"{tool}: a bare uvicorn app {base * 1e6:.0f} µs"
                print(f"  {told}; evalkit serve agent-context {over / base:.2f}x of it", flush=True)


@contextmanager
def started(words: list[str]) -> Iterator[http.client.HTTPConnection]:
    """A connection to a server in a process of its own, which says where it listens."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    )
    try:
        assert process.stdout is not None
        line = next(line for line in process.stdout if b"http://127.0.0.1:" in line)
        port = int(line.split(b"http://127.0.0.1:")[1].split(b"/")[0])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        yield connection
        connection.close()
    finally:
        process.terminate()
        process.wait()


def posted(connection: http.client.HTTPConnection, body: bytes) -> bytes:
    """One POST over a connection that stays open."""
    connection.request("POST", ENDPOINT, body, HEADERS)
    return connection.getresponse().read()


if __name__ == "__main__":
    print("one tool call, median of calls taken in turn")
    in_memory()
    live()
