"""The tables, indexes and trigger of a cache of version 1 and of a store of version 11 (spec 9)."""

from __future__ import annotations

from typing import Final

CACHE_VERSION: Final = 1
STORE_VERSION: Final = 11
FIRST_MIGRATION: Final = 6

CACHE: Final = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE snapshots (name TEXT PRIMARY KEY, json TEXT NOT NULL, updated_at TEXT NOT NULL)",
    "CREATE TABLE scan_stats (provider_id TEXT PRIMARY KEY, json TEXT NOT NULL, updated_at TEXT NOT NULL)",
    """
    CREATE TABLE file_events (
        provider_id TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, mtime_ms REAL NOT NULL,
        events_json TEXT NOT NULL, stats_json TEXT NOT NULL, updated_at TEXT NOT NULL,
        PRIMARY KEY (provider_id, path)
    )
    """,
)

_QUOTAS: Final = (
    "CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)",
    """
    CREATE TABLE accounts (
        account_ref TEXT PRIMARY KEY,
        provider_id TEXT NOT NULL,
        label TEXT NOT NULL,
        email TEXT NOT NULL,
        plan TEXT NOT NULL,
        updated_at TEXT NOT NULL
    )
    """,
    "CREATE UNIQUE INDEX accounts_by_provider ON accounts (provider_id, account_ref)",
    """
    CREATE TABLE limit_observations (
        id TEXT PRIMARY KEY,
        provider_id TEXT NOT NULL,
        account_ref TEXT NOT NULL REFERENCES accounts (account_ref),
        observed_at TEXT NOT NULL,
        snapshot_json TEXT NOT NULL,
        created_at TEXT NOT NULL
    )
    """,
    """
    CREATE INDEX limit_observations_newest
    ON limit_observations (provider_id, account_ref, observed_at DESC, created_at DESC, id DESC)
    """,
    """
    CREATE TABLE observed_windows (
        observation_id TEXT NOT NULL REFERENCES limit_observations (id) ON DELETE CASCADE,
        label TEXT NOT NULL,
        used_percent REAL,
        reset_at TEXT NOT NULL,
        period_duration_ms INTEGER,
        PRIMARY KEY (observation_id, label)
    )
    """,
)

_PROFILES: Final = (
    """
    CREATE TABLE profiles (
        profile_ref TEXT PRIMARY KEY CHECK (length(profile_ref) BETWEEN 1 AND 32),
        provider_id TEXT NOT NULL CHECK (length(provider_id) BETWEEN 1 AND 64),
        label TEXT NOT NULL CHECK (length(label) BETWEEN 1 AND 128),
        enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
        is_default INTEGER NOT NULL CHECK (is_default IN (0, 1) AND (enabled = 1 OR is_default = 0)),
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        UNIQUE (profile_ref, provider_id)
    )
    """,
    "CREATE UNIQUE INDEX profiles_one_default ON profiles (is_default) WHERE is_default = 1",
    """
    CREATE TABLE profile_accounts (
        profile_ref TEXT NOT NULL,
        provider_id TEXT NOT NULL,
        account_ref TEXT NOT NULL,
        is_current INTEGER NOT NULL CHECK (is_current IN (0, 1)),
        first_seen_at TEXT NOT NULL,
        last_seen_at TEXT NOT NULL,
        PRIMARY KEY (profile_ref, provider_id, account_ref),
        UNIQUE (provider_id, account_ref),
        FOREIGN KEY (profile_ref, provider_id) REFERENCES profiles (profile_ref, provider_id)
            ON DELETE CASCADE,
        FOREIGN KEY (provider_id, account_ref) REFERENCES accounts (provider_id, account_ref)
    )
    """,
    "CREATE UNIQUE INDEX profile_accounts_one_current ON profile_accounts (profile_ref) WHERE is_current = 1",
)

_EVENTS: Final = (
    """
    CREATE TABLE policy_events (
        id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
        semantic_key TEXT NOT NULL UNIQUE CHECK (semantic_key <> ''),
        event_kind TEXT NOT NULL CHECK (event_kind <> ''),
        semantic_event_id TEXT NOT NULL CHECK (semantic_event_id <> ''),
        rule_id TEXT NOT NULL CHECK (rule_id <> ''),
        subject_key TEXT NOT NULL CHECK (subject_key <> ''),
        rule_kind TEXT NOT NULL CHECK (rule_kind IN (
            'remaining_checkpoint', 'reset_transition', 'grant_available', 'grant_expiry_checkpoint'
        )),
        provider_id TEXT NOT NULL CHECK (provider_id <> ''),
        account_ref TEXT NOT NULL,
        policy_revision TEXT NOT NULL CHECK (policy_revision <> ''),
        config_hash TEXT NOT NULL CHECK (config_hash <> ''),
        payload_version INTEGER NOT NULL CHECK (payload_version > 0),
        payload_json TEXT NOT NULL CHECK (json_valid(payload_json)),
        detected_at TEXT NOT NULL CHECK (detected_at <> ''),
        created_at TEXT NOT NULL CHECK (created_at <> ''),
        UNIQUE (event_kind, semantic_event_id),
        FOREIGN KEY (provider_id, account_ref) REFERENCES accounts (provider_id, account_ref)
    )
    """,
    """
    CREATE INDEX policy_events_newest
    ON policy_events (provider_id, account_ref, detected_at DESC, id DESC)
    """,
    """
    CREATE TABLE policy_event_replay (
        replay_seq INTEGER PRIMARY KEY AUTOINCREMENT,
        policy_event_id TEXT UNIQUE REFERENCES policy_events (id) ON DELETE SET NULL,
        provider_id TEXT NOT NULL,
        account_ref TEXT NOT NULL
    )
    """,
    "CREATE INDEX policy_event_replay_owner ON policy_event_replay (provider_id, account_ref, replay_seq)",
    """
    CREATE TRIGGER policy_events_replay_after_insert AFTER INSERT ON policy_events BEGIN
        INSERT INTO policy_event_replay (policy_event_id, provider_id, account_ref)
        VALUES (NEW.id, NEW.provider_id, NEW.account_ref);
    END
    """,
    """
    CREATE TABLE notification_outbox (
        event_kind TEXT NOT NULL,
        semantic_event_id TEXT NOT NULL,
        status TEXT NOT NULL,
        payload_json TEXT NOT NULL,
        PRIMARY KEY (event_kind, semantic_event_id)
    )
    """,
)

STORE: Final = (*_QUOTAS, *_PROFILES, *_EVENTS)
"""With the outbox, that is never shown: an event that is still to be told of is not pruned (spec 5.4)."""
