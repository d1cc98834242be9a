"""Tests for `store/observations`: whose account, which observation is the newest, and what came before."""

from __future__ import annotations

import pathlib
from contextlib import closing
from typing import Any

import pytest

from evalkit.contracts.scriba.nouns import StoreUnreadable
from evalkit.contracts.scriba.store.observations import (
    StoredObservation,
    StoredWindow,
    current_account,
    newest_of_account,
    newest_of_any,
    observations_since,
)
from evalkit.contracts.scriba.store.opening import open_store
from tests.contracts.scriba.small_files import HOUR, Files, at

WINDOW = ("5h limit", 81.0, "2026-07-13T13:00:00Z", 18_000_000)


@pytest.fixture
def files(tmp_path: pathlib.Path) -> Files:
    return Files(tmp_path).make_store("acctP", "acctW")


def account_of(files: Files, profile: str, provider: str = "codex") -> str | None:
    with closing(open_store(str(files.store))) as connection:
        return current_account(connection, profile, provider)


def newest(files: Files, account: str = "acctP") -> StoredObservation | None:
    with closing(open_store(str(files.store))) as connection:
        return newest_of_account(connection, "codex", account)


def newest_time(files: Files) -> str | None:
    found = newest(files)
    return None if found is None else found.snapshot_json


def since(files: Files, text: str) -> tuple[StoredObservation, ...]:
    with closing(open_store(str(files.store))) as connection:
        return observations_since(connection, "codex", "acctP", text)


def test_a_profile_has_the_account_that_is_current(files: Files) -> None:
    files.profile("personal", "acctP").profile("work", "acctW")
    files.tell("INSERT INTO profile_accounts VALUES ('work', 'codex', 'acctOld', 0)")
    assert account_of(files, "personal") == "acctP"
    assert account_of(files, "work") == "acctW"


def test_a_profile_that_is_unknown_disabled_or_without_current_account_has_none(files: Files) -> None:
    files.profile("disabled", "acctP", enabled=0).profile("unmapped", "acctW", current=0)
    assert account_of(files, "disabled") is None
    assert account_of(files, "unmapped") is None
    assert account_of(files, "nobody") is None
    files.profile("personal", "acctP")
    assert account_of(files, "personal", "claude") is None
    files.tell("UPDATE profiles SET provider_id = 'claude' WHERE profile_ref = ?", "personal")
    assert account_of(files, "personal") is None


def test_the_newest_observation_is_the_accounts_own_with_all_its_windows(files: Files) -> None:
    other = ("Weekly limit", None, "", None)
    files.observe("acctP", at(-HOUR), WINDOW).observe("acctP", at(0), other, WINDOW, snapshot="{}")
    files.observe("acctW", at(HOUR), WINDOW)
    assert newest(files) == StoredObservation(
        "acctP", at(0), "{}", (StoredWindow(*WINDOW), StoredWindow("Weekly limit", None, "", None))
    )


def test_the_newest_is_found_by_time_then_creation_then_id(files: Files) -> None:
    files.observe("acctP", at(0), id="a", created_at="2", snapshot="created later")
    files.observe("acctP", at(0), id="b", created_at="1", snapshot="created earlier")
    files.observe("acctP", at(-1), id="c", created_at="3", snapshot="observed earlier")
    assert newest_time(files) == "created later"
    files.observe("acctP", at(0), id="aa", created_at="2", snapshot="greater id")
    assert newest_time(files) == "greater id"


def test_an_observation_of_nobody_known_is_none(files: Files) -> None:
    files.observe("stranger", at(0), WINDOW)
    assert newest(files, "stranger") is None
    assert newest(files) is None


def test_without_a_profile_the_newest_of_any_account_counts(files: Files) -> None:
    files.observe("acctP", at(-HOUR), WINDOW).observe("acctW", at(0), WINDOW)
    with closing(open_store(str(files.store))) as connection:
        found = newest_of_any(connection, "codex")
        assert newest_of_any(connection, "claude") is None
    assert found is not None
    assert found.account_ref == "acctW"


def test_history_begins_with_the_moment_itself_and_is_told_oldest_first(files: Files) -> None:
    for hours in (-25, -1, -24, -2):
        files.observe("acctP", at(hours * HOUR), WINDOW, ("Weekly limit", 5.0, "", None))
    files.observe("acctW", at(-HOUR), WINDOW)
    history = since(files, at(-24 * HOUR))
    assert [sample.observed_at for sample in history] == [at(hours * HOUR) for hours in (-24, -2, -1)]
    assert [len(sample.windows) for sample in history] == [2, 2, 2]
    assert history[0].windows[0] == StoredWindow(*WINDOW)
    assert history[0].snapshot_json == ""


def test_history_is_compared_as_moments_and_not_as_text(files: Files) -> None:
    files.observe("acctP", "2026-07-13T13:30:00+02:00", WINDOW)  # 11:30 in UTC
    files.observe("acctP", "2026-07-12T22:30:00-14:00", WINDOW)  # 12:30 in UTC, of a text two days earlier
    files.observe("acctP", "2026-07-13T12:00:00.5Z", WINDOW)
    assert [sample.observed_at for sample in since(files, "2026-07-13T12:00:00Z")] == [
        "2026-07-13T12:00:00.5Z",
        "2026-07-12T22:30:00-14:00",
    ]


def test_two_observations_of_one_moment_stay_two(files: Files) -> None:
    files.observe("acctP", at(0), WINDOW, id="a").observe("acctP", at(0), WINDOW, id="b")
    assert len(since(files, at(-HOUR))) == 2


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("used_percent", "half"),
        ("used_percent", b"x"),
        ("period_duration_ms", 1.5),
        ("period_duration_ms", "x"),
    ],
)
def test_a_column_of_another_type_makes_the_observation_unreadable(
    files: Files, column: str, value: Any
) -> None:
    files.observe("acctP", at(0), WINDOW).tell(f"UPDATE observed_windows SET {column} = ?", value)
    with pytest.raises(StoreUnreadable):
        newest(files)
    with pytest.raises(StoreUnreadable):
        since(files, at(-HOUR))


@pytest.mark.parametrize("column", ["snapshot_json", "observed_at"])
def test_a_text_that_is_none_makes_the_observation_unreadable(files: Files, column: str) -> None:
    files.observe("acctP", at(0), WINDOW).tell(f"UPDATE limit_observations SET {column} = x'00'")
    with pytest.raises(StoreUnreadable):
        newest(files)


@pytest.mark.parametrize("table", ["profiles", "profile_accounts"])
def test_without_a_table_no_account_can_be_read(files: Files, table: str) -> None:
    files.tell(f"DROP TABLE {table}")
    with pytest.raises(StoreUnreadable):
        account_of(files, "personal")


@pytest.mark.parametrize("table", ["limit_observations", "observed_windows", "accounts"])
def test_without_a_table_no_observation_can_be_read(files: Files, table: str) -> None:
    files.observe("acctP", at(0), WINDOW).tell(f"DROP TABLE {table}")
    with pytest.raises(StoreUnreadable):
        newest(files)
