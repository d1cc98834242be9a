"""Twins that change what they read, read more than they must, or tell one surface otherwise than another."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from functools import partial
from typing import Any, Final, cast

from evalkit.contracts.scriba import writing
from evalkit.contracts.scriba.localapi.routes import error_body
from evalkit.contracts.scriba.mcp import results
from evalkit.contracts.scriba.nouns import Json
from evalkit.contracts.scriba.store import opening
from evalkit.model import OpenSubject, Subject, World
from evalkit.surfaces import McpSurface, Messages
from tests.twins.twin import Twin, around, twin_of

Surround = Callable[[OpenSubject], OpenSubject]


def _changing(
    statements: str, open_file: Callable[[str], sqlite3.Connection]
) -> Callable[[str], sqlite3.Connection]:
    """Opens a file to read, once something was written to it."""

    def open_changed(path: str) -> sqlite3.Connection:
        opened = open_file(path)
        with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as written:
            written.executescript(statements)
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


def _writing(name: str, wrap: Callable[[Any, Callable[[Any], Any]], Any]) -> Surround:
    """Subjects of which one way in leaves a row behind with whatever is asked of it."""

    def surround(open_subject: OpenSubject) -> OpenSubject:
        def opened(world: World) -> Subject:
            subject = open_subject(world)
            rows: list[str] = []

            def then(call: Callable[..., Any]) -> Callable[..., Any]:
                def noted(*asked: Any) -> Any:
                    rows.append("asked")
                    return call(*asked)

                return noted

            held = cast("Callable[[], Json]", subject.snapshot)
            return subject._replace(
                surfaces={**subject.surfaces, name: wrap(subject.surfaces[name], then)},
                snapshot=lambda: {**held(), "readings": list(rows)},
            )

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


def _telling_where(main: Callable[..., int], argv: list[str], *streams: Any) -> int:
    """A command that fails tells where it looked."""
    code = main(argv, *streams)
    if code:
        streams[-1].write(b"scriba: read /srv/scriba/server.sqlite\n")
    return code


def _logged(document: Json) -> bytes:
    return b"INFO read the store\n" + writing.pretty(document)


def _twin(name: str, *promised_by: str, **change: Any) -> Twin:
    return twin_of("scriba", name, *promised_by, **change)


_OBSERVED_NOW: Final = """
    INSERT INTO limit_observations
    SELECT id || '+', provider_id, account_ref, '2026-01-01T00:00:00Z', snapshot_json, created_at
    FROM limit_observations WHERE id NOT LIKE '%+' ORDER BY observed_at DESC LIMIT 1;
    INSERT INTO observed_windows
    SELECT id, label, used_percent, reset_at, period_duration_ms
    FROM limit_observations JOIN observed_windows ON id = observation_id || '+';
"""

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
        "CX41",
        "CX41-page",
        open_store=_changing(_OBSERVED_NOW, opening.open_store),
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
    around(
        _writing("mcp", lambda surface, then: surface._replace(via=Messages(then(surface.via.answer)))),
        "MCP writes down what it is asked",
        "CX41",
        "CX41-claude",
        "read-only-nothing",
    ),
    around(
        _writing("cli", lambda surface, then: surface._replace(main=then(surface.main))),
        "the command line writes down what it is asked",
        "CX41",
        "CX41-claude",
        "read-only-nothing",
    ),
    around(
        _writing("http", lambda surface, then: surface._replace(app=then(surface.app))),
        "the local API writes down what it is asked",
        "CX41",
        "CX41-claude",
        "read-only-nothing",
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
    twin_of(
        "mcp",
        "a refusal over MCP tells where the store is",
        "private-refused",
        reason=lambda problem: f"{results.reason(problem)}: /srv/scriba/server.sqlite",
    ),
    twin_of(
        "api",
        "a refusal over HTTP tells where the store is",
        "private-refused",
        error_body=lambda code: error_body(code).replace(b"}}", b',"path":"/srv/scriba/server.sqlite"}}'),
    ),
    around(
        _surface("cli", lambda program: program._replace(main=partial(_telling_where, program.main))),
        "a refusal of the command line tells where the store is",
        "private-refused",
    ),
    twin_of("cli", "a log line on standard output", "parity-each", "CX06", pretty=_logged),
)
