"""Opens a database only to read it, and gives every way in which that can fail one name."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import Any, Final
from urllib.parse import quote

from ..nouns import StoreUnreadable

BUSY_SECONDS: Final = 5.0
NEWEST_STORE: Final = 11
"""The newest schema of the server's store that is known here; older ones are read as far as they go."""

_PRIMARY: Final = 0xFF
"""What is left of an extended SQLite code is the primary one."""
_NO_ROOM_BESIDE: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_CACHE_VERSION: Final = re.compile(r"\+?0*1")


def open_cache(path: str, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """A connection to a cache of version 1, which reads only (spec 9.1). Raises StoreUnreadable."""
    return _open(path, _check_cache, busy_seconds)


def open_store(path: str, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """A connection to a store no newer than we know, which reads only (spec 9.3). Raises StoreUnreadable."""
    return _open(path, _check_store, busy_seconds)


def fetch(connection: sqlite3.Connection, statement: str, values: Sequence[Any] = ()) -> list[Any]:
    """All rows of one statement, as tuples. Raises StoreUnreadable."""
    # What SQLite says may quote what is stored: it must not even hang on to our own error.
    with suppress(sqlite3.Error):
        return connection.execute(statement, values).fetchall()
    raise StoreUnreadable("a statement failed")


def _open(path: str, check: Callable[[sqlite3.Connection], None], busy_seconds: float) -> sqlite3.Connection:
    file = _regular_file(path)
    try:
        return _connect(file, "mode=ro", check, busy_seconds)
    except sqlite3.Error as error:
        lacked_room = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY in _NO_ROOM_BESIDE
    # With a log beside it the file alone is not the whole.
    if lacked_room and not any(os.path.lexists(file + end) for end in ("-wal", "-journal")):
        with suppress(sqlite3.Error):
            return _connect(file, "mode=ro&immutable=1", check, busy_seconds)
    raise StoreUnreadable("it cannot be opened to read")


def _regular_file(path: str) -> str:
    """The file itself behind all links: SQLite keeps its logs beside that one."""
    with suppress(OSError, ValueError):
        if stat.S_ISREG(os.stat(path).st_mode):
            return os.path.realpath(path)
    raise StoreUnreadable("there is no such file")


def _connect(
    file: str, how: str, check: Callable[[sqlite3.Connection], None], busy_seconds: float
) -> sqlite3.Connection:
    with ExitStack() as unless_sound:
        connection = sqlite3.connect(
            f"file://{quote(os.fsencode(file))}?{how}", uri=True, timeout=busy_seconds, isolation_level=None
        )
        unless_sound.callback(connection.close)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA foreign_keys = ON")
        check(connection)
        unless_sound.pop_all()
    return connection


def _check_cache(connection: sqlite3.Connection) -> None:
    rows = connection.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchall()
    if len(rows) != 1 or not _CACHE_VERSION.fullmatch(str(rows[0][0])):
        raise StoreUnreadable("the cache is of another version")


def _check_store(connection: sqlite3.Connection) -> None:
    table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'"
    if connection.execute(table).fetchone() is None:
        return
    (version,) = connection.execute("SELECT max(version) FROM schema_migrations").fetchone()
    if version is not None and not (isinstance(version, int) and version <= NEWEST_STORE):
        raise StoreUnreadable("the store is of a newer version")
