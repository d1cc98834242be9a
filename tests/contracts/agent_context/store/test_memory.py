"""Tests for `store.memory` and the section `semantic` of the fixture schema: a store over a fixture."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from importlib.resources import files

import jsonschema
import pytest

from evalkit.contracts.agent_context.fakes import SourceFailure
from evalkit.contracts.agent_context.semantic.adapters import ADAPTERS
from evalkit.contracts.agent_context.semantic.nouns import Moment
from evalkit.contracts.agent_context.store import COLLECTIONS, Ledger, Remembered, Store, StoredRow
from evalkit.contracts.agent_context.store.memory import FixtureStore, adapters_with_results, collections
from evalkit.frozen import freeze
from evalkit.model import Json
from evalkit.values import merge_patch
from tests.contracts.agent_context.semantic.adapters.sem import sem

SCHEMA: Json = json.loads(
    files("evalkit.contracts.agent_context").joinpath("fixture.schema.json").read_text(encoding="utf-8")
)
VALID = jsonschema.Draft202012Validator(SCHEMA)
WRITING = (
    *("brain.capture", "health.log.drink", "health.log.nicotine", "health.log.weight", "health.log.workout"),
    *("goals.update-progress", "goals.log-note", "feeds.mark-read", "journal.append"),
)
ARGUMENTS: Json = {
    "text": "a",
    "name": "beer",
    "product": "vape",
    "weight": 1,
    "unit": "kg",
    "type": "run",
    "notes": "n",
    "goalQuery": "run",
    "progress": 1.5,
    "note": "a",
    "durationMinutes": 5,
    "all": True,
}


class Stage:
    """A store over a fixture that a test can patch, and what it told."""

    def __init__(self, **collections: Json) -> None:
        self.fixture: Json = freeze({"semantic": collections})
        self.reads: list[str] = []
        self.effects: list[Json] = []
        self.store = FixtureStore(lambda: self.fixture, self.reads.append, self.effects.append)

    def patch(self, **collections: Json) -> None:
        """What a `world` step does."""
        self.fixture = freeze(merge_patch(self.fixture, {"semantic": collections}))

    def rows(self, collection: str) -> Sequence[StoredRow]:
        """What a view shows."""
        with self.store.view() as records:
            return list(records.rows(collection))

    def append(self, collection: str, body: Json) -> None:
        """One transaction that appends."""
        with self.store.transaction() as ledger:
            ledger.append(collection, body)

    def replace(self, collection: str, number: int, body: Json) -> None:
        """One transaction that replaces."""
        with self.store.transaction() as ledger:
            ledger.replace(collection, number, body)


def test_it_is_a_store() -> None:
    stage = Stage()
    store: Store = stage.store
    with store.view() as records:
        assert list(records.rows("goals")) == []


def test_rows_are_numbered_in_the_order_of_the_fixture() -> None:
    stage = Stage(goals=[{"title": "b"}, {"title": "a"}])
    assert stage.rows("goals") == [StoredRow(1, {"title": "b"}), StoredRow(2, {"title": "a"})]


def test_rows_can_be_counted_sliced_and_taken_from_the_end() -> None:
    with Stage(goals=[{"n": 1}, {"n": 2}, {"n": 3}]).store.view() as records:
        rows = records.rows("goals")
        assert (len(rows), rows[-1], rows[0]) == (3, StoredRow(3, {"n": 3}), StoredRow(1, {"n": 1}))
        assert rows[-2:] == [StoredRow(2, {"n": 2}), StoredRow(3, {"n": 3})]
        assert list(reversed(rows)) == [StoredRow(number, {"n": number}) for number in (3, 2, 1)]
        with pytest.raises(IndexError):
            rows[3]


def test_a_single_object_is_one_row_and_what_is_not_there_none() -> None:
    stage = Stage(clock={"timezone": "UTC"})
    assert stage.rows("clock") == [StoredRow(1, {"timezone": "UTC"})]
    assert stage.rows("weather") == []


@pytest.mark.parametrize("fixture", [None, {}, {"semantic": {}}, {"workspaces": []}])
def test_a_fixture_that_says_nothing_makes_an_empty_store(fixture: Json) -> None:
    store = FixtureStore(lambda: fixture, lambda _: None, lambda _: None)
    assert store.snapshot() == {name: [] for name in COLLECTIONS}


def test_a_collection_that_no_store_holds_is_a_lookup_error() -> None:
    stage = Stage()
    with pytest.raises(LookupError, match="secrets"):
        stage.rows("secrets")
    with pytest.raises(LookupError, match="secrets"):
        stage.append("secrets", {})


def test_each_question_is_noted_and_a_snapshot_is_none() -> None:
    stage = Stage()
    with stage.store.transaction() as ledger:
        ledger.rows("goals")
        ledger.rows("goals")
        ledger.append("feeds", {})
    stage.rows("clock")
    stage.store.snapshot()
    assert stage.reads == ["goals", "goals", "clock"]


def test_what_is_appended_stands_after_the_rows_of_the_fixture() -> None:
    stage = Stage(goals=[{"n": 1}])
    stage.append("goals", {"n": 2})
    stage.append("goals", {"n": 3})
    assert stage.rows("goals") == [StoredRow(number, {"n": number}) for number in (1, 2, 3)]


def test_what_is_written_is_seen_at_once_inside_and_by_others_when_it_is_kept() -> None:
    stage = Stage(goals=[{"n": 1}])
    with stage.store.transaction() as ledger:
        ledger.append("goals", {"n": 2})
        ledger.replace("goals", 1, {"n": 9})
        assert [row.body["n"] for row in ledger.rows("goals")] == [9, 2]
        assert [row.body["n"] for row in stage.rows("goals")] == [1]
        assert stage.effects == []
    assert [row.body["n"] for row in stage.rows("goals")] == [9, 2]


def test_a_view_stays_as_it_was_opened() -> None:
    stage = Stage(goals=[{"n": 1}])
    with stage.store.view() as records:
        stage.append("goals", {"n": 2})
        stage.patch(goals=[{"n": 5}])
        assert [row.body["n"] for row in records.rows("goals")] == [1]


def test_any_row_can_be_replaced_and_only_a_row() -> None:
    stage = Stage(goals=[{"n": 1}])
    stage.append("goals", {"n": 2})
    stage.replace("goals", 2, {"n": 20})
    stage.replace("goals", 1, {"n": 10})
    assert [row.body["n"] for row in stage.rows("goals")] == [10, 20]
    for number in (0, -1, 3):
        with pytest.raises(LookupError, match=f"goals has no row {number}"):
            stage.replace("goals", number, {})
    assert len(stage.effects) == 3


def test_effects_are_told_in_order_once_they_are_kept() -> None:
    stage = Stage(goals=[{"n": 1}])
    with stage.store.transaction() as ledger:
        ledger.append("feeds", {"n": 2})
        ledger.replace("goals", 1, {"n": 3})
    assert stage.effects == [
        {"collection": "feeds", "change": "append", "row": {"n": 2}},
        {"collection": "goals", "change": "replace", "row": {"n": 3}},
    ]
    stage.append("goals", {"n": 4})
    assert len(stage.effects) == 3


def test_a_transaction_that_raises_leaves_nothing() -> None:
    stage = Stage(goals=[{"n": 1}])
    before = stage.store.snapshot()

    def fail() -> None:
        with stage.store.transaction() as ledger:
            ledger.append("goals", {})
            ledger.replace("goals", 1, {})
            ledger.remember(Remembered("k", "f", {}, 0))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (stage.store.snapshot(), stage.effects) == (before, [])
    with stage.store.transaction() as ledger:
        assert ledger.recall("k") is None


def test_an_attempt_that_raises_takes_back_what_it_wrote_and_nothing_else() -> None:
    stage = Stage(goals=[{"n": 1}])

    def fail(ledger: Ledger) -> None:
        with ledger.attempt():
            ledger.append("goals", {"n": 3})
            ledger.replace("goals", 1, {"n": 4})
            raise ZeroDivisionError

    with stage.store.transaction() as ledger:
        ledger.append("goals", {"n": 2})
        with pytest.raises(ZeroDivisionError):
            fail(ledger)
        with ledger.attempt():
            ledger.append("goals", {"n": 5})
    assert [row.body["n"] for row in stage.rows("goals")] == [1, 2, 5]
    assert [effect["row"]["n"] for effect in stage.effects] == [2, 5]


def test_a_world_step_is_seen_and_what_was_written_stays() -> None:
    stage = Stage(goals=[{"n": 1}, {"n": 2}], feeds=[{"n": 1}])
    stage.append("goals", {"n": 3})
    stage.replace("goals", 2, {"n": 20})
    stage.replace("goals", 3, {"n": 30})
    stage.patch(goals=[{"n": 7}, {"n": 8}, {"n": 9}], feeds=None)
    assert [row.body["n"] for row in stage.rows("goals")] == [7, 20, 9, 30]
    assert stage.rows("goals")[3].number == 4
    stage.patch(goals=[{"n": 7}])
    assert [row.body["n"] for row in stage.rows("goals")] == [7, 30]
    assert stage.rows("feeds") == []


def test_the_snapshot_tells_what_every_collection_holds_now() -> None:
    stage = Stage(goals=[{"n": 1}], errors=["goals"], clock={"timezone": "UTC"})
    stage.append("feeds", {"n": 2})
    held: dict[str, Json] = {name: [] for name in COLLECTIONS}
    assert stage.store.snapshot() == {
        **held,
        "goals": [{"n": 1}],
        "feeds": [{"n": 2}],
        "clock": [{"timezone": "UTC"}],
    }


def test_the_fixture_itself_is_never_changed() -> None:
    plain = {"goals": [{"n": 1}]}
    store = FixtureStore(lambda: {"semantic": plain}, lambda _: None, lambda _: None)
    with store.transaction() as ledger:
        ledger.append("goals", {"n": 2})
        ledger.replace("goals", 1, {"n": 3})
    assert plain == {"goals": [{"n": 1}]}


def test_a_broken_collection_throws_when_it_is_read_or_written_until_it_is_healed() -> None:
    stage = Stage(goals=[{"n": 1}], errors=["goals"], errorText="why")
    with pytest.raises(SourceFailure, match="why"):
        stage.rows("goals")
    with pytest.raises(SourceFailure, match="why"):
        stage.append("goals", {})
    with pytest.raises(SourceFailure, match="why"):
        stage.replace("goals", 1, {})
    stage.append("feeds", {})
    assert (stage.reads, len(stage.effects)) == (["goals"], 1)
    stage.patch(errors=[])
    assert len(stage.rows("goals")) == 1


def test_a_broken_collection_says_what_it_is_by_default() -> None:
    with pytest.raises(SourceFailure, match="the fixture says that goals is broken"):
        Stage(errors=["goals"]).rows("goals")


def test_a_view_waits_for_nobody() -> None:
    stage = Stage(goals=[{"n": 1}])
    seen: list[int] = []
    with stage.store.transaction():
        thread = threading.Thread(target=lambda: seen.append(len(stage.rows("goals"))))
        thread.start()
        thread.join(10)
        assert seen == [1]


def test_transactions_of_many_threads_wait_for_each_other() -> None:
    stage = Stage()

    def write() -> None:
        for _ in range(50):
            with stage.store.transaction() as ledger:
                before = len(ledger.rows("goals"))
                time.sleep(0)  # gives way to another thread, which would see as many rows
                ledger.append("goals", {"before": before})

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [row.body["before"] for row in stage.rows("goals")] == list(range(200))
    assert len(stage.effects) == 200


# Replays


def remembered(name: str, at: float = 0, result: Json = "done") -> Remembered:
    return Remembered(name, f"fingerprint of {name}", result, at)


def remember(stage: Stage, *entries: Remembered) -> None:
    for entry in entries:
        with stage.store.transaction() as ledger:
            ledger.remember(entry)


def forget(stage: Stage, results: int = 500, fingerprints: int = 10_000, before: float = -1) -> None:
    with stage.store.transaction() as ledger:
        ledger.forget(results=results, fingerprints=fingerprints, before=before)


def known(stage: Stage, *names: str) -> list[Json]:
    """Per name: its result, None where that is forgotten, `...` where the request is."""
    with stage.store.transaction() as ledger:
        found = [ledger.recall(name) for name in names]
    return [... if one is None else one.result for one in found]


def test_what_is_remembered_is_recalled_as_it_was() -> None:
    stage = Stage()
    entry = remembered("k", 5, {"state": "failed"})
    remember(stage, entry)
    with stage.store.transaction() as ledger:
        assert ledger.recall("k") == entry
        assert ledger.recall("other") is None


def test_remembering_again_takes_the_place_of_what_was_known() -> None:
    stage = Stage()
    remember(stage, remembered("k", result=None), remembered("k", result="done"))
    assert known(stage, "k") == ["done"]
    remember(stage, remembered("k", result=None))
    assert known(stage, "k") == [None]


def test_the_newest_results_stay_and_the_fingerprints_of_the_others() -> None:
    stage = Stage()
    remember(stage, *map(remembered, "abc"))
    forget(stage, results=2)
    assert known(stage, "a", "b", "c") == [None, "done", "done"]
    with stage.store.transaction() as ledger:
        assert ledger.recall("a") == Remembered("a", "fingerprint of a", None, 0)


def test_what_is_remembered_again_is_the_newest() -> None:
    stage = Stage()
    remember(stage, *map(remembered, "abca"))
    forget(stage, results=1)
    assert known(stage, "a", "b", "c") == ["done", None, None]


def test_the_newest_fingerprints_stay() -> None:
    stage = Stage()
    remember(stage, *map(remembered, "abcd"))
    forget(stage, results=1, fingerprints=2)
    assert known(stage, "a", "b", "c", "d") == [..., None, None, "done"]
    forget(stage, results=0, fingerprints=0)
    assert known(stage, "b", "c", "d") == [..., ..., ...]


def test_a_fingerprint_that_is_remembered_again_is_the_newest() -> None:
    stage = Stage()
    remember(stage, *(remembered(name, result=None) for name in "aba"))
    forget(stage, fingerprints=1)
    assert known(stage, "a", "b") == [None, ...]


def test_a_fingerprint_without_result_is_dropped_when_it_is_older_than_asked() -> None:
    stage = Stage()
    remember(stage, remembered("a", 10), remembered("b", 20), remembered("c", 5))
    forget(stage, results=1, before=10)
    assert known(stage, "a", "b", "c") == [None, None, "done"]
    forget(stage, results=1, before=20)
    assert known(stage, "a", "b", "c") == [..., None, "done"]
    forget(stage, results=1, before=1000)
    assert known(stage, "a", "b", "c") == [..., ..., "done"]
    forget(stage, results=0, before=6)
    assert known(stage, "c") == [...]


def test_a_fingerprint_that_never_had_a_result_grows_old_too() -> None:
    stage = Stage()
    remember(stage, remembered("a", 10, None), remembered("b", 20, None))
    forget(stage, before=11)
    assert known(stage, "a", "b") == [..., None]


def test_forgetting_within_a_transaction_that_raises_is_undone() -> None:
    stage = Stage()
    remember(stage, *map(remembered, "ab"))

    def fail() -> None:
        with stage.store.transaction() as ledger:
            ledger.forget(results=0, fingerprints=0, before=0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    forget(stage, results=1)
    assert known(stage, "a", "b") == [None, "done"]


def test_ten_thousand_requests_leave_what_they_may_and_no_more() -> None:
    stage = Stage()
    for number in range(10_600):
        with stage.store.transaction() as ledger:
            ledger.remember(remembered(f"k{number}", number))
            ledger.forget(results=500, fingerprints=10_000, before=-1)
    # 10,600 less 500 results less 10,000 fingerprints: the first 100 are gone.
    assert known(stage, "k99", "k100", "k10099", "k10100", "k10599") == [..., None, None, "done", "done"]


# What an adapter gives in place of its own result


def call(tool: str, fixture: Json) -> Json:
    store = FixtureStore(lambda: fixture, lambda _: None, lambda _: None)
    with store.transaction() as ledger:
        return adapters_with_results(ADAPTERS, lambda: fixture)[tool](ledger, {}, Moment(0, "UTC"))


@pytest.mark.parametrize("result", [[1], None, "text", {"ok": False, "summary": "no"}])
def test_an_adapter_gives_what_the_fixture_says_it_gives(result: Json) -> None:
    assert call("goals.list", {"semantic": {"results": {"goals.list": result}}}) == result


@pytest.mark.parametrize("fixture", [None, {}, {"semantic": {}}, {"semantic": {"results": {"time.now": []}}}])
def test_an_adapter_of_which_nothing_is_said_does_its_work(fixture: Json) -> None:
    assert call("goals.list", fixture)["count"] == 0


def test_every_adapter_stays_in_the_table() -> None:
    assert set(adapters_with_results(ADAPTERS, lambda: None)) == set(ADAPTERS)


# The vocabulary


def test_a_fixture_s_collections_are_told_as_rows() -> None:
    rows = collections({"semantic": {"clock": {"timezone": "UTC"}, "goals": [{"title": "a"}]}})
    assert list(rows) == list(COLLECTIONS)
    assert (rows["clock"], rows["goals"], rows["feeds"]) == ([{"timezone": "UTC"}], [{"title": "a"}], [])


def test_the_schema_knows_every_collection_and_every_tool() -> None:
    section = SCHEMA["properties"]["semantic"]["properties"]
    assert set(section) == {*COLLECTIONS, "errors", "errorText", "results"}
    assert set(section["errors"]["items"]["enum"]) == set(COLLECTIONS)
    assert set(section["results"]["properties"]) == set(ADAPTERS)


def test_the_fixture_of_these_tests_is_valid() -> None:
    VALID.check_schema(SCHEMA)
    VALID.validate(sem())


@pytest.mark.parametrize("tool", WRITING)
def test_what_a_tool_writes_could_stand_in_a_fixture(tool: str) -> None:
    effects: list[Json] = []
    store = FixtureStore(sem, lambda _: None, effects.append)
    with store.transaction() as ledger:
        ADAPTERS[tool](ledger, ARGUMENTS, Moment(0.5, "UTC"))
    assert effects
    for effect in effects:
        VALID.validate({"semantic": {effect["collection"]: [effect["row"]]}})


@pytest.mark.parametrize(
    "section",
    [
        {},
        {"errors": ["goals"], "errorText": "x"},
        {"results": {"goals.list": [1], "time.now": None}},
        {"goals": [{"title": "a", "private": 1}]},
        {"calendar": [{"title": "a", "startTime": "2026-01-02T03:04+09:00"}]},
        {"health": [{"kind": "workout", "date": "2026-01-02", "type": "run"}]},
    ],
)
def test_the_schema_allows_the_vocabulary(section: Json) -> None:
    assert VALID.is_valid({"semantic": section})


@pytest.mark.parametrize(
    "section",
    [
        None,
        [],
        {"goal": []},
        {"goals": {}},
        {"goals": [None]},
        {"goals": [{}]},
        {"goals": [{"title": "a", "progress": 101}]},
        {"brainInbox": [{"id": "a", "capturedText": "b"}]},
        {"brainInbox": [{"id": "a", "capturedText": "b", "capturedAt": "yesterday"}]},
        {"journal": [{"date": "2026-1-2", "segments": []}]},
        {"journal": [{"date": "2026-01-02", "segments": ["text"]}]},
        {"calendar": [{"title": "a", "startTime": "noon"}]},
        {"health": [{"kind": "nap", "date": "2026-01-02"}]},
        {"health": [{"kind": "drink", "date": "2026-01-02", "name": "beer", "count": 1}]},
        {"health": [{"kind": "nicotine", "date": "2026-01-02", "count": 1, "mgPerUnit": 1}]},
        {"health": [{"kind": "weight", "date": "2026-01-02", "weight": 1}]},
        {"health": [{"kind": "workout", "date": "2026-01-02"}]},
        {"feeds": [{"feed": "a", "title": "b", "date": "2026-01-02", "read": "yes"}]},
        {"catalog": [{"id": "a", "name": "b"}]},
        {"clock": []},
        {"clock": {"timezone": "UTC", "now": "x"}},
        {"weather": {"lat": 91, "lon": 0, "temperatureF": 0, "weatherCode": 0}},
        {"weather": {"lat": 0, "lon": 0, "temperatureF": 0}},
        {"processes": [{"name": "a"}]},
        {"agents": [{"taskId": "a"}]},
        {"errors": ["brain"]},
        {"errors": ["goals", "goals"]},
        {"errorText": 5},
        {"results": {"goals_list": []}},
    ],
)
def test_the_schema_refuses_junk(section: Json) -> None:
    assert not VALID.is_valid({"semantic": section})
