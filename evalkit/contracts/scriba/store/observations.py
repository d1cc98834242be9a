"""What is read of the server's store about quotas: whose they are, the newest of them, and those before."""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple

from ..nouns import StoreUnreadable
from .opening import fetch


class StoredWindow(NamedTuple):
    """One row of `observed_windows`: percent, RFC 3339 text or '', and milliseconds."""

    label: str
    used_percent: float | None
    reset_at: str
    period_ms: int | None


class StoredObservation(NamedTuple):
    """One row of `limit_observations` with its windows. `snapshot_json` is '' where it was not asked for."""

    account_ref: str
    observed_at: str
    snapshot_json: str
    windows: tuple[StoredWindow, ...]


_CURRENT_ACCOUNT: Final = """
    SELECT a.account_ref FROM profiles p
    JOIN profile_accounts a ON a.profile_ref = p.profile_ref AND a.provider_id = p.provider_id
    WHERE p.profile_ref = ? AND p.enabled = 1 AND a.provider_id = ? AND a.is_current = 1
"""
_NEWEST: Final = """
    SELECT o.id, o.account_ref, o.observed_at, o.snapshot_json FROM limit_observations o
    JOIN accounts a ON a.account_ref = o.account_ref AND a.provider_id = o.provider_id
    WHERE o.provider_id = ? {only}
    ORDER BY o.observed_at DESC, o.created_at DESC, o.id DESC LIMIT 1
"""
_NEWEST_OF_ACCOUNT: Final = _NEWEST.format(only="AND o.account_ref = ?")
_NEWEST_OF_ANY: Final = _NEWEST.format(only="")
_WINDOWS: Final = """
    SELECT label, used_percent, reset_at, period_duration_ms FROM observed_windows
    WHERE observation_id = ? ORDER BY label
"""
# The text is compared first because an index can do that: no offset moves a date by two days.
_HISTORY: Final = """
    SELECT o.id, o.observed_at, w.label, w.used_percent, w.reset_at, w.period_duration_ms
    FROM limit_observations o JOIN observed_windows w ON w.observation_id = o.id
    WHERE o.provider_id = ? AND o.account_ref = ?
      AND o.observed_at >= date(?, '-2 days') AND julianday(o.observed_at) >= julianday(?)
    ORDER BY julianday(o.observed_at), o.observed_at, o.id, w.label
"""


def current_account(connection: sqlite3.Connection, profile_id: str, provider_id: str) -> str | None:
    """The account that an enabled profile has now, or None (spec 2.3). Raises StoreUnreadable."""
    rows = fetch(connection, _CURRENT_ACCOUNT, (profile_id, provider_id))
    return _text(rows[0][0]) if rows else None


def newest_of_account(
    connection: sqlite3.Connection, provider_id: str, account_ref: str
) -> StoredObservation | None:
    """The account's newest observation, or None (spec 2.3). Raises StoreUnreadable."""
    return _newest(connection, fetch(connection, _NEWEST_OF_ACCOUNT, (provider_id, account_ref)))


def newest_of_any(connection: sqlite3.Connection, provider_id: str) -> StoredObservation | None:
    """The newest observation of whatever account, or None (spec 2.4). Raises StoreUnreadable."""
    return _newest(connection, fetch(connection, _NEWEST_OF_ANY, (provider_id,)))


def observations_since(
    connection: sqlite3.Connection, provider_id: str, account_ref: str, since: str
) -> tuple[StoredObservation, ...]:
    """The account's observations since an RFC 3339 time, oldest first (spec 3.1). Raises StoreUnreadable."""
    rows = fetch(connection, _HISTORY, (provider_id, account_ref, since, since))
    return tuple(
        StoredObservation(account_ref, _text(observed_at), "", tuple([_window(*row[2:]) for row in group]))
        for (_, observed_at), group in groupby(rows, itemgetter(0, 1))
    )


def _newest(connection: sqlite3.Connection, rows: list[Any]) -> StoredObservation | None:
    if not rows:
        return None
    identity, account_ref, observed_at, snapshot_json = rows[0]
    windows = tuple(_window(*row) for row in fetch(connection, _WINDOWS, (identity,)))
    return StoredObservation(_text(account_ref), _text(observed_at), _text(snapshot_json), windows)


@lru_cache(maxsize=4096, typed=True)  # a history is read again with each context
def _window(label: object, used: object, reset_at: object, period: object) -> StoredWindow:
    if not isinstance(label, str) or not isinstance(reset_at, str):
        raise StoreUnreadable("a column that holds text holds something else")
    if period is not None and not isinstance(period, int):
        raise StoreUnreadable("a column that holds a whole number holds something else")
    if used is None:
        return StoredWindow(label, None, reset_at, period)
    if not isinstance(used, (float, int)):
        raise StoreUnreadable("a column that holds a number holds something else")
    return StoredWindow(label, float(used), reset_at, period)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise StoreUnreadable("a column that holds text holds something else")
    return value
