"""Tells the adapters what time it is, and in which zone the owner lives."""

from __future__ import annotations

from ..store import Records
from .nouns import Moment


def moment(records: Records, now: float) -> Moment:
    """The time in the zone that the one row of the collection `clock` names; UTC without it."""
    for row in records.rows("clock"):
        zone = row.body.get("timezone")
        if isinstance(zone, str) and zone:
            return Moment(now, zone)
    return Moment(now, "UTC")
