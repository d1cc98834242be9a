"""Tests for `fakes`, `subject` and the fixture schema: what stands in for the sources."""

from __future__ import annotations

import json
import pathlib
from importlib.resources import files
from typing import TYPE_CHECKING

import jsonschema
import pytest

from evalkit.contracts.agent_context.fakes import FixtureSources, SourceFailure
from evalkit.contracts.agent_context.store import COLLECTIONS
from evalkit.model import Json

if TYPE_CHECKING:
    from tests.contracts.agent_context.conftest import Open

CORPUS = pathlib.Path(__file__).parents[3] / "../shared/corpus"
SCHEMA: Json = json.loads(
    files("evalkit.contracts.agent_context").joinpath("fixture.schema.json").read_text(encoding="utf-8")
)
VALID = jsonschema.Draft202012Validator(SCHEMA)


def _sources(fixture: Json) -> FixtureSources:
    return FixtureSources(lambda: fixture, lambda scope: None)


def test_rows_keep_the_order_of_the_fixture_and_carry_their_names() -> None:
    sources = _sources(
        {
            "navigation": [{"id": 2}, {"id": 1}],
            "brain": {"z": [{"id": 1}], "a": [{"id": 2}]},
            "identity": {"k": {"present": True}},
        }
    )
    assert sources.items("navigation") == [("", {"id": 2}), ("", {"id": 1})]
    assert sources.items("brain") == [("z", {"id": 1}), ("a", {"id": 2})]
    assert sources.items("identity") == [("k", {"present": True})]
    assert sources.items("workspaces") == []


def test_a_broken_source_throws_for_records_and_for_status() -> None:
    sources = _sources({"errors": ["brain"], "errorText": "why"})
    with pytest.raises(SourceFailure, match="why"):
        sources.items("brain")
    with pytest.raises(SourceFailure, match="why"):
        sources.status("brain")
    assert sources.status("identity") is None


def test_what_is_thrown_by_default_can_be_excluded_by_a_suite() -> None:
    with pytest.raises(SourceFailure, match="private-store"):
        _sources({"errors": ["brain"]}).items("brain")


def test_a_world_step_is_seen_by_the_next_call(opened: Open) -> None:
    contract = opened({"workspaces": [{"appId": "a"}]})
    assert len(contract.items("workspaces")) == 1
    contract.world.patch({"workspaces": [], "sourceStatus": {"workspaces": "stale"}})
    output = contract.output("list_context", {"scope": "workspaces"})
    assert (output["items"], output["sourceStatus"]) == ([], "stale")


def test_the_snapshot_tells_what_each_source_holds_now(opened: Open) -> None:
    contract = opened({"workspaces": [{"appId": "a"}]})
    assert contract.subject.snapshot is not None
    before = contract.subject.snapshot()
    assert before == {
        "navigation": None,
        "workspaces": [{"appId": "a"}],
        "brain": None,
        "identity": None,
        **{collection: [] for collection in COLLECTIONS},
    }
    contract.world.patch({"identity": {"k": {}}})
    assert contract.subject.snapshot() != before


def test_headers_and_meta_mean_nothing_to_the_context_tools(opened: Open) -> None:
    surface = opened().surface
    plain = surface.call_tool("context_profile", {})
    assert surface.call_tool("context_profile", {}, headers={"Idempotency-Key": "é"}, meta={}) == plain  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "fixture",
    [
        {},
        {"navigation": [{"anything": 1}], "workspaces": [], "brain": {"t": [{}]}, "identity": {"k": {}}},
        {"sourceStatus": {"brain": "stale", "identity": "fresh"}, "errors": ["brain"], "errorText": "x"},
    ],
)
def test_the_fixture_schema_allows_the_vocabulary(fixture: Json) -> None:
    VALID.check_schema(SCHEMA)
    assert VALID.is_valid(fixture)


@pytest.mark.parametrize(
    "fixture",
    [
        {"navigations": []},
        {"workspaces": [None]},
        {"navigation": {}},
        {"brain": []},
        {"brain": {"ideas": {}}},
        {"brain": {"ideas": ["text"]}},
        {"identity": {"k": None}},
        {"sourceStatus": {"brain": "STALE"}},
        {"sourceStatus": {"brain": None}},
        {"sourceStatus": {"brian": "stale"}},
        {"errors": ["brian"]},
        {"errors": ["brain", "brain"]},
        {"errorText": 5},
        [],
    ],
)
def test_the_fixture_schema_refuses_junk(fixture: Json) -> None:
    assert not VALID.is_valid(fixture)


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus that others wrote is not here")
def test_the_fixtures_of_the_original_suites_are_valid() -> None:
    suites = sorted(CORPUS.glob("portos-*.json"))
    assert len(suites) == 2
    for suite in suites:
        for fixture in json.loads(suite.read_text(encoding="utf-8"))["fixtures"].values():
            VALID.validate(fixture)
