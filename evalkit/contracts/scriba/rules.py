"""The policy as one value: every rule of the contract under its name, each replaceable on its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from . import candidates, grants, minimising, pages, profiles, projection, sources, windows
from .budget import BudgetRules
from .budget_nouns import Values, WindowReading
from .candidates import Candidate
from .grants import Grants, GrantSummary
from .ledger_nouns import EventRow
from .nouns import DEFAULT_EVENTS, MAX_EVENTS, Instant, Json, Profiles
from .pages import PageRules
from .snapshots import Credit, Line, Provenance
from .sources import Age, Outcome, Sighting, Source
from .store import observations, opening
from .store.observations import StoredObservation


def event_limit(asked: int) -> int:
    """How many events a document has at most (spec 2.1)."""
    return DEFAULT_EVENTS if asked <= 0 else min(asked, MAX_EVENTS)


class ScribaRules(NamedTuple):
    """Every rule, in the order in which a call meets them."""

    # whom it is about
    select_profile: Callable[[Profiles, str], str] = profiles.select_profile
    is_slug: Callable[[str], bool] = profiles.is_slug

    # what is read
    open_cache: Callable[[str], sqlite3.Connection] = opening.open_cache
    open_store: Callable[[str], sqlite3.Connection] = opening.open_store
    current_account: Callable[[sqlite3.Connection, str, str], str | None] = observations.current_account
    newest_of_account: Callable[[sqlite3.Connection, str, str], StoredObservation | None] = (
        observations.newest_of_account
    )
    newest_of_any: Callable[[sqlite3.Connection, str], StoredObservation | None] = observations.newest_of_any
    observations_since: Callable[[sqlite3.Connection, str, str, str], Sequence[StoredObservation]] = (
        observations.observations_since
    )
    event_limit: Callable[[int], int] = event_limit

    # what it says
    key_of: Callable[[str, str], str | None] = windows.key_of
    fallback_period_ms: Callable[[str, str], int | None] = windows.fallback_period_ms
    window_order: Callable[[Iterable[WindowReading]], tuple[WindowReading, ...]] = windows.in_order
    sight: Callable[[str, Instant | None, Sequence[Provenance]], Sighting] = candidates.sight
    find_grants: Callable[[Sequence[Line], Sequence[Credit]], Grants] = grants.find_grants
    grants_known: Callable[[Grants], bool] = grants.are_known
    choose_by_profile: Callable[[Candidate | None, Candidate | None], Candidate | None] = (
        candidates.choose_by_profile
    )
    choose_newest: Callable[[Candidate | None, Candidate | None], Candidate | None] = candidates.choose_newest

    # how far it can be relied on
    age_of: Callable[[Sighting, Instant], Age] = sources.age_of
    quota_source: Callable[[str, str, Sighting, Age], Source] = sources.quota_source
    budget_source: Callable[[Source, Instant, Outcome], Source] = sources.budget_source
    grants_source: Callable[[str, str, bool, Sighting, Age], Source] = sources.grants_source
    events_source: Callable[[str, Outcome, Sighting | None, Age | None], Source] = sources.events_source
    absent_sources: Callable[[str, bool, bool], list[Source]] = sources.absent_sources
    budget: BudgetRules = BudgetRules()

    # what is shown of it
    show_window: Callable[[str, Values], Json] = projection.show_window
    summarise_grants: Callable[[Grants], GrantSummary] = grants.summarise
    show_grants: Callable[[GrantSummary], Json] = projection.show_grants
    show_event: Callable[[EventRow, str], Json | None] = minimising.public_event
    choose_events: Callable[[Sequence[EventRow], minimising.Show], list[Json]] = minimising.all_or_nothing
    event_order: Callable[[Sequence[Json]], list[Json]] = projection.newest_first
    show_provider: Callable[[str, str, Sequence[Json], Sequence[Json], Json], Json] = projection.show_provider
    source_order: Callable[[Sequence[Source]], list[Source]] = sources.in_order
    show_document: Callable[[Instant, Sequence[Source], Sequence[Json], Sequence[Json]], Json] = (
        projection.show_document
    )

    # how events are paged
    pages: PageRules = pages.PAGE_RULES


RULES: Final = ScribaRules()
