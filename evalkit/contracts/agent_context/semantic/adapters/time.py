"""What the owner's clock shows (spec C.2)."""

from __future__ import annotations

from ...store import Ledger
from ..nouns import Json, Moment
from .local_time import WEEKDAYS, local, stamp
from .outcomes import done


def now(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """→ `iso` in UTC; `timezone`, and in it `date`, `dayOfWeek` and `time` (HH:MM)."""
    shown = local(moment)
    day, weekday, clock = shown.date().isoformat(), WEEKDAYS[shown.weekday()], shown.strftime("%H:%M")
    return done(
        f"It is {clock} on {weekday}, {day} ({moment.timezone}).",
        iso=stamp(moment),
        timezone=moment.timezone,
        date=day,
        dayOfWeek=weekday,
        time=clock,
    )
