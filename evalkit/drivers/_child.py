"""A program in a process group of its own: fed and read without blocking, and ended with its whole group."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType
from typing import IO, Final, Literal, TypeAlias

from evalkit.drivers import _adopted, _early, _keeper
from evalkit.drivers._exchange import LARGEST
from evalkit.errors import CapabilityMissing, CaseError
from evalkit.surfaces import Command

INHERITED: Final = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "LANG")
"""What a program gets of our environment; everything else stands in its Command."""

GOING: Final = 0.25
"""Seconds that its group has to be gone after SIGKILL.

With the patience of a Command all together is less than the second that a case may take to be over after
its deadline.
"""

TICK: Final = 0.02
"""Seconds between two looks at a program whose pipes say nothing: others may hold them open."""

SHORT_TICK: Final = 0.001
"""The same where it has closed its pipes: most end at once."""

PART: Final = 64 * 1024
READY: Final = 64
"""Parts that are read at once of what is there already: more than a pipe holds."""

MOST_ERRORS: Final = 1 << 20
"""Bytes of standard error that are kept until somebody takes them: the last ones."""

Pipe: TypeAlias = IO[bytes]
Watched: TypeAlias = "tuple[select.poll, dict[int, Pipe]]"


class Child:
    """A program. `output` and `errors` hold what it has written and nobody has taken yet.

    Of `output` that is more than LARGEST nothing further is read; of `errors` the last bytes are kept.
    `over` says that it was ended, and `ended_by` what did it: the end of its input, SIGTERM or SIGKILL.
    """

    def __init__(
        self, command: Command, argv: Sequence[str] = (), env: Mapping[str, str] | None = None
    ) -> None:
        """Take a command, and what is added to its arguments and environment. Nothing is started yet."""
        self._command = command._replace(
            argv=(*command.argv, *argv), env=environment({**command.env, **(env or {})})
        )
        self.output, self.errors = bytearray(), bytearray()
        self._due = bytearray()
        self._shuts = self.over = False
        self._waits: dict[tuple[bool, bool, bool], Watched] = {}
        self.ended_by: Literal["eof", "term", "kill"] = "eof"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it. Whoever calls this can reach the child already, and so can end what is interrupted here.

        Raises CaseError where it cannot be started, CapabilityMissing where there are no process groups.
        """
        if not hasattr(os, "killpg"):
            raise CapabilityMissing("programs are started only where there are process groups")
        with _undisturbed():
            self._process = process = _early.taken(self._command) or _started(self._command)
            self._group = process.pid
            _keeper.keep(self._group)
            self._in, self._out, self._err = _pipes_of(process)

    @property
    def code(self) -> int | None:
        """Its exit code, -n after signal n; None while it runs."""
        return self._process.poll() if self._process else None

    @property
    def silent(self) -> bool:
        """Whether nothing more can come from its standard output: it is closed, or the program has ended."""
        return self._out.closed or (self.code is not None and not self.move())

    def put(self, data: bytes) -> None:
        """Have it read this, when it reads."""
        self._due += data

    def shut(self) -> None:
        """Close its standard input once it has read what was put there."""
        self._shuts = True

    def move(self, ends: float = 0.0) -> bool:
        """Write and read what can be, and say whether there was anything.

        Where there is nothing, wait for it until `ends` (`monotonic`), but no longer than a TICK.
        """
        if self._shuts and not self._due:
            self._in.close()
        waiting, watched = self._watched()
        pause = max(0.0, min(TICK if watched else SHORT_TICK, ends - monotonic())) if ends else 0.0
        ready = waiting.poll(pause * 1000)
        for number, _ in ready:
            self._serve(watched[number])
        return bool(ready)

    def push(self) -> None:
        """Write what it takes at once."""
        if self._due and not self._in.closed:
            self._serve(self._in)

    def drain(self) -> None:
        """Read what is there already."""
        for _ in range(READY):
            if not self.move():
                return

    def end(self) -> None:
        """Close its input, wait, SIGTERM, wait, SIGKILL, for its whole group; where it is over, nothing.

        What has left the group, as daemons do, is ended with it where it can be found.
        """
        if self._process is None or self.over:
            return
        self._due.clear()
        self.shut()
        with _undisturbed():
            for means, number, patience in _endings(self._command):
                self.ended_by = means
                self._tell_group(number)
                if self._is_gone_by(monotonic() + patience):
                    _keeper.let_go(self._group)
                    break
            _adopted.forget(self._group)
            self.drain()
            for pipe in (self._in, self._out, self._err):
                pipe.close()
            self.over = True

    def _watched(self) -> Watched:
        """The pipes that can be waited for now. What waits for them is made once."""
        reads = not self._out.closed and len(self.output) <= LARGEST
        which = reads, not self._err.closed, bool(self._due) and not self._in.closed
        if which not in self._waits:
            ends = (self._out, select.POLLIN), (self._err, select.POLLIN), (self._in, select.POLLOUT)
            waiting, watched = select.poll(), dict[int, Pipe]()
            for (pipe, event), is_watched in zip(ends, which, strict=True):
                if is_watched:
                    waiting.register(pipe.fileno(), event)
                    watched[pipe.fileno()] = pipe
            self._waits[which] = waiting, watched
        return self._waits[which]

    def _serve(self, pipe: Pipe) -> None:
        """Write or read a part, at a pipe that is ready for it; close the pipe where the other end is."""
        if pipe is self._in:
            try:
                del self._due[: os.write(pipe.fileno(), self._due[:PART])]
            except BlockingIOError:
                pass  # it does not read at the moment
            except OSError:
                self._due.clear()
                pipe.close()
            return
        part = os.read(pipe.fileno(), PART)
        if not part:
            pipe.close()
        elif pipe is self._out:
            self.output += part
        else:
            self.errors += part
            del self.errors[:-MOST_ERRORS]

    def _is_gone_by(self, ends: float) -> bool:
        """Whether it and its whole group are gone by then; meanwhile what they write is read."""
        while True:
            if self.code is not None and not _adopted.left_by(self._group) and not self._tell_group(0):
                return True
            if monotonic() >= ends:
                return False
            self.move(ends)

    def _tell_group(self, number: int) -> bool:
        """Send a signal to its group, 0 being none; whether there is a group."""
        for stray in _adopted.left_by(self._group) if number else ():
            with suppress(OSError):
                os.kill(stray, number)
        try:
            os.killpg(self._group, number)
        except OSError:
            return False
        return True


def start_early(command: Command) -> None:
    """Start a program that will be needed soon; where it cannot be started, who needs it is told."""
    if hasattr(os, "killpg"):
        with _undisturbed(), suppress(CaseError):
            _early.begin(command._replace(env=environment(command.env)), _started)


def end_early() -> None:
    """End what was started early and is not needed."""
    for command in _early.commands():
        child = Child(command)
        child.start()
        child.end()


def _endings(command: Command) -> Iterator[tuple[Literal["eof", "term", "kill"], int, float]]:
    """What is done to end its group, one after the other: the signal, and how long it is waited for."""
    leaving, ending = command.patience
    yield "eof", 0, leaving
    yield "term", signal.SIGTERM, ending
    yield "kill", signal.SIGKILL, GOING


def environment(own: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of a program that adds this to what is inherited."""
    return {**{name: os.environ[name] for name in INHERITED if name in os.environ}, **own}


def _started(command: Command) -> subprocess.Popen[bytes]:
    try:
        process = subprocess.Popen(  # noqa: S603  the program is what the target names
            command.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=command.env,
            cwd=command.cwd,
            bufsize=0,
            start_new_session=True,
        )
    except OSError as problem:
        told = f"{problem.strerror or problem}: {problem.filename or command.argv[0]}"
        raise CaseError("not-started", f"the program could not be started: {told}") from None
    except ValueError as problem:
        raise CaseError("unsendable", f"this is no command that can be started: {problem}") from None
    _adopted.watch(process.pid)
    return process


def _pipes_of(process: subprocess.Popen[bytes]) -> tuple[Pipe, Pipe, Pipe]:
    pipes = process.stdin, process.stdout, process.stderr
    assert all(pipes)
    for pipe in pipes:
        os.set_blocking(pipe.fileno(), False)  # type: ignore[union-attr]
    return pipes  # type: ignore[return-value]


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Hold back deadlines, Ctrl-C and SIGTERM, so that no program is started or ended by halves.

    They are not blocked: a program would inherit that, as it does a signal that is ignored.
    """
    came: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    try:
        found = {number: signal.signal(number, note) for number in _HELD_BACK}
    except ValueError:  # not the main thread, which no signal interrupts
        yield
        return
    try:
        yield
    finally:
        for number, handler in found.items():
            signal.signal(number, handler)
        for late in dict.fromkeys(came):
            signal.raise_signal(late)


_HELD_BACK: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
