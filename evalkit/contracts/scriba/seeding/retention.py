"""Deletes what is older than a moment, as the server does in the background (spec 5.4)."""

from __future__ import annotations

import sqlite3
from typing import Final

# Text alone does not do: of one second, its fractions sort before the second itself.
_EVENTS: Final = """
    DELETE FROM policy_events WHERE julianday(detected_at) < julianday(?) AND NOT EXISTS (
        SELECT 1 FROM notification_outbox AS told WHERE told.event_kind = policy_events.event_kind
        AND told.semantic_event_id = policy_events.semantic_event_id AND told.status IN ('pending', 'leased')
    )
"""
_TOMBSTONES: Final = """
    DELETE FROM policy_event_replay AS old WHERE policy_event_id IS NULL AND replay_seq < (
        SELECT max(replay_seq) FROM policy_event_replay AS tombstone WHERE policy_event_id IS NULL
        AND tombstone.provider_id = old.provider_id AND tombstone.account_ref = old.account_ref
    )
"""
_OBSERVATIONS: Final = "DELETE FROM limit_observations WHERE julianday(observed_at) < julianday(?)"


def prune(connection: sqlite3.Connection, before: str) -> None:
    """Within a transaction, with foreign keys on: `before` is RFC 3339 text; no sequence is ever given again.

    Events that the outbox has still to tell of stay. Of each account only the newest tombstone is left.
    """
    connection.execute(_EVENTS, (before,))
    connection.execute(_TOMBSTONES)
    connection.execute(_OBSERVATIONS, (before,))
