"""Notice what a case writes to standard output, which belongs to the one JSON report."""

from __future__ import annotations

import io
import os
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeAlias

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

LIMIT: Final = 4096
"""Bytes that are kept of what a case printed; the rest is taken and forgotten."""

_ROOM: Final = 1 << 20


Before: TypeAlias = tuple[TextIO, bytearray]
"""What `watch` found and `seen` puts back."""


def watch() -> Before:
    """Put a sheet of paper in place of `sys.stdout`; it takes everything and raises nothing."""
    before = sys.stdout, _paper.kept
    _paper.kept = bytearray()
    sys.stdout = _sheet
    return before


def seen(before: Before) -> str:
    """Put `sys.stdout` back and tell what was written, in a worker process also past `sys.stdout`."""
    global _sheet
    if sys.stdout is not _sheet:
        _sheet = _fresh_sheet()  # whoever replaced it may have closed or detached it
    kept = _paper.kept
    sys.stdout, _paper.kept = before
    if _spare is not None:
        kept += _taken()
    return kept[:LIMIT].decode("utf-8", "backslashreplace") if kept else ""


def take_over() -> None:
    """In a worker process: file 1 becomes a file of its own that shows what was written, and input is empty.

    So `os.write(1, …)` and C code are noticed too, the latter once it hands over what it holds back.
    """
    global _spare
    _spare = _file_in_memory()
    os.dup2(_spare, 1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), "utf-8")
    _taken()


class _Paper(io.RawIOBase):
    """Takes bytes, keeps the first of them, and cannot be closed."""

    name = "<stdout>"

    def __init__(self) -> None:
        self.kept = bytearray()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1

    def write(self, data: ReadableBuffer, /) -> int:
        size = memoryview(data).nbytes
        room = LIMIT - len(self.kept)
        if room > 0:
            self.kept += memoryview(data).cast("B")[:room]
        return size

    def close(self) -> None:
        """Stay open for the next case."""


def _fresh_sheet() -> io.TextIOWrapper:
    """A text stream over the paper, with all that contracts expect of `sys.stdout`."""
    return io.TextIOWrapper(_paper, "utf-8", "backslashreplace", write_through=True)


def _taken() -> bytes:
    """What stands in the file behind file 1, and make room for more."""
    assert _spare is not None
    if sys.__stdout__ is not None:
        sys.__stdout__.flush()
    if "ctypes" in sys.modules and os.name == "posix":
        _c_library().fflush(None)
    try:
        size = os.lseek(1, 0, os.SEEK_CUR)
    except OSError:
        os.dup2(_spare, 1)
        return b"(standard output was closed)"
    if not size:
        return b""
    os.lseek(1, 0, os.SEEK_SET)
    text = os.read(1, min(size, LIMIT))
    os.lseek(1, 0, os.SEEK_SET)
    return text


@cache
def _c_library() -> Any:
    """C's own, which holds back what is written through it; asked only where a contract brought ctypes."""
    return sys.modules["ctypes"].CDLL(None)


def _file_in_memory() -> int:
    """A file descriptor; on Linux of a file that cannot grow past `_ROOM`, so that it cannot fill memory."""
    if not hasattr(os, "memfd_create"):
        import tempfile  # needed only where there are no files in memory; it takes 4 ms

        with tempfile.TemporaryFile() as file:
            return os.dup(file.fileno())
    import fcntl  # not on Windows

    number = os.memfd_create("stdout", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(number, _ROOM)
    fcntl.fcntl(number, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW)
    return number


_paper: Final = _Paper()
_sheet = _fresh_sheet()
_spare: int | None = None
