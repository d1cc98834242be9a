"""What a provider's data say before they are judged: windows, grants, and when they were seen (spec 2.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Literal, NamedTuple, TypeAlias

from . import times
from .budget_nouns import WindowReading
from .grants import GRANT_LABELS, Grants
from .nouns import Instant
from .snapshots import Line, Provenance, SnapshotProvider
from .sources import Sighting
from .store.observations import StoredWindow

Origin: TypeAlias = Literal["provider-api", "status-cache"]
KeyOf: TypeAlias = Callable[[str, str], str | None]
PeriodOf: TypeAlias = Callable[[str, str], int | None]


class Candidate(NamedTuple):
    """What a provider would show. `account_ref` is private, and '' for what comes from the cache."""

    provider_id: str
    origin: Origin
    account_ref: str
    windows: tuple[WindowReading, ...]
    quota_seen: Sighting
    grants: Grants
    grants_known: bool
    grants_seen: Sighting


def stored_windows(
    provider_id: str, rows: Iterable[StoredWindow], key_of: KeyOf, period_of: PeriodOf
) -> list[WindowReading]:
    """The windows of an observation that have a key; their resets are told in UTC (spec 1.9)."""
    readings = []
    for row in rows:
        key = key_of(provider_id, row.label)
        if key is not None:
            reset = times.parse_in_utc(row.reset_at)
            period = period_of(provider_id, key) if row.period_ms is None else row.period_ms
            readings.append(WindowReading(key, row.label, row.used_percent, reset, period))
    return readings


def cached_windows(
    provider_id: str, lines: Iterable[Line], key_of: KeyOf, period_of: PeriodOf
) -> list[WindowReading]:
    """The windows among a snapshot's lines; their resets keep the offset of their text (spec 1.9, 2.5)."""
    readings = []
    for line in lines:
        key = key_of(provider_id, line.label) if line.type == "progress" else None
        if key is not None:
            period = line.period_ms or period_of(provider_id, key)
            readings.append(WindowReading(key, line.label, line.used, times.parse(line.resets_at), period))
    return readings


def quota_provenance(provider: SnapshotProvider, key_of: KeyOf) -> list[Provenance]:
    """Where a cached provider's quota came from, in the order in which it is asked (spec 2.5)."""
    lines = [
        line
        for line in provider.lines
        if line.type == "progress" and key_of(provider.provider_id, line.label) is not None
    ]
    return [*provider.provenance, *(item for line in lines for item in line.provenance)]


def grants_provenance(provider: SnapshotProvider) -> list[Provenance]:
    """Where a cached provider's grants came from, in the order in which it is asked (spec 2.5)."""
    return [*provider.provenance, *(item for line in grant_lines(provider) for item in line.provenance)]


def grant_lines(provider: SnapshotProvider) -> list[Line]:
    """The lines that tell of grants. That there is one makes a cached provider's grants known (spec 2.7)."""
    return [line for line in provider.lines if line.label in GRANT_LABELS]


def sight(provider_id: str, fallback: Instant | None, items: Sequence[Provenance]) -> Sighting:
    """When cached values were fetched, by their provenance (the table of spec 2.5).

    The first own time replaces the fallback even if it is earlier; another replaces that only if later.
    """
    taken: Instant | None = None
    forced = False
    for item in items:
        if item.provider_id and item.provider_id != provider_id:
            continue
        if item.kind == "cache" and item.stale:
            forced = True
        if item.kind != "provider-api":
            continue
        if item.error:
            forced = True
            continue
        forced = forced or item.stale
        fetched = times.parse(item.fetched_at)
        if fetched is not None and (taken is None or fetched.nanoseconds > taken.nanoseconds):
            taken = fetched
    return Sighting(taken or fallback, forced)


def choose_by_profile(stored: Candidate | None, cached: Candidate | None) -> Candidate | None:
    """The account's own observation or nothing: a cache that is newer may be anybody's (spec 2.3)."""
    return stored


def choose_newest(stored: Candidate | None, cached: Candidate | None) -> Candidate | None:
    """Without profiles: the store's, unless the cache's is later (spec 2.4)."""
    if stored is None or cached is None:
        return stored or cached
    return stored if _nanoseconds(stored) >= _nanoseconds(cached) else cached


def _nanoseconds(candidate: Candidate) -> float:
    at = candidate.quota_seen.at
    return -inf if at is None else at.nanoseconds
