"""What the owner's feeds bring: the unread, and marking it as read (spec C.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...javascript import trim
from ...store import Ledger, StoredRow
from ..nouns import Json, Moment
from .bounds import blank, limit
from .closest import closest
from .local_time import parse
from .outcomes import counted, done, failed

_SHOWN: Final = 5
_MOST: Final = 10


def digest(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """The unread, the newest first → `totalUnread`, `count`, `items`."""
    unread = _unread(ledger, moment)
    items = [
        {"title": row.body["title"], "feed": row.body["feed"], "date": row.body["date"]}
        for row in unread[: limit(args, _SHOWN, _MOST)]
    ]
    return done(
        f"{counted(len(unread), 'unread item')}.", totalUnread=len(unread), count=len(items), items=items
    )


def mark_read(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """Mark the one item that `query` means → `title`; or, with `all`, everything that fits → `marked`.

    `feedQuery` leaves only the feeds whose name holds it.
    """
    query, everything, feed = args.get("query"), args.get("all", False), args.get("feedQuery")
    if query is None and not everything:
        return failed("query must be given, or all must be true")
    if fault := blank("query", query) or blank("feedQuery", feed) or _no_feed(ledger, feed):
        return failed(fault)
    found = _fitting(_unread(ledger, moment), query, feed)
    if everything:
        return _mark_all(ledger, found)
    if not found:
        return failed(f'No unread item matches "{trim(query)}".')
    _mark(ledger, found[0])
    title = found[0].body["title"]
    return done(f"Marked as read: {title}", title=title)


def _unread(ledger: Ledger, moment: Moment) -> Sequence[StoredRow]:
    unread = [row for row in ledger.rows("feeds") if not row.body.get("read", False)]
    return sorted(unread, key=lambda row: -parse(row.body["date"], moment.timezone).timestamp())


def _no_feed(ledger: Ledger, feed: str | None) -> str | None:
    if feed is None or any(_is_of(row, feed) for row in ledger.rows("feeds")):
        return None
    return f'No feed matches "{trim(feed)}".'


def _is_of(row: StoredRow, feed: str) -> bool:
    return trim(feed).lower() in row.body["feed"].lower()


def _fitting(rows: Sequence[StoredRow], query: str | None, feed: str | None) -> Sequence[StoredRow]:
    if feed is not None:
        rows = [row for row in rows if _is_of(row, feed)]
    return rows if query is None else closest(query, rows, lambda row: row.body["title"])


def _mark_all(ledger: Ledger, rows: Sequence[StoredRow]) -> Json:
    for row in rows:
        _mark(ledger, row)
    return done(f"Marked {counted(len(rows), 'item')} as read.", marked=len(rows))


def _mark(ledger: Ledger, row: StoredRow) -> None:
    ledger.replace("feeds", row.number, {**row.body, "read": True})
