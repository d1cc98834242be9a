"""What is read of the cache: the text of the one snapshot named `status`."""

from __future__ import annotations

import sqlite3
from typing import Final

from ..nouns import StoreUnreadable
from .opening import fetch

FILE: Final = "scriba.sqlite"


def read_status(connection: sqlite3.Connection) -> str | None:
    """The JSON text of the status snapshot, None if there is none (spec 9.1). Raises StoreUnreadable."""
    rows = fetch(connection, "SELECT json FROM snapshots WHERE name = 'status'")
    if not rows:
        return None
    (text,) = rows[0]
    if not isinstance(text, str):
        raise StoreUnreadable("the snapshot is no text")
    return text
