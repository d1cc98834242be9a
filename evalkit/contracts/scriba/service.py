"""Answers what every surface asks: in which order profiles, files, providers and pages are gone through."""

from __future__ import annotations

import sqlite3
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple

from . import pages, times
from .assembly import Part, absent, present
from .candidates import Candidate
from .nouns import DEFAULT_EVENTS, Clock, Instant, Json, PageUnavailable, Paths, Profiles
from .reading import CLAUDE, CODEX, Cached, Stored, opened, read_cache, read_codex, read_events, read_past
from .rules import RULES, ScribaRules
from .store.ledger import SqliteLedger

_CLAUDES_PROFILE = "default"
"""The cache knows one claude, whatever profile is asked for (spec 1.3)."""


class ScribaService(NamedTuple):
    """The contract without a surface, a `Service`. Any thread may call it, for nothing is kept open."""

    paths: Paths
    profiles: Profiles
    clock: Clock
    rules: ScribaRules = RULES
    event_limit: int = DEFAULT_EVENTS

    def context(self, profile: str | None) -> Json:
        """The document `scriba.context.v1`. Raises ProfileUnavailable, and nothing because of data."""
        rules, now = self.rules, times.utc(self.clock())
        selected = rules.select_profile(self.profiles, profile or "")
        cached = read_cache(rules, self.paths.cache_dir)
        with opened(rules.open_store, self.paths.state_path) as store:
            stored = self._stored(store, selected)
            claude = cached.candidates.get(CLAUDE)
            codex = self._choose(stored, cached)
            failures = cached.failed, stored.failed
            parts = [
                self._part(store, now, _CLAUDES_PROFILE, claude) or absent(rules, CLAUDE, *failures),
                self._part(store, now, selected, codex) or absent(rules, CODEX, *failures),
            ]
        return rules.show_document(
            now,
            rules.source_order([source for part in parts for source in part.sources]),
            [part.provider for part in parts if part.provider is not None],
            rules.event_order([event for part in parts for event in part.events]),
        )

    def events(self, mode: str, cursor: str, limit: int, profile: str | None) -> Json:
        """A page `scriba.events.v1`. Raises PageUnavailable, ProfileUnavailable, in the order of spec 5.2."""
        try:
            return self._pages(mode, cursor, limit, profile or "", 1)[0]
        except PageUnavailable as refusal:
            code = refusal.code
        # Anew, so that nothing of what went wrong underneath hangs on to it.
        raise PageUnavailable(code)

    def replay(self, cursor: str, limit: int, most: int, profile: str | None) -> list[Json]:
        """Pages after a cursor, at most so many. Raises as `events` does, for the first of them."""
        try:
            return self._pages("replay", cursor, limit, profile or "", most)
        except PageUnavailable as refusal:
            code = refusal.code
        raise PageUnavailable(code)

    def _part(
        self, store: sqlite3.Connection | None, now: Instant, profile_id: str, candidate: Candidate | None
    ) -> Part | None:
        if candidate is None:
            return None
        past = read_past(self.rules, store, candidate)
        events = read_events(self.rules, store, candidate, profile_id, self.event_limit)
        return present(self.rules, now, profile_id, candidate, past, events)

    def _pages(self, mode: str, cursor: str, limit: int, profile: str, most: int) -> list[Json]:
        rules, now = self.rules, times.utc(self.clock())
        pages.check_request(rules.pages, mode, cursor, limit)
        selected = rules.select_profile(self.profiles, profile)
        with opened(rules.open_store, self.paths.state_path) as store:
            codex = self._codex_of_pages(store, selected)
            if store is None or codex is None:
                raise PageUnavailable("events_unavailable")
            ledger = nullcontext(SqliteLedger(store, CODEX))
            asked = partial(pages.page, rules.pages, codex.account_ref, lambda: ledger, now, mode)
            found = [asked(cursor, limit, selected)]
            while len(found) < most and (cursor := _beyond(cursor, found[-1])):
                try:
                    found.append(asked(cursor, limit, selected))
                except PageUnavailable:
                    break  # whoever asks on from there is told
            return found

    def _codex_of_pages(self, store: sqlite3.Connection | None, selected: str) -> Candidate | None:
        """Whose account is paged; the cache is read only where it matters (checks 7 and 8 of spec 5.2)."""
        stored = self._stored(store, selected)
        if store is not None and stored.failed:
            raise PageUnavailable("read_error")
        if store is not None and self.profiles.enabled:
            return stored.candidate
        cached = read_cache(self.rules, self.paths.cache_dir)
        if store is None and CODEX not in cached.candidates:
            raise PageUnavailable("read_error")
        return self._choose(stored, cached)

    def _stored(self, store: sqlite3.Connection | None, selected: str) -> Stored:
        return read_codex(self.rules, store, selected if self.profiles.enabled else None)

    def _choose(self, stored: Stored, cached: Cached) -> Candidate | None:
        rules = self.rules
        choose = rules.choose_by_profile if self.profiles.enabled else rules.choose_newest
        return choose(stored.candidate, cached.candidates.get(CODEX))


def _beyond(cursor: str, page: Json) -> str:
    """Where to read on after a page; empty where nothing was waiting behind it, or it leads nowhere."""
    following: str = page["cursor"]["next"]
    return "" if following in (cursor, page["cursor"]["highWater"]) else following
