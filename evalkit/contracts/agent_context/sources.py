"""What a store must offer to stand behind the contract, and how a call asks it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from .vocabulary import Json, Row


class Sources(Protocol):
    """The private stores, one a scope. Whatever either method raises fails the call."""

    def items(self, scope: str) -> Sequence[Row]:
        """Every raw record of a scope, in the store's order."""
        ...

    def status(self, scope: str) -> Json:
        """What the store says of its own freshness: `stale`, or anything else."""
        ...


class Reading(NamedTuple):
    """What one scope's source gave for one call."""

    rows: Sequence[Row]
    status: Json


def read(sources: Sources, scope: str) -> Reading:
    """Ask one source, once."""
    return Reading(sources.items(scope), sources.status(scope))
