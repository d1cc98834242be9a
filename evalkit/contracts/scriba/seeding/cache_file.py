"""Writes the cache database of a fixture (spec 9.1, 9.2, 12.1)."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from ..nouns import Json
from . import tables
from .canaries import CACHE_PROVIDER, canary
from .rows import BEGINNING


def write_cache(cache: Json, file: Path) -> None:
    """A fresh cache with what the fixture's `cache` says; the folder is there."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        for statement in tables.CACHE:
            connection.execute(statement)
        version = str(cache.get("schemaVersion", tables.CACHE_VERSION))
        connection.execute("INSERT INTO meta VALUES ('schema_version', ?)", (version,))
        for name, text in _snapshots(cache).items():
            connection.execute("INSERT INTO snapshots VALUES (?, ?, ?)", (name, text, BEGINNING))
        stats = ("codex", canary("SCAN_STATS"), BEGINNING)
        connection.execute("INSERT INTO scan_stats VALUES (?, ?, ?)", stats)
        seen = ("codex", f"/home/{canary('PATH')}", 1, 1.0, canary("FILE_EVENTS"), canary("FILE_STATS"))
        connection.execute("INSERT INTO file_events VALUES (?, ?, ?, ?, ?, ?, ?)", (*seen, BEGINNING))
        connection.execute("COMMIT")


def _snapshots(cache: Json) -> dict[str, str]:
    """Texts by name: beside `status` there is one that nobody reads."""
    other = {"other": json.dumps({"canary": canary("OTHER_SNAPSHOT")})}
    if "statusText" in cache:
        return {**other, "status": cache["statusText"]}
    if "status" not in cache:
        return other
    status = {"schemaVersion": "scriba.v1", **cache["status"]}
    status["providers"] = [{**CACHE_PROVIDER, **provider} for provider in status.get("providers", [])]
    return {**other, "status": json.dumps(status)}
