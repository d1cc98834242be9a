"""What is read of events: whose they are, in what order, and all of a batch in one moment (spec 5.3, 5.4)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evalkit.contracts.scriba.ledger_nouns import Batch, Retained
from evalkit.contracts.scriba.nouns import Json, StoreUnreadable
from evalkit.contracts.scriba.seed import seed
from evalkit.contracts.scriba.seeding.canaries import account_ref
from evalkit.contracts.scriba.store.ledger import SqliteLedger
from evalkit.contracts.scriba.store.opening import open_store
from evalkit.contracts.scriba.writer import Writer
from tests.contracts.scriba.worlds import E4, P1, P2, P4, S_2P

P, W = account_ref("acctP"), account_ref("acctW")


class Seeded:
    """A store, a ledger over it that reads, and a writer."""

    def __init__(self, store: Json, folder: Path) -> None:
        self.path = seed({"store": store}, folder).state_path
        self.connection = open_store(self.path)
        self.ledger = SqliteLedger(self.connection)
        self.writer = Writer(self.path)

    def close(self) -> None:
        """Both connections."""
        self.connection.close()
        self.writer.close()


@pytest.fixture
def seeded(tmp_path: Path) -> Iterator[Callable[[Json], Seeded]]:
    """Makes a store; all are closed at the end."""
    made: list[Seeded] = []

    def make(store: Json) -> Seeded:
        made.append(Seeded(store, tmp_path / str(len(made))))
        return made[-1]

    yield make
    for one in made:
        one.close()


def ids(batch: Batch) -> list[tuple[int, str | None]]:
    """Each row's sequence and event."""
    return [(row.sequence, row.event.id if row.event else None) for row in batch.rows]


def test_rows_are_those_of_the_account_after_the_sequence_in_ascending_order(
    seeded: Callable[[Json], Seeded],
) -> None:
    ledger = seeded(E4).ledger
    assert ids(ledger.after(P, 0, 4, 20)) == [(1, "p1"), (2, "p2"), (4, "p4")]
    assert ids(ledger.after(P, 1, 4, 20)) == [(2, "p2"), (4, "p4")]
    assert ids(ledger.after(P, 0, 4, 1)) == [(1, "p1")]
    assert ids(ledger.after(W, 0, 4, 20)) == [(3, "w3")]
    assert ids(ledger.after(P, 0, 3, 20)) == [(1, "p1"), (2, "p2")]


def test_the_newest_rows_come_in_ascending_order_too(seeded: Callable[[Json], Seeded]) -> None:
    ledger = seeded(E4).ledger
    assert ids(ledger.newest(P, 4, 2)) == [(2, "p2"), (4, "p4")]
    assert ids(ledger.newest(P, 3, 2)) == [(1, "p1"), (2, "p2")]


def test_a_ceiling_of_nothing_is_none(seeded: Callable[[Json], Seeded]) -> None:
    ledger = seeded(E4).ledger
    assert len(ledger.after(P, 0, 0, 20).rows) == 3
    assert len(ledger.newest(P, 0, 20).rows) == 3


def test_a_row_has_the_columns_that_the_gate_looks_at(seeded: Callable[[Json], Seeded]) -> None:
    event = {**P1, "payloadText": '{"version":1}', "payloadVersion": 7}
    (row,) = seeded({**S_2P, "events": [event]}).ledger.after(P, 0, 1, 1).rows
    assert row.event is not None
    assert row.event._asdict() == {
        "id": "p1",
        "event_kind": "limit_warning",
        "rule_kind": "remaining_checkpoint",
        "provider_id": "codex",
        "payload_version": 7,
        "payload_json": '{"version":1}',
        "detected_at": "2026-07-13T11:50:00Z",
    }


def test_a_row_whose_event_is_another_accounts_shows_none(seeded: Callable[[Json], Seeded]) -> None:
    one = seeded(E4)
    with closing(sqlite3.connect(one.path, isolation_level=None)) as connection:
        connection.execute("UPDATE policy_event_replay SET account_ref = ? WHERE replay_seq = 3", (P,))
    assert ids(one.ledger.after(P, 2, 4, 20)) == [(3, None), (4, "p4")]


def test_an_empty_ledger_has_only_zeros(seeded: Callable[[Json], Seeded]) -> None:
    assert seeded(S_2P).ledger.retained(P) == Retained(0, 0, 0)


def test_the_floor_is_the_accounts_newest_tombstone_and_the_rest_is_of_all(
    seeded: Callable[[Json], Seeded],
) -> None:
    one = seeded({**E4, "then": [{"delete": ["p1", "p2"]}]})
    assert one.ledger.retained(P) == Retained(high_water=4, floor=2, oldest=1)
    assert one.ledger.retained(W) == Retained(high_water=4, floor=0, oldest=1)
    one.writer.delete(["w3"])
    assert one.ledger.retained(P) == Retained(high_water=4, floor=2, oldest=1)
    assert one.ledger.retained(W) == Retained(high_water=4, floor=3, oldest=1)
    assert ids(one.ledger.after(P, 0, 4, 20)) == [(1, None), (2, None), (4, "p4")]


def test_a_row_that_leads_nowhere_is_no_tombstone(seeded: Callable[[Json], Seeded]) -> None:
    one = seeded({**E4, "then": [{"dangle": ["p1"]}]})
    assert one.ledger.retained(P) == Retained(high_water=4, floor=0, oldest=1)
    assert ids(one.ledger.after(P, 0, 4, 2)) == [(1, None), (2, "p2")]


def test_the_high_water_outlives_complete_pruning(seeded: Callable[[Json], Seeded]) -> None:
    one = seeded({**E4, "then": [{"prune": "2027-01-01T00:00:00Z"}]})
    assert one.ledger.retained(P) == Retained(high_water=4, floor=4, oldest=3)
    with closing(sqlite3.connect(one.path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM policy_event_replay")
    assert one.ledger.retained(P) == Retained(high_water=4, floor=0, oldest=0)


def test_what_is_pruned_within_a_batch_is_not_seen_by_it(seeded: Callable[[Json], Seeded]) -> None:
    """The batch is one read transaction: rows and floor are of the same moment."""
    one = seeded(E4)
    pruned: list[str] = []

    def prune_between(statement: str) -> None:
        if "policy_event_id IS NULL" in statement and not pruned:
            pruned.append(statement)
            one.writer.prune("2027-01-01T00:00:00Z")

    one.connection.set_trace_callback(prune_between)
    batch = one.ledger.after(P, 0, 4, 20)
    one.connection.set_trace_callback(None)
    assert pruned
    assert ids(batch) == [(1, "p1"), (2, "p2"), (4, "p4")]
    assert batch.retained == Retained(high_water=4, floor=0, oldest=1)
    assert one.ledger.retained(P).floor == 4


def test_a_ledger_holds_no_lock_between_two_questions(seeded: Callable[[Json], Seeded]) -> None:
    one = seeded(E4)
    one.ledger.newest(P, 4, 20)
    assert not one.connection.in_transaction


def test_the_newest_events_come_by_their_time_and_then_their_id(seeded: Callable[[Json], Seeded]) -> None:
    """CX22, CX23: at most as many as are asked for, of the one account."""
    twins = [{**P2, "id": name, "detectedAt": "2026-07-13T11:59:00Z"} for name in ("b", "a")]
    ledger = seeded({**E4, "events": [P4, P1, *twins, *E4["events"][1:3]]}).ledger
    assert [row.id for row in ledger.newest_events(P, 20)] == ["b", "a", "p4", "p2", "p1"]
    assert [row.id for row in ledger.newest_events(P, 2)] == ["b", "a"]
    assert [row.id for row in ledger.newest_events(W, 20)] == ["w3"]


def test_a_blob_reads_as_the_text_that_it_holds(seeded: Callable[[Json], Seeded]) -> None:
    one = seeded(E4)
    with closing(sqlite3.connect(one.path, isolation_level=None)) as connection:
        connection.execute("UPDATE policy_events SET payload_json = CAST(payload_json AS BLOB)")
    assert all(isinstance(row.payload_json, str) for row in one.ledger.newest_events(P, 20))


@pytest.mark.parametrize("table", ["policy_event_replay", "policy_events"])
def test_a_table_that_is_not_there_is_said_to_be_unreadable(
    seeded: Callable[[Json], Seeded], table: str
) -> None:
    """CX33, and the store of version 8."""
    ledger = seeded({**E4, "without": [table]}).ledger
    with pytest.raises(StoreUnreadable):
        ledger.after(P, 0, 4, 20)
    with pytest.raises(StoreUnreadable):
        ledger.newest(P, 4, 20)


def test_a_high_water_that_is_no_number_is_said_to_be_unreadable(seeded: Callable[[Json], Seeded]) -> None:
    one = seeded(E4)
    with closing(sqlite3.connect(one.path, isolation_level=None)) as connection:
        connection.execute("UPDATE sqlite_sequence SET seq = 'x' WHERE name = 'policy_event_replay'")
    with pytest.raises(StoreUnreadable):
        one.ledger.retained(P)


def test_no_question_goes_through_a_table_from_end_to_end(seeded: Callable[[Json], Seeded]) -> None:
    """So that a store of a million events answers like one of a thousand."""
    one = seeded(E4)
    asked: list[str] = []
    one.connection.set_trace_callback(asked.append)
    one.ledger.newest_events(P, 20)
    one.ledger.after(P, 0, 4, 20)
    one.ledger.newest(P, 4, 20)
    one.connection.set_trace_callback(None)
    selects = [statement for statement in asked if statement.strip().startswith("SELECT")]
    # The high-water is one of the few rows of sqlite_sequence; the oldest row is where min() stops at once.
    plans = [
        step[3]
        for statement in selects
        if "sqlite_sequence" not in statement and "min(" not in statement
        for step in one.connection.execute(f"EXPLAIN QUERY PLAN {statement}")
    ]
    assert len(plans) == 7
    assert sum(plan.endswith("(policy_event_id=?)") for plan in plans) == 2
    assert sum("(provider_id=? AND account_ref=?" in plan for plan in plans) == 3, plans
    assert all(plan.startswith("SEARCH") and "TEMP B-TREE" not in plan for plan in plans), plans
