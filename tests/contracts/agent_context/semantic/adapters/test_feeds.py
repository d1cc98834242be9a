"""Tests for `adapters.feeds`: the unread, and what is marked as read."""

from __future__ import annotations

import pytest

from evalkit.model import Json
from tests.contracts.agent_context.semantic.adapters.sem import Tools, sem


def feeds(*titles: str) -> Json:
    return sem(feeds=[{"feed": "F", "title": title, "date": "2026-01-01"} for title in titles])


def titles_read(tools: Tools) -> list[str]:
    return [row["title"] for row in tools.rows("feeds") if row.get("read")]


def test_the_digest_shows_the_unread_the_newest_first() -> None:
    assert Tools().done("feeds.digest") == {
        "totalUnread": 2,
        "count": 2,
        "items": [
            {"title": "Frost is near", "feed": "Garden Post", "date": "2026-01-02T00:30:00Z"},
            {"title": "A comet is near", "feed": "Star News", "date": "2026-01-01T06:00:00Z"},
        ],
    }


def test_the_newest_is_found_whatever_the_offsets_of_the_dates() -> None:
    items = [
        {"feed": "F", "title": "first", "date": "2026-01-01T23:00:00+09:00"},  # 14:00Z
        {"feed": "F", "title": "second", "date": "2026-01-01T20:00:00Z"},
    ]
    given = Tools(sem(feeds=items)).done("feeds.digest")
    assert [item["title"] for item in given["items"]] == ["second", "first"]


@pytest.mark.parametrize(
    ("limit", "count"),
    [({}, 5), ({"limit": 0}, 5), ({"limit": -1}, 5), ({"limit": 7}, 7), ({"limit": 11}, 10)],
)
def test_five_items_are_shown_and_ten_at_most_of_however_many(limit: Json, count: int) -> None:
    given = Tools(feeds(*map(str, range(12)))).done("feeds.digest", **limit)
    assert (given["totalUnread"], given["count"], len(given["items"])) == (12, count, count)


def test_what_is_read_is_no_longer_in_the_digest() -> None:
    tools = Tools()
    assert tools.done("feeds.mark-read", query=" COMET ") == {"title": "A comet is near"}
    row = {"feed": "Star News", "title": "A comet is near", "date": "2026-01-01T06:00:00Z", "read": True}
    assert tools.effects == [{"collection": "feeds", "change": "replace", "row": row}]
    assert tools.done("feeds.digest")["totalUnread"] == 1


def test_one_query_marks_one_item_the_newest_of_those_that_fit() -> None:
    tools = Tools()
    assert tools.done("feeds.mark-read", query="is near") == {"title": "Frost is near"}
    assert titles_read(tools) == ["Frost is near"]


def test_the_feed_that_is_named_narrows_the_query() -> None:
    tools = Tools()
    assert tools.done("feeds.mark-read", query="is near", feedQuery="star") == {"title": "A comet is near"}


def test_all_marks_everything_that_is_unread() -> None:
    tools = Tools()
    assert tools.done("feeds.mark-read", all=True) == {"marked": 2}
    assert len(tools.effects) == 2
    assert tools.done("feeds.mark-read", all=True) == {"marked": 0}
    assert len(tools.effects) == 2


def test_all_of_one_feed_or_with_one_word_marks_no_more_than_that() -> None:
    tools = Tools()
    assert tools.done("feeds.mark-read", all=True, feedQuery=" garden ") == {"marked": 1}
    assert titles_read(tools) == ["Frost is near"]
    tools = Tools()
    assert tools.done("feeds.mark-read", all=True, query="comet") == {"marked": 1}
    assert titles_read(tools) == ["A comet is near"]


@pytest.mark.parametrize("args", [{}, {"all": False}, {"feedQuery": "star"}])
def test_neither_a_query_nor_all_marks_nothing(args: Json) -> None:
    assert Tools().refusal("feeds.mark-read", **args) == "query must be given, or all must be true"


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"query": " "}, "query must not be empty"),
        ({"query": "", "all": True}, "query must not be empty"),
        ({"all": True, "feedQuery": " "}, "feedQuery must not be empty"),
        ({"query": "rain"}, 'No unread item matches "rain".'),
        ({"query": "near", "feedQuery": "cooking"}, 'No feed matches "cooking".'),
        ({"all": True, "feedQuery": "cooking"}, 'No feed matches "cooking".'),
    ],
)
def test_what_is_blank_or_not_there_marks_nothing(args: Json, text: str) -> None:
    assert Tools().refusal("feeds.mark-read", **args) == text
