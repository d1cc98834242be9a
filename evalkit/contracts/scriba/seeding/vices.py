"""Spoils a database's place on the disk, each in one way (spec 12.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final


def missing(file: Path) -> None:
    """No file, but its folder."""
    file.unlink()


def empty(file: Path) -> None:
    """A file without a byte."""
    file.write_bytes(b"")


def corrupt(file: Path) -> None:
    """A file that is no database."""
    file.write_bytes(bytes(range(255, -1, -1)) * 16)


def truncated(file: Path) -> None:
    """A database of which only the first half is left."""
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def directory(file: Path) -> None:
    """A folder where the file should be."""
    file.unlink()
    file.mkdir()


def unreadable(file: Path) -> None:
    """A sound database that nobody may read; whom permissions do not bind reads it all the same."""
    file.chmod(0)


VICES: Final[Mapping[str, Callable[[Path], None]]] = {
    "missing": missing,
    "empty": empty,
    "corrupt": corrupt,
    "truncated": truncated,
    "directory": directory,
    "unreadable": unreadable,
}
