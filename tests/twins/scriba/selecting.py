"""Twins that read the wrong thing: another profile, another account, another file (spec 2.2-2.5, 9)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from evalkit.contracts.scriba import candidates, profiles, times
from evalkit.contracts.scriba.candidates import Candidate
from evalkit.contracts.scriba.nouns import Profiles, ProfileUnavailable, StoreUnreadable
from evalkit.contracts.scriba.store import observations, opening
from evalkit.contracts.scriba.store.observations import StoredObservation
from tests.twins.twin import Twin, altered, twin_of


def _twin(name: str, *promised_by: str, **change: Any) -> Twin:
    return twin_of("scriba", name, *promised_by, **change)


def _or_the_default(known: Profiles, asked: str) -> str:
    return profiles.select_profile(known, asked if asked in known.enabled else "")


def _trimmed(known: Profiles, asked: str) -> str:
    return profiles.select_profile(known, asked.strip())


def _in_any_case(known: Profiles, asked: str) -> str:
    return profiles.select_profile(known, asked.lower())


def _as_asked(known: Profiles, asked: str) -> str:
    return asked or profiles.select_profile(known, "")


def _always_the_default(known: Profiles, asked: str) -> str:
    profiles.select_profile(known, asked)
    return profiles.select_profile(known, "")


def _last_of_the_list(known: Profiles, asked: str) -> str:
    return profiles.select_profile(known, asked or (known.enabled[-1] if known.enabled else ""))


def _any_where_none_is_listed(known: Profiles, asked: str) -> str:
    return profiles.select_profile(known, asked) if known.enabled else asked or known.default


def _never(known: Profiles, asked: str) -> str:
    raise ProfileUnavailable


def _nothing(path: str) -> sqlite3.Connection:
    raise StoreUnreadable(path)


def _no_check(connection: sqlite3.Connection) -> None:
    """Whatever version it is."""


def _made(path: str) -> sqlite3.Connection:
    """A file that is not there is made."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    if not Path(path).exists():
        sqlite3.connect(path).close()
    return opening.open_store(path)


def _cache_or_nothing(path: str) -> sqlite3.Connection:
    """A cache that cannot be read is as good as an empty one."""
    try:
        return opening.open_cache(path)
    except StoreUnreadable:
        empty = sqlite3.connect(":memory:")
        empty.executescript(_EMPTY_CACHE)
        return empty


def _misread(change: Callable[[Any], None]) -> Callable[[str], sqlite3.Connection]:
    """Opens a cache whose status is read otherwise than it was written."""

    def open_misread(path: str) -> sqlite3.Connection:
        with closing(opening.open_cache(path)) as sound:
            held = sqlite3.connect(":memory:", isolation_level=None)
            sound.backup(held)
        for (text,) in held.execute("SELECT json FROM snapshots WHERE name = 'status'").fetchall():
            with suppress(ValueError):
                status = json.loads(text)
                change(status)
                held.execute("UPDATE snapshots SET json = ? WHERE name = 'status'", (json.dumps(status),))
        return held

    return open_misread


def _tokens_are_quotas(status: Any) -> None:
    for provider in status["providers"]:
        for line in provider["lines"]:
            line["type"] = "progress"


def _last_first(status: Any) -> None:
    status["providers"].reverse()


def _of_now(status: Any) -> None:
    """A time that cannot be read is made up."""
    if times.parse(status["generatedAt"]) is None:
        status["generatedAt"] = "2026-01-01T00:00:00Z"


def _stale_if_degraded(status: Any) -> None:
    for provider in status["providers"]:
        if provider.get("state") == "degraded":
            provider["provenance"] = [*provider.get("provenance", ()), {"kind": "cache", "stale": True}]


def _of_the_first_profile(connection: sqlite3.Connection, profile_id: str, provider_id: str) -> str | None:
    rows = opening.fetch(connection, "SELECT profile_ref FROM profiles ORDER BY profile_ref LIMIT 1")
    return observations.current_account(connection, rows[0][0], provider_id) if rows else None


def _none_if_unreadable(connection: sqlite3.Connection, profile_id: str, provider_id: str) -> str | None:
    """A store that cannot tell a profile's account is told to have none."""
    with suppress(StoreUnreadable):
        return observations.current_account(connection, profile_id, provider_id)
    return None


def _anybodys(connection: sqlite3.Connection, provider_id: str, account_ref: str) -> StoredObservation | None:
    return observations.newest_of_any(connection, provider_id)


def _no_past(*_asked: Any) -> Sequence[StoredObservation]:
    return ()


def _unreadable(*_asked: Any) -> Any:
    raise StoreUnreadable("it is gone")


def _cache_first(stored: Candidate | None, cached: Candidate | None) -> Candidate | None:
    return cached or stored


def _cache_if_none(stored: Candidate | None, cached: Candidate | None) -> Candidate | None:
    return stored or cached


def _ties_are_the_caches(stored: Candidate | None, cached: Candidate | None) -> Candidate | None:
    return candidates.choose_newest(cached, stored)


_FORMER_TOO: Final = observations._CURRENT_ACCOUNT.replace("AND a.is_current = 1", "")
_DISABLED_TOO: Final = observations._CURRENT_ACCOUNT.replace("AND p.enabled = 1", "")
_OLDEST: Final = observations._NEWEST_OF_ACCOUNT.replace("DESC", "ASC")
_OF_ONE_ACCOUNT: Final = observations._NEWEST.format(
    only="AND o.account_ref = (SELECT min(account_ref) FROM accounts)"
)
_OF_ALL_ACCOUNTS: Final = observations._HISTORY.replace("o.account_ref = ?", "? <> ''")
_EMPTY_CACHE: Final = "CREATE TABLE meta(key, value); CREATE TABLE snapshots(name, json)"

TWINS = (
    _twin(
        "an unknown profile falls back to the default",
        "CX14",
        "CX15",
        "profile-unknown-tool",
        "private-refused",
        select_profile=_or_the_default,
    ),
    _twin(
        "whitespace round a profile accepted",
        "CX15[padded]",
        "CX15[trailing]",
        "CX15[blank]",
        select_profile=_trimmed,
    ),
    _twin("profiles in any case", "CX15[upper]", select_profile=_in_any_case),
    _twin("any profile is known", "CX14", "CX15", "profile-unknown-tool", select_profile=_as_asked),
    _twin(
        "the default profile for whoever asks",
        "profile-asked",
        "CX13",
        "CX16",
        select_profile=_always_the_default,
    ),
    _twin("the last profile is the default", "profile-default", "CX12", select_profile=_last_of_the_list),
    _twin("any profile where none is listed", "legacy-fixed", select_profile=_any_where_none_is_listed),
    _twin("no profile is known", "profile-default", "CX06", select_profile=_never),
    _twin("the store is asked for any profile's name", "profile-no-slug", is_slug=lambda profile_id: True),
    _twin("no profile's name can be one", "profile-default", "CX12", is_slug=lambda profile_id: False),
    _twin(
        "a cache of any version is read",
        "CX29[other-version]",
        open_cache=altered(opening.open_cache, _check_cache=_no_check),
    ),
    _twin("no cache is ever read", "CX05", "CX06", "sources-both", "sources-twice", open_cache=_nothing),
    _twin(
        "a cache that cannot be read is empty",
        "CX01",
        "CX03",
        "CX29[other-version]",
        "CX29[folder]",
        "CX29[garbage]",
        "CX29[truncated]",
        "CX29[empty]",
        "CX29[gone]",
        open_cache=_cache_or_nothing,
    ),
    _twin("tokens are told as a quota", "CX11", open_cache=_misread(_tokens_are_quotas)),
    _twin("of a provider that is there twice, the first", "sources-twice", open_cache=_misread(_last_first)),
    _twin("a cache of no time is one of now", "sources-generated-at", open_cache=_misread(_of_now)),
    _twin("a provider that is degraded is stale", "CX10", open_cache=_misread(_stale_if_degraded)),
    _twin(
        "a store of any version is read",
        "CX28[newer]",
        open_store=altered(opening.open_store, _check_store=_no_check),
    ),
    _twin("a store that is missing is made", "read-only-nothing", open_store=_made),
    _twin("no store is ever read", "legacy-newest", "CX12", open_store=_nothing),
    _twin("the account of the first profile", "CX16", "CX17", current_account=_of_the_first_profile),
    _twin(
        "any account that a profile ever had",
        "CX16",
        "profile-remapped",
        current_account=altered(observations.current_account, _CURRENT_ACCOUNT=_FORMER_TOO),
    ),
    _twin(
        "the account of a disabled profile",
        "CX17",
        "CX17-reason",
        current_account=altered(observations.current_account, _CURRENT_ACCOUNT=_DISABLED_TOO),
    ),
    _twin("no profile has an account", "profile-asked", "CX12", current_account=lambda *asked: None),
    _twin(
        "a store that cannot tell an account has none",
        "CX28[older]",
        "CX28[empty]",
        current_account=_none_if_unreadable,
    ),
    _twin(
        "the oldest observation of an account",
        "profile-default",
        "CX33",
        newest_of_account=altered(observations.newest_of_account, _NEWEST_OF_ACCOUNT=_OLDEST),
    ),
    _twin(
        "the newest observation of whatever account",
        "profile-default",
        "CX12",
        newest_of_account=_anybodys,
    ),
    _twin("no account was ever observed", "profile-asked", "CX33", newest_of_account=lambda *asked: None),
    _twin("no observation can be read", "CX02", "profile-unobserved", newest_of_account=_unreadable),
    _twin(
        "without profiles the first account only",
        "legacy-newest",
        "legacy-cache[older]",
        newest_of_any=altered(observations.newest_of_any, _NEWEST_OF_ANY=_OF_ONE_ACCOUNT),
    ),
    _twin("without profiles nothing of the store", "legacy-newest", newest_of_any=lambda *asked: None),
    _twin(
        "another account's history",
        "CX13",
        "budget-history-elsewhere",
        observations_since=altered(observations.observations_since, _HISTORY=_OF_ALL_ACCOUNTS),
    ),
    _twin("no history is read", "CX12", "budget-worked[G26]", "budget-bounds", observations_since=_no_past),
    _twin(
        "history is never readable",
        "CX12",
        "stale-as-time-passes",
        "budget-worked",
        "budget-bounds",
        observations_since=_unreadable,
    ),
    _twin(
        "the newest cache wins over the selected account",
        "profile-unobserved",
        "CX12",
        "CX13",
        choose_by_profile=candidates.choose_newest,
    ),
    _twin(
        "the cache wins over the selected account",
        "profile-unobserved",
        "CX12",
        "CX13",
        choose_by_profile=_cache_first,
    ),
    _twin(
        "the cache stands in for an account without data",
        "profile-unobserved",
        choose_by_profile=_cache_if_none,
    ),
    _twin("a cache of the same moment wins", "legacy-cache[tie]", choose_newest=_ties_are_the_caches),
    _twin("without profiles the store always wins", "legacy-cache[newer]", choose_newest=_cache_if_none),
    _twin("without profiles the cache always wins", "legacy-cache[older]", choose_newest=_cache_first),
)
