"""Tests for `sqlite`: who sees what and when, who waits for whom, and what is left at the end."""

from __future__ import annotations

import os
import pathlib
import sqlite3
import stat
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from evalkit.contracts.agent_context.store import Ledger, Remembered, Store
from evalkit.contracts.agent_context.store.failures import StoreBusy, StoreUnusable
from evalkit.contracts.agent_context.store.sqlite import SqliteStore


class Broken(Exception):
    """Something that goes wrong in a block."""


def bodies(store: Store, collection: str = "goals") -> list[object]:
    with store.view() as view:
        return [row.body for row in view.rows(collection)]


def test_what_was_written_is_there_after_a_restart(path: pathlib.Path) -> None:
    with SqliteStore(path) as store, store.transaction() as ledger:
        ledger.append("goals", {"title": "ü \ud800 \0", "big": 2**70})
        ledger.remember(Remembered("r", "f", {"state": "completed"}, 1.5))
    with SqliteStore(path) as store:
        assert bodies(store) == [{"title": "ü \ud800 \0", "big": 2**70}]
        with store.transaction() as ledger:
            assert ledger.recall("r") == Remembered("r", "f", {"state": "completed"}, 1.5)


def test_an_error_in_a_transaction_undoes_all_of_it_and_goes_on(store: SqliteStore) -> None:
    def fail() -> None:
        with store.transaction() as ledger:
            ledger.append("goals", {})
            ledger.remember(Remembered("r", "f", {}, 1))
            raise Broken

    with pytest.raises(Broken):
        fail()
    with store.transaction() as ledger:
        assert (list(ledger.rows("goals")), ledger.recall("r"), store.effects()) == ([], None, [])


def test_a_transaction_sees_what_it_wrote(store: SqliteStore) -> None:
    with store.transaction() as ledger:
        ledger.append("goals", {"n": 1})
        assert [row.body for row in ledger.rows("goals")] == [{"n": 1}]


def test_a_view_waits_for_no_writer_and_sees_nothing_unfinished(store: SqliteStore) -> None:
    with store.transaction() as ledger:
        ledger.append("goals", {"n": 1})
        assert bodies(store) == []
    assert bodies(store) == [{"n": 1}]


def test_a_view_stays_at_the_moment_when_it_began(store: SqliteStore) -> None:
    with store.view() as view:
        with store.transaction() as ledger:
            ledger.append("goals", {"n": 1})
        assert list(view.rows("goals")) == []
    assert bodies(store) == [{"n": 1}]


def test_a_second_transaction_of_the_process_is_refused_when_the_wait_is_over(store: SqliteStore) -> None:
    with store.transaction() as ledger:
        with pytest.raises(StoreBusy, match="try again"), store.transaction():
            pytest.fail("two transactions at once")
        ledger.append("goals", {"n": 1})
    assert bodies(store) == [{"n": 1}]


def test_a_transaction_over_another_opening_of_the_file_is_refused_too(
    path: pathlib.Path, store: SqliteStore
) -> None:
    with SqliteStore(path, busy_seconds=0) as other, store.transaction():
        with pytest.raises(StoreBusy, match="another process"), other.transaction():
            pytest.fail("two transactions at once")
        assert bodies(other) == []


def test_a_store_can_be_opened_while_another_writes(path: pathlib.Path, store: SqliteStore) -> None:
    with store.transaction() as ledger:
        ledger.append("goals", {})
        with SqliteStore(path, busy_seconds=0) as other:
            assert bodies(other) == []


def test_a_transaction_waits_for_one_that_ends_in_time(path: pathlib.Path) -> None:
    inside, finish = threading.Event(), threading.Event()
    with SqliteStore(path) as store, SqliteStore(path) as other, ThreadPoolExecutor(1) as pool:

        def hold() -> None:
            with store.transaction() as ledger:
                inside.set()
                assert finish.wait(10)
                ledger.append("goals", {"n": 1})

        held = pool.submit(hold)
        assert inside.wait(10)
        finish.set()
        with other.transaction() as ledger:
            assert [row.body for row in ledger.rows("goals")] == [{"n": 1}]
        held.result()


def test_no_write_of_forty_threads_is_lost(path: pathlib.Path) -> None:
    together = threading.Barrier(40)
    with SqliteStore(path, busy_seconds=30) as store, ThreadPoolExecutor(40) as pool:
        with store.transaction() as ledger:
            ledger.append("goals", {"count": 0})

        def count(_: int) -> None:
            together.wait(30)
            with store.transaction() as ledger:
                number, body = ledger.rows("goals")[0]
                ledger.replace("goals", number, {"count": body["count"] + 1})
            bodies(store)

        list(pool.map(count, range(40)))
        assert bodies(store) == [{"count": 40}]


def fill_the_disk(store: SqliteStore) -> None:
    with store.reading() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")


def write_too_much(ledger: Ledger) -> None:
    """What does not fit fails, and the caller makes nothing of it."""
    with pytest.raises(StoreUnusable, match="make room on the disk"), ledger.attempt():
        ledger.append("goals", {"text": "x" * 100_000})


def test_on_a_full_disk_nothing_is_kept_after_the_write_that_failed(store: SqliteStore) -> None:
    def go_on() -> None:
        with store.transaction() as ledger:
            ledger.append("goals", {"n": 1})
            write_too_much(ledger)
            ledger.remember(Remembered("r", "f", {}, 1))

    fill_the_disk(store)
    with pytest.raises(StoreUnusable, match="has ended"):
        go_on()
    with store.transaction() as ledger:
        assert (list(ledger.rows("goals")), ledger.recall("r")) == ([], None)


def test_on_a_full_disk_no_transaction_looks_as_if_it_were_kept(store: SqliteStore) -> None:
    fill_the_disk(store)
    with pytest.raises(StoreUnusable), store.transaction() as ledger:
        write_too_much(ledger)


def test_the_files_are_for_their_owner_alone(store: SqliteStore, path: pathlib.Path) -> None:
    bodies(store)
    names = ("portos.sqlite", "portos.sqlite-shm", "portos.sqlite-wal")
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == dict.fromkeys(names, 0o600)


def test_every_write_reaches_the_disk_before_it_is_acknowledged(store: SqliteStore) -> None:
    with store.writing() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        full = 2
        assert connection.execute("PRAGMA synchronous").fetchone() == (full,)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_closing_brings_everything_into_the_one_file(path: pathlib.Path) -> None:
    with SqliteStore(path) as store:
        with store.transaction() as ledger:
            ledger.append("goals", {"n": 1})
        assert path.with_name("portos.sqlite-wal").stat().st_size
    assert os.listdir(path.parent) == ["portos.sqlite"]
    alone = sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)
    assert alone.execute("SELECT body FROM records").fetchall() == [('{"n":1}',)]
    alone.close()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="this system does not list open files")
def test_closing_leaves_no_file_open_not_even_one_that_was_in_use(path: pathlib.Path) -> None:
    store = SqliteStore(path)
    with store.transaction() as ledger:
        bodies(store)
        store.close()
        ledger.append("goals", {"n": 1})
    targets = [os.path.realpath(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")]
    assert not [target for target in targets if target.startswith(str(path))]
    with SqliteStore(path) as again:
        assert bodies(again) == [{"n": 1}]


def test_a_closed_store_says_so(store: SqliteStore) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreUnusable, match="closed"), store.view():
        pytest.fail("a view of nothing")
    with pytest.raises(StoreUnusable, match="closed"), store.transaction():
        pytest.fail("a transaction of nothing")


def test_a_file_that_a_newer_program_changed_meanwhile_is_left_alone(
    path: pathlib.Path, store: SqliteStore
) -> None:
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(StoreUnusable, match="restart"), store.transaction():
        pytest.fail("a shape that is not known")
    with pytest.raises(StoreUnusable, match="restart"), store.view():
        pytest.fail("a shape that is not known")


def test_what_goes_wrong_later_names_no_path(path: pathlib.Path, store: SqliteStore) -> None:
    with store.view():
        path.unlink()
        with pytest.raises(StoreUnusable) as raised, store.view():
            pytest.fail("a second connection")
    assert str(path.parent) not in str(raised.value)
