"""Tests for `adapters.goals`: order, progress, notes, and which goal is meant."""

from __future__ import annotations

import pytest

from evalkit.model import Json
from tests.contracts.agent_context.semantic.adapters.sem import Tools, sem


def goals(*titles: str) -> Json:
    return sem(goals=[{"title": title} for title in titles])


def test_goals_are_listed_the_most_urgent_first() -> None:
    assert Tools().done("goals.list") == {
        "count": 2,
        "goals": [
            {"title": "Run a marathon", "horizon": "5-year", "category": "health", "progress": 0},
            {"title": "Read more books", "horizon": "1-year", "category": "mind", "progress": 10},
        ],
    }


def test_goals_of_the_same_urgency_keep_their_order_and_lack_nothing() -> None:
    listed = Tools(goals("b", "a")).done("goals.list")["goals"]
    assert [goal["title"] for goal in listed] == ["b", "a"]
    assert listed[0] == {"title": "b", "horizon": None, "category": None, "progress": 0}


@pytest.mark.parametrize(
    ("limit", "count"),
    [({}, 10), ({"limit": 0}, 10), ({"limit": -1}, 10), ({"limit": 3}, 3), ({"limit": 21}, 20)],
)
def test_ten_goals_are_listed_and_twenty_at_most(limit: Json, count: int) -> None:
    given = Tools(goals(*map(str, range(25)))).done("goals.list", **limit)
    assert given["count"] == len(given["goals"]) == count


def test_progress_takes_the_place_of_what_was_there_before() -> None:
    tools = Tools()
    given = tools.done("goals.update-progress", goalQuery=" BOOKS ", progress=25)
    assert given == {"title": "Read more books", "previous": 10, "current": 25, "alternatives": []}
    row = {
        "title": "Read more books",
        "horizon": "1-year",
        "category": "mind",
        "progress": 25,
        "urgency": 0.2,
    }
    assert tools.effects == [{"collection": "goals", "change": "replace", "row": row}]
    assert tools.done("goals.update-progress", goalQuery="books", progress=0)["previous"] == 25


def test_progress_that_nobody_told_yet_was_0() -> None:
    assert Tools().done("goals.update-progress", goalQuery="run", progress=100)["previous"] == 0


@pytest.mark.parametrize("progress", [-1, 100.5, 101])
def test_progress_is_a_percentage(progress: float) -> None:
    text = Tools().refusal("goals.update-progress", goalQuery="run", progress=progress)
    assert text == "progress must be between 0 and 100"


@pytest.mark.parametrize("tool", ["goals.update-progress", "goals.log-note"])
@pytest.mark.parametrize(
    ("query", "text"), [(" ", "goalQuery must not be empty"), ("swim", 'No goal matches "swim".')]
)
def test_a_goal_has_to_be_named_and_to_be_there(tool: str, query: str, text: str) -> None:
    assert Tools().refusal(tool, goalQuery=query, progress=1, note="n") == text


def test_the_title_itself_is_meant_before_its_beginning_and_that_before_a_piece() -> None:
    tools = Tools(goals("Learn to run far", "Run far", "Run"))
    given = tools.done("goals.update-progress", goalQuery="run", progress=1)
    assert (given["title"], given["alternatives"]) == ("Run", ["Run far", "Learn to run far"])
    given = tools.done("goals.update-progress", goalQuery="run f", progress=1)
    assert (given["title"], given["alternatives"]) == ("Run far", ["Learn to run far"])


def test_among_goals_that_fit_as_well_the_most_urgent_is_meant() -> None:
    tools = Tools(sem(goals=[{"title": "Run a mile"}, {"title": "Run a race", "urgency": 1}]))
    given = tools.done("goals.update-progress", goalQuery="run", progress=1)
    assert (given["title"], given["alternatives"]) == ("Run a race", ["Run a mile"])


def test_a_note_is_added_to_those_of_the_goal() -> None:
    tools = Tools()
    assert tools.done("goals.log-note", goalQuery="run", note=" Ran twice ") == {"title": "Run a marathon"}
    tools.done("goals.log-note", goalQuery="run", note="Ran again", durationMinutes=1440)
    assert [effect["change"] for effect in tools.effects] == ["replace", "replace"]
    assert tools.rows("goals")[1]["notes"] == [
        {"at": "2026-01-02T03:04:05.000Z", "note": "Ran twice"},
        {"at": "2026-01-02T03:04:05.000Z", "note": "Ran again", "durationMinutes": 1440},
    ]
    assert tools.rows("goals")[1]["secret"] == "x"


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"note": ""}, "note must not be empty"),
        ({"durationMinutes": 0}, "durationMinutes must be more than 0 and at most 1440"),
        ({"durationMinutes": 1441}, "durationMinutes must be more than 0 and at most 1440"),
    ],
)
def test_a_note_says_something_and_is_no_longer_than_a_day(args: Json, text: str) -> None:
    assert Tools().refusal("goals.log-note", **{"goalQuery": "run", "note": "n", **args}) == text
