"""Programs that are started before they are needed: each comes up while the case before its own runs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Final, TypeAlias

from evalkit.drivers import _keeper
from evalkit.surfaces import Command

Start: TypeAlias = Callable[[Command], subprocess.Popen[bytes]]
Key: TypeAlias = tuple[tuple[str, ...], tuple[tuple[str, str], ...], str | None]

MOST: Final = 2
"""Alike that wait: the case that is about to run may not have taken its own yet."""

_waiting: Final[list[tuple[Key, subprocess.Popen[bytes]]]] = []
"""Those that nobody has taken yet, the oldest first."""


def begin(command: Command, start: Start) -> None:
    """Start a program, unless enough like it wait already. `command` has its whole environment."""
    key = _key(command)
    if sum(key == other for other, _ in _waiting) < MOST:
        process = start(command)
        _waiting.append((key, process))
        _keeper.keep(process.pid)


def taken(command: Command) -> subprocess.Popen[bytes] | None:
    """The program of a command that was started early, if there is one; it belongs to who asks."""
    key = _key(command) if _waiting else None
    for at, (other, process) in enumerate(_waiting):
        if other == key:
            del _waiting[at]
            return process
    return None


def commands() -> list[Command]:
    """The commands of those that nobody has taken."""
    return [Command(argv, dict(env), cwd) for (argv, env, cwd), _ in _waiting]


def _key(command: Command) -> Key:
    return command.argv, tuple(sorted(command.env.items())), command.cwd
