"""Starts `evalkit scriba` in processes of its own, over files that a fixture describes."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.contracts.scriba.worlds import CFG2

Json = Any

ROOT = Path(__file__).parents[2]
SECONDS = 60.0
SERVED: Json = {**CFG2, "server": {"contextAPI": {"enabled": True}}}
READY = b"scriba: the context is served at "


def words(*command: str) -> list[str]:
    return [sys.executable, "-m", "evalkit", "scriba", *command]


def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home)}


def ran(home: Path, *command: str, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    """One whole process → exit code, output and diagnostics."""
    done = subprocess.run(
        words(*command), cwd=home, env=environment(home), input=stdin, capture_output=True, timeout=SECONDS
    )
    return done.returncode, done.stdout, done.stderr


@contextlib.contextmanager
def server(home: Path) -> Iterator[Path]:
    """A server over the files of a folder → its socket; at the end it must have stopped cleanly."""
    process = subprocess.Popen(
        words("server", "run", "--config", str(home / "config.json")),
        cwd=home,
        env=environment(home),
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        assert line.startswith(READY), line
        yield Path(os.fsdecode(line.removeprefix(READY).rstrip(b"\n")))
        process.terminate()
        assert process.wait(SECONDS) == 0
        told = process.stderr.read()
        assert told == b"", told.decode()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
