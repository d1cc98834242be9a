"""What folder, lease file and old socket must be like, so that a socket is its owner's alone (spec 6.2)."""

from __future__ import annotations

import os
import re
import socket
import stat
import threading
from typing import Final

from .nouns import Identity

PARENT_MODE: Final = 0o700
LEASE_MODE: Final = 0o600
SOCKET_MODE: Final = 0o600
LEASE_BYTES: Final = 128

_PAIR: Final = re.compile(rb"(0|[1-9][0-9]{0,19}) (0|[1-9][0-9]{0,19})\n")
_ALL: Final = 0o777
_UMASK: Final = threading.Lock()
"""The umask belongs to the whole process: one at a time changes it, and puts it back."""


def identity_of(found: os.stat_result) -> Identity:
    """Which file it is."""
    return Identity(found.st_dev, found.st_ino)


def parent_problem(found: os.stat_result, owner: int, mode: int) -> str | None:
    """Why a socket may not be put into a folder; one that was there before is never changed."""
    if stat.S_ISLNK(found.st_mode):
        return "is a symbolic link"
    if not stat.S_ISDIR(found.st_mode):
        return "is no folder"
    return _ownership_problem(found, owner, mode)


def lease_problem(found: os.stat_result, owner: int) -> str | None:
    """Why a file cannot be the lease."""
    if not stat.S_ISREG(found.st_mode):
        return "is no regular file"
    return _ownership_problem(found, owner, LEASE_MODE)


def leftover_problem(found: os.stat_result, owner: int, mode: int, recorded: Identity | None) -> str | None:
    """Why what stands where the socket belongs may not be removed: only a socket of ours may be."""
    if not stat.S_ISSOCK(found.st_mode):
        return "is there already and is no socket"
    if problem := _ownership_problem(found, owner, mode):
        return problem
    if identity_of(found) != recorded:
        return "is a socket that this server did not leave there"
    return None


def read_record(text: bytes) -> Identity | None:
    """Whose socket a lease speaks of; None where it speaks of none. Raises ValueError for anything else."""
    if not text:
        return None
    if (pair := _PAIR.fullmatch(text)) is None:
        raise ValueError
    return Identity(int(pair[1]), int(pair[2]))


def write_record(identity: Identity) -> bytes:
    """The content of a lease."""
    return b"%d %d\n" % identity


def bind(path: str, mode: int) -> socket.socket:
    """A socket at this path, which does not take connections yet; it never has more than these mode bits."""
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _UMASK:
            before = os.umask(_ALL & ~mode)
            try:
                opened.bind(path)
            finally:
                os.umask(before)
    except OSError:
        opened.close()
        raise
    return opened


def _ownership_problem(found: os.stat_result, owner: int, mode: int) -> str | None:
    if found.st_uid != owner:
        return "belongs to another user"
    bits = stat.S_IMODE(found.st_mode)
    return None if bits == mode else f"has the permission bits {bits:04o}, and {mode:04o} is wanted"
