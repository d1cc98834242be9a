"""The rows about idempotency that no suite can say: many calls at once, and what is forgotten when.

Each test has the id of its row in the table of cases, and holds for the store in memory and for the file.
"""

from __future__ import annotations

import json
import random
import string
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from uuid import UUID

import pytest

from evalkit.contracts.agent_context.fakes import FixtureSources
from evalkit.contracts.agent_context.semantic.adapters import ADAPTERS
from evalkit.contracts.agent_context.semantic.nouns import Moment, Surroundings
from evalkit.contracts.agent_context.semantic.replays import Memory
from evalkit.contracts.agent_context.service import AgentTools, Policy
from evalkit.contracts.agent_context.store import Ledger, Store
from evalkit.contracts.agent_context.store.memory import FixtureStore
from evalkit.contracts.agent_context.store.sqlite import SqliteStore
from evalkit.model import Json

CONFLICT = "requestId was already used for a different tool call"
EXPIRED = "requestId result has expired and cannot be replayed safely"
SETTINGS = {"agentContext": {"enabled": True, "actions": {"readPortos": True, "writePortos": True}}}
DAY = 24 * 60 * 60
CALLERS = 20
MEETING = Barrier(2)
KEY_CHARACTERS = string.ascii_letters + string.digits + "._:-"


class Caller:
    """Calls the contract over MCP, with a clock and a source of ids that stand still or move as told."""

    def __init__(self, store: Store, policy: Policy) -> None:
        self.store = store
        self.time = 1_767_225_600.0
        self._ids = random.Random(3)
        sources = FixtureSources(dict, lambda _scope: None)
        self._tools = AgentTools(policy, sources, Surroundings(store, lambda: self.time, self._next_id))

    def write(self, key: str | None, text: str = "a") -> Json:
        """A tool result."""
        return self._tools.call_tool(SETTINGS, "journal_append", {"text": text}, key)

    def read(self, key: str) -> Json:
        """A tool result of a tool that writes nothing."""
        return self._tools.call_tool(SETTINGS, "time_now", {}, key)

    def crowd_out(self) -> None:
        """500 other requests."""
        for number in range(500):
            assert not self.read(f"other-{number}")["structuredContent"]["duplicate"]

    def written(self) -> list[str]:
        """Every passage in the log."""
        with self.store.view() as view:
            return [segment["text"] for row in view.rows("journal") for segment in row.body["segments"]]

    def _next_id(self) -> str:
        return str(UUID(int=self._ids.getrandbits(128), version=4))


@pytest.fixture(name="store", params=["memory", "file"])
def store_fixture(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "memory":
        yield FixtureStore(dict, lambda _collection: None, lambda _effect: None)
        return
    with SqliteStore(tmp_path / "portos.sqlite") as store:
        yield store


@pytest.fixture(name="caller")
def caller_fixture(store: Store) -> Caller:
    return Caller(store, Policy())


def text_of(result: Json) -> str:
    """The sentence of a refusal, which holds no data."""
    assert result["isError"] is True
    assert "structuredContent" not in result
    return str(result["content"][0]["text"])


def meeting(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """Write as the tool does, after giving another call a moment to come in between."""
    with suppress(BrokenBarrierError):
        MEETING.wait(timeout=0.2)
    return ADAPTERS["journal.append"](ledger, args, moment)


def test_i_concurrent(store: Store) -> None:
    MEETING.reset()
    adapters = {**ADAPTERS, "journal.append": meeting}
    caller = Caller(store, Policy().changed("semantic", adapters=adapters))
    start = Barrier(CALLERS)

    def call(_number: int) -> Json:
        start.wait(timeout=60)
        return caller.write("k1")["structuredContent"]

    with ThreadPoolExecutor(CALLERS) as threads:
        results = list(threads.map(call, range(CALLERS)))
    assert caller.written() == ["a"]
    assert sorted(result.pop("duplicate") for result in results) == [False] + [True] * (CALLERS - 1)
    assert len({json.dumps(result, sort_keys=True) for result in results}) == 1


def test_i_evicted(caller: Caller) -> None:
    caller.write("k1")
    caller.crowd_out()
    refused = caller.write("k1")
    assert (text_of(refused), refused["_meta"]) == (EXPIRED, {"code": "TOOL_IDEMPOTENCY_EXPIRED"})
    assert caller.written() == ["a"]


def test_i_evicted_conflict(caller: Caller) -> None:
    caller.write("k1")
    caller.crowd_out()
    refused = caller.write("k1", "b")
    assert (text_of(refused), refused["_meta"]) == (CONFLICT, {"code": "TOOL_IDEMPOTENCY_CONFLICT"})
    assert caller.written() == ["a"]


def test_i_ttl(caller: Caller) -> None:
    caller.write("k1")
    caller.crowd_out()
    caller.time += DAY
    assert text_of(caller.write("k1")) == EXPIRED
    caller.time += 0.001
    assert caller.write("k1")["structuredContent"]["duplicate"] is False
    assert caller.written() == ["a", "a"]


def random_keys(count: int) -> list[str]:
    """Different keys of 4 to 190 of the characters that one may have, the same in every run."""
    chance = random.Random(11)
    keys = {"".join(chance.choices(KEY_CHARACTERS, k=chance.randint(4, 190))): None for _ in range(count)}
    assert len(keys) == count
    return list(keys)


def test_i_prng(store: Store) -> None:
    """The bounds are 500 and 10,000; the file, which writes each call to the disk, gets a tenth of them."""
    policy, results, fingerprints = Policy(), 500, 10_000
    if isinstance(store, SqliteStore):
        results, fingerprints = 50, 1_000
        policy = policy.changed("semantic", memory=Memory(results=results, fingerprints=fingerprints))
    caller = Caller(store, policy)
    keys = random_keys(fingerprints + results + 1)
    for key in keys:
        told = caller.read(key)["structuredContent"]
        assert (told["requestId"], told["duplicate"]) == (f"agent-mcp:{key}", False)
    assert caller.read(keys[-1])["structuredContent"]["duplicate"] is True
    assert caller.read(keys[-results])["structuredContent"]["duplicate"] is True
    assert text_of(caller.read(keys[-results - 1])) == EXPIRED
    assert text_of(caller.read(keys[1])) == EXPIRED
    assert caller.read(keys[0])["structuredContent"]["duplicate"] is False
