"""One worker process, seen from its parent: start it, talk to it, end it, tell how it ended."""

from __future__ import annotations

import io
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, Protocol

from evalkit.engine import Work, child

if TYPE_CHECKING:
    import socket
    from multiprocessing.context import SpawnProcess

PATIENCE: Final = 1.0
"""Seconds that a process gets to be gone by itself, and then once more to be gone when killed."""


class Process(Protocol):
    """A worker process. `inbox` gives what it sends and never blocks; `outbox` takes spans."""

    inbox: io.RawIOBase
    outbox: io.RawIOBase

    def kill(self) -> None:
        """End it at once, whatever it does."""
        ...

    def leave(self) -> None:
        """Tell it that there is nothing more to do, so that it ends by itself."""
        ...

    def wait(self, patience: float = PATIENCE) -> str:
        """Wait until it is gone, and tell how it ended; one that stays longer than that is killed."""
        ...

    def close(self) -> None:
        """Let go of the pipes."""
        ...


def fork(work: Work, indices: Sequence[int]) -> Process:
    """Start a worker as a copy of this process, so that what is loaded is shared."""
    pipes = [number for _ in range(3) for number in os.pipe()]
    if sys.stderr is not None:
        sys.stderr.flush()  # else the copy would write again what is held back
    try:
        pid = os.fork()
    except OSError:
        _close(pipes)
        raise
    their_inbox, outbox, inbox, their_outbox, their_lifeline, lifeline = pipes
    if not pid:
        strangers = (*_ours, outbox, inbox, lifeline)
        child.run_forked(work, indices, their_inbox, their_outbox, their_lifeline, strangers)
    _close((their_inbox, their_outbox, their_lifeline))
    return _Forked(pid, inbox, outbox, lifeline)


def spawn(work: Work, indices: Sequence[int]) -> Process:
    """Start a worker as a new interpreter, to which `work` is sent by pickle."""
    import multiprocessing  # only where there is no fork: 12 ms
    import socket

    ours, theirs = socket.socketpair()
    process = multiprocessing.get_context("spawn").Process(
        target=child.run_spawned, args=(work, indices, theirs), daemon=True
    )
    process.start()
    theirs.close()
    return _Spawned(process, ours)


start: Final[Callable[[Work, Sequence[int]], Process]] = fork if hasattr(os, "fork") else spawn


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold back Ctrl-C and SIGTERM, so that no process is started or ended by halves."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    found = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, found)


_ours: Final[set[int]] = set()
"""Our ends of all pipes: a worker that kept another's would keep that one alive without us."""


class _Forked:
    def __init__(self, pid: int, inbox: int, outbox: int, lifeline: int) -> None:
        os.set_blocking(inbox, False)
        self._pid = pid
        self._ending = ""
        self._pipes: tuple[int, ...] = (inbox, outbox, lifeline)
        _ours.update(self._pipes)
        self.inbox: io.RawIOBase = io.FileIO(inbox, "r", closefd=False)
        self.outbox: io.RawIOBase = io.FileIO(outbox, "w", closefd=False)

    def kill(self) -> None:
        if self._ending:  # its number may be another's by now
            return
        with suppress(ProcessLookupError):  # gone already, where SIGCHLD is ignored
            os.kill(self._pid, signal.SIGKILL)

    def leave(self) -> None:
        _inbox, outbox, *_ = self._pipes
        self._pipes = tuple(one for one in self._pipes if one != outbox)
        _ours.discard(outbox)
        os.close(outbox)

    def wait(self, patience: float = PATIENCE) -> str:
        self._wait(patience)
        if not self._ending:
            self.kill()
            self._wait(PATIENCE)
            self._ending = _HAD_TO_BE_ENDED if self._ending else ""
        return self._ending or _UNENDABLE

    def close(self) -> None:
        _ours.difference_update(self._pipes)
        _close(self._pipes)

    def _wait(self, patience: float) -> None:
        """Look when its end is told, where that can be; else often at first, since most go at once."""
        _told_of_end(self._pid, patience)
        over, pause = time.monotonic() + patience, 0.0001
        while not self._ending and time.monotonic() < over:
            try:
                gone, status = os.waitpid(self._pid, os.WNOHANG)
            except ChildProcessError:  # whoever started us has SIGCHLD ignored
                gone, self._ending = 0, "ended, and nobody was told how"
            if gone:
                self._ending = _ending(os.waitstatus_to_exitcode(status))
            elif not self._ending:
                time.sleep(pause)
                pause = min(pause * 2, 0.02)


def _told_of_end(pid: int, patience: float) -> None:
    """Return as soon as a process has ended, where the kernel tells (Linux)."""
    if not hasattr(os, "pidfd_open"):
        return
    try:
        number = os.pidfd_open(pid)
    except OSError:  # gone already, or an old kernel
        return
    try:
        select.select([number], [], [], patience)
    except ValueError:  # a number beyond what `select` takes
        pass
    finally:
        os.close(number)


class _Spawned:
    def __init__(self, process: SpawnProcess, wire: socket.socket) -> None:
        wire.setblocking(False)
        self._process = process
        self._wire = wire
        self.inbox: io.RawIOBase = wire.makefile("rwb", buffering=0)
        self.outbox: io.RawIOBase = self.inbox

    def kill(self) -> None:
        self._process.kill()

    def leave(self) -> None:
        self._wire.shutdown(1)  # SHUT_WR: no more from us

    def wait(self, patience: float = PATIENCE) -> str:
        self._process.join(patience)
        if self._process.exitcode is not None:
            return _ending(self._process.exitcode)
        self.kill()
        self._process.join(PATIENCE)
        return _UNENDABLE if self._process.exitcode is None else _HAD_TO_BE_ENDED

    def close(self) -> None:
        self.inbox.close()
        self._wire.close()


_HAD_TO_BE_ENDED: Final = "let go of its pipe and had to be ended"
_UNENDABLE: Final = "could not be ended"


def _ending(code: int) -> str:
    """An exit code in words; a negative one is a signal's number."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "unknown"
    return f"was ended by signal {name} ({-code})"


def _close(numbers: Sequence[int]) -> None:
    for number in numbers:
        os.close(number)
