"""Reads what a call needs from the two databases; a failure becomes a value, so that the rest goes on."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from . import candidates, grants, times
from .budget_nouns import HistoryObservation, WindowReading
from .candidates import Candidate, KeyOf, PeriodOf
from .durations import HOUR
from .minimising import Undecodable
from .nouns import Instant, Json, StoreUnreadable
from .rules import ScribaRules
from .snapshots import GrantNotes, SnapshotProvider, Status, decode_grant_notes, decode_status
from .sources import Outcome, Sighting
from .store.cache import FILE, read_status
from .store.ledger import SqliteLedger
from .store.observations import StoredObservation

WindowOrder: TypeAlias = Callable[[Iterable[WindowReading]], tuple[WindowReading, ...]]

CODEX: Final = "codex"
CLAUDE: Final = "claude"


class Cached(NamedTuple):
    """What the cache has, by provider id."""

    candidates: Mapping[str, Candidate]
    failed: bool


class Stored(NamedTuple):
    """What the store has of codex."""

    candidate: Candidate | None
    failed: bool


class Past(NamedTuple):
    """The last 24 hours of an account, oldest first."""

    outcome: Outcome
    observations: Sequence[HistoryObservation] = ()


class Events(NamedTuple):
    """The newest events as they are shown, and when the newest row was, None without a row."""

    outcome: Outcome
    shown: Sequence[Json] = ()
    newest: Sighting | None = None


@contextmanager
def opened(open_file: Callable[[str], sqlite3.Connection], path: str) -> Iterator[sqlite3.Connection | None]:
    """A connection for as long as it is needed, or None where the file cannot be read."""
    connection = None
    with suppress(StoreUnreadable):
        connection = open_file(path)
    try:
        yield connection
    finally:
        if connection is not None:
            connection.close()


def read_cache(rules: ScribaRules, cache_dir: str) -> Cached:
    """All that the cache has (spec 2.5)."""
    with opened(rules.open_cache, os.path.join(cache_dir, FILE)) as connection:
        if connection is None:
            return Cached({}, True)
        try:
            text = read_status(connection)
            status = None if text is None else decode_status(text)
        except (StoreUnreadable, ValueError):
            return Cached({}, True)
    return Cached({} if status is None else _cached_candidates(rules, status), False)


def read_codex(rules: ScribaRules, connection: sqlite3.Connection | None, profile_id: str | None) -> Stored:
    """The profile's own observation (spec 2.3); without a profile, the newest of any account (spec 2.4)."""
    if connection is None:
        return Stored(None, True)
    try:
        if profile_id is None:
            newest = rules.newest_of_any(connection, CODEX)
        elif not rules.is_slug(profile_id):
            return Stored(None, True)
        else:
            account = rules.current_account(connection, profile_id, CODEX)
            newest = None if account is None else rules.newest_of_account(connection, CODEX, account)
    except StoreUnreadable:
        return Stored(None, True)
    return Stored(None if newest is None else _stored_candidate(rules, newest), False)


def read_past(rules: ScribaRules, connection: sqlite3.Connection | None, candidate: Candidate) -> Past:
    """The history that the budget of a candidate is judged by; a cached one has none (spec 3.1)."""
    if connection is None or not candidate.account_ref:
        return Past("unavailable")
    seen = candidate.quota_seen.at
    if seen is None:
        return Past("read")
    since = times.format(Instant(max(0, seen.nanoseconds - 24 * HOUR)))
    try:
        rows = rules.observations_since(connection, candidate.provider_id, candidate.account_ref, since)
    except StoreUnreadable:
        return Past("failed")
    return Past("read", tuple(_history(rules, candidate.provider_id, rows)))


def read_events(
    rules: ScribaRules,
    connection: sqlite3.Connection | None,
    candidate: Candidate,
    profile_id: str,
    limit: int,
) -> Events:
    """The newest events of a candidate's account; one that cannot be decoded hides all (spec 4.2)."""
    if connection is None or not candidate.account_ref:
        return Events("unavailable")
    try:
        ledger = SqliteLedger(connection, candidate.provider_id)
        rows = ledger.newest_events(candidate.account_ref, rules.event_limit(limit))
        shown = rules.choose_events(rows, lambda row: rules.show_event(row, profile_id))
    except (StoreUnreadable, Undecodable):
        return Events("failed")
    return Events("read", shown, Sighting(times.parse_in_utc(rows[0].detected_at or "")) if rows else None)


def _cached_candidates(rules: ScribaRules, status: Status) -> dict[str, Candidate]:
    """Of a provider that is there twice, the later one with a window counts."""
    generated = times.parse(status.generated_at)
    if generated is None:
        return {}
    found = (_cached_candidate(rules, provider, generated) for provider in status.providers)
    return {candidate.provider_id: candidate for candidate in found if candidate is not None}


def _cached_candidate(rules: ScribaRules, provider: SnapshotProvider, generated: Instant) -> Candidate | None:
    provider_id = provider.provider_id
    windows = candidates.cached_windows(provider_id, provider.lines, rules.key_of, rules.fallback_period_ms)
    if not windows:
        return None
    quota_seen = rules.sight(provider_id, generated, candidates.quota_provenance(provider, rules.key_of))
    found = rules.find_grants(provider.lines, ())
    return Candidate(
        provider_id=provider_id,
        origin="status-cache",
        account_ref="",
        windows=rules.window_order(windows),
        quota_seen=quota_seen,
        grants=found,
        grants_known=bool(candidates.grant_lines(provider)) or rules.grants_known(found),
        grants_seen=rules.sight(provider_id, quota_seen.at, candidates.grants_provenance(provider)),
    )


def _stored_candidate(rules: ScribaRules, observation: StoredObservation) -> Candidate | None:
    windows = candidates.stored_windows(CODEX, observation.windows, rules.key_of, rules.fallback_period_ms)
    if not windows:
        return None
    notes = _grant_notes(observation.snapshot_json)
    found = grants.in_utc(rules.find_grants(notes.lines, notes.credits))
    seen = Sighting(times.parse_in_utc(observation.observed_at))
    return Candidate(
        provider_id=CODEX,
        origin="provider-api",
        account_ref=observation.account_ref,
        windows=rules.window_order(windows),
        quota_seen=seen,
        grants=found,
        grants_known=rules.grants_known(found),
        grants_seen=seen,
    )


def _grant_notes(text: str) -> GrantNotes:
    try:
        return decode_grant_notes(text)
    except ValueError:
        return GrantNotes((), ())


def _history(
    rules: ScribaRules, provider_id: str, rows: Sequence[StoredObservation]
) -> Iterator[HistoryObservation]:
    ways = rules.key_of, rules.fallback_period_ms, rules.window_order
    for row in rows:
        observation = _past_observation(*ways, provider_id, row)
        if observation is not None:
            yield observation


@lru_cache(maxsize=4096)  # all but the newest row of a history were there at the last reading
def _past_observation(
    key_of: KeyOf, period_of: PeriodOf, order: WindowOrder, provider_id: str, row: StoredObservation
) -> HistoryObservation | None:
    observed = times.parse_in_utc(row.observed_at)
    if observed is None:
        return None
    windows = candidates.stored_windows(provider_id, row.windows, key_of, period_of)
    return HistoryObservation(observed, order(windows))
