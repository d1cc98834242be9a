"""The four scopes of the context tools out of a data file, and how an empty file is filled."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ..vocabulary import SCOPES, Row
from . import COLLECTIONS, Json
from .failures import StoreNotEmpty
from .ledger import to_text
from .sqlite import SqliteStore

_STATUS: Final = "sourceStatus"
_HELD: Final = """
    SELECT EXISTS (SELECT 1 FROM records) OR EXISTS (SELECT 1 FROM scope_rows)
        OR EXISTS (SELECT 1 FROM source_status)
"""
_ADD_RECORD: Final = "INSERT INTO records (collection, body) VALUES (?, ?)"
_ADD_SCOPE_ROW: Final = "INSERT INTO scope_rows (scope, name, body) VALUES (?, ?, ?)"
_ADD_STATUS: Final = "INSERT INTO source_status (scope, status) VALUES (?, ?)"


class StoreSources:
    """The private stores, one a scope. It satisfies `Sources`; raises StoreUnusable and LookupError."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def items(self, scope: str) -> Sequence[Row]:
        """Every record of a scope with its name, in the order in which they came."""
        sql = "SELECT name, body FROM scope_rows WHERE scope = ? ORDER BY number"
        with self._store.reading() as connection:
            found = connection.execute(sql, (_known(scope, SCOPES),)).fetchall()
        return [(name, json.loads(body)) for name, body in found]

    def status(self, scope: str) -> Json:
        """What was said of a scope's freshness; None where nothing was."""
        sql = "SELECT status FROM source_status WHERE scope = ?"
        with self._store.reading() as connection:
            row = connection.execute(sql, (_known(scope, SCOPES),)).fetchone()
        return None if row is None else json.loads(row[0])


def fill(store: SqliteStore, collections: Mapping[str, Sequence[Json]], scopes: Mapping[str, Json]) -> None:
    """Put everything into an empty file, or nothing.

    `collections` holds lists by the names of COLLECTIONS; `scopes` has the shape of a fixture: `navigation`,
    `workspaces` (lists), `brain` (lists by type), `identity` (objects by key), `sourceStatus` (by scope).
    Raises StoreNotEmpty, StoreUnusable, LookupError for a name that no store has, and ValueError for a row
    that is no object.
    """
    for name in collections:
        _known(name, COLLECTIONS)
    for name in scopes:
        _known(name, (*SCOPES, _STATUS))
    with store.writing() as connection:
        if connection.execute(_HELD).fetchone()[0]:
            raise StoreNotEmpty("the data file holds data already: name a new file")
        connection.executemany(_ADD_RECORD, _records(collections))
        connection.executemany(_ADD_SCOPE_ROW, _scope_rows(scopes))
        connection.executemany(_ADD_STATUS, _statuses(scopes))


def _records(collections: Mapping[str, Sequence[Json]]) -> Iterator[tuple[str, str]]:
    for collection, bodies in collections.items():
        yield from ((collection, _record(collection, body)) for body in bodies)


def _scope_rows(scopes: Mapping[str, Json]) -> Iterator[tuple[str, str, str]]:
    for scope, held in scopes.items():
        if scope in SCOPES:
            yield from ((scope, name, _record(scope, body)) for name, body in _rows(scope, held))


def _statuses(scopes: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    for scope, status in scopes.get(_STATUS, {}).items():
        yield _known(scope, SCOPES), to_text(status)


def _rows(scope: str, held: Json) -> list[Row]:
    if scope == "brain":
        return [(kind, record) for kind, records in held.items() for record in records]
    if scope == "identity":
        return list(held.items())
    return [("", record) for record in held]


def _record(place: str, body: Json) -> str:
    if not isinstance(body, dict):
        raise ValueError(f"{place} holds something that is no object")
    return to_text(body)


def _known(name: str, names: Sequence[str]) -> str:
    if name not in names:
        raise LookupError(f"no store has {name}: it has {', '.join(names)}")
    return name
