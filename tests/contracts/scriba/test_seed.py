"""A fixture becomes databases like the real ones, with a canary wherever something private would stand."""

from __future__ import annotations

import json
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import jsonschema
import pytest

from evalkit.contracts.scriba.nouns import Json, Paths, Profiles
from evalkit.contracts.scriba.seed import profiles_of, seed
from evalkit.contracts.scriba.seeding.canaries import account_ref
from evalkit.contracts.scriba.seeding.vices import VICES
from tests.contracts.scriba.worlds import C_CLAUDE, CFG2, E4, P1, S_2P, S_EMPTY

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "evalkit/contracts/scriba/fixture.schema.json").read_text(encoding="utf-8")
)

FULL: Json = {
    "config": CFG2,
    "cache": C_CLAUDE,
    "store": {
        **E4,
        "events": [{**E4["events"][0], "outbox": "sent"}, *E4["events"][1:]],
        "then": [{"append": [{**P1, "id": "p5"}]}, {"delete": ["p5"]}, {"prune": "2026-01-01T00:00:00Z"}],
    },
}

PUBLIC = {
    "snapshots": {"name", "updated_at"},
    "meta": {"key", "value"},
    "scan_stats": {"provider_id", "updated_at"},
    "file_events": {"provider_id", "size", "mtime_ms", "updated_at"},
    "schema_migrations": {"version", "applied_at"},
    "accounts": {"provider_id", "updated_at"},
    "limit_observations": {"id", "provider_id", "observed_at", "created_at"},
    "observed_windows": {"observation_id", "label", "used_percent", "reset_at", "period_duration_ms"},
    "profiles": {"profile_ref", "provider_id", "enabled", "is_default", "created_at", "updated_at"},
    "profile_accounts": {"profile_ref", "provider_id", "is_current", "first_seen_at", "last_seen_at"},
    "policy_events": {
        *("id", "event_kind", "rule_kind", "provider_id", "payload_version", "detected_at", "created_at"),
    },
    "policy_event_replay": {"replay_seq", "policy_event_id", "provider_id"},
    "notification_outbox": {"event_kind", "status"},
}
"""The columns that hold nothing private; all others do."""


def cache_file(paths: Paths) -> Path:
    """Where the cache is."""
    return Path(paths.cache_dir) / "scriba.sqlite"


def ask(file: str | Path, statement: str) -> list[Json]:
    """What a database says; it is not changed."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(statement)]


def tables(file: str | Path) -> set[str]:
    """Its own tables."""
    rows = ask(file, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return {row["name"] for row in rows}


def mode(path: str | Path) -> int:
    """Its permission bits."""
    return stat.S_IMODE(Path(path).stat().st_mode)


def test_a_store_is_of_version_eleven_with_a_row_for_each_migration(tmp_path: Path) -> None:
    file = seed({"store": S_EMPTY}, tmp_path / "new").state_path
    rows = ask(file, "SELECT version FROM schema_migrations ORDER BY version")
    assert [row["version"] for row in rows] == [6, 7, 8, 9, 10, 11]


@pytest.mark.parametrize(("newest", "versions"), [(99, [6, 7, 8, 9, 10, 11, 99]), (8, [6, 7, 8])])
def test_a_store_says_it_is_as_new_as_the_fixture_says(
    tmp_path: Path, newest: int, versions: list[int]
) -> None:
    file = seed({"store": {"schemaVersion": newest}}, tmp_path / "new").state_path
    rows = ask(file, "SELECT version FROM schema_migrations ORDER BY version")
    assert [row["version"] for row in rows] == versions


def test_both_databases_have_the_tables_of_the_specification(tmp_path: Path) -> None:
    paths = seed(FULL, tmp_path / "new")
    assert tables(cache_file(paths)) == {"meta", "snapshots", "scan_stats", "file_events"}
    assert tables(paths.state_path) == set(PUBLIC) - tables(cache_file(paths))


def test_every_private_column_of_every_row_holds_a_canary(tmp_path: Path) -> None:
    paths = seed(FULL, tmp_path / "new")
    for file in (cache_file(paths), Path(paths.state_path)):
        for table in tables(file):
            rows = ask(file, f"SELECT * FROM {table}")
            assert rows, table
            for row in rows:
                assert set(row) > PUBLIC[table] or table in ("meta", "observed_windows", "schema_migrations")
                for column, value in row.items():
                    is_private = column not in PUBLIC[table]
                    assert ("CANARY_" in str(value)) is is_private, (table, column, value)


@pytest.mark.parametrize("content", [{}, {"a": 1}, {"resetCredits": [{"expiresAt": "x"}]}])
def test_a_snapshot_holds_canaries_beside_what_the_fixture_says(tmp_path: Path, content: Json) -> None:
    seen = {**S_2P["accounts"]["acctW"]["observations"][0], "snapshot": content}
    file = seed({"store": {"accounts": {"acctP": {"observations": [seen]}}}}, tmp_path / "new").state_path
    ((text),) = (row["snapshot_json"] for row in ask(file, "SELECT snapshot_json FROM limit_observations"))
    snapshot = json.loads(text)
    assert "CANARY_" in snapshot["email"]
    for name, value in content.items():
        assert name == "resetCredits" or snapshot[name] == value
    for credit in snapshot.get("resetCredits", []):
        assert credit["expiresAt"] == "x"
        assert "CANARY_" in credit["title"]


def test_the_databases_are_sound_whole_and_in_write_ahead_mode(tmp_path: Path) -> None:
    paths = seed(FULL, tmp_path / "new")
    for file in (cache_file(paths), Path(paths.state_path)):
        assert [beside.name for beside in file.parent.iterdir()] == [file.name]
        assert is_sound(file)
        assert ask(file, "PRAGMA foreign_key_check") == []
        assert ask(file, "PRAGMA journal_mode") == [{"journal_mode": "wal"}]


def test_only_the_owner_may_enter_and_read(tmp_path: Path) -> None:
    paths = seed(FULL, tmp_path / "new")
    files = (cache_file(paths), Path(paths.state_path), tmp_path / "new" / "config.json")
    assert [mode(file) for file in files] == [0o600] * 3
    assert [mode(file.parent) for file in files] == [0o700] * 3


def test_what_a_fixture_does_not_name_is_not_there(tmp_path: Path) -> None:
    """C-NONE and S-NONE and CFG0."""
    paths = seed({}, tmp_path / "new")
    assert list((tmp_path / "new").iterdir()) == []
    assert paths == (str(tmp_path / "new/cache"), str(tmp_path / "new/state/server.sqlite"))
    assert seed({"config": None, "cache": None, "store": None}, tmp_path / "new") == paths
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize("fixture", [{"config": CFG2}, {"cache": {}}, {"store": {}}])
def test_what_is_there_already_is_left_as_it_is(tmp_path: Path, fixture: Json) -> None:
    seed(fixture, tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    with pytest.raises(FileExistsError, match="name another folder"):
        seed(FULL, tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_a_cache_without_a_status_has_none(tmp_path: Path) -> None:
    """C-EMPTY."""
    file = cache_file(seed({"cache": {}}, tmp_path / "new"))
    assert ask(file, "SELECT * FROM snapshots WHERE name = 'status'") == []
    assert ask(file, "SELECT * FROM meta") == [{"key": "schema_version", "value": "1"}]


def test_a_status_is_written_as_it_stands(tmp_path: Path) -> None:
    file = cache_file(seed({"cache": C_CLAUDE}, tmp_path / "new"))
    (row,) = ask(file, "SELECT json FROM snapshots WHERE name = 'status'")
    status = json.loads(row["json"])
    assert status["schemaVersion"] == "scriba.v1"
    assert status["generatedAt"] == "2026-07-13T11:55:00Z"
    assert status["providers"][0]["lines"] == C_CLAUDE["status"]["providers"][0]["lines"]
    assert "CANARY_" in status["providers"][0]["plan"]


@pytest.mark.parametrize("text", ["not json", "", "[]"])
def test_a_status_may_be_any_text(tmp_path: Path, text: str) -> None:
    """C-BADJSON."""
    file = cache_file(seed({"cache": {"statusText": text}}, tmp_path / "new"))
    assert ask(file, "SELECT json FROM snapshots WHERE name = 'status'") == [{"json": text}]


@pytest.mark.parametrize(("version", "text"), [(2, "2"), ("one", "one")])
def test_a_cache_says_it_is_of_the_version_that_the_fixture_says(
    tmp_path: Path, version: Json, text: str
) -> None:
    """C-V2."""
    file = cache_file(seed({"cache": {"schemaVersion": version}}, tmp_path / "new"))
    assert ask(file, "SELECT value FROM meta") == [{"value": text}]


def test_the_ledger_numbers_events_in_the_order_of_the_fixture(tmp_path: Path) -> None:
    """E4."""
    file = seed({"store": E4}, tmp_path / "new").state_path
    rows = ask(file, "SELECT * FROM policy_event_replay ORDER BY replay_seq")
    p, w = account_ref("acctP"), account_ref("acctW")
    assert [tuple(row.values()) for row in rows] == [
        (1, "p1", "codex", p),
        (2, "p2", "codex", p),
        (3, "w3", "codex", w),
        (4, "p4", "codex", p),
    ]


@pytest.mark.parametrize(
    ("kind", "rule_kind", "said"),
    [
        ("limit_warning", "remaining_checkpoint", {"label": "5h limit", "used_percent": 81}),
        ("reset", "reset_transition", {"reset_kind": "early", "current_reset_at": P1["detectedAt"]}),
        ("reset_grant", "grant_available", {"available_count": 2, "expires_at": P1["detectedAt"]}),
        ("reset_grant_warning", "grant_expiry_checkpoint", {"threshold_days": 3}),
        ("radar_alert", "remaining_checkpoint", {}),
    ],
)
def test_an_event_without_a_payload_is_an_example_of_its_kind(
    tmp_path: Path, kind: str, rule_kind: str, said: Json
) -> None:
    file = seed({"store": {"events": [{**P1, "kind": kind}]}}, tmp_path / "new").state_path
    (row,) = ask(file, "SELECT * FROM policy_events")
    payload = json.loads(row["payload_json"])
    assert row["rule_kind"] == rule_kind
    assert payload.items() >= {"kind": kind, "version": 1, **said}.items()


def test_a_payload_is_what_the_fixture_says_and_canaries(tmp_path: Path) -> None:
    events = [
        {**P1, "id": "a", "payload": {"label": "Weekly limit"}},
        {**P1, "id": "b", "payload": {"version": "1", "account_label": "mine"}},
        {**P1, "id": "c", "payloadText": "{}", "payloadVersion": 0, "ruleKind": "none"},
        {**P1, "id": "d", "payloadText": "no json"},
    ]
    file = seed({"store": {"events": events}}, tmp_path / "new").state_path
    rows = ask(file, "SELECT * FROM policy_events ORDER BY id")
    a, b = (json.loads(row["payload_json"]) for row in rows[:2])
    assert (a["label"], a["version"], "used_percent" in a) == ("Weekly limit", 1, False)
    assert "CANARY_" in a["account_label"]
    assert (b["version"], b["account_label"]) == ("1", "mine")
    assert [row["payload_json"] for row in rows[2:]] == ["{}", "no json"]
    assert (rows[2]["payload_version"], rows[2]["rule_kind"]) == (0, "none")


def test_a_profile_has_accounts_of_which_one_is_current(tmp_path: Path) -> None:
    profiles = [
        {"id": "first", "default": True, "accounts": ["a", "b"]},
        {"id": "named", "accounts": ["c", "d"], "current": "d"},
        {"id": "none", "accounts": ["e"], "current": None, "enabled": False},
        {"id": "bare"},
    ]
    file = seed({"store": {"profiles": profiles}}, tmp_path / "new").state_path
    current = ask(file, "SELECT profile_ref, account_ref FROM profile_accounts WHERE is_current = 1")
    assert {tuple(row.values()) for row in current} == {
        ("first", account_ref("a")),
        ("named", account_ref("d")),
    }
    assert len(ask(file, "SELECT * FROM profile_accounts")) == 5
    rows = ask(file, "SELECT profile_ref, enabled, is_default FROM profiles ORDER BY rowid")
    assert [tuple(row.values()) for row in rows] == [
        ("first", 1, 1),
        ("named", 1, 0),
        ("none", 0, 0),
        ("bare", 1, 0),
    ]


def test_an_observation_holds_null_and_nothing_where_the_fixture_is_silent(tmp_path: Path) -> None:
    seen = {"observedAt": "x", "createdAt": "y", "id": "obs", "windows": [{"label": "5h limit"}]}
    store = {"accounts": {"other": {"provider": "claude", "observations": [seen]}}}
    file = seed({"store": store}, tmp_path / "new").state_path
    (row,) = ask(file, "SELECT id, provider_id, observed_at, created_at FROM limit_observations")
    assert tuple(row.values()) == ("obs", "claude", "x", "y")
    (window,) = ask(file, "SELECT * FROM observed_windows")
    assert tuple(window.values()) == ("obs", "5h limit", None, "", None)


def test_a_table_that_is_taken_away_is_not_there(tmp_path: Path) -> None:
    """S-V8 and CX33."""
    gone = ["profiles", "profile_accounts", "policy_event_replay", "policy_events"]
    file = seed({"store": {**E4, "schemaVersion": 8, "without": gone}}, tmp_path / "new").state_path
    assert not tables(file) & set(gone)
    assert len(ask(file, "SELECT * FROM limit_observations")) == 5


SPOILED: dict[str, Callable[[Path], bool]] = {
    "missing": lambda file: file.parent.is_dir() and not file.exists(),
    "empty": lambda file: file.read_bytes() == b"",
    "corrupt": lambda file: len(file.read_bytes()) == 4096 and b"SQLite" not in file.read_bytes(),
    "truncated": lambda file: file.read_bytes().startswith(b"SQLite format 3\0") and not is_sound(file),
    "directory": lambda file: file.is_dir(),
    "unreadable": lambda file: mode(file) == 0,
}


def is_sound(file: Path) -> bool:
    """Whether SQLite finds nothing wrong."""
    try:
        return ask(file, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    except sqlite3.DatabaseError:
        return False


@pytest.mark.parametrize("vice", SPOILED)
@pytest.mark.parametrize("which", ["cache", "store"])
def test_a_vice_spoils_the_place_of_the_file(tmp_path: Path, which: str, vice: str) -> None:
    content = {"cache": C_CLAUDE, "store": E4}[which]
    paths = seed({which: {**content, "vice": vice}}, tmp_path / "new")
    file = cache_file(paths) if which == "cache" else Path(paths.state_path)
    assert {beside.name for beside in file.parent.iterdir()} <= {file.name}
    assert SPOILED[vice](file)


def test_every_vice_is_in_the_schema_and_is_seen_here() -> None:
    assert set(SCHEMA["$defs"]["vice"]["enum"]) == set(VICES) == set(SPOILED)


def test_a_configuration_is_written_with_all_that_a_reader_needs(tmp_path: Path) -> None:
    paths = seed({"config": {**CFG2, "server": {"contextAPI": {"enabled": True}}}}, tmp_path / "new")
    config = json.loads((tmp_path / "new/config.json").read_text(encoding="utf-8"))
    assert config["schemaVersion"] == 2
    assert config["cacheDir"] == paths.cache_dir
    assert config["server"] == {"statePath": paths.state_path, "contextAPI": {"enabled": True}}
    assert [(one["id"], one["enabled"]) for one in config["profiles"]] == [
        ("personal", True),
        ("work", True),
        ("old", False),
    ]
    auth = [path for one in config["profiles"] for path in one["codexAuthPaths"]]
    assert len(set(auth)) == 3
    assert all(path.startswith("/") and "CANARY_" in path for path in auth)
    assert all("CANARY_" in one["label"] for one in config["profiles"])


@pytest.mark.parametrize(
    "said",
    [
        {"schemaVersion": 1, "server": {"accountLabel": "mine"}},
        {"schemaVersion": 3},
        {"cacheDir": "/elsewhere", "defaultProfileId": "old", "profiles": []},
    ],
)
def test_what_a_configuration_says_stands_as_it_is(tmp_path: Path, said: Json) -> None:
    """CL10 and CL11 need unsound and legacy ones."""
    seed({"config": said}, tmp_path / "new")
    config = json.loads((tmp_path / "new/config.json").read_text(encoding="utf-8"))
    assert all(config[name] == value for name, value in said.items() if name != "server")
    assert config["server"].items() >= said.get("server", {}).items()
    assert ("profiles" in config) is ("profiles" in said)


@pytest.mark.parametrize(
    ("fixture", "profiles"),
    [
        ({}, Profiles(("default",), "default")),
        ({"config": None}, Profiles(("default",), "default")),
        ({"config": {"schemaVersion": 1}}, Profiles(("default",), "default")),
        ({"config": CFG2}, Profiles(("personal", "work"), "personal")),
        ({"config": {"profiles": [{"id": "a"}], "defaultProfileId": "b"}}, Profiles(("a",), "b")),
    ],
)
def test_the_profiles_are_those_that_the_configuration_enables(fixture: Json, profiles: Profiles) -> None:
    assert profiles_of(fixture) == profiles


@pytest.mark.parametrize("fixture", [{}, FULL, {"store": E4}, {"cache": {"vice": "empty"}}])
def test_the_schema_takes_what_seed_takes(fixture: Json) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(fixture, SCHEMA)


@pytest.mark.parametrize(
    "fixture",
    [
        {"other": 1},
        {"cache": {"vice": "haunted"}},
        {"cache": {"status": {}, "statusText": ""}},
        {"store": {"event": []}},
        {"store": {"events": [{"id": "a", "account": "b"}]}},
        {"store": {"events": [{**P1, "payload": {}, "payloadText": ""}]}},
        {"store": {"then": [{"delete": ["a"], "dangle": ["b"]}]}},
        {"store": {"then": [{"sink": []}]}},
        {"store": {"then": [{}]}},
        {"store": {"profiles": [{"id": "a", "account": "b"}]}},
    ],
)
def test_the_schema_refuses_a_slip(fixture: Json) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(fixture, SCHEMA)


def test_every_step_of_the_schema_can_be_taken(tmp_path: Path) -> None:
    seen = {"account": "acctP", "observation": {"observedAt": "2026-07-13T11:59:00Z", "windows": []}}
    steps: Json = [
        {"append": [{**P1, "id": "p5"}]},
        {"delete": ["p1"]},
        {"dangle": ["p2"]},
        {"prune": "2026-01-01T00:00:00Z"},
        {"remap": {"profile": "work", "account": None}},
        {"observe": seen},
    ]
    assert {word for step in steps for word in step} == set(SCHEMA["$defs"]["step"]["properties"])
    file = seed({"store": {**E4, "then": steps}}, tmp_path / "new").state_path
    rows = ask(file, "SELECT id FROM policy_events ORDER BY id")
    assert [row["id"] for row in rows] == ["p4", "p5", "w3"]
    assert len(ask(file, "SELECT * FROM limit_observations")) == 6
