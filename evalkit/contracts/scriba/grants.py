"""What a snapshot tells of reset grants: how many there are, and when the first expires (spec 2.9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from . import times
from .nouns import Instant
from .snapshots import Credit, Line

GRANT_LABELS: Final = ("Reset grants", "Grant expiry")

_COUNT, _EXPIRY = GRANT_LABELS
_LARGEST: Final = 2**63 - 1


class Grants(NamedTuple):
    """What was found. `kept` are the credits that count: status, which is '' or `available`, and expiry."""

    available: int | None = None
    expiry: Instant | None = None
    kept: tuple[tuple[str, Instant], ...] = ()


class GrantSummary(NamedTuple):
    """What a document shows of grants (spec 1.6)."""

    available: int
    earliest_expiry: Instant | None


def find_grants(lines: Sequence[Line], credits: Sequence[Credit]) -> Grants:
    """The grants that lines and reset credits tell of; of lines with one label the last sound one counts."""
    count: int | None = None
    expiry: Instant | None = None
    for line in lines:
        if line.label == _COUNT:
            count = _count(line.value, count)
        elif line.label == _EXPIRY and isinstance(line.value, str):
            expiry = times.parse(line.value) or expiry
    kept = tuple(
        (credit.status, expires)
        for credit in credits
        if credit.status in ("", "available") and (expires := times.parse(credit.expires_at)) is not None
    )
    earliest = _earliest([expires for _, expires in kept] + ([expiry] if expiry else []))
    return Grants(len(kept) if count is None and kept else count, earliest, kept)


def in_utc(grants: Grants) -> Grants:
    """The same, with moments told in UTC, as all that comes from the server's store is (spec 1.9)."""
    kept = tuple((status, times.utc(expires)) for status, expires in grants.kept)
    return grants._replace(expiry=grants.expiry and times.utc(grants.expiry), kept=kept)


def are_known(grants: Grants) -> bool:
    """Whether anything was found; a count of 0 is something (spec 2.7)."""
    return grants != Grants()


def summarise(grants: Grants) -> GrantSummary:
    """The count, and the earliest expiry of credits that say `available`, or else the one found otherwise."""
    earliest = _earliest([expires for status, expires in grants.kept if status == "available"])
    return GrantSummary(grants.available or 0, earliest or grants.expiry)


def _count(value: object, otherwise: int | None) -> int | None:
    """A whole number that can be a count, be it written 2 or 2.0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
        return otherwise
    return int(value) if value == int(value) else otherwise


def _earliest(moments: list[Instant]) -> Instant | None:
    return min(moments, key=lambda moment: moment.nanoseconds, default=None)
