"""Programs that are started before they are needed: they come up while a suite is loaded, or a case runs.

Who starts one may be forked before it is needed. Then it belongs to the first copy, which ends it; its exit
code still comes to the process that started it, and is passed on to the copy through a pipe.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import IO, Final, TypeAlias

from evalkit.drivers import _keeper
from evalkit.surfaces import Command

Start: TypeAlias = Callable[[Command], subprocess.Popen[bytes]]
Key: TypeAlias = tuple[tuple[str, ...], tuple[tuple[str, str], ...], str | None]


class Early:
    """A program that was started, as `subprocess.Popen` shows one, here or in a copy of this process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        """Take it, before anybody is forked."""
        self.pid = process.pid
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr
        self.returncode: int | None = None
        self._process, self._owner = process, os.getpid()
        self._told, self._tells = os.pipe()
        os.set_blocking(self._told, False)

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        if self.returncode is not None:
            return self.returncode
        if os.getpid() == self._owner:
            self.returncode = self._process.poll()
            return self.returncode
        with suppress(BlockingIOError):
            said = os.read(self._told, 16)
            self.returncode = int(said) if said else -signal.SIGKILL
        return self.returncode

    def tell(self) -> bool:
        """Tell a copy of this process how it ended, and whether it has."""
        code = self.poll()
        if code is not None and self._tells >= 0:
            with suppress(OSError):
                os.write(self._tells, b"%d" % code)
            os.close(self._tells)
            self._tells = -1
        return code is not None

    def leave_to_copy(self) -> None:
        """Close our ends of its pipes: a copy of this process has them."""
        for pipe in self._pipes():
            pipe.close()
        os.close(self._told)

    def be_copy(self) -> None:
        """Close what only the process that started it needs."""
        if self._tells >= 0:
            os.close(self._tells)
            self._tells = -1

    def _pipes(self) -> list[IO[bytes]]:
        return [pipe for pipe in (self.stdin, self.stdout, self.stderr) if pipe is not None]


_waiting: Final[list[tuple[Key, Early]]] = []
"""Those that nobody has taken yet, the oldest first."""

_running: Final[list[Early]] = []
"""Those whose end comes to this process."""

_watches: Final[dict[int, bool]] = {}


def begin(command: Command, start: Start, most: int = 1) -> None:
    """Start a program, unless `most` like it wait already. `command` has its whole environment."""
    key = _key(command)
    like = sum(key == other for other, _ in _waiting)
    if like >= most or not hasattr(os, "register_at_fork") or not _watch():
        return
    early = Early(start(command))
    _waiting.append((key, early))
    _running.append(early)
    _keeper.keep(early.pid)
    _look()


def taken(command: Command) -> Early | None:
    """The program of a command that was started early, if there is one; it belongs to who asks."""
    key = _key(command) if _waiting else None
    for at, (other, early) in enumerate(_waiting):
        if other == key:
            del _waiting[at]
            return early
    return None


def commands() -> list[Command]:
    """The commands of those that nobody has taken."""
    return [Command(argv, dict(env), cwd) for (argv, env, cwd), _ in _waiting]


def _key(command: Command) -> Key:
    return command.argv, tuple(sorted(command.env.items())), command.cwd


def _watch() -> bool:
    """Be told when a program ends; whether we can be."""
    if _watches.get(os.getpid()):
        return True
    before = signal.getsignal(signal.SIGCHLD)
    if before == signal.SIG_IGN:
        return False

    def look(number: int, frame: FrameType | None) -> None:
        _look()
        if callable(before):
            before(number, frame)

    try:
        signal.signal(signal.SIGCHLD, look)
    except ValueError:  # not the main thread
        return False
    if not _watches:
        os.register_at_fork(after_in_parent=_leave_to_copy, after_in_child=_be_copy)
    _watches[os.getpid()] = True
    return True


def _look() -> None:
    for early in [*_running]:
        if early.tell():
            _running.remove(early)
            with suppress(PermissionError):
                try:
                    os.killpg(early.pid, 0)  # where its group lives on, the keeper still knows it
                except ProcessLookupError:
                    _keeper.let_go(early.pid)


def _leave_to_copy() -> None:
    for _, early in _waiting:
        early.leave_to_copy()
    _waiting.clear()


def _be_copy() -> None:
    if _watches.get(os.getppid()):
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for _, early in _waiting:
        early.be_copy()
    _running.clear()
