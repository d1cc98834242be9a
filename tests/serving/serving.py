"""A real `evalkit serve agent-context` in a process of its own, and calls of it over a real socket."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ENDPOINT = "/api/agent-context/mcp"
GRANTED = {
    "agentContext": {
        "enabled": True,
        "profile": "summary",
        "scopes": ["navigation", "workspaces", "brain", "identity"],
        "actions": {"readPortos": True, "writePortos": True},
    }
}
_HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
_SECONDS = 30


class Server:
    """The process; `port` is where it listens, on 127.0.0.1."""

    def __init__(self, *flags: str, port: int = 0) -> None:
        """Start it and wait until it says that it listens."""
        command = [sys.executable, "-m", "evalkit", "serve", "agent-context", "--port", str(port), *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.process.stdout is not None
        self.told = b""
        while (found := re.search(rb"http://127\.0\.0\.1:(\d+)/api/agent-context/mcp", self.told)) is None:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(f"it did not start: {self.process.communicate()[1].decode()}")
            self.told += line
        self.port = int(found[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{ENDPOINT}"

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, and give the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            self.process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise
        return self.process.returncode


@contextlib.contextmanager
def serving(*flags: str) -> Iterator[Server]:
    """A server that is stopped at the end."""
    server = Server(*flags)
    try:
        yield server
    finally:
        server.stop()


def settings_file(folder: Path, settings: Any = None) -> str:
    """A settings file that grants everything, or what is given."""
    file = folder / "settings.json"
    file.write_text(json.dumps(GRANTED if settings is None else settings), encoding="utf-8")
    return str(file)


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Client:
    """One keep-alive connection that asks one thing after the other."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)

    def call(self, tool: str, args: Any, key: str | None = None) -> Any:
        """The tool's result. Raises OSError or HTTPException where the connection breaks."""
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": args},
        }
        headers = _HEADERS if key is None else {**_HEADERS, "idempotency-key": key}
        self._connection.request("POST", ENDPOINT, json.dumps(message), headers)
        response = self._connection.getresponse()
        body = response.read()
        assert response.status == 200, body
        return json.loads(body)["result"]

    def close(self) -> None:
        self._connection.close()
