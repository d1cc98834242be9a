"""The tables of a data file, as numbered steps from an empty file to the present shape."""

from __future__ import annotations

import sqlite3
from typing import Final

from .failures import StoreUnusable

APPLICATION_ID: Final = 0x61674374
"""`agCt` in ASCII: what tells our data files from everybody else's SQLite files."""

_FIRST: Final = (
    """
    CREATE TABLE records (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        collection TEXT NOT NULL,
        body TEXT NOT NULL
    )
    """,
    "CREATE INDEX records_in_order ON records (collection)",
    """
    CREATE TABLE effects (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        request_id TEXT,
        change TEXT NOT NULL CHECK (change IN ('append', 'replace')),
        record INTEGER NOT NULL REFERENCES records (number)
    )
    """,
    """
    CREATE TABLE replays (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        request_id TEXT NOT NULL UNIQUE,
        fingerprint TEXT NOT NULL,
        result TEXT,
        at REAL NOT NULL
    )
    """,
    "CREATE INDEX replays_with_result ON replays (sequence) WHERE result IS NOT NULL",
    "CREATE INDEX replays_without_result ON replays (sequence) WHERE result IS NULL",
    "CREATE INDEX replays_by_age ON replays (at) WHERE result IS NULL",
    """
    CREATE TABLE sessions (
        token_hash TEXT PRIMARY KEY,
        expires_at REAL NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE INDEX sessions_by_end ON sessions (expires_at)",
    """
    CREATE TABLE scope_rows (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        scope TEXT NOT NULL,
        name TEXT NOT NULL,
        body TEXT NOT NULL
    )
    """,
    "CREATE INDEX scope_rows_in_order ON scope_rows (scope)",
    """
    CREATE TABLE source_status (
        scope TEXT PRIMARY KEY,
        status TEXT NOT NULL
    ) WITHOUT ROWID
    """,
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST,)
"""Step n leads from version n-1 to version n. A step that was released never changes; a new one is added."""


def migrate(connection: sqlite3.Connection) -> None:
    """Take every step that is left, each in one exclusive transaction.

    Raises StoreUnusable for a file that is newer than this program, and sqlite3.Error.
    """
    while (version := _version(connection)) != len(MIGRATIONS):
        if not 0 <= version < len(MIGRATIONS):
            raise StoreUnusable(
                f"it has version {version}, and this program knows no version above {len(MIGRATIONS)}: "
                "use the newer program, or another file"
            )
        _take_step(connection, version)


def check_version(connection: sqlite3.Connection) -> None:
    """Raises StoreUnusable unless the file still has the shape that it was opened with."""
    if _version(connection) != len(MIGRATIONS):
        raise StoreUnusable("the data file was changed by another version of this program: restart this one")


def _version(connection: sqlite3.Connection) -> int:
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return found


def _take_step(connection: sqlite3.Connection, version: int) -> None:
    connection.execute("BEGIN EXCLUSIVE")
    try:
        # Another process may have taken this step while we waited for the lock.
        if _version(connection) == version:
            for statement in MIGRATIONS[version]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version + 1}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
