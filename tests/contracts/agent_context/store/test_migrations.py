"""Tests for `migrations`: every step is taken once and whole, also where two processes take it."""

from __future__ import annotations

import pathlib
import sqlite3

import pytest

from evalkit.contracts.agent_context.store import migrations
from evalkit.contracts.agent_context.store.opening import connect
from evalkit.contracts.agent_context.store.sqlite import SqliteStore

ADDED = "ALTER TABLE records ADD COLUMN note TEXT NOT NULL DEFAULT 'none'"
SECOND = (*migrations.MIGRATIONS, (ADDED, "CREATE TABLE notes (text)"))


@pytest.fixture
def old(path: pathlib.Path) -> pathlib.Path:
    """A file of version 1 that holds a row."""
    with SqliteStore(path) as store, store.transaction() as ledger:
        ledger.append("goals", {"n": 1})
    return path


def version(path: pathlib.Path) -> int:
    connection = connect(path, 0)
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.close()
    return found


def test_a_new_file_is_marked_as_ours_and_of_the_present_version(old: pathlib.Path) -> None:
    assert version(old) == len(migrations.MIGRATIONS)
    assert old.read_bytes()[68:72] == b"agCt"


def test_an_older_file_is_brought_forward_with_what_it_holds(
    old: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "MIGRATIONS", SECOND)
    with SqliteStore(old) as store, store.reading() as connection:
        assert connection.execute("SELECT body, note FROM records").fetchall() == [('{"n":1}', "none")]
    assert version(old) == 2


def test_a_step_that_fails_half_way_leaves_the_file_as_it_was(
    old: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, (ADDED, "CREATE NONSENSE")))
    connection = connect(old, 0)
    with pytest.raises(sqlite3.OperationalError, match="NONSENSE"):
        migrations.migrate(connection)
    assert not connection.in_transaction
    connection.close()
    assert version(old) == 1
    monkeypatch.undo()
    with SqliteStore(old) as store, store.reading() as found:
        assert found.execute("SELECT * FROM records").fetchall() == [(1, "goals", '{"n":1}')]


def test_a_step_that_another_process_took_meanwhile_is_not_taken_again(
    old: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "MIGRATIONS", SECOND)
    one, other = connect(old, 0), connect(old, 0)
    overtaken: list[str] = []

    def overtake(statement: str) -> None:
        if statement == "BEGIN EXCLUSIVE" and not overtaken:
            overtaken.append(statement)
            migrations.migrate(other)

    one.set_trace_callback(overtake)
    migrations.migrate(one)
    assert overtaken
    one.close()
    other.close()
    assert version(old) == 2
