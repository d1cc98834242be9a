"""A stranger's contract with every way in, and a real server for it on this machine."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import uvicorn

from evalkit.evaluation import lend
from evalkit.model import Json, Subject, World
from evalkit.surfaces import AppSurface, McpSurface
from evalkit.world import CaseFolder, FakeWorld

ROOT: Final = Path(__file__).parents[1]
NAME: Final = "python:tests.lending:open_subject"
MCP: Final = "/notebook/mcp"
MANIFEST: Final = "/notebook/manifest"

_TEXT: Final[Json] = {"type": "string"}
_ANNOTATIONS: Final[Json] = {"readOnlyHint": False, "idempotentHint": True}
TOOLS: Final[Json] = [
    {
        "name": name,
        "inputSchema": {"type": "object", "properties": dict.fromkeys(keys, _TEXT), "required": list(keys)},
        "annotations": _ANNOTATIONS,
    }
    for name, keys in (("read", ("note",)), ("write", ("note", "text")))
]


class Notebook:
    """Notes by name are its only source; settings may lock it. The way in called `direct`."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.written: dict[str, str] = {}
        world.log.declare("notes", "trash")

    def manifest(self) -> Json:
        """More than `tools/list` says."""
        limits = {"maxResponseChars": 2000, "maxApproxTokens": 500}
        return {"kind": "notebook", "tools": TOOLS, "limits": limits}

    def notes(self) -> dict[str, str]:
        """What the source holds now."""
        return {**self.world.fixture.get("notes", {}), **self.written}

    def call_tool(self, name: str, args: Json, **more: Json) -> Json:
        """Read a note or write one; `die` ends the process that serves it."""
        if name == "die":
            os._exit(9)
        if name == "read":
            self.world.log.read("notes")
            text = self.notes().get(args["note"])
            if text is None:
                return _failed(f"there is no note {args['note']}")
            return _said({"text": text, "at": int(self.world.now())})
        if name != "write":
            return _failed(f"there is no tool {name}")
        if (self.world.settings or {}).get("locked"):
            return _failed("the notebook is locked")
        self.written[args["note"]] = args["text"]
        self.world.log.wrote({"note": args["note"], "text": args["text"]})
        return _said({"written": args["note"]})


def open_subject(world: World) -> Subject:
    """A notebook, three ways in."""
    if world.fixture.get("broken"):
        raise ValueError("the notebook is broken")
    notebook = Notebook(world)
    surface = AppSurface(_app_of(notebook), awaits=False)
    return Subject(
        {
            "direct": notebook,
            "http": surface,
            "mcp": McpSurface(surface, MCP, MANIFEST, "handshake"),
        },
        snapshot=lambda: {"notes": notebook.notes()},
    )


def open_without_http(world: World) -> Subject:
    """The same, for programs only."""
    return Subject({"direct": Notebook(world)})


def alone(**notes: str) -> Any:
    """The app of one notebook that is served without any evaluation, with data of its own."""
    notebook = Notebook(FakeWorld({"notes": notes}, None, CaseFolder()))
    return _app_of(notebook)


async def nobody(scope: Any, receive: Any, send: Any) -> None:
    """The app that is served beside the Worlds: it says which path reached it."""
    if scope["type"] == "http":
        await _answer(send, 200, {"real": scope["path"]})


@contextlib.contextmanager
def served(app: Any) -> Iterator[str]:
    """The origin at which an app is served, in a thread; what is asked before it is up waits."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = _server_of(app)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@contextlib.contextmanager
def lent(app: Any = nobody, **words: Any) -> Iterator[str]:
    """The origin of a server that lends notebooks."""
    with served(lend(open_subject, app, **words)) as origin:
        yield origin


@contextlib.contextmanager
def lent_by_a_process() -> Iterator[str]:
    """The same, in a process of its own, which may die meanwhile: then nobody listens any more."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        number = listening.fileno()
        command = [sys.executable, "-m", "tests.lending", str(number)]
        process = subprocess.Popen(command, cwd=ROOT, pass_fds=[number])
        port = listening.getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def unused_port() -> int:
    """A port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def _server_of(app: Any) -> uvicorn.Server:
    words: Any = {"lifespan": "off", "log_config": None, "access_log": False, "ws": "none", "loop": "asyncio"}
    return uvicorn.Server(uvicorn.Config(app, proxy_headers=False, **words))


def _app_of(notebook: Notebook) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        body = b""
        while (message := await receive()).get("more_body", False):
            body += message["body"]
        body += message.get("body", b"")
        path = scope["path"]
        if path == MANIFEST:
            await _answer(send, 200, notebook.manifest())
        elif path == MCP:
            await _answer_mcp(send, json.loads(body), notebook)
        elif path == "/whoami":
            raw, peer = scope["raw_path"], scope["client"][0]
            said = {"raw": raw.decode(), "peer": peer, "method": scope["method"], "body": body.decode()}
            await _answer(send, 200, said)
        elif path.startswith("/notes/") and (text := notebook.notes().get(path.removeprefix("/notes/"))):
            notebook.world.log.read("notes")
            await _answer(send, 200, {"text": text})
        else:
            await _answer(send, 404, {"path": path})

    return app


async def _answer_mcp(send: Any, message: Json, notebook: Notebook) -> None:
    """As little of MCP 2025-06-18 as a client needs."""
    if "id" not in message:
        await _answer(send, 202, None)
        return
    method, params = message["method"], message.get("params", {})
    results: dict[str, Callable[[], Json]] = {
        "initialize": lambda: {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "notebook", "version": "1"},
        },
        "tools/list": lambda: {"tools": TOOLS},
        "tools/call": lambda: notebook.call_tool(params["name"], params.get("arguments")),
    }
    head = {"jsonrpc": "2.0", "id": message["id"]}
    if method in results:
        await _answer(send, 200, {**head, "result": results[method]()})
    else:
        await _answer(send, 200, {**head, "error": {"code": -32601, "message": f"no method {method}"}})


async def _answer(send: Any, status: int, said: Json) -> None:
    body = b"" if said is None else json.dumps(said).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _said(output: Json) -> Json:
    return {"content": [{"type": "text", "text": json.dumps(output)}], "structuredContent": output}


def _failed(text: str) -> Json:
    return {"isError": True, "content": [{"type": "text", "text": text}]}


if __name__ == "__main__":
    _server_of(lend(open_subject, nobody)).run([socket.socket(fileno=int(sys.argv[1]))])
