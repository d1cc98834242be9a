"""A server in a process of its own, started as a user starts it, and what it says."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
STANDING_IN = (sys.executable, "-m", "tests.contracts.agent_context.standing_in")
EVALKIT = (sys.executable, "-m", "evalkit", "serve", "agent-context")
SECONDS = 60

Json = Any


class Started:
    """The process; `told` is what it has said on standard output so far."""

    def __init__(
        self, folder: Path, command: Sequence[str], *, err: int = subprocess.PIPE, **more: str
    ) -> None:
        self.told = ""
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder), **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=err,
        )

    def until(self, pattern: str) -> re.Match[str]:
        """Wait until it has said this on standard output."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + SECONDS
        while (found := re.search(pattern, self.told)) is None:
            assert select.select([self.process.stdout], [], [], deadline - time.monotonic())[0], self.told
            piece = os.read(self.process.stdout.fileno(), 65536).decode()
            assert piece, f"it ended: {self.told}{self.err() if self.process.stderr else ''}"
            self.told += piece
        return found

    @property
    def port(self) -> int:
        return int(self.until(r"http://[^/ ]*:(\d+)/")[1])

    def err(self) -> str:
        """All of its standard error, once it has ended."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, and give the exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=SECONDS)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS)

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, Json]:
        """One request over a connection of its own → status, and the body as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        with contextlib.closing(connection):
            connection.request(
                method, path, body, {name.replace("_", "-"): value for name, value in headers.items()}
            )
            response = connection.getresponse()
            return response.status, json.loads(response.read() or b"null")


@contextlib.contextmanager
def started(
    folder: Path, *flags: str, command: Sequence[str] = STANDING_IN, **more: Any
) -> Iterator[Started]:
    """A server on a free port, which is gone afterwards."""
    server = Started(folder, [*command, "--port", "0", *flags], **more)
    with server.process:
        try:
            yield server
        finally:
            if server.process.poll() is None:
                server.process.kill()


def run(folder: Path, *flags: str, command: Sequence[str] = STANDING_IN, **more: str) -> tuple[int, str, str]:
    """One that ends by itself → exit code, standard output, standard error."""
    ran = subprocess.run(
        [*command, *flags],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder), **more},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr
