"""Gives one page of policy events: what is checked in which order, and how far the page leads (spec 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Final, NamedTuple, TypeAlias

from . import cursors, expiry, minimising, times
from .ledger_nouns import EventRow, Ledger, Retained, Scanned
from .nouns import MAX_EVENTS, Instant, Json, PageUnavailable, StoreUnreadable

OpenLedger: TypeAlias = Callable[[], AbstractContextManager[Ledger]]

_MODES: Final = ("replay", "latest", "capture")


def is_limit(limit: int) -> bool:
    """Whether a page may have so many events."""
    return 1 <= limit <= MAX_EVENTS


def is_mode(mode: str) -> bool:
    """Whether there is such a way to ask; no mode at all is none."""
    return mode in _MODES


def takes_cursor(mode: str) -> bool:
    """Whether the mode goes on from a cursor; the others begin by themselves."""
    return mode == "replay"


def is_future(after: int, high_water: int) -> bool:
    """Whether a cursor is past everything that was ever numbered."""
    return after > high_water


def next_after(rows: Sequence[Scanned], high_water: int) -> int:
    """Where a replay goes on: after the last row that was looked at, be it shown or not (spec 5.3)."""
    return rows[-1].sequence if rows else high_water


class PageRules(NamedTuple):
    """Every rule of a page under its name, each replaceable on its own."""

    is_limit: Callable[[int], bool] = is_limit
    is_mode: Callable[[str], bool] = is_mode
    takes_cursor: Callable[[str], bool] = takes_cursor
    read_cursor: Callable[[str], int | None] = cursors.read_cursor
    write_cursor: Callable[[int], str] = cursors.write_cursor
    is_future: Callable[[int, int], bool] = is_future
    is_expired: Callable[[int, Retained], bool] = expiry.by_account_floor
    next_after: Callable[[Sequence[Scanned], int], int] = next_after
    public_event: Callable[[EventRow, str], Json | None] = minimising.public_event
    choose: Callable[[Sequence[EventRow], minimising.Show], list[Json]] = minimising.only_sound


PAGE_RULES: Final = PageRules()


def check_request(rules: PageRules, mode: str, cursor: str, limit: int) -> int | None:
    """The sequence to replay after, or None in a mode without a cursor (checks 2 to 5 of spec 5.2).

    Raises PageUnavailable. Who selects a profile asks this first, for a profile is the sixth check.
    """
    if not rules.is_limit(limit):
        raise PageUnavailable("invalid_limit")
    if not rules.is_mode(mode):
        raise PageUnavailable("invalid_mode")
    if not rules.takes_cursor(mode):
        if cursor:
            raise PageUnavailable("invalid_cursor")
        return None
    after = rules.read_cursor(cursor)
    if after is None:
        raise PageUnavailable("invalid_cursor")
    return after


def page(
    rules: PageRules,
    account: str | None,
    open_ledger: OpenLedger,
    generated_at: Instant,
    mode: str,
    cursor: str,
    limit: int,
    profile_id: str,
) -> Json:
    """A page `scriba.events.v1` of the account whose observations the profile shows, if there is one.

    Raises PageUnavailable with the code of the first check that fails (spec 5.2 but for 6 and 7, which
    are the selection's: whoever calls has made it, after `check_request`).
    """
    after = check_request(rules, mode, cursor, limit)
    if not account:
        raise PageUnavailable("events_unavailable")
    try:
        with open_ledger() as ledger:
            if mode == "latest":
                found = _latest(ledger, account, limit)
            else:
                found = _replay(rules, ledger, account, after, limit)
    except StoreUnreadable as error:
        raise PageUnavailable("read_error") from error
    rows = [row.event for row in found.rows if row.event is not None]
    return {
        "schemaVersion": "scriba.events.v1",
        "generatedAt": times.format(times.utc(generated_at)),
        "events": rules.choose(rows, lambda row: rules.public_event(row, profile_id)),
        "cursor": {
            "next": rules.write_cursor(found.next),
            "highWater": rules.write_cursor(found.high_water),
        },
    }


class _Found(NamedTuple):
    rows: Sequence[Scanned]
    next: int
    high_water: int


def _latest(ledger: Ledger, account: str, limit: int) -> _Found:
    high_water = ledger.retained(account).high_water
    return _Found(ledger.newest(account, high_water, limit).rows, high_water, high_water)


def _replay(rules: PageRules, ledger: Ledger, account: str, after: int | None, limit: int) -> _Found:
    """Without a cursor (mode `capture`) the replay begins at the high-water: it only says where that is."""
    retained = ledger.retained(account)
    high_water = retained.high_water
    start = high_water if after is None else after
    if rules.is_future(start, high_water):
        raise PageUnavailable("cursor_future")
    if rules.is_expired(start, retained):
        raise PageUnavailable("cursor_expired")
    batch = ledger.after(account, start, high_water, limit)
    # A prune may have come in between: what it took must not be passed over in silence.
    if rules.is_expired(start, batch.retained):
        raise PageUnavailable("cursor_expired")
    return _Found(batch.rows, rules.next_after(batch.rows, high_water), high_water)
