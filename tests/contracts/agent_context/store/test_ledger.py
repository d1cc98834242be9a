"""Tests for `ledger`: rows and their numbers, attempts, effects, and what is remembered for how long."""

from __future__ import annotations

import math
import pathlib
from collections.abc import Iterator
from contextlib import suppress

import pytest

from evalkit.contracts.agent_context.store import Ledger, Remembered, Store, StoredRow
from evalkit.contracts.agent_context.store.failures import StoreUnusable
from evalkit.contracts.agent_context.store.ledger import Effect
from evalkit.contracts.agent_context.store.memory import FixtureStore
from evalkit.contracts.agent_context.store.sqlite import SqliteStore


class Broken(Exception):
    """Something that goes wrong in an attempt."""


@pytest.fixture
def ledger(store: SqliteStore) -> Iterator[Ledger]:
    with store.transaction() as opened:
        yield opened


@pytest.fixture(params=["memory", "sqlite"])
def either(request: pytest.FixtureRequest, path: pathlib.Path) -> Iterator[Store]:
    """Both stores make the same promise."""
    if request.param == "memory":
        yield FixtureStore(dict, lambda _: None, lambda _: None)
        return
    with SqliteStore(path) as opened:
        yield opened


def test_rows_keep_their_order_and_their_numbers_grow(ledger: Ledger) -> None:
    for title in ("b", "a"):
        ledger.append("goals", {"title": title})
    ledger.append("journal", {})
    ledger.append("goals", {"title": "c"})
    found = ledger.rows("goals")
    assert [row.body["title"] for row in found] == ["b", "a", "c"]
    numbers = [row.number for row in found]
    assert numbers == sorted(set(numbers))


def test_a_replaced_row_keeps_its_place_and_number(ledger: Ledger) -> None:
    ledger.append("goals", {"n": 1})
    ledger.append("goals", {"n": 2})
    first, second = ledger.rows("goals")
    ledger.replace("goals", first.number, {"n": 3})
    assert list(ledger.rows("goals")) == [StoredRow(first.number, {"n": 3}), second]


def test_only_a_row_of_the_collection_can_be_replaced(ledger: Ledger) -> None:
    ledger.append("goals", {"n": 1})
    number = ledger.rows("goals")[0].number
    with pytest.raises(LookupError, match="no row"):
        ledger.replace("goals", number + 1, {})
    with pytest.raises(LookupError, match="no row"):
        ledger.replace("journal", number, {})
    assert list(ledger.rows("goals")) == [StoredRow(number, {"n": 1})]


def test_a_collection_that_no_store_has_is_neither_empty_nor_made(ledger: Ledger) -> None:
    with pytest.raises(LookupError, match="goal"):
        ledger.rows("goal")
    with pytest.raises(LookupError, match="goal"):
        ledger.append("goal", {})


def test_what_is_not_json_is_refused(ledger: Ledger) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        ledger.append("goals", {"progress": math.nan})
    assert list(ledger.rows("goals")) == []


def test_a_failed_attempt_takes_only_its_own_writes_back(ledger: Ledger) -> None:
    ledger.append("goals", {"n": 1})
    number = ledger.rows("goals")[0].number

    def fail() -> None:
        with ledger.attempt():
            ledger.replace("goals", number, {"n": 2})
            with ledger.attempt():
                ledger.append("goals", {"n": 3})
            raise Broken

    with pytest.raises(Broken):
        fail()
    with ledger.attempt():
        ledger.append("goals", {"n": 4})
    assert [row.body for row in ledger.rows("goals")] == [{"n": 1}, {"n": 4}]


def test_what_is_done_after_a_failed_attempt_is_kept(store: SqliteStore) -> None:
    with store.transaction() as ledger:
        with suppress(Broken), ledger.attempt():
            ledger.append("goals", {})
            raise Broken
        ledger.remember(Remembered("r", "f", {"state": "failed"}, 1))
    with store.transaction() as ledger:
        assert ledger.recall("r") == Remembered("r", "f", {"state": "failed"}, 1)
        assert (list(ledger.rows("goals")), store.effects()) == ([], [])


def test_effects_name_the_request_that_was_remembered_with_them(store: SqliteStore) -> None:
    with store.transaction() as ledger:
        ledger.append("goals", {"n": 1})
    with store.transaction() as ledger:
        number = ledger.rows("goals")[0].number
        ledger.replace("goals", number, {"n": 2})
        ledger.remember(Remembered("r", "f", {}, 1))
    with store.transaction() as ledger:
        ledger.remember(Remembered("reads only", "f", {}, 1))
    assert store.effects() == [
        Effect(1, None, "append", "goals", number),
        Effect(2, "r", "replace", "goals", number),
    ]


def test_a_ledger_is_of_no_use_after_its_transaction(store: SqliteStore) -> None:
    with store.transaction() as ledger:
        pass
    with pytest.raises(StoreUnusable, match="ended"):
        ledger.append("goals", {})


def _known(store: Store, *names: str) -> list[object]:
    """What each request has left: its result, `expired`, or None."""
    with store.transaction() as ledger:
        found = [ledger.recall(name) for name in names]
    return [known and ("expired" if known.result is None else known.result) for known in found]


def _remember(store: Store, *asked: tuple[str, float]) -> None:
    with store.transaction() as ledger:
        for name, at in asked:
            ledger.remember(Remembered(name, f"f-{name}", {"of": name}, at))


def test_all_results_but_the_newest_go_and_their_fingerprints_stay(either: Store) -> None:
    _remember(either, ("a", 1), ("b", 1), ("c", 1))
    with either.transaction() as ledger:
        ledger.forget(results=2, fingerprints=10, before=0)
        assert ledger.recall("a") == Remembered("a", "f-a", None, 1)
    assert _known(either, "b", "c") == [{"of": "b"}, {"of": "c"}]


def test_the_newest_are_those_remembered_last_whatever_their_time(either: Store) -> None:
    _remember(either, ("a", 9), ("b", 5))
    _remember(either, ("a", 1))
    with either.transaction() as ledger:
        ledger.forget(results=1, fingerprints=10, before=0)
    assert _known(either, "a", "b") == [{"of": "a"}, "expired"]


def test_of_those_without_a_result_the_old_ones_go(either: Store) -> None:
    _remember(either, ("old", 1), ("edge", 2), ("old with a result", 1))
    with either.transaction() as ledger:
        ledger.forget(results=1, fingerprints=10, before=2)
    assert _known(either, "old", "edge", "old with a result") == [
        None,
        "expired",
        {"of": "old with a result"},
    ]


def test_of_those_without_a_result_all_but_the_newest_go(either: Store) -> None:
    _remember(either, ("a", 1), ("b", 1), ("c", 1), ("d", 1))
    with either.transaction() as ledger:
        ledger.forget(results=1, fingerprints=2, before=0)
    assert _known(either, "a", "b", "c", "d") == [None, "expired", "expired", {"of": "d"}]


def test_one_with_a_result_stays_though_newer_ones_without_go(either: Store) -> None:
    _remember(either, ("old", 1))
    with either.transaction() as ledger:
        for name in ("a", "b", "c"):
            ledger.remember(Remembered(name, "f", None, 1))
        ledger.forget(results=9, fingerprints=1, before=0)
    assert _known(either, "old", "a", "b", "c") == [{"of": "old"}, None, None, "expired"]


def test_everything_can_be_forgotten(either: Store) -> None:
    _remember(either, ("a", 1), ("b", 1))
    with either.transaction() as ledger:
        ledger.forget(results=0, fingerprints=0, before=0)
    assert _known(either, "a", "b") == [None, None]
