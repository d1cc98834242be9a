"""What a store offers behind the semantic tools: views, and transactions that remember their answers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

Json: TypeAlias = Any

COLLECTIONS: Final = (
    "brainInbox",
    "goals",
    "journal",
    "calendar",
    "health",
    "feeds",
    "catalog",
    "clock",
    "weather",
    "processes",
    "agents",
)
"""What a store holds for the semantic tools, each a list of JSON objects (spec C.6)."""


class StoredRow(NamedTuple):
    """One row of a collection; `number` names it in `replace` and grows in the order of the rows."""

    number: int
    body: Json


class Remembered(NamedTuple):
    """What is known of a request that was carried out; `result` is None where it has been forgotten.

    `at` is when it was first asked, in seconds since the Unix epoch.
    """

    request_id: str
    fingerprint: str
    result: Json
    at: float


class Records(Protocol):
    """One consistent view of every collection. Whatever a method raises fails the tool that asked."""

    def rows(self, collection: str) -> Sequence[StoredRow]:
        """All rows, in their order. The bodies are not to be changed."""
        ...


class Ledger(Records, Protocol):
    """One transaction. All of it is kept when its block ends, and nothing where the block raises."""

    def append(self, collection: str, body: Json) -> None:
        """Add a row at the end."""
        ...

    def replace(self, collection: str, number: int, body: Json) -> None:
        """Put another body in the place of a row's. Raises LookupError where there is no such row."""
        ...

    def attempt(self) -> AbstractContextManager[None]:
        """A block within the transaction: what it wrote is undone where it raises (and the error goes on)."""
        ...

    def recall(self, request_id: str) -> Remembered | None:
        """What is known of a request."""
        ...

    def remember(self, remembered: Remembered) -> None:
        """Keep a result and its fingerprint, as the newest."""
        ...

    def forget(self, *, results: int, fingerprints: int, before: float) -> None:
        """Drop all results but the newest `results`; then, of the requests that are left without one,
        all that are older than `before` and all but the newest `fingerprints`."""
        ...


class Store(Protocol):
    """Where everything is kept. At most one transaction is open at a time, over all threads and processes."""

    def view(self) -> AbstractContextManager[Records]:
        """Read, and wait for nobody."""
        ...

    def transaction(self) -> AbstractContextManager[Ledger]:
        """Read and write, after waiting for whoever writes now."""
        ...
