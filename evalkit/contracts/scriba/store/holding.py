"""What a database holds, table by table, for whoever must show that reading changed nothing (spec 7.6)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from urllib.parse import quote

from ..nouns import Json

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"


def rows_of(path: str) -> Json:
    """Every row of every table as text, by table; None where there is no database that can be read."""
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as connection:
            tables = [name for (name,) in connection.execute(_TABLES)]
            return {name: _rows(connection, name) for name in tables}
    except sqlite3.Error:
        return None


def _rows(connection: sqlite3.Connection, table: str) -> list[str]:
    quoted = table.replace('"', '""')
    return [repr(row) for row in connection.execute(f'SELECT * FROM "{quoted}" ORDER BY rowid')]  # noqa: S608
