"""Small database files for tests of reading, by plain SQL and apart from `seed`: both must be right."""

from __future__ import annotations

import hashlib
import json
import pathlib
import sqlite3
from contextlib import closing
from typing import Any

from evalkit.contracts.scriba import times
from evalkit.contracts.scriba.nouns import Clock, Instant, Paths, Profiles
from evalkit.contracts.scriba.rules import RULES, ScribaRules
from evalkit.contracts.scriba.service import ScribaService

Json = Any

NOW = "2026-07-13T12:00:00Z"
MINUTE = 60_000_000_000
HOUR = 60 * MINUTE
TWO_PROFILES = Profiles(("personal", "work"), "personal")

CACHE_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE snapshots (name TEXT PRIMARY KEY, json TEXT NOT NULL, updated_at TEXT NOT NULL);
INSERT INTO meta VALUES ('schema_version', '1');
"""
STORE_TABLES = """
CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL);
INSERT INTO schema_migrations VALUES (6, ''), (11, '');
CREATE TABLE accounts (account_ref TEXT PRIMARY KEY, provider_id TEXT NOT NULL);
CREATE TABLE limit_observations (
    id TEXT PRIMARY KEY, provider_id TEXT NOT NULL, account_ref TEXT NOT NULL REFERENCES accounts,
    observed_at TEXT NOT NULL, snapshot_json TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE observed_windows (
    observation_id TEXT NOT NULL, label TEXT NOT NULL, used_percent REAL, reset_at TEXT NOT NULL,
    period_duration_ms INTEGER, PRIMARY KEY (observation_id, label));
CREATE TABLE profiles (profile_ref TEXT PRIMARY KEY, provider_id TEXT NOT NULL, enabled INTEGER NOT NULL);
CREATE TABLE profile_accounts (
    profile_ref TEXT NOT NULL, provider_id TEXT NOT NULL, account_ref TEXT NOT NULL,
    is_current INTEGER NOT NULL);
CREATE TABLE policy_events (
    id TEXT PRIMARY KEY, event_kind TEXT NOT NULL, rule_kind TEXT NOT NULL, provider_id TEXT NOT NULL,
    account_ref TEXT NOT NULL, payload_version INTEGER NOT NULL, payload_json TEXT NOT NULL,
    detected_at TEXT NOT NULL);
CREATE TABLE policy_event_replay (
    replay_seq INTEGER PRIMARY KEY AUTOINCREMENT,
    policy_event_id TEXT UNIQUE REFERENCES policy_events ON DELETE SET NULL,
    provider_id TEXT NOT NULL, account_ref TEXT NOT NULL);
CREATE TRIGGER policy_events_replay_after_insert AFTER INSERT ON policy_events BEGIN
    INSERT INTO policy_event_replay (policy_event_id, provider_id, account_ref)
    VALUES (NEW.id, NEW.provider_id, NEW.account_ref);
END;
"""


def instant(text: str) -> Instant:
    found = times.parse(text)
    assert found is not None
    return found


def at(nanoseconds: int, since: str = NOW) -> str:
    """The text of a moment so long after (or, negative, before) another."""
    return times.format(Instant(instant(since).nanoseconds + nanoseconds))


def clock(text: str = NOW) -> Clock:
    return lambda: instant(text)


class Files:
    """A folder with a cache and a store, each only if it is made."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.cache = folder / "cache" / "scriba.sqlite"
        self.store = folder / "state" / "server.sqlite"
        self.paths = Paths(str(self.cache.parent), str(self.store))

    def make_cache(self, status: Json = None) -> Files:
        """An empty cache, or one with this snapshot: an object, or the very text of it."""
        self.cache.parent.mkdir(exist_ok=True)
        run(self.cache, CACHE_TABLES)
        if status is not None:
            text = status if isinstance(status, str) else json.dumps(status)
            run(self.cache, "INSERT INTO snapshots VALUES ('status', ?, '')", text)
        return self

    def make_store(self, *accounts: str) -> Files:
        self.store.parent.mkdir(exist_ok=True)
        run(self.store, STORE_TABLES)
        for account in accounts:
            self.tell("INSERT INTO accounts VALUES (?, 'codex')", account)
        return self

    def profile(self, profile: str, account: str, *, enabled: int = 1, current: int = 1) -> Files:
        self.tell("INSERT INTO profiles VALUES (?, 'codex', ?)", profile, enabled)
        return self.tell("INSERT INTO profile_accounts VALUES (?, 'codex', ?, ?)", profile, account, current)

    def observe(
        self, account: str, observed_at: str, *windows: Json, snapshot: str = "", **row: str
    ) -> Files:
        """One observation; a window is (label, used percent, reset text, milliseconds)."""
        identity = row.get("id", f"obs_{account}_{observed_at}")
        values = (identity, account, observed_at, snapshot, row.get("created_at", observed_at))
        self.tell("INSERT INTO limit_observations VALUES (?, 'codex', ?, ?, ?, ?)", *values)
        for window in windows:
            self.tell("INSERT INTO observed_windows VALUES (?, ?, ?, ?, ?)", identity, *window)
        return self

    def warn(self, account: str, identity: str, detected_at: str, payload: str | None = None) -> Files:
        """A `limit_warning` of the 5 h window at 20 percent, or what else the payload says."""
        known = {
            "kind": "limit_warning",
            "version": 1,
            "label": "5h limit",
            "threshold_remaining": 20,
            "used_percent": 81,
            "remaining_percent": 19,
            "reset_at": at(HOUR, detected_at),
        }
        text = json.dumps(known) if payload is None else payload
        columns = "'limit_warning', 'remaining_checkpoint', 'codex'"
        row = f"INSERT INTO policy_events VALUES (?, {columns}, ?, 1, ?, ?)"
        return self.tell(row, identity, account, text, detected_at)

    def tell(self, statement: str, *values: Any) -> Files:
        run(self.store, statement, *values)
        return self

    def service(
        self, profiles: Profiles = TWO_PROFILES, now: str = NOW, rules: ScribaRules = RULES, limit: int = 20
    ) -> ScribaService:
        return ScribaService(self.paths, profiles, clock(now), rules, limit)


def run(file: pathlib.Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        if values:
            connection.execute(statement, values)
        else:
            connection.executescript(statement)


def two_profiles(folder: pathlib.Path) -> Files:
    """S-2P of spec 12.1: personal -> acctP with four samples of 5 h, work -> acctW with one of a week."""
    files = Files(folder).make_store("acctP", "acctW").profile("personal", "acctP").profile("work", "acctW")
    for minutes, used in ((64, 25), (44, 30), (24, 35), (4, 40)):
        files.observe("acctP", at(-minutes * MINUTE), ("5h limit", used, at(2 * HOUR), 5 * HOUR // 1_000_000))
    return files.observe(
        "acctW", at(-2 * MINUTE), ("Weekly limit", 91, at(84 * HOUR), 168 * HOUR // 1_000_000)
    )


def with_four_events(files: Files) -> Files:
    """E4 of spec 12.1."""
    for account, identity, minutes in (
        ("acctP", "p1", 10),
        ("acctP", "p2", 9),
        ("acctW", "w3", 8),
        ("acctP", "p4", 7),
    ):
        files.warn(account, identity, at(-minutes * MINUTE))
    return files


def status(*providers: Json, generated_at: str = at(-5 * MINUTE)) -> Json:
    return {"schemaVersion": "scriba.v1", "generatedAt": generated_at, "providers": list(providers)}


def claude(**more: Json) -> Json:
    """C-CLAUDE of spec 12.1: a week of which 20 percent are used, which ends in 84 hours."""
    return {"providerId": "claude", "lines": [weekly(20)], **more}


def codex(used: float) -> Json:
    return {"providerId": "codex", "lines": [weekly(used)]}


def weekly(used: float) -> Json:
    return {"type": "progress", "label": "Weekly limit", "used": used, "resetsAt": at(84 * HOUR)}


def sources_of(document: Json) -> dict[str, Json]:
    return {source["sourceId"]: source for source in document["sources"]}


def digest(file: pathlib.Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
