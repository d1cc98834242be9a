"""Reads policy events, and the ledger that numbers them, of one provider (spec 5.3, 5.4, 9.3)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from ..ledger_nouns import Batch, EventRow, Retained, Scanned
from ..nouns import StoreUnreadable
from .opening import fetch

# A blob in a column of text reads as text: what it says is for the decode gate to judge.
_EVENT: Final = """
    CAST(event.id AS TEXT), CAST(event.event_kind AS TEXT), CAST(event.rule_kind AS TEXT), event.provider_id,
    event.payload_version, CAST(event.payload_json AS TEXT), CAST(event.detected_at AS TEXT)
"""
_NEWEST_EVENTS: Final = """
    SELECT {event} FROM policy_events AS event WHERE event.provider_id = ? AND event.account_ref = ?
    ORDER BY event.detected_at DESC, event.id DESC LIMIT ?
"""
_HIGH_WATER: Final = "SELECT seq FROM sqlite_sequence WHERE name = 'policy_event_replay'"
_OLDEST: Final = "SELECT min(replay_seq) FROM policy_event_replay"
_FLOOR: Final = """
    SELECT replay_seq FROM policy_event_replay
    WHERE provider_id = ? AND account_ref = ? AND policy_event_id IS NULL ORDER BY replay_seq DESC LIMIT 1
"""
# An event of another owner than its ledger row's is none: no page may show it.
_SCAN: Final = """
    SELECT replay.replay_seq, {event} FROM policy_event_replay AS replay LEFT JOIN policy_events AS event
    ON event.id = replay.policy_event_id
    AND event.provider_id = replay.provider_id AND event.account_ref = replay.account_ref
    WHERE replay.provider_id = ? AND replay.account_ref = ? AND replay.replay_seq > ?
    AND replay.replay_seq <= ? ORDER BY replay.replay_seq {order} LIMIT ?
"""
_NO_CEILING: Final = 2**63 - 1


class SqliteLedger:
    """What is read of events over an open connection: a `Ledger`. Everything raises StoreUnreadable."""

    def __init__(self, connection: sqlite3.Connection, provider: str = "codex") -> None:
        self._connection = connection
        self._provider = provider

    def newest_events(self, account: str, limit: int) -> list[EventRow]:
        """The newest events of an account by the time of their detection, then by id, without the ledger."""
        rows = self._ask(_NEWEST_EVENTS.format(event=_EVENT), self._provider, account, limit)
        return [EventRow(*row) for row in rows]

    def retained(self, account: str) -> Retained:
        """What the ledger has now."""
        with self._one_moment():
            return self._retained(account)

    def after(self, account: str, sequence: int, ceiling: int, limit: int) -> Batch:
        """The first rows of the account after a sequence, up to a ceiling (0 is none), at most `limit`."""
        with self._one_moment():
            rows = self._scan("ASC", account, sequence, ceiling, limit)
            return Batch(self._retained(account), rows)

    def newest(self, account: str, ceiling: int, limit: int) -> Batch:
        """The last rows of the account up to a ceiling (0 is none), ascending, at most `limit`."""
        with self._one_moment():
            rows = self._scan("DESC", account, 0, ceiling, limit)
            return Batch(self._retained(account), rows[::-1])

    def _retained(self, account: str) -> Retained:
        owner = (self._provider, account)
        return Retained(self._number(_HIGH_WATER), self._number(_FLOOR, *owner), self._number(_OLDEST))

    def _number(self, statement: str, *values: str) -> int:
        rows = self._ask(statement, *values)
        number = (rows[0][0] or 0) if rows else 0
        if not isinstance(number, int):
            raise StoreUnreadable("a sequence is no number")
        return number

    def _scan(self, order: str, account: str, after: int, ceiling: int, limit: int) -> Sequence[Scanned]:
        values = (self._provider, account, after, ceiling or _NO_CEILING, limit)
        rows = self._ask(_SCAN.format(event=_EVENT, order=order), *values)
        return [Scanned(row[0], None if row[1] is None else EventRow(*row[1:])) for row in rows]

    @contextmanager
    def _one_moment(self) -> Iterator[None]:
        """A read transaction: whatever is written meanwhile is not seen."""
        self._ask("BEGIN")
        try:
            yield
        finally:
            self._connection.rollback()

    def _ask(self, statement: str, *values: str | int) -> list[Any]:
        return fetch(self._connection, statement, values)
