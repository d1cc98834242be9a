"""A store in one SQLite file: many read at once, one writes, and what was acknowledged outlives a kill."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final

from .failures import StoreBusy, StoreUnusable
from .ledger import Effect, SqliteLedger, SqliteView
from .migrations import check_version
from .opening import connect, explained, open_file

_BUSY_SECONDS: Final = 5.0
_FILE: Final = "the data file"


class SqliteStore:
    """A data file, opened or made (mode 0600). It satisfies `Store`; any number of threads may share one.

    Each view and each transaction is lent a connection of its own for as long as it lasts. Whoever writes
    waits up to `busy_seconds` for other threads and processes and then raises StoreBusy; whatever else goes
    wrong with the file raises StoreUnusable.

    No other code of the process may open and close the file while a store is open: a lock that a process
    has on a file ends (in POSIX) as soon as the process closes that file anywhere.
    """

    def __init__(self, path: str | os.PathLike[str], *, busy_seconds: float = _BUSY_SECONDS) -> None:
        self._path = Path(path).absolute()
        self._busy_seconds = busy_seconds
        self._writer = threading.Lock()
        self._lending = threading.Lock()
        self._closed = False
        self._idle = [open_file(self._path, busy_seconds)]

    @contextmanager
    def view(self) -> Iterator[SqliteView]:
        """Read what was there when the block began; it waits for no writer."""
        with self.reading() as connection:
            yield SqliteView(connection)

    @contextmanager
    def transaction(self) -> Iterator[SqliteLedger]:
        """Read and write, after waiting for whoever writes now. An error undoes all and goes on."""
        with self.writing() as connection:
            yield SqliteLedger(connection)

    def effects(self) -> list[Effect]:
        """Every write that was ever kept, in their order."""
        with self.view() as view:
            return view.effects()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A read transaction, for the other tables of the file."""
        with self._within("BEGIN", self._busy_seconds) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The one write transaction, for the other tables of the file."""
        deadline = time.monotonic() + self._busy_seconds
        # SQLite lets waiting writers poll; within a process they queue here instead.
        if not self._writer.acquire(timeout=self._busy_seconds):
            raise StoreBusy("the data file is in use by another call: try again")
        try:
            with self._within("BEGIN IMMEDIATE", deadline - time.monotonic()) as connection:
                yield connection
        finally:
            self._writer.release()

    def close(self) -> None:
        """Close every connection, those in use as soon as they are given back; the last one ends the log."""
        with self._lending:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _within(self, begin: str, busy_seconds: float) -> Iterator[sqlite3.Connection]:
        connection = self._take()
        try:
            with explained(_FILE):
                connection.execute(f"PRAGMA busy_timeout = {max(0, round(busy_seconds * 1000))}")
                connection.execute(begin)
                # This first question also fixes what the transaction sees.
                check_version(connection)
                yield connection
                connection.execute("COMMIT")
        finally:
            self._give_back(connection)

    def _take(self) -> sqlite3.Connection:
        with self._lending:
            if self._closed:
                raise StoreUnusable("the data file is closed")
            if self._idle:
                return self._idle.pop()
        with explained(_FILE):
            return connect(self._path, self._busy_seconds)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._lending:
            if not (self._closed or connection.in_transaction):
                self._idle.append(connection)
                return
        # A transaction that is still open ends with its connection, and undone.
        connection.close()
