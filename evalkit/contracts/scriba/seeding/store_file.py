"""Writes the server's store of a fixture (spec 9.3, 12.1)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ..nouns import Json
from ..writer import Writer
from . import rows, tables


def write_store(store: Json, file: Path) -> None:
    """A fresh store with what the fixture's `store` says; the folder is there."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("BEGIN")
        for statement in tables.STORE:
            connection.execute(statement)
        _insert_all(connection, store)
        connection.execute("COMMIT")
    if "then" in store:
        with Writer(str(file)) as writer:
            for step in store["then"]:
                writer.take(step)
    if "without" in store:
        _take_away(store["without"], file)


def _insert_all(connection: sqlite3.Connection, store: Json) -> None:
    for version in _migrations(store.get("schemaVersion", tables.STORE_VERSION)):
        connection.execute("INSERT INTO schema_migrations VALUES (?, ?)", (version, rows.BEGINNING))
    for name, account in store.get("accounts", {}).items():
        rows.insert_account(connection, name, account.get("provider", "codex"))
        for observation in account.get("observations", []):
            rows.insert_observation(connection, name, observation)
    for profile in store.get("profiles", []):
        rows.insert_profile(connection, profile)
    for event in store.get("events", []):
        rows.insert_event(connection, event)


def _migrations(newest: int) -> set[int]:
    known = range(tables.FIRST_MIGRATION, min(newest, tables.STORE_VERSION) + 1)
    return {*known, newest}


def _take_away(names: list[str], file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        # Otherwise what refers to a table would follow it to its new name.
        connection.execute("PRAGMA legacy_alter_table = ON")
        for name in names:
            connection.execute(f'ALTER TABLE "{name}" RENAME TO "{name}_away"')
