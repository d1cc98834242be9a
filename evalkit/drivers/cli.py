"""Drives a program by its command line: its `main` in memory, or a real process that ends with all its group.

`process` holds `exitCode` (-n after signal n), `stdout` and `stderr` as text, and `json` where standard
output is strict JSON. Without `stdin` the program finds its standard input empty.
A tool is called by the command line that the surface says: 0 gives its result, a greater exit code a failure.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Final, NamedTuple, cast

from evalkit.drivers._answers import strict_json
from evalkit.drivers._exchange import LARGEST
from evalkit.drivers._keeping import keeping
from evalkit.drivers._spoken import TOOL, Answer, SpokenSession
from evalkit.errors import CaseError, OutOfTime
from evalkit.model import Call, Json, Observation, Session
from evalkit.surfaces import Command, Program
from evalkit.values import ABSENT

OPERATIONS: Final = frozenset({"cli", TOOL})


def open(surface: object) -> Session:  # noqa: A001  every driver opens
    """Open a Program or a Command."""
    run = cast("Program | Command", surface)

    def words_of(tool: str, args: Json) -> Mapping[str, Json] | None:
        argv = run.argv_of(tool, args)
        return None if argv is None else {"argv": list(argv)}

    session = _LiveSession(run) if isinstance(run, Command) else _MemorySession(run)
    return SpokenSession(session, "cli", words_of, _answer_of)


class _Ended(NamedTuple):
    """What a program came to."""

    code: int
    stdout: bytes
    stderr: bytes

    def observation(self) -> Observation:
        process: dict[str, Json] = {
            "exitCode": self.code,
            "stdout": self.stdout.decode(errors="replace"),
            "stderr": self.stderr.decode(errors="replace"),
        }
        value = strict_json(self.stdout)
        if value is not ABSENT:
            process["json"] = value
        return Observation({"process": process}, (self.stdout, self.stderr))


class _MemorySession:
    def __init__(self, program: Program) -> None:
        self._program = program

    def send(self, call: Call) -> Observation:
        """Call `main`; whatever it raises goes through."""
        stdout, stderr = _Sheet(), _Sheet()
        came = keeping(lambda: (stdout.getvalue(), stderr.getvalue()))
        with came, _environment(call.words.get("env", {})):
            argv, stdin = list(call.words["argv"]), io.BytesIO(_input(call.words))
            code = self._program.main(argv, stdin, stdout, stderr)
        if not isinstance(code, int):
            raise TypeError(f"a program's main gives its exit code, and this one gave {code!r}")
        return _Ended(int(code), stdout.getvalue(), stderr.getvalue()).observation()

    def close(self) -> None:
        """Nothing was opened."""


class _Sheet(io.BytesIO):
    """Takes what a program writes, and stays open when a text stream over it is closed or forgotten."""

    def close(self) -> None:
        """Stay open: what was written is read afterwards."""


class _LiveSession:
    def __init__(self, command: Command) -> None:
        self._command = command
        self._run: _Run | None = None

    def send(self, call: Call) -> Observation:
        """Run the program to its end. Raises CaseError where it cannot be started or does not end in time."""
        words = call.words
        self._run = run = _Run(self._command, words["argv"], words.get("env"))
        with keeping(run.came):
            return run.ended(_input(words)).observation()

    def close(self) -> None:
        """End what was interrupted."""
        if self._run is not None:
            self._run.end()


class _Run:
    """One process, and what it has written so far."""

    def __init__(self, command: Command, argv: Sequence[str], env: Mapping[str, str] | None) -> None:
        from evalkit.drivers._child import Child  # start-up: in memory no process is started

        self._child, self._patience = Child(command, argv, env), command.call
        self._stderr = bytearray()

    def came(self) -> tuple[bytes, ...]:
        return bytes(self._child.output), bytes(self._stderr)

    def ended(self, stdin: bytes) -> _Ended:
        """Start it and wait until it has ended; what it leaves behind is ended too."""
        child, ends = self._child, monotonic() + self._patience
        child.put(stdin)
        child.shut()
        try:
            child.start()
            while child.code is None:
                if monotonic() > ends:
                    raise OutOfTime(self._patience)
                child.move(ends)
                self._take()
                self._check()
            code = child.code
        finally:
            self.end()
        self._check()
        return _Ended(code, *self.came())

    def end(self) -> None:
        """End it; what it still writes is kept."""
        self._child.end()
        self._take()

    def _take(self) -> None:
        self._stderr += self._child.errors
        self._child.errors.clear()

    def _check(self) -> None:
        for name, written in (("output", self._child.output), ("error", self._stderr)):
            if len(written) > LARGEST:
                raise CaseError("protocol", f"standard {name} is larger than {LARGEST} bytes")


def _answer_of(roots: Mapping[str, Json]) -> Answer | None:
    """What a program's end says of a tool call; nothing where a signal ended it."""
    process = roots["process"]
    if process["exitCode"] != 0:
        return Answer(failed=True) if process["exitCode"] > 0 else None
    return Answer(False, process.get("json", ABSENT))


def _input(words: Mapping[str, Json]) -> bytes:
    return str(words.get("stdin", "")).encode(errors="surrogatepass")


@contextmanager
def _environment(added: Mapping[str, str]) -> Iterator[None]:
    """Let these names stand in our environment for a while."""
    found = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in found.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
