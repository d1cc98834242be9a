"""Tests for `navigation`: the closest reading of a phrase wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evalkit.contracts.agent_context.navigation import resolve
from evalkit.model import Json

if TYPE_CHECKING:
    from tests.contracts.agent_context.conftest import Open

PAGES: list[Json] = [
    {
        "id": "nav.home",
        "label": "Example Home",
        "path": "/home-page",
        "aliases": ["home"],
        "keywords": ["start"],
    },
    {"id": "nav.log", "label": "Daily Log", "path": "/log", "aliases": ["daily-log", "log"], "keywords": []},
    {"id": "nav.logbook", "label": "Logbook", "path": "/logbook", "aliases": ["captains-logbook"]},
    {"id": "nav.ai", "label": "Models", "path": "/ai", "aliases": ["ai"]},
]


def _page(query: str, pages: list[Json] = PAGES) -> str | None:
    found = resolve(query, [("", page) for page in pages])
    return None if found is None else found[1]["id"]


@pytest.mark.parametrize("query", ["NAV.HOME", "example home", "/Home-Page", "Home", "START"])
def test_what_a_page_is_called_finds_it_in_any_case(query: str) -> None:
    assert _page(query) == "nav.home"


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("daily log!?", "nav.log"),  # an alias, once normalised
        ("Daily   LOG .", "nav.log"),
        ("ai?!", "nav.ai"),
        ("home please", "nav.home"),  # begins with an alias
        ("capt", "nav.logbook"),  # begins an alias
        ("open my log", "nav.log"),  # ends with an alias
        ("the captains logbook now", "nav.logbook"),  # holds an alias, the longest
        ("ly-lo", "nav.log"),  # stands within an alias
        ("show me ai", "nav.ai"),  # its last word is an alias
        ("aim", None),  # `ai` is too short to begin a phrase
        ("zzz", None),
    ],
)
def test_looser_readings_follow_in_order(query: str, page: str | None) -> None:
    assert _page(query) == page


def test_a_closer_reading_of_a_later_page_beats_a_looser_one_of_an_earlier() -> None:
    pages: list[Json] = [{"id": "first", "aliases": ["home-office"]}, {"id": "second", "aliases": ["home"]}]
    assert _page("home", pages) == "second"
    assert _page("home!", pages) == "second"


def test_an_alias_that_begins_with_the_phrase_beats_one_that_holds_it() -> None:
    pages: list[Json] = [
        {"id": "holds", "aliases": ["my-goals"]},
        {"id": "begins", "aliases": ["goals-list"]},
    ]
    assert _page("goals", pages) == "begins"


def test_the_longest_alias_wins_where_several_end_a_phrase() -> None:
    pages: list[Json] = [{"id": "short", "aliases": ["log"]}, {"id": "long", "aliases": ["daily-log"]}]
    assert _page("my daily log", pages) == "long"


def test_the_first_of_two_equals_wins() -> None:
    assert _page("x", [{"id": "1", "aliases": ["x"]}, {"id": "2", "aliases": ["x"]}]) == "1"


def test_punctuation_alone_finds_nothing() -> None:
    assert _page("?!") is None


def test_the_match_is_projected_like_any_item(opened: Open) -> None:
    output = opened({"navigation": PAGES}).output("resolve_navigation", {"query": " home "})
    assert list(output) == ["match", "sourceStatus"]
    assert output["match"]["ref"] == "navigation:nav.home"
    assert "aliases" not in output["match"]


def test_no_match_is_no_error(opened: Open) -> None:
    output = opened({"navigation": PAGES}).output("resolve_navigation", {"query": "zzz"})
    assert output == {"match": None, "sourceStatus": "fresh"}
