"""Tests for `sources`: the four scopes out of a file, and filling an empty one."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.contracts.agent_context.fakes import FixtureSources
from evalkit.contracts.agent_context.sources import Sources
from evalkit.contracts.agent_context.store.failures import StoreNotEmpty
from evalkit.contracts.agent_context.store.sources import StoreSources, fill
from evalkit.contracts.agent_context.store.sqlite import SqliteStore
from evalkit.contracts.agent_context.vocabulary import SCOPES

SCOPED: dict[str, Any] = {
    "navigation": [{"id": "b", "aliases": ["x"]}, {"id": "a", "aliases": []}],
    "workspaces": [{"appId": 2}, {"appId": 1}],
    "brain": {"people": [{"name": "\ud83d"}, {"name": "A"}], "ideas": [], "admin": [{"title": "T"}]},
    "identity": {"taste": {"present": True}, "autobiography": {"label": "L"}},
    "sourceStatus": {"brain": "stale", "navigation": "fresh"},
}


def test_a_filled_file_gives_what_the_same_fixture_gives(store: SqliteStore) -> None:
    fill(store, {}, SCOPED)
    kept: Sources = StoreSources(store)
    fixture: Sources = FixtureSources(lambda: SCOPED, lambda _: None)
    for scope in SCOPES:
        assert kept.items(scope) == fixture.items(scope)
        assert kept.status(scope) == fixture.status(scope)


def test_rows_carry_their_names_in_the_order_given(store: SqliteStore) -> None:
    fill(store, {}, SCOPED)
    assert [name for name, _ in StoreSources(store).items("brain")] == ["people", "people", "admin"]
    assert StoreSources(store).items("workspaces") == [("", {"appId": 2}), ("", {"appId": 1})]


def test_an_empty_file_has_no_rows_and_no_status(store: SqliteStore) -> None:
    for scope in SCOPES:
        assert StoreSources(store).items(scope) == []
        assert StoreSources(store).status(scope) is None


def test_a_scope_that_no_store_has_fails(store: SqliteStore) -> None:
    with pytest.raises(LookupError, match="vault"):
        StoreSources(store).items("vault")
    with pytest.raises(LookupError, match="vault"):
        StoreSources(store).status("vault")


def test_collections_are_filled_in_order_and_are_no_effects(store: SqliteStore) -> None:
    fill(store, {"goals": [{"title": "b"}, {"title": "a"}], "clock": []}, {})
    with store.view() as view:
        assert [row.body for row in view.rows("goals")] == [{"title": "b"}, {"title": "a"}]
    assert store.effects() == []


@pytest.mark.parametrize("held", [{"workspaces": [{}]}, {"sourceStatus": {"brain": "stale"}}])
def test_a_file_that_holds_a_scope_is_not_filled(store: SqliteStore, held: dict[str, Any]) -> None:
    fill(store, {}, held)
    with pytest.raises(StoreNotEmpty, match="holds data already"):
        fill(store, {"goals": [{}]}, {})
    with store.view() as view:
        assert list(view.rows("goals")) == []


def test_a_file_that_holds_a_row_is_not_filled(store: SqliteStore) -> None:
    with store.transaction() as ledger:
        ledger.append("goals", {"n": 1})
    with pytest.raises(StoreNotEmpty, match="holds data already"):
        fill(store, {}, SCOPED)
    assert StoreSources(store).items("navigation") == []


@pytest.mark.parametrize(
    ("collections", "scopes"),
    [
        ({"goals": [{}], "notes": []}, {}),
        ({"goals": [{}]}, {"vault": []}),
        ({"goals": [{}]}, {"sourceStatus": {"vault": "stale"}}),
    ],
)
def test_a_name_that_no_store_has_is_refused_and_nothing_is_filled(
    store: SqliteStore, collections: dict[str, Any], scopes: dict[str, Any]
) -> None:
    with pytest.raises(LookupError, match=r"no store has (notes|vault)"):
        fill(store, collections, scopes)
    with store.view() as view:
        assert list(view.rows("goals")) == []


@pytest.mark.parametrize(
    ("collections", "scopes"), [({"clock": {"timezone": "UTC"}}, {}), ({}, {"brain": {"people": ["A"]}})]
)
def test_a_row_that_is_no_object_is_refused_and_nothing_is_filled(
    store: SqliteStore, collections: dict[str, Any], scopes: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="no object"):
        fill(store, {"goals": [{}], **collections}, scopes)
    with store.view() as view:
        assert list(view.rows("goals")) == []
