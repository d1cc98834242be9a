"""The writer changes a store as the server does, in whole steps, while others read (spec 5.4)."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from evalkit.contracts.scriba.nouns import Instant, Json
from evalkit.contracts.scriba.pages import PAGE_RULES, page
from evalkit.contracts.scriba.seed import seed
from evalkit.contracts.scriba.seeding.canaries import account_ref
from evalkit.contracts.scriba.store.ledger import SqliteLedger
from evalkit.contracts.scriba.store.opening import open_store
from evalkit.contracts.scriba.writer import Writer
from tests.contracts.scriba.worlds import E4, P1, P4, S_2P, W3

P, W = account_ref("acctP"), account_ref("acctW")


@pytest.fixture
def path(tmp_path: Path) -> str:
    """The store E4."""
    return seed({"store": E4}, tmp_path / "seeded").state_path


@pytest.fixture
def writer(path: str) -> Iterator[Writer]:
    """Over that store."""
    with Writer(path) as opened:
        yield opened


def ask(path: str, statement: str) -> list[Json]:
    """What the store says."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


def ledger(path: str) -> list[Json]:
    """Each row's sequence and event."""
    return ask(path, "SELECT replay_seq, policy_event_id FROM policy_event_replay ORDER BY replay_seq")


def test_an_event_gets_the_next_sequence(path: str, writer: Writer) -> None:
    writer.append([{**P4, "id": "p5"}, {**W3, "id": "w6"}])
    assert ledger(path)[4:] == [(5, "p5"), (6, "w6")]


def test_what_is_appended_together_comes_together_or_not_at_all(path: str, writer: Writer) -> None:
    """A rolled-back insert leaves no row, and a sequence is not given for one that was not kept."""
    with pytest.raises(sqlite3.IntegrityError):
        writer.append([{**P4, "id": "p5"}, {**P4, "id": "p1"}])
    assert len(ledger(path)) == 4
    writer.append([{**P4, "id": "p6"}])
    assert ledger(path)[4:] == [(5, "p6")]


def test_a_deleted_event_leaves_a_tombstone(path: str, writer: Writer) -> None:
    writer.delete(["p1", "w3"])
    assert ledger(path) == [(1, None), (2, "p2"), (3, None), (4, "p4")]


def test_a_dangling_row_keeps_the_name_of_its_event(path: str, writer: Writer) -> None:
    writer.dangle(["p1"])
    writer.delete(["p2"])
    assert ledger(path) == [(1, "p1"), (2, None), (3, "w3"), (4, "p4")]
    assert ask(path, "SELECT id FROM policy_events ORDER BY id") == [("p4",), ("w3",)]


def test_retention_deletes_what_is_older_and_keeps_each_accounts_newest_tombstone(
    path: str, writer: Writer
) -> None:
    writer.prune("2026-07-13T11:52:00Z")
    assert ledger(path) == [(2, None), (3, "w3"), (4, "p4")]
    writer.prune("2026-07-13T11:54:00Z")
    assert ledger(path) == [(3, None), (4, None)]


def test_retention_compares_moments_and_not_their_texts(path: str, writer: Writer) -> None:
    odd = [
        {**P4, "id": "half", "detectedAt": "2026-07-13T11:52:00.5Z"},
        {**P4, "id": "east", "detectedAt": "2026-07-13T13:51:30+02:00"},
        {**P4, "id": "nonsense", "detectedAt": "once"},
    ]
    writer.append(odd)
    writer.prune("2026-07-13T11:52:00Z")
    left = ask(path, "SELECT id FROM policy_events ORDER BY id")
    assert left == [("half",), ("nonsense",), ("p4",), ("w3",)]


@pytest.mark.parametrize(("state", "is_kept"), [("pending", True), ("leased", True), ("sent", False)])
def test_an_event_that_is_still_to_be_told_of_is_not_pruned(
    path: str, writer: Writer, state: str, is_kept: bool
) -> None:
    writer.append([{**P1, "id": "told", "outbox": state}])
    writer.prune("2027-01-01T00:00:00Z")
    assert (("told",) in ask(path, "SELECT id FROM policy_events")) is is_kept


def test_old_observations_go_with_their_windows(path: str, writer: Writer) -> None:
    writer.prune("2026-07-13T11:50:00Z")
    assert ask(path, "SELECT count(*) FROM limit_observations") == [(2,)]
    assert ask(path, "SELECT count(*) FROM observed_windows") == [(2,)]


def test_a_sequence_is_never_given_twice(path: str, writer: Writer) -> None:
    writer.prune("2027-01-01T00:00:00Z")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM policy_event_replay")
    writer.append([{**P4, "id": "p5"}])
    assert ledger(path) == [(5, "p5")]


def test_a_profile_may_change_its_account(path: str, writer: Writer) -> None:
    statement = "SELECT profile_ref, account_ref FROM profile_accounts WHERE is_current = 1 ORDER BY 1"
    writer.remap("personal", "acctNew")
    assert ask(path, statement) == [("personal", account_ref("acctNew")), ("work", W)]
    writer.remap("personal", "acctP")
    assert ask(path, statement) == [("personal", P), ("work", W)]
    writer.remap("work", None)
    assert ask(path, statement) == [("personal", P)]


def test_an_account_has_one_owner(path: str, writer: Writer) -> None:
    writer.remap("work", None)
    writer.remap("personal", "acctW")
    assert ask(path, "SELECT profile_ref FROM profile_accounts WHERE account_ref LIKE '%acctW'") == [
        ("personal",)
    ]


def test_an_observation_is_added_to_an_account(path: str, writer: Writer) -> None:
    writer.observe("acctNew", {"observedAt": "2026-07-13T11:59:00Z", "windows": [{"label": "5h limit"}]})
    found = ask(path, "SELECT account_ref FROM limit_observations WHERE observed_at LIKE '%11:59%'")
    assert found == [(account_ref("acctNew"),)]


def test_an_observation_can_be_added_after_others_were_pruned(path: str, writer: Writer) -> None:
    writer.prune("2026-07-13T11:50:00Z")
    for minute in (57, 58, 59):
        writer.observe("acctP", {"observedAt": f"2026-07-13T11:{minute}:00Z", "windows": []})
    assert ask(path, "SELECT count(*) FROM limit_observations") == [(5,)]


def test_a_writer_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        Writer(str(tmp_path / "none.sqlite"))
    assert list(tmp_path.iterdir()) == []


def test_whoever_reads_meanwhile_has_every_event_once_and_in_order(tmp_path: Path) -> None:
    """2,000 events, and three prunes of what was read; the reader opens the file anew for each page."""
    path = seed({"store": S_2P}, tmp_path / "seeded").state_path
    seen: list[str] = []
    was_read = {count: threading.Event() for count in (500, 1_000, 1_500)}
    done = threading.Event()

    def write() -> None:
        with Writer(path) as writer:
            for start in range(0, 2_000, 50):
                if start in was_read and was_read[start].wait(30):
                    writer.prune(moment(start - 1))
                writer.append([event(number) for number in range(start, start + 50)])
                writer.append([{**W3, "id": f"other{start}"}])
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    at, has_ended = "v1.0000000000000000", False
    while not has_ended and (thread.is_alive() or done.is_set()):
        was_done = done.is_set()
        found = read(path, at)
        seen += [one["id"] for one in found["events"]]
        at = found["cursor"]["next"]
        has_ended = was_done and at == found["cursor"]["highWater"]
        for count, signal in was_read.items():
            if len(seen) >= count:
                signal.set()
    thread.join()
    assert seen == [f"e{number}" for number in range(2_000)]
    assert ask(path, "SELECT min(detected_at) FROM policy_events WHERE id LIKE 'e%'") == [(moment(1_499),)]


def event(number: int) -> Json:
    """One a millisecond."""
    return {**P1, "id": f"e{number}", "detectedAt": moment(number)}


def moment(number: int) -> str:
    """So many milliseconds after twelve."""
    return f"2026-07-13T12:00:{number // 1000:02}.{number % 1000:03}Z"


def read(path: str, at: str) -> Json:
    """One page of acctP."""
    with closing(open_store(path)) as connection:
        ledger = nullcontext(SqliteLedger(connection))
        return page(PAGE_RULES, P, lambda: ledger, Instant(0), "replay", at, 37, "personal")
