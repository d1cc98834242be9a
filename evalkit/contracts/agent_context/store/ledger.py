"""One view or one transaction of a data file: the records, the effects on them, and what was answered."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal, NamedTuple, TypeAlias, overload

from . import COLLECTIONS, Json, Remembered, StoredRow
from .failures import StoreUnusable
from .opening import explained

Change: TypeAlias = Literal["append", "replace"]

_EFFECTS: Final = """
    SELECT effects.number, request_id, change, collection, record
    FROM effects JOIN records ON records.number = record ORDER BY effects.number
"""
_KEEP: Final = """
    INSERT OR REPLACE INTO replays (request_id, fingerprint, result, at) VALUES (?, ?, ?, ?)
"""
_CLAIM: Final = "UPDATE effects SET request_id = ? WHERE number >= ? AND request_id IS NULL"
_DROP_RESULTS: Final = """
    UPDATE replays SET result = NULL WHERE result IS NOT NULL AND sequence <= (
        SELECT sequence FROM replays WHERE result IS NOT NULL ORDER BY sequence DESC LIMIT 1 OFFSET ?
    )
"""
_DROP_OLD: Final = "DELETE FROM replays WHERE result IS NULL AND at < ?"
_DROP_FINGERPRINTS: Final = """
    DELETE FROM replays WHERE result IS NULL AND sequence <= (
        SELECT sequence FROM replays WHERE result IS NULL ORDER BY sequence DESC LIMIT 1 OFFSET ?
    )
"""


class Effect(NamedTuple):
    """One write that was kept; `request_id` is None where the request was not to be remembered."""

    number: int
    request_id: str | None
    change: Change
    collection: str
    row_number: int


class _Unread(Sequence[StoredRow]):
    """Rows whose JSON is read when they are looked at: of many rows most tools look at the last few."""

    def __init__(self, rows: Sequence[tuple[int, str]]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> StoredRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[StoredRow]: ...
    def __getitem__(self, index: int | slice) -> StoredRow | Sequence[StoredRow]:
        if isinstance(index, slice):
            return _Unread(self._rows[index])
        number, body = self._rows[index]
        return StoredRow(number, json.loads(body))


class SqliteView:
    """What is read within one read transaction. It satisfies `Records`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, collection: str) -> Sequence[StoredRow]:
        """All rows, in their order. Raises LookupError for a collection that no store has."""
        sql = "SELECT number, body FROM records WHERE collection = ? ORDER BY number"
        return _Unread(self._ask(sql, _known(collection)))

    def effects(self) -> list[Effect]:
        """Every write that was ever kept, in their order."""
        return [Effect(*row) for row in self._ask(_EFFECTS)]

    def _ask(self, sql: str, *values: str | float | None) -> list[Any]:
        with explained("the data file"):
            return self._run(sql, *values).fetchall()

    def _run(self, sql: str, *values: str | float | None) -> sqlite3.Cursor:
        # Where the disk is full SQLite may end a transaction by itself; nothing may be kept after that.
        if not self._connection.in_transaction:
            raise StoreUnusable("the transaction has ended")
        with explained("the data file"):
            return self._connection.execute(sql, values)


class SqliteLedger(SqliteView):
    """What is read and written within one exclusive transaction. It satisfies `Ledger`."""

    _first_effect: int | None = None

    def append(self, collection: str, body: Json) -> None:
        """Add a row at the end. Raises LookupError for a collection that no store has."""
        sql = "INSERT INTO records (collection, body) VALUES (?, ?)"
        self._log("append", self._run(sql, _known(collection), to_text(body)).lastrowid)

    def replace(self, collection: str, number: int, body: Json) -> None:
        """Put another body in the place of a row's. Raises LookupError where there is no such row."""
        sql = "UPDATE records SET body = ? WHERE number = ? AND collection = ?"
        if not self._run(sql, to_text(body), number, collection).rowcount:
            raise LookupError(f"{collection} has no row {number}")
        self._log("replace", number)

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """A block within the transaction: what it wrote is undone where it raises (and the error goes on)."""
        self._run("SAVEPOINT attempt")
        failed = True
        try:
            yield
            failed = False
        finally:
            if self._connection.in_transaction:
                if failed:
                    self._run("ROLLBACK TO attempt")
                self._run("RELEASE attempt")

    def recall(self, request_id: str) -> Remembered | None:
        """What is known of a request."""
        sql = "SELECT request_id, fingerprint, result, at FROM replays WHERE request_id = ?"
        found = self._ask(sql, request_id)
        if not found:
            return None
        name, fingerprint, result, at = found[0]
        return Remembered(name, fingerprint, None if result is None else json.loads(result), at)

    def remember(self, remembered: Remembered) -> None:
        """Keep a result and its fingerprint, as the newest; what was written so far is put to its account."""
        name, fingerprint, result, at = remembered
        self._run(_KEEP, name, fingerprint, None if result is None else to_text(result), at)
        if self._first_effect is not None:
            self._run(_CLAIM, name, self._first_effect)

    def forget(self, *, results: int, fingerprints: int, before: float) -> None:
        """Drop all results but the newest `results`; then, of the requests that are left without one,
        all that are older than `before` and all but the newest `fingerprints`."""
        self._run(_DROP_RESULTS, results)
        self._run(_DROP_OLD, before)
        self._run(_DROP_FINGERPRINTS, fingerprints)

    def _log(self, change: Change, number: int | None) -> None:
        logged = self._run("INSERT INTO effects (change, record) VALUES (?, ?)", change, number).lastrowid
        if self._first_effect is None:
            self._first_effect = logged


def to_text(value: Json) -> str:
    """JSON in ASCII, for a lone surrogate has no UTF-8. Raises ValueError for NaN and the infinities."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def _known(collection: str) -> str:
    if collection not in COLLECTIONS:
        raise LookupError(f"there is no collection {collection}")
    return collection
