"""A store of a few lines behind the semantic tools, with places to break it; tests import it by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from threading import Lock

from evalkit.contracts.agent_context.semantic.nouns import (
    Adapter,
    Authority,
    Json,
    Surroundings,
    ToolCall,
)
from evalkit.contracts.agent_context.semantic.policy import SEMANTIC, execute, over_mcp
from evalkit.contracts.agent_context.semantic.rules import SemanticRules
from evalkit.contracts.agent_context.store import Ledger, Records, Remembered, StoredRow
from evalkit.contracts.agent_context.vocabulary import Settings

BOTH = Settings(enabled=True, read_portos=True, write_portos=True)
AGENT = Authority("agent", frozenset({"readPortos", "writePortos"}))


class TinyStore:
    """Everything in two dictionaries; `broken` names the methods that raise."""

    def __init__(self, collections: Mapping[str, Sequence[Json]] | None = None) -> None:
        self.collections = {name: list(rows) for name, rows in (collections or {}).items()}
        self.memory: dict[str, Remembered] = {}
        self.broken: set[str] = set()
        self.opened: list[str] = []
        self.lock = Lock()

    @contextmanager
    def view(self) -> Iterator[Records]:
        """Read without waiting."""
        self.opened.append("view")
        yield self

    @contextmanager
    def transaction(self) -> Iterator[Ledger]:
        """One at a time; put back what was there where the block, or its end, raises."""
        with self.lock:
            self.opened.append("transaction")
            self._touch("transaction")
            with self._undone_where_it_raises():
                yield self
                self._touch("commit")

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """A block that can be undone alone."""
        with self._undone_where_it_raises():
            yield

    def rows(self, collection: str) -> Sequence[StoredRow]:
        """The rows, numbered by their place."""
        self._touch(f"rows {collection}")
        return [StoredRow(number, body) for number, body in enumerate(self.collections.get(collection, []))]

    def append(self, collection: str, body: Json) -> None:
        """Add a row."""
        self.collections.setdefault(collection, []).append(body)

    def replace(self, collection: str, number: int, body: Json) -> None:
        """Change a row."""
        self.collections[collection][number] = body

    def recall(self, request_id: str) -> Remembered | None:
        """What is known."""
        self._touch("recall")
        return self.memory.get(request_id)

    def remember(self, remembered: Remembered) -> None:
        """Keep it as the newest."""
        self._touch("remember")
        self.memory.pop(remembered.request_id, None)
        self.memory[remembered.request_id] = remembered

    def forget(self, *, results: int, fingerprints: int, before: float) -> None:
        """Drop the oldest."""
        kept = [known for known in self.memory.values() if known.result is not None]
        for known in kept[: max(0, len(kept) - results)]:
            self.memory[known.request_id] = known._replace(result=None)
        bare = [known for known in self.memory.values() if known.result is None]
        for place, known in enumerate(bare):
            if known.at < before or place < len(bare) - fingerprints:
                del self.memory[known.request_id]

    def _touch(self, method: str) -> None:
        if method in self.broken:
            raise OSError(f"{method} is broken")

    @contextmanager
    def _undone_where_it_raises(self) -> Iterator[None]:
        before = deepcopy(self.collections), dict(self.memory)
        try:
            yield
        except BaseException:
            self.collections, self.memory = before
            raise


class Desk:
    """Where a test makes calls: the rules with stand-in adapters, a store, a clock and numbered ids."""

    def __init__(self, adapters: Mapping[str, Adapter], **replaced: Json) -> None:
        self.rules: SemanticRules = SEMANTIC._replace(adapters=adapters, **replaced)
        self.store = TinyStore()
        self.time = 1_000_000.0
        self.ids = 0
        self.surroundings = Surroundings(self.store, lambda: self.time, self._next_id)

    def call(
        self, name: str, arguments: Json, request_id: str | None = None, authority: Authority = AGENT
    ) -> Json:
        """The normalised result."""
        return execute(self.rules, self.surroundings, ToolCall(name, arguments, request_id), authority)

    def over_mcp(self, name: str, args: Json, key: str | None = None, settings: Settings = BOTH) -> Json:
        """The tool result, or None."""
        return over_mcp(self.rules, self.surroundings, settings, name, args, key)

    def _next_id(self) -> str:
        self.ids += 1
        return f"id-{self.ids}"
