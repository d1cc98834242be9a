"""Says whether what a cursor asks for may have been pruned away; there are two revisions (spec 5.4)."""

from __future__ import annotations

from .ledger_nouns import Retained


def by_account_floor(after: int, retained: Retained) -> bool:
    """The rule of this generation: only what the account itself has lost counts."""
    return after < retained.floor


def by_whole_ledger(after: int, retained: Retained) -> bool:
    """The older rule, for servers before it: whatever any account has lost counts."""
    if retained.oldest:
        return after < retained.oldest - 1
    return after < retained.high_water
