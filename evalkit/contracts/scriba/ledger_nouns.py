"""What is read of policy events: rows as they are stored, and the ledger that numbers them (spec 5, 9.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class EventRow(NamedTuple):
    """One row of `policy_events`, only with the columns that are looked at."""

    id: str
    event_kind: str
    rule_kind: str
    provider_id: str
    payload_version: int
    payload_json: str
    detected_at: str


class Scanned(NamedTuple):
    """One row of the ledger. `event` is None for a tombstone and for a row whose event is gone (spec 5.4)."""

    sequence: int
    event: EventRow | None


class Retained(NamedTuple):
    """What the ledger still has, in sequences; each is 0 where there is none (spec 5.3, 5.4)."""

    high_water: int
    """The last sequence that was ever given, over all accounts."""
    floor: int
    """The newest tombstone of the one account."""
    oldest: int
    """The first row that is left, over all accounts."""


class Batch(NamedTuple):
    """Rows in ascending sequence, and what the ledger had in the moment in which they were read."""

    retained: Retained
    rows: Sequence[Scanned]


class Ledger(Protocol):
    """What a page asks of the store. Everything raises StoreUnreadable.

    A ceiling of 0 is none, so that a ledger that was empty a moment ago gives what came since (spec 5.3).
    """

    def retained(self, account: str) -> Retained:
        """What the ledger has now."""
        ...

    def after(self, account: str, sequence: int, ceiling: int, limit: int) -> Batch:
        """The first rows of the account after a sequence, up to a ceiling, at most `limit`."""
        ...

    def newest(self, account: str, ceiling: int, limit: int) -> Batch:
        """The last rows of the account up to a ceiling, at most `limit`."""
        ...
