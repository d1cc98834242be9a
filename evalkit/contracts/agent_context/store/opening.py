"""Opens a data file, or makes one; whatever is not a sound data file of ours is refused and left as it is."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from .failures import StoreBusy, StoreUnusable
from .migrations import APPLICATION_ID, migrate

_EXPLANATIONS: Final = {
    sqlite3.SQLITE_NOTADB: "is no data file of this program: name another file",
    sqlite3.SQLITE_CORRUPT: "is damaged: put a backup in its place, or name another file",
    sqlite3.SQLITE_READONLY: "cannot be written: make it and its folder writable",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: see that it and its folder may be read and written",
    sqlite3.SQLITE_IOERR: "cannot be read or written: see what ails the disk",
    sqlite3.SQLITE_FULL: "cannot grow: make room on the disk",
}
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_PRIMARY: Final = 0xFF
"""What is left of an extended SQLite code is the primary one."""


def open_file(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """A connection to the file, which is made where there is none, and brought to the present version.

    `path` is absolute. Raises StoreUnusable with a text that names the file.
    """
    try:
        with explained("it"):
            _check_place(path)
            if not path.exists():
                _create(path)
            return _open_checked(path, busy_seconds)
    except StoreUnusable as error:
        raise type(error)(f"{path}: {error}") from error
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise StoreUnusable(f"{path}: {why}: name a file in a folder where files can be made") from error


def connect(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """A connection that any thread may use, one at a time. Makes no file. Raises sqlite3.Error.

    With `synchronous = NORMAL` what was written would outlive a kill as well, but not a power cut: a client
    that was told of its write would have been told wrong. FULL costs one flush to the disk for each write.
    """
    with ExitStack() as unless_sound:
        connection = sqlite3.connect(
            f"{path.as_uri()}?mode=rw",
            uri=True,
            timeout=busy_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
        unless_sound.callback(connection.close)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        unless_sound.pop_all()
    return connection


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Turns what SQLite raises into StoreUnusable or StoreBusy. Nothing of what is stored is in the text."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY
        if code in _BUSY:
            raise StoreBusy(f"{what} is in use by another process: try again, or stop that one") from error
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        why = _EXPLANATIONS.get(code, f"cannot be used: {error}")
        raise StoreUnusable(f"{what} {why} ({name})") from error


def _check_place(path: Path) -> None:
    # The logs are looked at first: a file that another process has just made is there before its log.
    logs = [log for end in ("-wal", "-journal") if _size(log := path.with_name(path.name + end))]
    if not path.exists():
        if logs:
            raise StoreUnusable(
                f"it is gone, but {logs[0]} holds changes of it: bring it back, or remove both"
            )
        return
    if not path.is_file():
        raise StoreUnusable("it is a folder or a device: name a file")
    if not _size(path):
        raise StoreUnusable("it is empty: remove it if a new one is to be made")
    for needed, mode in ((path, os.R_OK | os.W_OK), (path.parent, os.W_OK | os.X_OK)):
        if not os.access(needed, mode, effective_ids=os.access in os.supports_effective_ids):
            raise StoreUnusable(f"{needed} may not be read and written by this user: change its permissions")


def _size(path: Path) -> int:
    # Another process may take its log away at any time, so it is not asked first whether it is there.
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _create(path: Path) -> None:
    """Make it whole beside its place and link it there, so that nobody sees half of it or is overwritten."""
    descriptor, beside = tempfile.mkstemp(prefix=".agent-context-", suffix=".new", dir=path.parent)
    os.close(descriptor)
    try:
        with closing(connect(Path(beside), 0)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            migrate(connection)
            connection.execute("PRAGMA journal_mode = WAL")
        # Where another process was first, its file is the one.
        with suppress(FileExistsError):
            os.link(beside, path)
    finally:
        os.unlink(beside)


def _open_checked(path: Path, busy_seconds: float) -> sqlite3.Connection:
    with ExitStack() as unless_sound:
        connection = connect(path, busy_seconds)
        unless_sound.callback(connection.close)
        if connection.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
            raise StoreUnusable("it is no data file of this program: name another file")
        if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise StoreUnusable("it is damaged: put a backup in its place, or name another file")
        migrate(connection)
        if connection.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
            raise StoreUnusable("no write-ahead log can be kept there: choose a folder on a local disk")
        unless_sound.pop_all()
    return connection
