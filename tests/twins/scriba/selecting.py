"""Twins that read the wrong thing: another profile, another account, another file (spec 2.2-2.5, 9)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from evalkit.contracts.scriba import candidates, profiles
from evalkit.contracts.scriba.candidates import Candidate
from evalkit.contracts.scriba.nouns import Instant, Profiles, ProfileUnavailable, StoreUnreadable
from evalkit.contracts.scriba.snapshots import Provenance
from evalkit.contracts.scriba.sources import Sighting
from evalkit.contracts.scriba.store import observations, opening
from evalkit.contracts.scriba.store.observations import StoredObservation
from tests.twins.twin import Twin, twin_of


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


def _first_of_the_list(known: Profiles, asked: str) -> str:
    return asked or (known.enabled[-1] if known.enabled else profiles.select_profile(known, ""))


def _any_where_none_is_listed(known: Profiles, asked: str) -> str:
    return profiles.select_profile(known, asked) if known.enabled else asked or known.default


def _never(known: Profiles, asked: str) -> str:
    raise ProfileUnavailable


def _any_version(path: str) -> sqlite3.Connection:
    """A file of whatever version is read."""
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


def _nothing(path: str) -> sqlite3.Connection:
    raise StoreUnreadable(path)


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


def _of_the_first_profile(connection: sqlite3.Connection, profile_id: str, provider_id: str) -> str | None:
    row = connection.execute("SELECT profile_ref FROM profiles ORDER BY profile_ref LIMIT 1").fetchone()
    return row and observations.current_account(connection, row[0], provider_id)


def _any_account_of_it(connection: sqlite3.Connection, profile_id: str, provider_id: str) -> str | None:
    """The account need not be the current one."""
    asked = "SELECT account_ref FROM profile_accounts WHERE profile_ref = ? AND provider_id = ?"
    row = connection.execute(asked, (profile_id, provider_id)).fetchone()
    return row and str(row[0])


def _though_disabled(connection: sqlite3.Connection, profile_id: str, provider_id: str) -> str | None:
    asked = """SELECT account_ref FROM profile_accounts
               WHERE profile_ref = ? AND provider_id = ? AND is_current = 1"""
    row = connection.execute(asked, (profile_id, provider_id)).fetchone()
    return row and str(row[0])


def _oldest(connection: sqlite3.Connection, provider_id: str, account_ref: str) -> StoredObservation | None:
    asked = "SELECT min(observed_at) FROM limit_observations WHERE account_ref = ?"
    (first,) = connection.execute(asked, (account_ref,)).fetchone()
    found = observations.observations_since(
        connection, provider_id, account_ref, first or "1970-01-01T00:00:00Z"
    )
    newest = observations.newest_of_account(connection, provider_id, account_ref)
    return newest and found[0]._replace(snapshot_json=newest.snapshot_json) if found else newest


def _anybodys(connection: sqlite3.Connection, provider_id: str, account_ref: str) -> StoredObservation | None:
    return observations.newest_of_any(connection, provider_id)


def _of_one_account(connection: sqlite3.Connection, provider_id: str) -> StoredObservation | None:
    """Without profiles, too, the first account is the only one."""
    row = connection.execute("SELECT account_ref FROM accounts ORDER BY account_ref LIMIT 1").fetchone()
    return row and observations.newest_of_account(connection, provider_id, row[0])


def _since_ever(
    connection: sqlite3.Connection, provider_id: str, account_ref: str, since: str
) -> Sequence[StoredObservation]:
    """What was observed of any account is history."""
    found = observations.observations_since(connection, provider_id, account_ref, since)
    others = connection.execute("SELECT account_ref FROM accounts WHERE account_ref <> ?", (account_ref,))
    more = [observations.observations_since(connection, provider_id, ref, since) for (ref,) in others]
    return [*found, *(one for rows in more for one in rows)]


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


def _at_the_fallback(provider_id: str, fallback: Instant | None, items: Sequence[Provenance]) -> Sighting:
    return candidates.sight(provider_id, fallback, items)._replace(at=fallback)


def _never_forced(provider_id: str, fallback: Instant | None, items: Sequence[Provenance]) -> Sighting:
    return candidates.sight(provider_id, fallback, items)._replace(forced_stale=False)


def _first_time(provider_id: str, fallback: Instant | None, items: Sequence[Provenance]) -> Sighting:
    """The first time counts, even where a later one follows."""
    fetched = [item for item in items if item.kind == "provider-api" and not item.error]
    seen = candidates.sight(provider_id, fallback, fetched[:1])
    return seen._replace(forced_stale=candidates.sight(provider_id, fallback, items).forced_stale)


def _anybodys_time(provider_id: str, fallback: Instant | None, items: Sequence[Provenance]) -> Sighting:
    return candidates.sight(provider_id, fallback, [item._replace(provider_id="") for item in items])


def _errors_count(provider_id: str, fallback: Instant | None, items: Sequence[Provenance]) -> Sighting:
    """A time is taken though there was an error."""
    return candidates.sight(provider_id, fallback, [item._replace(error="") for item in items])


def _later_only(provider_id: str, fallback: Instant | None, items: Sequence[Provenance]) -> Sighting:
    seen = candidates.sight(provider_id, fallback, items)
    if fallback is None or seen.at is None or seen.at.nanoseconds >= fallback.nanoseconds:
        return seen
    return seen._replace(at=fallback)


_EMPTY_CACHE: Final = "CREATE TABLE meta(key, value); CREATE TABLE snapshots(name, json)"

TWINS = (
    _twin(
        "an unknown profile falls back to the default",
        "private-refused",
        "CX15",
        "profile-unknown-tool",
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
    _twin("any profile is known", "private-refused", "CX15", select_profile=_as_asked),
    _twin("the default profile for whoever asks", "profile-asked", select_profile=_always_the_default),
    _twin("the last profile is the default", "private-refused", "CX15", select_profile=_first_of_the_list),
    _twin("any profile where none is listed", "legacy-fixed", select_profile=_any_where_none_is_listed),
    _twin("no profile is known", "private-unreadable", select_profile=_never),
    _twin("the store is asked for any profile's name", "profile-no-slug", is_slug=lambda profile_id: True),
    _twin("no profile's name can be one", "private-page", is_slug=lambda profile_id: False),
    _twin(
        "a cache of any version is read",
        "CX29[other-version]",
        "CX29[folder]",
        "CX29[gone]",
        open_cache=_any_version,
    ),
    _twin("no cache is ever read", "sources-both", open_cache=_nothing),
    _twin(
        "a cache that cannot be read is empty",
        "CX29[garbage]",
        "CX29[truncated]",
        "CX29[empty]",
        open_cache=_cache_or_nothing,
    ),
    _twin("a store of any version is read", "sources-twice", open_store=_any_version),
    _twin("a store that is missing is made", "read-only-nothing", open_store=_made),
    _twin("no store is ever read", "private-page", open_store=_nothing),
    _twin("the account of the first profile", "CX16", "CX17", current_account=_of_the_first_profile),
    _twin("any account that a profile ever had", "profile-remapped", current_account=_any_account_of_it),
    _twin(
        "the account of a disabled profile",
        "CX17",
        "CX17-reason",
        "CX28[older]",
        "CX28[empty]",
        current_account=_though_disabled,
    ),
    _twin("no profile has an account", "private-page", current_account=lambda *asked: None),
    _twin("the oldest observation of an account", "profile-default", "CX33", newest_of_account=_oldest),
    _twin(
        "the newest observation of whatever account",
        "private-page",
        "profile-default",
        newest_of_account=_anybodys,
    ),
    _twin("no account was ever observed", "private-page", newest_of_account=lambda *asked: None),
    _twin("a store that breaks off hides nothing else", "private-page", newest_of_account=_unreadable),
    _twin(
        "without profiles the first account only",
        "legacy-newest",
        "legacy-cache[older]",
        newest_of_any=_of_one_account,
    ),
    _twin("without profiles nothing of the store", "legacy-newest", newest_of_any=lambda *asked: None),
    _twin("another account's history", "budget-history-elsewhere", observations_since=_since_ever),
    _twin("no history is read", "budget-worked[G26]", "budget-bounds", observations_since=_no_past),
    _twin("history is never readable", "budget-worked", "budget-bounds", observations_since=_unreadable),
    _twin("a newer cache wins over the selected account", "CX13", choose_by_profile=candidates.choose_newest),
    _twin(
        "the cache wins over the selected account",
        "profile-unobserved",
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
    _twin(
        "cached values are as old as the snapshot",
        "grants-of-the-cache[fetched]",
        "CX10",
        "stale-provenance[own]",
        "stale-provenance-of-two",
        sight=_at_the_fallback,
    ),
    _twin(
        "what is said to be stale is fresh",
        "grants-of-the-cache[stale]",
        "stale-provenance[stale-cache]",
        sight=_never_forced,
    ),
    _twin("the first of several times counts", "stale-provenance-of-two[last]", sight=_first_time),
    _twin("another provider's time counts", "stale-provenance[of-another]", sight=_anybodys_time),
    _twin("the time of a failed request counts", "CX08", sight=_errors_count),
    _twin("an earlier time than the snapshot's is passed over", "CX09", sight=_later_only),
)
