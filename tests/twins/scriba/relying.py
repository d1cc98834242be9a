"""Twins that say wrongly how far a source can be relied on: its age, whether it is there (spec 2.5-2.8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalkit.contracts.scriba import candidates, sources, times
from evalkit.contracts.scriba.durations import MILLISECOND
from evalkit.contracts.scriba.nouns import Instant
from evalkit.contracts.scriba.snapshots import Provenance
from evalkit.contracts.scriba.sources import Age, Outcome, Sighting, Source
from tests.twins.twin import Twin, altered, twin_of

FIFTEEN = 15 * 60 * 1000


def _twin(name: str, *promised_by: str, **change: Any) -> Twin:
    return twin_of("scriba", name, *promised_by, **change)


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


def _last_time(provider_id: str, fallback: Instant | None, items: Sequence[Provenance]) -> Sighting:
    """The last time counts, even where an earlier item has a later one."""
    seen = candidates.sight(provider_id, fallback, items)
    return seen._replace(at=candidates.sight(provider_id, fallback, items[-1:]).at)


def _of_any_kind(provider_id: str, fallback: Instant | None, items: Sequence[Provenance]) -> Sighting:
    return candidates.sight(provider_id, fallback, [item._replace(kind="provider-api") for item in items])


def _stale_without_fetch(provider_id: str, fallback: Instant | None, items: Sequence[Provenance]) -> Sighting:
    """A fetch whose time cannot be read counts as one that failed."""
    failed = [item if times.parse(item.fetched_at) else item._replace(error="no time") for item in items]
    return candidates.sight(provider_id, fallback, failed)


def _stale_at_fifteen(seen: Sighting, now: Instant) -> Age:
    age = sources.age_of(seen, now)
    return age._replace(stale=age.stale or age.ms == FIFTEEN)


def _no_time_is_fresh(seen: Sighting, now: Instant) -> Age:
    return Age(0, False) if seen.at is None else sources.age_of(seen, now)


def _never_stale(seen: Sighting, now: Instant) -> Age:
    return sources.age_of(seen, now)._replace(stale=False)


def _below_nothing(seen: Sighting, now: Instant) -> Age:
    age = sources.age_of(seen, now)
    return age if seen.at is None else age._replace(ms=(now.nanoseconds - seen.at.nanoseconds) // MILLISECOND)


def _in_seconds(seen: Sighting, now: Instant) -> Age:
    age = sources.age_of(seen, now)
    return age._replace(ms=age.ms and age.ms // 1000)


def _by_part_of_a_millisecond(seen: Sighting, now: Instant) -> Age:
    age = sources.age_of(seen, now)
    if seen.at is None:
        return age
    return age._replace(stale=age.stale or now.nanoseconds - seen.at.nanoseconds > FIFTEEN * MILLISECOND)


def _unforced(seen: Sighting, now: Instant) -> Age:
    return sources.age_of(seen._replace(forced_stale=False), now)


def _told_fresh(provider_id: str, origin: str, seen: Sighting, age: Age) -> Source:
    source = sources.quota_source(provider_id, origin, seen, age)
    return source._replace(availability="available", reason=None)


def _from_the_store(provider_id: str, origin: str, seen: Sighting, age: Age) -> Source:
    return sources.quota_source(provider_id, "provider-api", seen, age)


def _without_time(provider_id: str, origin: str, seen: Sighting, age: Age) -> Source:
    return sources.quota_source(provider_id, origin, seen, age)._replace(observed_at=None)


def _available_without_history(quota: Source, now: Instant, history: Outcome) -> Source:
    return sources.budget_source(quota, now, "read")


def _observed_budget(quota: Source, now: Instant, history: Outcome) -> Source:
    return sources.budget_source(quota, now, history)._replace(observed_at=quota.observed_at)


def _made_when_observed(quota: Source, now: Instant, history: Outcome) -> Source:
    return sources.budget_source(quota, now, history)._replace(generated_at=quota.observed_at)


def _each_by_the_other(provider_id: str, cache_failed: bool, store_failed: bool) -> list[Source]:
    failed = cache_failed or store_failed
    return sources.absent_sources(provider_id, failed, failed)


def _always_missing(provider_id: str, cache_failed: bool, store_failed: bool) -> list[Source]:
    return sources.absent_sources(provider_id, False, False)


def _always_unreadable(provider_id: str, cache_failed: bool, store_failed: bool) -> list[Source]:
    return sources.absent_sources(provider_id, True, True)


def _by_the_store_alone(provider_id: str, cache_failed: bool, store_failed: bool) -> list[Source]:
    """Codex's quota is not a read error where only the cache is unreadable."""
    return sources.absent_sources(provider_id, cache_failed and provider_id != "codex", store_failed)


def _told_available(provider_id: str, cache_failed: bool, store_failed: bool) -> list[Source]:
    absent = sources.absent_sources(provider_id, cache_failed, store_failed)
    return [source._replace(availability="available") for source in absent]


def _errors_told_fresh(provider_id: str, cache_failed: bool, store_failed: bool) -> list[Source]:
    absent = sources.absent_sources(provider_id, cache_failed, store_failed)
    return [
        source._replace(availability="available", reason="fresh") if source.reason == "read_error" else source
        for source in absent
    ]


def _quota_alone(provider_id: str, cache_failed: bool, store_failed: bool) -> list[Source]:
    return sources.absent_sources(provider_id, cache_failed, store_failed)[:1]


def _blanked(found: Sequence[Source]) -> list[Source]:
    """Where one source cannot be read, nothing is told of any."""
    if all(source.reason != "read_error" for source in found):
        return sources.in_order(found)
    blank = [Source(one.provider_id, one.kind, "unavailable", one.provenance, "read_error") for one in found]
    return sources.in_order(blank)


def _by_kind(found: Sequence[Source]) -> list[Source]:
    return sorted(found, key=lambda source: (source.kind, source.provider_id))


TWINS = (
    _twin(
        "cached values are as old as the snapshot",
        "CX10",
        "stale-provenance[own]",
        "stale-provenance-of-two",
        "grants-of-the-cache[fetched]",
        sight=_at_the_fallback,
    ),
    _twin(
        "what is said to be stale is fresh",
        "CX08",
        "stale-provenance[stale-fetch]",
        "stale-provenance[stale-cache]",
        "grants-of-the-cache[stale]",
        sight=_never_forced,
    ),
    _twin("the first of several times counts", "stale-provenance-of-two[last]", sight=_first_time),
    _twin("the last of several times counts", "stale-provenance-of-two[first]", sight=_last_time),
    _twin("another provider's time counts", "stale-provenance[of-another]", sight=_anybodys_time),
    _twin("the time of a failed request counts", "CX08", "CX09", sight=_errors_count),
    _twin("an earlier time than the snapshot's is passed over", "CX09", sight=_later_only),
    _twin(
        "whatever has a time is a fetch",
        "stale-provenance[fresh-cache]",
        "stale-provenance[other-kind]",
        sight=_of_any_kind,
    ),
    _twin("a fetch without a time has failed", "stale-provenance[no-time]", sight=_stale_without_fetch),
    _twin(
        "stale at exactly 15 minutes",
        "CX07[at-15]",
        "stale-to-the-millisecond[exactly]",
        "stale-to-the-millisecond[part-of-one]",
        age_of=_stale_at_fifteen,
    ),
    _twin(
        "stale by part of a millisecond",
        "stale-to-the-millisecond[part-of-one]",
        age_of=_by_part_of_a_millisecond,
    ),
    _twin(
        "stale after an hour only",
        "CX07[at-16]",
        "CX21",
        "stale-to-the-millisecond[one-more]",
        "stale-as-time-passes",
        age_of=altered(sources.age_of, _FRESH_FOR_MS=3_600_000),
    ),
    _twin(
        "stale after ten minutes",
        "CX07[at-15]",
        "stale-to-the-millisecond[exactly]",
        age_of=altered(sources.age_of, _FRESH_FOR_MS=600_000),
    ),
    _twin("what has no time is fresh", "stale-without-time", age_of=_no_time_is_fresh),
    _twin(
        "nothing is stale",
        "CX21",
        "stale-without-time",
        "stale-provenance[stale-cache]",
        "grants-of-the-cache[stale]",
        age_of=_never_stale,
    ),
    _twin(
        "an age below nothing",
        "CX37",
        "budget-worked[G11]",
        "budget-bounds[fresh-a-minute-ahead]",
        age_of=_below_nothing,
    ),
    _twin("ages in seconds", "CX08", "CX09", age_of=_in_seconds),
    _twin(
        "what is said to be stale counts by its age alone",
        "stale-provenance[stale-fetch]",
        "stale-provenance[stale-cache]",
        age_of=_unforced,
    ),
    _twin("a stale quota is told as fresh", "CX09", "stale-without-time", quota_source=_told_fresh),
    _twin(
        "a cached quota is told as the provider's",
        "legacy-cache[newer]",
        "CX08",
        quota_source=_from_the_store,
    ),
    _twin("not told when a quota was observed", "stale-provenance", quota_source=_without_time),
    _twin("a budget without history is available", "CX07", budget_source=_available_without_history),
    _twin("a budget was observed", "CX05", budget_source=_observed_budget),
    _twin("a budget is as old as its quota", "CX05", "window-offset", budget_source=_made_when_observed),
    _twin(
        "a file that cannot be read is told as the other's failure too",
        "CX04",
        "CX11",
        "sources-generated-at",
        absent_sources=_each_by_the_other,
    ),
    _twin("a read error is told as missing", "CX28", "CX29", absent_sources=_always_missing),
    _twin("a source error told as fresh", "CX01", "CX28", "CX29", absent_sources=_errors_told_fresh),
    _twin("what is missing is told as a read error", "CX02", "CX35", absent_sources=_always_unreadable),
    _twin(
        "a cache that is not there is no matter to codex",
        "CX17-reason[absent]",
        "CX01",
        "CX03",
        absent_sources=_by_the_store_alone,
    ),
    _twin("what is not there is available", "CX16", "CX02", absent_sources=_told_available),
    _twin("of what is not there only the quota is told", "CX01", absent_sources=_quota_alone),
    _twin("one bad source blanks the others", "CX05", "CX28", "CX29", "CX33", source_order=_blanked),
    _twin("sources in the order of their kinds", "sources-both", "CX01", source_order=_by_kind),
    _twin("sources as they come", "sources-both", "CX02", source_order=list),
)
