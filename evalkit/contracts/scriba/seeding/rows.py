"""Writes the rows of a server's store from the words of a fixture (spec 9.3, 12.1)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Final

from ..nouns import Json
from .canaries import CREDIT, OUTBOX, PAYLOAD, SNAPSHOT, account_ref, canary

BEGINNING: Final = "2026-01-01T00:00:00Z"
"""When everything was written of which it does not matter when."""

_OBSERVATION: Final = "INSERT INTO limit_observations VALUES (?, ?, ?, ?, ?, ?)"
_EVENT: Final = "INSERT INTO policy_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_MAPPING: Final = """
    INSERT INTO profile_accounts VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (provider_id, account_ref)
    DO UPDATE SET profile_ref = excluded.profile_ref, is_current = excluded.is_current
"""
_RULE_KINDS: Final[Mapping[str, str]] = {
    "limit_warning": "remaining_checkpoint",
    "reset": "reset_transition",
    "reset_grant": "grant_available",
    "reset_grant_warning": "grant_expiry_checkpoint",
}


def insert_account(connection: sqlite3.Connection, name: str, provider: str = "codex") -> None:
    """An account, unless it is there."""
    values = (account_ref(name), provider, canary("LABEL"), canary("EMAIL"), canary("PLAN"), BEGINNING)
    connection.execute("INSERT OR IGNORE INTO accounts VALUES (?, ?, ?, ?, ?, ?)", values)


def insert_observation(connection: sqlite3.Connection, account: str, observation: Json) -> None:
    """An observation with its windows, of an account that is made unless it is there."""
    (last,) = connection.execute("SELECT coalesce(max(rowid), 0) FROM limit_observations").fetchone()
    name, observed_at = observation.get("id", f"obs_{last + 1:032x}"), observation["observedAt"]
    created_at = observation.get("createdAt", observed_at)
    values = (*_owner(connection, account), observed_at, _snapshot_text(observation), created_at)
    connection.execute(_OBSERVATION, (name, *values))
    connection.executemany(
        "INSERT INTO observed_windows VALUES (?, ?, ?, ?, ?)",
        [
            (name, one["label"], one.get("usedPercent"), one.get("resetAt", ""), one.get("periodDurationMs"))
            for one in observation["windows"]
        ],
    )


def insert_profile(connection: sqlite3.Connection, profile: Json) -> None:
    """A profile and the accounts that were ever its own."""
    name, enabled = profile["id"], profile.get("enabled", True)
    values = (name, "codex", canary("PROFILE_LABEL"), enabled, profile.get("default", False))
    connection.execute("INSERT INTO profiles VALUES (?, ?, ?, ?, ?, ?, ?)", (*values, BEGINNING, BEGINNING))
    accounts = profile.get("accounts", [])
    current = profile.get("current", accounts[0] if accounts else None)
    for account in accounts:
        map_account(connection, name, account, account == current)


def map_account(connection: sqlite3.Connection, profile: str, account: str, is_current: bool) -> None:
    """Make an account, which is made unless it is there, one of the profile's, and of no other's."""
    values = (profile, *_owner(connection, account), is_current, BEGINNING, BEGINNING)
    connection.execute(_MAPPING, values)


def insert_event(connection: sqlite3.Connection, event: Json) -> None:
    """A policy event, at the end of the ledger, and what the outbox holds of it, if anything."""
    name, kind, detected_at = event["id"], event.get("kind", "limit_warning"), event["detectedAt"]
    semantic_id = canary(f"SEMANTIC_ID_{name}")
    values = (
        *(name, canary(f"SEMANTIC_KEY_{name}"), kind, semantic_id, canary("RULE"), canary("SUBJECT")),
        event.get("ruleKind") or _RULE_KINDS.get(kind, "remaining_checkpoint"),
        *(*_owner(connection, event["account"]), canary("POLICY_REVISION"), canary("CONFIG_HASH")),
        *(event.get("payloadVersion", 1), _payload_text(event, kind), detected_at, detected_at),
    )
    connection.execute(_EVENT, values)
    if "outbox" in event:
        told = (kind, semantic_id, event["outbox"], json.dumps(OUTBOX))
        connection.execute("INSERT INTO notification_outbox VALUES (?, ?, ?, ?)", told)


def _owner(connection: sqlite3.Connection, account: str) -> tuple[str, str]:
    insert_account(connection, account)
    sql = "SELECT provider_id, account_ref FROM accounts WHERE account_ref = ?"
    provider, ref = connection.execute(sql, (account_ref(account),)).fetchone()
    return provider, ref


def _snapshot_text(observation: Json) -> str:
    if "snapshotText" in observation:
        return str(observation["snapshotText"])
    snapshot = {**SNAPSHOT, **observation.get("snapshot", {})}
    if "resetCredits" in snapshot:
        snapshot["resetCredits"] = [{**CREDIT, **credit} for credit in snapshot["resetCredits"]]
    return json.dumps(snapshot)


def _payload_text(event: Json, kind: str) -> str:
    if "payloadText" in event:
        return str(event["payloadText"])
    said = event.get("payload", _example(kind, event["detectedAt"]))
    return json.dumps({"kind": kind, "version": 1, **PAYLOAD, **said})


def _example(kind: str, time: str) -> Json:
    return {
        "limit_warning": {
            "label": "5h limit",
            "threshold_remaining": 20,
            "used_percent": 81,
            "remaining_percent": 19,
        },
        "reset": {
            "primary_trigger_label": "Weekly limit",
            "reset_kind": "early",
            "previous_reset_at": time,
            "current_reset_at": time,
        },
        "reset_grant": {"available_count": 2, "expires_at": time},
        "reset_grant_warning": {"threshold_days": 3, "expires_at": time},
    }.get(kind, {})
