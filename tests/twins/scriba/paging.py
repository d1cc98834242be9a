"""Twins that page policy events wrongly: what is asked, where a page leads, and what is expired (spec 5)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from evalkit.contracts.scriba import cursors, expiry, times
from evalkit.contracts.scriba.ledger_nouns import Scanned
from evalkit.contracts.scriba.mcp.arguments import PageAsked
from evalkit.contracts.scriba.minimising import all_or_nothing, only_sound, public_event
from evalkit.contracts.scriba.nouns import Json, Profiles, StoreUnreadable
from evalkit.contracts.scriba.pages import PAGE_RULES, is_limit, next_after
from evalkit.contracts.scriba.profiles import select_profile
from tests.twins.twin import Twin, twin_of


def _paging(name: str, *promised_by: str, **change: Any) -> Twin:
    return twin_of("scriba", name, *promised_by, pages=PAGE_RULES._replace(**change))


def _by_time(rows: Sequence[Scanned], high_water: int) -> int:
    """Where the last row's time would be, in seconds."""
    event = rows[-1].event if rows else None
    detected = times.parse(event.detected_at) if event else None
    return detected.nanoseconds // 10**9 if detected else high_water


def _lenient(text: str) -> int | None:
    """Whatever holds a number in hexadecimal digits somewhere."""
    found = "".join(one for one in text.rpartition(".")[2] if one in "0123456789abcdefABCDEF")
    return int(found or "0", 16)


def _or_the_default(profiles: Profiles, asked: str) -> str:
    known = asked if asked in profiles.enabled else ""
    return select_profile(profiles, known)


def _unreadable(path: str) -> sqlite3.Connection:
    raise StoreUnreadable(path)


def _nothing(path: str) -> sqlite3.Connection:
    return sqlite3.connect(":memory:")


def _shown_last(rows: Sequence[Scanned], high_water: int) -> int:
    shown = [row.sequence for row in rows if row.event is not None and row.event.payload_json != "{}"]
    return shown[-1] if shown else high_water


def _page_asked(arguments: Json) -> PageAsked:
    """A cursor that is not wanted is passed over, and one that is missing is the beginning."""
    mode, limit = arguments.get("mode", "latest"), arguments.get("limit", 20)
    cursor = arguments.get("cursor") or cursors.write_cursor(0)
    return PageAsked(mode, cursor if mode == "replay" else "", limit)


def _reversed(rows: Sequence[Any], show: Callable[[Any], Json | None]) -> list[Json]:
    return only_sound(rows, show)[::-1]


TWINS = (
    _paging(
        "pages of more than ten rows are refused",
        "EV05[twenty]",
        "EV05[hundred]",
        is_limit=lambda limit: limit <= 10,
    ),
    _paging("the greatest page is refused", "EV05[hundred]", is_limit=lambda limit: is_limit(limit + 1)),
    _paging(
        "the latest is no mode", "EV05", "EV12", "EV15-rest[latest]", is_mode=lambda mode: mode == "replay"
    ),
    _paging(
        "a capture is no mode", "EV06", "EV07", "HT16", "HT17[tail]", is_mode=lambda mode: mode != "capture"
    ),
    _paging("every mode wants a cursor", "EV05", "EV06", takes_cursor=lambda mode: True),
    _paging("a cursor is whatever has digits", "EV20", "HT11", read_cursor=_lenient),
    _paging(
        "a cursor is written in decimal digits",
        "cursor-form",
        write_cursor=lambda sequence: f"v1.{sequence:016d}",
    ),
    _paging(
        "a cursor is written without zeros", "EV01", "EV04", write_cursor=lambda sequence: f"v1.{sequence:x}"
    ),
    _paging("a future cursor is accepted", "EV08", "HT12", is_future=lambda after, high_water: False),
    _paging(
        "a cursor is future only a good way past the end",
        "EV08[cursor=v1.0000000000000005]",
        is_future=lambda after, high_water: after > high_water + 10,
    ),
    _paging(
        "the end of the ledger is in the future",
        "EV03",
        is_future=lambda after, high_water: after >= high_water,
    ),
    _paging(
        "tombstones are forgotten after a prune",
        "EV09",
        "EV15",
        "EV16-below",
        "HT13",
        "HT18-expired",
        "retention-during",
        is_expired=lambda after, retained: False,
    ),
    _paging(
        "expired is what the whole ledger has lost, not the account",
        "EV15-rest[others]",
        "EV16-below",
        "EV15[cursor=v1.0000000000000003]",
        is_expired=expiry.by_whole_ledger,
    ),
    _paging(
        "a cursor at the newest tombstone is expired",
        "EV10",
        "EV15-rest[end]",
        "EV16",
        is_expired=lambda after, retained: retained.floor > 0 and after <= retained.floor,
    ),
    _paging(
        "every gap is a tombstone",
        "EV13",
        "retention-high-water",
        is_expired=lambda after, retained: after < retained.high_water or after == retained.floor,
    ),
    _paging(
        "a cursor before the first row is expired, though nothing was lost",
        "EV01",
        "EV11",
        "retention-pending",
        is_expired=lambda after, retained: after == 0,
    ),
    _paging(
        "a cursor is a timestamp",
        "EV01",
        "EV02",
        "EV04",
        "EV27",
        "cursor-of-nobody",
        next_after=_by_time,
    ),
    _paging(
        "a page leads to the end of the ledger",
        "EV01",
        "EV14",
        "cursor-walk",
        next_after=lambda rows, high_water: high_water,
    ),
    _paging("a page leads behind the last event that it shows", "EV14", "EV13[one]", next_after=_shown_last),
    _paging(
        "an empty page leads to the beginning",
        "EV03",
        "EV04",
        next_after=lambda rows, high_water: next_after(rows, 0),
    ),
    _paging("a page that holds a row of poison fails", "EV14", "HT21", choose=all_or_nothing),
    _paging(
        "a page has the newest event first",
        "EV01",
        "EV05[twenty]",
        "EV10",
        "EV12",
        "retention-pending",
        choose=_reversed,
    ),
    _paging(
        "an event of a page bears no profile but the default",
        "EV04",
        "event-profile",
        public_event=lambda row, profile_id: public_event(row, "personal"),
    ),
    twin_of(
        "scriba", "pages of an unknown profile fall back", "EV21", "HT07", select_profile=_or_the_default
    ),
    twin_of(
        "scriba",
        "a store that holds no observation is unreadable",
        "EV22",
        "HT14[empty]",
        open_store=_unreadable,
    ),
    twin_of("scriba", "a store that is absent is one that is broken", "EV24", open_store=_nothing),
    twin_of(
        "mcp",
        "a page that fails says nothing of why",
        "EV23",
        "EV08",
        "EV09",
        reason=lambda problem: "data unavailable",
    ),
    twin_of(
        "mcp",
        "a cursor is passed over where it is not wanted",
        "EV19",
        events_problem=lambda arguments: "",
        page_of=_page_asked,
    ),
)
