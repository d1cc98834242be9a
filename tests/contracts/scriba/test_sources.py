"""Tests for `sources`: the tables of spec 2.6, 2.7 and 2.8, row by row."""

from __future__ import annotations

import pytest

from evalkit.contracts.scriba.nouns import Instant
from evalkit.contracts.scriba.sources import (
    Age,
    Outcome,
    Sighting,
    Source,
    absent_sources,
    age_of,
    budget_source,
    events_source,
    grants_source,
    in_order,
    quota_source,
)

NOW = Instant(10**18)
MS = 1_000_000
QUARTER = 15 * 60 * 1000
SEEN = Sighting(Instant(10**18 - 5 * MS))
FRESH, OLD = Age(5, False), Age(QUARTER + 1, True)


def seen(ms_ago: int, nanoseconds: int = 0, forced: bool = False) -> Sighting:
    return Sighting(Instant(NOW.nanoseconds - ms_ago * MS - nanoseconds), forced)


@pytest.mark.parametrize(
    ("sighting", "age"),
    [
        (seen(0), Age(0, False)),
        (seen(0, 999_999), Age(0, False)),
        (seen(QUARTER), Age(900_000, False)),
        (seen(QUARTER, 999_999), Age(900_000, False)),
        (seen(QUARTER + 1), Age(900_001, True)),
        (seen(-120_000), Age(0, False)),
        (seen(-1, -1), Age(0, False)),
        (seen(5, forced=True), Age(5, True)),
        (Sighting(None), Age(None, True)),
    ],
)
def test_age_in_whole_milliseconds_and_stale_after_15_minutes(sighting: Sighting, age: Age) -> None:
    assert age_of(sighting, NOW) == age


def test_quota_that_is_fresh_is_available() -> None:
    assert quota_source("codex", "provider-api", SEEN, FRESH) == Source(
        "codex", "quota", "available", ("provider-api",), None, SEEN.at, None, 5, False
    )


def test_quota_that_is_stale_is_degraded() -> None:
    assert quota_source("claude", "status-cache", SEEN, OLD) == Source(
        "claude", "quota", "degraded", ("status-cache",), "stale", SEEN.at, None, QUARTER + 1, True
    )


@pytest.mark.parametrize(
    ("age", "history", "availability", "reason", "provenance"),
    [
        (FRESH, "read", "available", None, ("budget-current", "budget-history")),
        (OLD, "read", "degraded", "stale", ("budget-current", "budget-history")),
        (FRESH, "unavailable", "degraded", "history_unavailable", ("budget-current",)),
        (OLD, "unavailable", "degraded", "history_unavailable", ("budget-current",)),
        (FRESH, "failed", "unavailable", "read_error", ("budget-current",)),
        (OLD, "failed", "unavailable", "read_error", ("budget-current",)),
    ],
)
def test_a_budget_is_as_its_quota_unless_history_is_missing(
    age: Age, history: Outcome, availability: str, reason: str | None, provenance: tuple[str, ...]
) -> None:
    quota = quota_source("codex", "provider-api", SEEN, age)
    assert budget_source(quota, NOW, history) == Source(
        "codex", "budget", availability, provenance, reason, None, NOW, age.ms, age.stale
    )


def test_grants_are_judged_by_their_own_age() -> None:
    assert grants_source("codex", "provider-api", True, SEEN, FRESH) == Source(
        "codex", "grants", "available", ("provider-api",), None, SEEN.at, None, 5, False
    )
    assert grants_source("claude", "status-cache", True, SEEN, OLD) == Source(
        "claude", "grants", "degraded", ("status-cache",), "stale", SEEN.at, None, QUARTER + 1, True
    )


def test_grants_of_which_nothing_is_known_are_missing() -> None:
    missing = Source("codex", "grants", "unavailable", ("provider-api",), "missing")
    assert grants_source("codex", "provider-api", False, SEEN, OLD) == missing


def test_policy_events_by_the_newest_row() -> None:
    policy = ("policy-store",)
    assert events_source("codex", "read", SEEN, FRESH) == Source(
        "codex", "policy-events", "available", policy, None, SEEN.at, None, 5, False
    )
    assert events_source("codex", "read", SEEN, OLD) == Source(
        "codex", "policy-events", "degraded", policy, "stale", SEEN.at, None, QUARTER + 1, True
    )


def test_policy_events_without_a_row_or_without_a_store() -> None:
    policy = ("policy-store",)
    assert events_source("codex", "read", None, None) == Source("codex", "policy-events", "available", policy)
    missing = Source("claude", "policy-events", "unavailable", policy, "missing")
    assert events_source("claude", "unavailable", None, None) == missing
    failed = Source("codex", "policy-events", "unavailable", policy, "read_error")
    assert events_source("codex", "failed", None, None) == failed


@pytest.mark.parametrize(
    ("provider", "cache_failed", "store_failed", "reason", "origin", "events_reason"),
    [
        ("claude", False, False, "missing", "status-cache", "missing"),
        ("claude", True, False, "read_error", "status-cache", "missing"),
        ("claude", False, True, "missing", "status-cache", "missing"),
        ("claude", True, True, "read_error", "status-cache", "missing"),
        ("codex", False, False, "missing", "status-cache", "missing"),
        ("codex", True, False, "read_error", "status-cache", "missing"),
        ("codex", False, True, "read_error", "status-cache", "read_error"),
        ("codex", True, True, "read_error", "provider-api", "read_error"),
    ],
)
def test_a_provider_that_is_not_there_says_why(
    provider: str, cache_failed: bool, store_failed: bool, reason: str, origin: str, events_reason: str
) -> None:
    assert absent_sources(provider, cache_failed, store_failed) == [
        Source(provider, "quota", "unavailable", (origin,), reason),
        Source(provider, "budget", "unavailable", ("budget-current",), reason),
        Source(provider, "grants", "unavailable", (origin,), reason),
        Source(provider, "policy-events", "unavailable", ("policy-store",), events_reason),
    ]


def test_sources_are_listed_by_their_ids() -> None:
    sources = [*absent_sources("codex", False, False), *absent_sources("claude", False, False)]
    assert [f"{source.provider_id}-{source.kind}" for source in in_order(sources)] == [
        *("claude-budget", "claude-grants", "claude-policy-events", "claude-quota"),
        *("codex-budget", "codex-grants", "codex-policy-events", "codex-quota"),
    ]
