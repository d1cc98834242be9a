"""The World of a case: immutable data, a clock that stands still, fixed identifiers, a log, a folder."""

from __future__ import annotations

import os
import stat
import uuid
from pathlib import Path

import pytest

from evalkit.frozen import freeze
from evalkit.model import Json
from evalkit.world import CaseFolder, FakeWorld, Log


def world_of(fixture: Json = None, settings: Json = None) -> FakeWorld:
    return FakeWorld(freeze(fixture or {}), freeze(settings), CaseFolder())


def test_the_clock_begins_in_2026_and_stands_still() -> None:
    world = world_of()
    assert world.now() == world.now() == 1_767_225_600.0


def test_identifiers_are_the_same_in_every_world_and_uuids_in_form() -> None:
    first, second = world_of(), world_of()
    ids = [first.next_id() for _ in range(3)]
    assert ids == [second.next_id() for _ in range(3)]
    assert ids[:2] == ["00000000-0000-8000-8000-000000000001", "00000000-0000-8000-8000-000000000002"]
    assert uuid.UUID(ids[0]).version == 8


@pytest.mark.parametrize(
    ("patch", "fixture"),
    [
        ({"a": {"b": 2}}, {"a": {"b": 2, "c": [1]}, "d": "x"}),
        ({"a": {"b": None}}, {"a": {"c": [1]}, "d": "x"}),
        ({"a": {"c": [2, {"e": None}]}}, {"a": {"b": 1, "c": [2, {"e": None}]}, "d": "x"}),
        ({"a": None}, {"d": "x"}),
        ({"d": {"new": {}}}, {"a": {"b": 1, "c": [1]}, "d": {"new": {}}}),
        ({"gone": None}, {"a": {"b": 1, "c": [1]}, "d": "x"}),
        ({}, {"a": {"b": 1, "c": [1]}, "d": "x"}),
    ],
)
def test_a_patch_is_a_json_merge_patch_of_the_fixture(patch: Json, fixture: Json) -> None:
    before = freeze({"a": {"b": 1, "c": [1]}, "d": "x"})
    world = FakeWorld(before, None, CaseFolder())
    world.change({"patch": freeze(patch)})
    assert world.fixture == fixture
    assert before == {"a": {"b": 1, "c": [1]}, "d": "x"}
    with pytest.raises(TypeError):
        world.fixture["a"] = 1


def test_settings_are_replaced_and_time_is_added() -> None:
    world = world_of(settings={"a": 1})
    world.change({"settings": {"b": 2}, "advance": 1.5})
    world.change({"advance": 10})
    assert (world.settings, world.now()) == ({"b": 2}, 1_767_225_611.5)
    world.change({"settings": None})
    assert world.settings is None


def test_a_log_counts_reads_and_names_what_was_never_asked() -> None:
    log = Log()
    log.declare("a", "b")
    log.read("a")
    log.read("c")
    log.declare("a")
    assert log.calls == {"a": 1, "b": 0, "c": 1}


def test_an_effect_is_copied_and_has_to_be_json() -> None:
    log, effect = Log(), [1]
    log.wrote(effect)
    effect.append(2)
    assert log.effects == [[1]]
    with pytest.raises(TypeError, match="a set is no JSON value"):
        log.wrote({1, 2})


@pytest.mark.parametrize("source", [None, 1, ("a",)])
def test_a_source_is_named_by_a_text(source: Json) -> None:
    with pytest.raises(TypeError, match="named by a text"):
        Log().read(source)
    with pytest.raises(TypeError, match="named by a text"):
        Log().declare(source)


def test_each_world_has_an_empty_folder_of_its_own_that_goes_with_the_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    case = CaseFolder()
    assert (case.path, list(tmp_path.iterdir())) == (None, [])
    first, second = FakeWorld({}, None, case), FakeWorld({}, None, case)
    assert first.folder() == first.folder() != second.folder()
    assert os.listdir(first.folder()) == []
    assert case.path is not None
    assert stat.S_IMODE(os.stat(case.path).st_mode) == 0o700
    Path(first.folder(), "note").write_text("x")
    case.remove()
    assert list(tmp_path.iterdir()) == []
    CaseFolder().remove()
