"""The owner's daily log, one entry a day (spec C.2)."""

from __future__ import annotations

from ...javascript import trim
from ...store import Ledger, StoredRow
from ..nouns import Json, Moment
from .bounds import blank
from .local_time import no_day, stamp, today
from .outcomes import counted, done, failed


def append(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """Add a segment to a day's entry, today's where none is named → `date`, `segments` (how many)."""
    text, day = trim(args["text"]), args.get("date", today(moment))
    if fault := blank("text", text) or no_day(day):
        return failed(fault)
    segment = {"at": stamp(moment), "text": text}
    entry = _entry(ledger, day)
    if entry is None:
        ledger.append("journal", {"date": day, "segments": [segment]})
        return done(f"Began the log of {day}.", date=day, segments=1)
    segments = [*entry.body["segments"], segment]
    ledger.replace("journal", entry.number, {**entry.body, "segments": segments})
    return done(f"Added to the log of {day}.", date=day, segments=len(segments))


def read(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """A day's entry, today's where none is named → `date`, `content`, `segments` (how many), or `empty`."""
    day = args.get("date", today(moment))
    if fault := no_day(day):
        return failed(fault)
    entry = _entry(ledger, day)
    texts = [segment["text"] for segment in entry.body["segments"]] if entry else []
    if not texts:
        return done(f"Nothing is logged for {day}.", date=day, empty=True)
    summary = f"The log of {day}, in {counted(len(texts), 'segment')}."
    return done(summary, date=day, content="\n\n".join(texts), segments=len(texts))


def _entry(ledger: Ledger, day: str) -> StoredRow | None:
    return next((row for row in ledger.rows("journal") if row.body["date"] == day), None)
