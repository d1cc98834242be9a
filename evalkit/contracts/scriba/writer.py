"""Changes a server's store as the real server does while others read it: for tests, and to make fixtures."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final

from .nouns import Json
from .seeding import retention, rows

_BUSY_SECONDS: Final = 5.0


class Writer:
    """One connection that writes to a store that is there. Each call is one transaction.

    Only one thread at a time may use it. Accounts are called as in fixtures, and so are the members of
    events and observations (fixture.schema.json). Raises sqlite3.Error.
    """

    def __init__(self, state_path: str) -> None:
        self._connection = sqlite3.connect(
            f"{Path(state_path).absolute().as_uri()}?mode=rw",
            uri=True,
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        self._connection.execute("PRAGMA foreign_keys = ON")
        # So that a fixture may hold rows that no sound server writes.
        self._connection.execute("PRAGMA ignore_check_constraints = ON")

    def take(self, step: Json) -> None:
        """One step of a fixture's `then`: an object with one member, called as the method that does it."""
        ((word, value),) = step.items()
        ways: dict[str, Callable[[Json], None]] = {
            "append": self.append,
            "delete": self.delete,
            "dangle": self.dangle,
            "prune": self.prune,
            "remap": lambda to: self.remap(to["profile"], to["account"]),
            "observe": lambda seen: self.observe(seen["account"], seen["observation"]),
        }
        ways[word](value)

    def append(self, events: Iterable[Json]) -> None:
        """Add events, which get the next sequences of the ledger."""
        with self._transaction() as connection:
            for event in events:
                rows.insert_event(connection, event)

    def delete(self, ids: Iterable[str]) -> None:
        """Delete events; a tombstone stays of each."""
        with self._transaction() as connection:
            connection.executemany("DELETE FROM policy_events WHERE id = ?", [(one,) for one in ids])

    def dangle(self, ids: Iterable[str]) -> None:
        """Delete events without foreign keys: their rows in the ledger then lead nowhere (no tombstones)."""
        self._connection.execute("PRAGMA foreign_keys = OFF")
        try:
            self.delete(ids)
        finally:
            self._connection.execute("PRAGMA foreign_keys = ON")

    def prune(self, before: str) -> None:
        """Delete what is older than a moment (RFC 3339), as retention does (spec 5.4)."""
        with self._transaction() as connection:
            retention.prune(connection, before)

    def remap(self, profile: str, account: str | None) -> None:
        """Make another account the current one of a profile, or none."""
        with self._transaction() as connection:
            connection.execute("UPDATE profile_accounts SET is_current = 0 WHERE profile_ref = ?", (profile,))
            if account is not None:
                rows.map_account(connection, profile, account, is_current=True)

    def observe(self, account: str, observation: Json) -> None:
        """Add an observation of an account."""
        with self._transaction() as connection:
            rows.insert_observation(connection, account, observation)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._connection
            self._connection.execute("COMMIT")
        finally:
            self._connection.rollback()
