"""Tests for `adapters.catalog`: names before descriptions, types, snippets."""

from __future__ import annotations

import pytest

from evalkit.model import Json
from tests.contracts.agent_context.semantic.adapters.sem import Tools, sem


def entry(name: str, **fields: Json) -> Json:
    return {"id": name, "name": name, "type": "idea", **fields}


def test_a_name_goes_before_a_description() -> None:
    assert Tools().done("catalog.search", query=" LAMP ") == {
        "count": 2,
        "results": [
            {"id": "p1", "name": "Lamp Hill", "type": "place", "snippet": "", "refsCount": 0},
            {"id": "c1", "name": "Mira", "type": "character", "snippet": "Keeps the lamp.", "refsCount": 2},
        ],
    }


def test_an_entry_that_fits_twice_is_found_once() -> None:
    tools = Tools(sem(catalog=[entry("oak", description="an oak")]))
    assert tools.done("catalog.search", query="oak")["count"] == 1


def test_a_type_leaves_only_its_entries() -> None:
    tools = Tools(sem(catalog=[entry("oak"), entry("oak tree", type="Plant")]))
    assert [one["name"] for one in tools.done("catalog.search", query="oak", type="plant")["results"]] == [
        "oak tree"
    ]
    assert tools.done("catalog.search", query="oak", type="scene") == {"count": 0, "results": []}


@pytest.mark.parametrize(
    ("description", "snippet"),
    [
        ("a" * 200, "a" * 200),
        ("a" * 201, "a" * 200),
        ("two\n\n words", "two words"),
        ("a" * 199 + "\U0001f33f", "a" * 199),  # two UTF-16 units, of which one would fit
    ],
)
def test_a_snippet_has_at_most_200_units_and_splits_no_character(description: str, snippet: str) -> None:
    tools = Tools(sem(catalog=[entry("oak", description=description)]))
    assert tools.done("catalog.search", query="oak")["results"][0]["snippet"] == snippet


def test_what_stands_behind_the_snippet_is_searched_too() -> None:
    tools = Tools(sem(catalog=[entry("oak", description="a" * 300 + " acorn")]))
    assert tools.done("catalog.search", query="acorn")["count"] == 1


@pytest.mark.parametrize(
    ("limit", "count"),
    [({}, 5), ({"limit": 0}, 5), ({"limit": -1}, 5), ({"limit": 1}, 1), ({"limit": 21}, 20)],
)
def test_five_entries_are_shown_and_twenty_at_most(limit: Json, count: int) -> None:
    tools = Tools(sem(catalog=[entry(f"oak {number}") for number in range(25)]))
    given = tools.done("catalog.search", query="oak", **limit)
    assert given["count"] == len(given["results"]) == count


def test_blank_words_are_refused() -> None:
    assert Tools().refusal("catalog.search", query=" ") == "query must not be empty"
    assert Tools().refusal("catalog.search", query="oak", type=" ") == "type must not be empty"
