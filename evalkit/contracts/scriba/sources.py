"""What a document says of its sources: whether each can be used, how old it is, why not (spec 2.6-2.8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from .durations import MILLISECOND
from .nouns import Instant

Outcome: TypeAlias = Literal["read", "unavailable", "failed"]
"""How it went to read more of the store; of a cached provider nothing more is there, it is `unavailable`."""


class Sighting(NamedTuple):
    """When something was observed, None if its time cannot be read, and whether it is stale at any age."""

    at: Instant | None
    forced_stale: bool = False


class Age(NamedTuple):
    """Whole milliseconds, None if unknown."""

    ms: int | None
    stale: bool


class Source(NamedTuple):
    """One source (spec 1.2); what is None is left out of a document."""

    provider_id: str
    kind: str
    availability: str
    provenance: tuple[str, ...]
    reason: str | None = None
    observed_at: Instant | None = None
    generated_at: Instant | None = None
    age_ms: int | None = None
    stale: bool | None = None


def age_of(seen: Sighting, now: Instant) -> Age:
    """How old it is, never less than nothing, and stale from over 15 minutes on (spec 2.6).

    What has no time that can be read is stale, so that nothing passes for fresh unseen.
    """
    if seen.at is None:
        return Age(None, True)
    ms = max(0, now.nanoseconds - seen.at.nanoseconds) // MILLISECOND
    return Age(ms, seen.forced_stale or ms > _FRESH_FOR_MS)


def quota_source(provider_id: str, origin: str, seen: Sighting, age: Age) -> Source:
    """The quota of a provider that is there (spec 2.7)."""
    return _aged(Source(provider_id, "quota", "available", (origin,), observed_at=seen.at), age)


def budget_source(quota: Source, now: Instant, history: Outcome) -> Source:
    """The budget of a provider that is there: its quota's state, unless history is missing (spec 2.7)."""
    budget = quota._replace(kind="budget", provenance=("budget-current",), observed_at=None, generated_at=now)
    if history == "failed":
        return budget._replace(availability="unavailable", reason="read_error")
    if history == "unavailable":
        return budget._replace(availability="degraded", reason="history_unavailable")
    return budget._replace(provenance=("budget-current", "budget-history"))


def grants_source(provider_id: str, origin: str, known: bool, seen: Sighting, age: Age) -> Source:
    """The reset grants of a provider that is there (spec 2.7)."""
    if not known:
        return Source(provider_id, "grants", "unavailable", (origin,), "missing")
    return _aged(Source(provider_id, "grants", "available", (origin,), observed_at=seen.at), age)


def events_source(provider_id: str, events: Outcome, newest: Sighting | None, age: Age | None) -> Source:
    """The policy events of a provider that is there; without a newest one there are none (spec 2.7)."""
    source = Source(provider_id, "policy-events", "available", _POLICY_STORE)
    if events != "read":
        return source._replace(availability="unavailable", reason=_WHY_NO_EVENTS[events])
    if newest is None or age is None:
        return source
    return _aged(source._replace(observed_at=newest.at), age)


def absent_sources(provider_id: str, cache_failed: bool, store_failed: bool) -> list[Source]:
    """The four sources of a provider that is not there (spec 2.8)."""
    of_codex = provider_id == "codex"
    failed = cache_failed or (of_codex and store_failed)
    origin = "provider-api" if of_codex and cache_failed and store_failed else "status-cache"
    reason = _reason(failed)
    return [
        Source(provider_id, "quota", "unavailable", (origin,), reason),
        Source(provider_id, "budget", "unavailable", ("budget-current",), reason),
        Source(provider_id, "grants", "unavailable", (origin,), reason),
        Source(
            provider_id, "policy-events", "unavailable", _POLICY_STORE, _reason(of_codex and store_failed)
        ),
    ]


def in_order(sources: Sequence[Source]) -> list[Source]:
    """As a document lists them: by id (spec 1.8)."""
    return sorted(sources, key=lambda source: f"{source.provider_id}-{source.kind}")


_FRESH_FOR_MS: Final = 15 * 60 * 1000
_POLICY_STORE: Final = ("policy-store",)
_WHY_NO_EVENTS: Final = {"unavailable": "missing", "failed": "read_error"}


def _aged(source: Source, age: Age) -> Source:
    if not age.stale:
        return source._replace(age_ms=age.ms, stale=False)
    return source._replace(availability="degraded", reason="stale", age_ms=age.ms, stale=True)


def _reason(failed: bool) -> str:
    return "read_error" if failed else "missing"
