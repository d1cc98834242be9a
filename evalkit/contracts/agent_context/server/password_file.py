"""Reads the password out of a file that nobody else may read (spec B.2)."""

from __future__ import annotations

import os
import stat
from typing import Final

from .endings import CannotMean
from .settings_file import open_without_waiting

_MOST_BYTES: Final = 1024


def read_password(path: str) -> str:
    """The first line, without its end. Raises CannotMean where the file is unfit, and never shows it."""
    try:
        with open(path, "rb", opener=open_without_waiting) as file:
            _refuse_unfit(path, os.fstat(file.fileno()))
            line = file.read(_MOST_BYTES + 2).split(b"\n", 1)[0].removesuffix(b"\r")
    except (OSError, ValueError) as problem:
        told = problem.strerror if isinstance(problem, OSError) else "that is no path"
        raise CannotMean(f"--password-file {path}: it cannot be read: {told}") from None
    if not line:
        raise CannotMean(f"--password-file {path}: its first line is empty; write the password there")
    if len(line) > _MOST_BYTES:
        raise CannotMean(f"--password-file {path}: its first line is longer than {_MOST_BYTES} bytes")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        raise CannotMean(f"--password-file {path}: its first line is not UTF-8") from None


def _refuse_unfit(path: str, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise CannotMean(f"--password-file {path}: it is no regular file")
    if os.name != "nt" and found.st_mode & 0o077:
        mode = stat.S_IMODE(found.st_mode)
        remedy = f"run `chmod 600 {path}`, and change the password if others may have read it"
        raise CannotMean(f"--password-file {path}: others can read it (mode {mode:03o}); {remedy}")
