"""Twins that change what they read, read more than they must, or tell one surface otherwise than another."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from typing import Any, cast

from evalkit.contracts.scriba import writing
from evalkit.contracts.scriba.nouns import Json
from evalkit.contracts.scriba.store import opening
from evalkit.model import OpenSubject, Subject, World
from evalkit.surfaces import McpSurface, Messages
from tests.twins.twin import Twin, around, twin_of

Surround = Callable[[OpenSubject], OpenSubject]


def _changing(
    statement: str, open_file: Callable[[str], sqlite3.Connection]
) -> Callable[[str], sqlite3.Connection]:
    """Opens a file to read, once something was written to it."""

    def open_changed(path: str) -> sqlite3.Connection:
        opened = open_file(path)
        with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as written:
            written.execute(statement)
            written.commit()
        return opened

    return open_changed


def _surface(name: str, tamper: Callable[[Any], Any]) -> Surround:
    """Subjects of which one way in was tampered with."""

    def surround(open_subject: OpenSubject) -> OpenSubject:
        def opened(world: World) -> Subject:
            subject = open_subject(world)
            return subject._replace(surfaces={**subject.surfaces, name: tamper(subject.surfaces[name])})

        return opened

    return surround


class _Direct:
    """Plain calls, each after another one that nobody sees."""

    def __init__(self, surface: Any, before: Callable[[str, Json], tuple[str, Json]]) -> None:
        self._surface, self._before = surface, before
        self.manifest = surface.manifest

    def call_tool(self, name: str, args: Json, **words: Any) -> Json:
        self._surface.call_tool(*self._before(name, args))
        return self._surface.call_tool(name, args, **words)


def _twice(surface: Any) -> _Direct:
    return _Direct(surface, lambda name, args: (name, args))


def _read_first(surface: Any) -> _Direct:
    return _Direct(surface, lambda _name, _args: ("scriba_get_context", {}))


def _told_otherwise(surface: Any) -> McpSurface:
    """What MCP tells of a quota is not what the others tell."""
    spoken = cast("McpSurface", surface)
    answer = cast("Messages", spoken.via).answer

    def altered(line: bytes) -> Iterable[bytes]:
        for told in answer(line):
            message = json.loads(told)
            with suppress(KeyError, TypeError, IndexError):
                output = message["result"]["structuredContent"]
                output["sources"][-1]["reasonCode"] = "stale"
                message["result"]["content"][0]["text"] = json.dumps(output)
            yield json.dumps(message).encode()

    return spoken._replace(via=Messages(altered))


def _logged(document: Json) -> bytes:
    return b"INFO read the store\n" + writing.pretty(document)


def _twin(name: str, *promised_by: str, **change: Any) -> Twin:
    return twin_of("scriba", name, *promised_by, **change)


TWINS = (
    _twin(
        "a write in a read",
        "CX41",
        "CX41-page",
        open_store=_changing(
            "UPDATE limit_observations SET created_at = observed_at || '+'", opening.open_store
        ),
    ),
    _twin(
        "a refresh on read",
        "private-page",
        open_store=_changing(
            "INSERT INTO limit_observations SELECT id || '+', provider_id, account_ref, "
            "'2026-01-01T00:00:00Z', snapshot_json, created_at FROM limit_observations LIMIT 1",
            opening.open_store,
        ),
    ),
    _twin(
        "the cache is made fresh by being read",
        "CX41-claude",
        open_cache=_changing(
            "UPDATE snapshots SET json = replace(json, '2025-12-31T12:00:00Z', '2026-01-01T00:00:00Z')",
            opening.open_cache,
        ),
    ),
    _twin(
        "a table is made where there is none",
        "CX41",
        "CX41-page",
        open_store=_changing("CREATE TABLE IF NOT EXISTS readings (at TEXT)", opening.open_store),
    ),
    around(_surface("direct", _twice), "each database is asked twice", "read-only-each"),
    around(
        _surface("direct", _read_first),
        "the databases are read before the call is judged",
        "CX14",
        "profile-unknown-tool[over=direct]",
        "read-only-refused",
    ),
    around(_surface("mcp", _told_otherwise), "the MCP result differs from HTTP", "parity-each"),
    twin_of("cli", "a log line on standard output", "parity-each", "CX06", pretty=_logged),
)
