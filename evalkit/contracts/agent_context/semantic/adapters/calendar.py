"""The owner's calendar: what today brings, and what comes next (spec C.2)."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from ...store import Ledger
from ..nouns import Json, Moment
from .bounds import limit
from .local_time import local, parse
from .outcomes import counted, done

_SHOWN: Final = 10
_MOST: Final = 20
_HORIZON_SECONDS: Final = 30 * 86_400


def today(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """What begins on the owner's day, in order → `date`, `count`, `events`."""
    day = local(moment).date()
    begun = [event for event in _events(ledger, moment) if event.start.date() == day]
    events = [_shown(event) for event in begun[: limit(args, _SHOWN, _MOST)]]
    return done(f"{counted(len(begun), 'event')} on {day}.", date=str(day), count=len(events), events=events)


def next_event(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """What begins first from now on, within 30 days → `found`, and of what is found `title`, `startTime` …"""
    latest = moment.seconds + _HORIZON_SECONDS
    coming = (
        event for event in _events(ledger, moment) if moment.seconds <= event.start.timestamp() <= latest
    )
    event = next(coming, None)
    if event is None:
        return done("Nothing is planned for the next 30 days.", found=False)
    row = event.row
    fields = {"startTime": row["startTime"], "location": row.get("location"), "allDay": _is_all_day(row)}
    day = event.start.date()
    return done(f"Next: {row['title']}, {day}, {_clock(event)}.", found=True, title=row["title"], **fields)


class _Event(NamedTuple):
    """A row, and when it begins on the owner's clock."""

    start: datetime
    row: Json


def _events(ledger: Ledger, moment: Moment) -> list[_Event]:
    events = [_Event(_start(row.body, moment), row.body) for row in ledger.rows("calendar")]
    return sorted(events, key=lambda event: event.start.timestamp())


def _start(row: Json, moment: Moment) -> datetime:
    """A whole day begins with it, on whatever clock; so its date counts, and not its time or offset."""
    start: str = row["startTime"]
    return parse(start[:10] if _is_all_day(row) else start, moment.timezone)


def _shown(event: _Event) -> Json:
    row = event.row
    return {
        "title": row["title"],
        "startTime": row["startTime"],
        "time": _clock(event),
        "location": row.get("location"),
        "allDay": _is_all_day(row),
    }


def _clock(event: _Event) -> str:
    return "all day" if _is_all_day(event.row) else event.start.strftime("%H:%M")


def _is_all_day(row: Json) -> bool:
    return bool(row.get("allDay", False))
