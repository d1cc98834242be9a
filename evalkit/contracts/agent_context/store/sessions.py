"""Keeps the sessions of the authentication gate in a data file, so that a restart ends none."""

from __future__ import annotations

from typing import Final

from .sqlite import SqliteStore

MAX_SESSIONS: Final = 10_000

_DROP_SURPLUS: Final = """
    DELETE FROM sessions WHERE token_hash IN (
        SELECT token_hash FROM sessions ORDER BY expires_at DESC LIMIT -1 OFFSET ?
    )
"""


class SqliteSessions:
    """Sessions by the hash of their token. Those that end first go where there are too many.

    Times are seconds since the Unix epoch. Raises StoreUnusable.
    """

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def add(self, token_hash: str, expires_at: float) -> None:
        """Keep a session."""
        with self._store.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?)", (token_hash, expires_at))
            connection.execute(_DROP_SURPLUS, (MAX_SESSIONS,))

    def expiry(self, token_hash: str) -> float | None:
        """When a session ends or has ended; None for one that is not known."""
        sql = "SELECT expires_at FROM sessions WHERE token_hash = ?"
        with self._store.reading() as connection:
            row = connection.execute(sql, (token_hash,)).fetchone()
        return None if row is None else float(row[0])

    def remove(self, token_hash: str) -> None:
        """Forget a session."""
        with self._store.writing() as connection:
            connection.execute("DELETE FROM sessions WHERE token_hash = ?", (token_hash,))
