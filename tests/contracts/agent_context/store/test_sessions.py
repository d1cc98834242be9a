"""Tests for `sessions`: what the authentication gate keeps in a data file."""

from __future__ import annotations

import pathlib

import pytest

from evalkit.contracts.agent_context.store import sessions
from evalkit.contracts.agent_context.store.sessions import SqliteSessions
from evalkit.contracts.agent_context.store.sqlite import SqliteStore


def test_a_session_outlives_a_restart(path: pathlib.Path) -> None:
    with SqliteStore(path) as store:
        SqliteSessions(store).add("a", 10.5)
    with SqliteStore(path) as store:
        assert SqliteSessions(store).expiry("a") == 10.5


def test_a_session_that_was_never_added_or_was_removed_is_unknown(store: SqliteStore) -> None:
    kept = SqliteSessions(store)
    kept.add("a", 1)
    kept.add("b", 1)
    kept.remove("a")
    kept.remove("never")
    assert (kept.expiry("a"), kept.expiry("b"), kept.expiry("never")) == (None, 1.0, None)


def test_the_last_word_on_a_session_counts(store: SqliteStore) -> None:
    kept = SqliteSessions(store)
    kept.add("a", 2)
    kept.add("a", 1)
    assert kept.expiry("a") == 1.0


def test_those_that_end_first_go_where_there_are_too_many(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MAX_SESSIONS", 2)
    kept = SqliteSessions(store)
    for name, end in (("a", 2), ("b", 1), ("c", 3)):
        kept.add(name, end)
    assert [kept.expiry(name) for name in ("a", "b", "c")] == [2.0, None, 3.0]
