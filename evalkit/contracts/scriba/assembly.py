"""Puts one provider's part of a document together from what was read, by the clock (spec 2.7, 2.8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from . import budget
from .budget_nouns import CurrentObservation, HistoryState
from .candidates import Candidate
from .durations import SECOND
from .nouns import Instant, Json
from .reading import Events, Past
from .rules import ScribaRules
from .sources import Source

_NO_TIME: Final = Instant(-62_135_596_800 * SECOND)
"""The first moment of the year 1: an observation without a time is judged as one that is as old as can be."""


class Part(NamedTuple):
    """What a document has of one provider."""

    sources: Sequence[Source]
    provider: Json | None = None
    events: Sequence[Json] = ()


def present(
    rules: ScribaRules, now: Instant, profile_id: str, candidate: Candidate, past: Past, events: Events
) -> Part:
    """The part of a provider that is there."""
    windows = [
        rules.show_window(window.key, budget.values_of(rules.budget, window)) for window in candidate.windows
    ]
    current = CurrentObservation(candidate.quota_seen.at or _NO_TIME, candidate.windows)
    budgets = budget.evaluate(rules.budget, current, past.observations, _state(past), now)
    grants = rules.show_grants(rules.summarise_grants(candidate.grants))
    provider = rules.show_provider(candidate.provider_id, profile_id, windows, budgets, grants)
    return Part(_sources(rules, now, candidate, past, events), provider, events.shown)


def absent(rules: ScribaRules, provider_id: str, cache_failed: bool, store_failed: bool) -> Part:
    """The part of a provider that is not there: only why not."""
    return Part(rules.absent_sources(provider_id, cache_failed, store_failed))


def _state(past: Past) -> HistoryState:
    if past.outcome != "read":
        return "unavailable"
    return "available" if past.observations else "empty"


def _sources(
    rules: ScribaRules, now: Instant, candidate: Candidate, past: Past, events: Events
) -> list[Source]:
    provider_id, origin = candidate.provider_id, candidate.origin
    quota_seen, grants_seen, newest = candidate.quota_seen, candidate.grants_seen, events.newest
    quota = rules.quota_source(provider_id, origin, quota_seen, rules.age_of(quota_seen, now))
    grants_age = rules.age_of(grants_seen, now)
    newest_age = None if newest is None else rules.age_of(newest, now)
    return [
        quota,
        rules.budget_source(quota, now, past.outcome),
        rules.grants_source(provider_id, origin, candidate.grants_known, grants_seen, grants_age),
        rules.events_source(provider_id, events.outcome, newest, newest_age),
    ]
