"""Tests for the store over several processes, some of which are killed: applied once, or not at all."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING

from evalkit.contracts.agent_context.store import Remembered, StoredRow
from evalkit.contracts.agent_context.store.ledger import Effect
from evalkit.contracts.agent_context.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from tests.contracts.agent_context.store.conftest import Start

ONCE = """
store = SqliteStore(path)
say("ready")
wait()
with store.transaction() as ledger:
    known = ledger.recall("r")
    say("inside")
    if not known:
        ledger.append("goals", {"n": 1})
        ledger.remember(Remembered("r", "f", {"state": "completed"}, 1))
say("repeated" if known else "applied")
"""
HELD = """
with SqliteStore(path).transaction() as ledger:
    ledger.append("goals", {"n": 1})
    ledger.remember(Remembered("r", "f", {"state": "completed"}, 1))
    say("inside")
    wait()
"""
ACKNOWLEDGED = """
store = SqliteStore(path)
with store.transaction() as ledger:
    ledger.append("goals", {"n": 1})
    ledger.remember(Remembered("r", "f", {"state": "completed"}, 1))
say("acknowledged")
wait()
"""
OPENED = """
say("ready")
wait()
SqliteStore(path).close()
say("opened")
"""
MIGRATED = (
    """
migrations.MIGRATIONS = (*migrations.MIGRATIONS, ("ALTER TABLE records ADD COLUMN note",))
"""
    + OPENED
)


def test_one_request_of_two_processes_is_applied_once(start: Start, path: pathlib.Path) -> None:
    SqliteStore(path).close()
    one, other = start(ONCE), start(ONCE)
    assert (one.hear(), other.hear()) == ("ready", "ready")
    one.go()
    other.go()
    assert (one.hear(), other.hear()) == ("inside", "inside")
    assert sorted((one.hear(), other.hear())) == ["applied", "repeated"]
    with SqliteStore(path) as store:
        assert store.effects() == [Effect(1, "r", "append", "goals", 1)]


def test_a_kill_between_effect_and_commit_leaves_nothing_and_lets_the_next_one_write(
    start: Start, path: pathlib.Path
) -> None:
    child = start(HELD)
    assert child.hear() == "inside"
    child.kill()
    with SqliteStore(path, busy_seconds=0) as store, store.transaction() as ledger:
        assert (list(ledger.rows("goals")), ledger.recall("r"), store.effects()) == ([], None, [])
        ledger.append("goals", {"n": 1})


def test_a_kill_after_the_commit_leaves_the_effect_and_what_was_answered(
    start: Start, path: pathlib.Path
) -> None:
    child = start(ACKNOWLEDGED)
    assert child.hear() == "acknowledged"
    child.kill()
    with SqliteStore(path) as store, store.transaction() as ledger:
        assert list(ledger.rows("goals")) == [StoredRow(1, {"n": 1})]
        assert ledger.recall("r") == Remembered("r", "f", {"state": "completed"}, 1)
        assert store.effects() == [Effect(1, "r", "append", "goals", 1)]


def test_a_view_does_not_wait_for_the_writer_of_another_process(start: Start, path: pathlib.Path) -> None:
    child = start(HELD)
    assert child.hear() == "inside"
    with SqliteStore(path, busy_seconds=0) as store, store.view() as view:
        assert list(view.rows("goals")) == []


def test_two_processes_make_one_file(start: Start, path: pathlib.Path) -> None:
    both = start(OPENED), start(OPENED)
    assert [child.hear() for child in both] == ["ready", "ready"]
    for child in both:
        child.go()
    assert [child.hear() for child in both] == ["opened", "opened"]
    assert os.listdir(path.parent) == [path.name]


def test_two_processes_bring_one_file_forward(start: Start, path: pathlib.Path) -> None:
    with SqliteStore(path) as store, store.transaction() as ledger:
        ledger.append("goals", {"n": 1})
    both = start(MIGRATED), start(MIGRATED)
    assert [child.hear() for child in both] == ["ready", "ready"]
    for child in both:
        child.go()
    assert [child.hear() for child in both] == ["opened", "opened"]
