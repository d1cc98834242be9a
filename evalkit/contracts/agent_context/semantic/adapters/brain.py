"""Notes in the brain's inbox: capture one, find some, list the latest (spec C.2)."""

from __future__ import annotations

from typing import Final

from ...javascript import trim
from ...store import Ledger
from ..nouns import Json, Moment
from .bounds import blank, limit
from .local_time import parse, stamp
from .outcomes import counted, done, failed

_SEARCHED: Final = 200
_SHOWN: Final = 5
_MOST: Final = 10


def capture(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """Append a note → `id`."""
    if fault := blank("text", args["text"]):
        return failed(fault)
    rows = ledger.rows("brainInbox")
    # Row numbers only grow, so that no two notes are called the same.
    name = f"inbox-{rows[-1].number + 1 if rows else 1}"
    text = trim(args["text"])
    ledger.append("brainInbox", {"id": name, "capturedAt": stamp(moment), "capturedText": text})
    return done(f"Captured: {text}", id=name)


def search(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """Look through the last 200 notes, the latest first → `count`, `hits`."""
    query = trim(args["query"])
    if fault := blank("query", query):
        return failed(fault)
    latest = reversed(ledger.rows("brainInbox")[-_SEARCHED:])
    found = [row.body for row in latest if query.lower() in row.body["capturedText"].lower()]
    hits = [
        {"id": note["id"], "date": _day(note, moment), "text": note["capturedText"]}
        for note in found[: limit(args, _SHOWN, _MOST)]
    ]
    return done(f'{counted(len(found), "note")} with "{query}".', count=len(hits), hits=hits)


def recent(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """The latest notes → `count`, `items`."""
    latest = reversed(ledger.rows("brainInbox")[-limit(args, _SHOWN, _MOST) :])
    items = [{"date": _day(row.body, moment), "text": row.body["capturedText"]} for row in latest]
    return done(f"The latest {counted(len(items), 'note')}.", count=len(items), items=items)


def _day(note: Json, moment: Moment) -> str:
    return parse(note["capturedAt"], moment.timezone).date().isoformat()
