"""Finds what a program leaves behind outside its group: on Linux a process that loses its parent comes to us.

Elsewhere nothing is found: whoever leaves its group there, as daemons do, lives on.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

from evalkit.drivers import _keeper

_PR_SET_CHILD_SUBREAPER: Final = 36

_watched: Final[set[int]] = set()
"""Our programs that are not over."""

_known: Final[set[int]] = set()
"""They, and the children that were there before any of them."""

_adopting: Final[set[int]] = set()
"""The processes, we and those that we were copied from, to which orphans come."""


def watch(program: int) -> None:
    """Know a program that was started just now, and take in what it will leave."""
    if os.getpid() not in _adopting:
        _adopting.add(os.getpid())
        _adopt()
    if not _watched:
        _known.clear()
        _known.update(_children())
    _known.add(program)
    _watched.add(program)


def forget(program: int) -> None:
    """Know that a program is over."""
    _watched.discard(program)


def left_by(program: int) -> list[int]:
    """What still runs of a program and came to us; what may be another's that runs is not told yet."""
    running = [pid for pid in _children() if _is_strange(pid) and not _is_reaped(pid)]
    others = [_age(other) for other in _watched if other != program] if running else []
    if not others:
        return running
    return [pid for pid in running if _age(program) <= _age(pid) < min(others)]


def _adopt() -> None:
    """Ask the system for it; where it has no such thing, nothing comes."""
    with suppress(ImportError, OSError, AttributeError):
        import ctypes  # start-up: only where a program is started

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _children() -> set[int]:
    found: set[int] = set()
    with suppress(OSError):
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/children", "rb") as file:
                found.update(map(int, file.read().split()))
    return found


def _age(pid: int) -> int:
    """When it was started, in ticks since the system was; 0 where it is gone."""
    with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[19])
    return 0


def _is_strange(pid: int) -> bool:
    """Whether a child is none that we, or whoever runs beside us here, have started."""
    if pid in _known:
        return False
    with suppress(OSError):
        if os.getsid(pid) != os.getsid(0):
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                return not _keeper.is_keeper(file.read())
    return False


def _is_reaped(pid: int) -> bool:
    """Whether it has ended already; then the system may forget it."""
    with suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return True
