"""Data files, and other processes that use them and can be killed at a known place."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Protocol

import pytest

from evalkit.contracts.agent_context.store.sqlite import SqliteStore

ROOT = pathlib.Path(__file__).parents[4]
NOBODY = 65534

OPENING = """
import sys
from evalkit.contracts.agent_context.store import Remembered, migrations
from evalkit.contracts.agent_context.store.sqlite import SqliteStore

def say(word):
    print(word, flush=True)

def wait():
    sys.stdin.readline()

path = sys.argv[1]
"""


class Child:
    """A process that says words on a line each, and goes on when it is told to."""

    def __init__(self, script: str, path: pathlib.Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", OPENING + script, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def hear(self) -> str:
        """Its next word; empty when it has ended."""
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def go(self) -> None:
        """Let it go on."""
        assert self._process.stdin
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """SIGKILL, and wait for its end."""
        with self._process:
            self._process.kill()


class Start(Protocol):
    """Starts a process with a script that knows `path`, `say` and `wait`."""

    def __call__(self, script: str) -> Child: ...


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    """Where no file is yet, in a folder of its own."""
    folder = tmp_path / "data"
    folder.mkdir()
    return folder / "portos.sqlite"


@pytest.fixture
def store(path: pathlib.Path) -> Iterator[SqliteStore]:
    """A new store that never waits: where it would have to, it raises."""
    with SqliteStore(path, busy_seconds=0) as opened:
        yield opened


@pytest.fixture
def start(path: pathlib.Path) -> Iterator[Start]:
    """Every process is gone when the test ends."""
    with ExitStack() as children:

        def begin(script: str) -> Child:
            child = Child(script, path)
            children.callback(child.kill)
            return child

        yield begin


@pytest.fixture
def own_folder() -> Iterator[pathlib.Path]:
    """A folder of a user whom permissions bind, as whom the test runs: root they do not."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o777)
        user = os.geteuid()
        os.seteuid(user or NOBODY)
        yield folder
        os.seteuid(user)
