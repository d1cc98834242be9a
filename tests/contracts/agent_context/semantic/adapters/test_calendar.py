"""Tests for `adapters.calendar`: the day's events and the next one."""

from __future__ import annotations

import pytest

from evalkit.model import Json
from tests.contracts.agent_context.semantic.adapters.sem import Tools, sem


def events(*starts: str, **fields: Json) -> Json:
    return sem(calendar=[{"title": start, "startTime": start, **fields} for start in starts])


def test_today_holds_the_events_of_the_day() -> None:
    assert Tools().done("calendar.today") == {
        "date": "2026-01-02",
        "count": 1,
        "events": [
            {
                "title": "Lunch",
                "startTime": "2026-01-02T12:30:00Z",
                "time": "12:30",
                "location": "Canteen",
                "allDay": False,
            }
        ],
    }


def test_events_are_in_order_with_those_of_the_whole_day_first() -> None:
    rows = [
        {"title": "late", "startTime": "2026-01-02T20:00:00Z"},
        {"title": "early", "startTime": "2026-01-02T01:00:00Z"},
        {"title": "whole", "startTime": "2026-01-02", "allDay": True},
    ]
    shown = Tools(sem(calendar=rows)).done("calendar.today")["events"]
    assert [event["title"] for event in shown] == ["whole", "early", "late"]
    assert shown[0] == {
        "title": "whole",
        "startTime": "2026-01-02",
        "time": "all day",
        "location": None,
        "allDay": True,
    }


def test_the_day_is_that_of_the_owner_s_clock() -> None:
    fixture = events(
        "2026-01-01T04:59:00Z", "2026-01-01T05:00:00Z", "2026-01-02T04:59:00Z", "2026-01-02T05:00:00Z"
    )
    given = Tools(fixture, timezone="America/New_York").done("calendar.today")  # the first of January there
    assert given["date"] == "2026-01-01"
    assert [event["startTime"] for event in given["events"]] == [
        "2026-01-01T05:00:00Z",
        "2026-01-02T04:59:00Z",
    ]
    assert given["events"][0]["time"] == "00:00"


def test_a_whole_day_is_the_same_day_on_every_clock() -> None:
    fixture = events("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", allDay=True)
    given = Tools(fixture, timezone="America/New_York").done("calendar.today")
    assert [event["startTime"] for event in given["events"]] == ["2026-01-01T00:00:00Z"]


@pytest.mark.parametrize(
    ("limit", "count"),
    [({}, 10), ({"limit": 0}, 10), ({"limit": -1}, 10), ({"limit": 2}, 2), ({"limit": 99}, 20)],
)
def test_ten_events_are_shown_and_twenty_at_most(limit: Json, count: int) -> None:
    given = Tools(events(*(f"2026-01-02T{hour:02}:00:00Z" for hour in range(24)))).done(
        "calendar.today", **limit
    )
    assert given["count"] == len(given["events"]) == count


def test_next_is_the_first_that_is_still_to_come() -> None:
    assert Tools().done("calendar.next") == {
        "found": True,
        "title": "Lunch",
        "startTime": "2026-01-02T12:30:00Z",
        "location": "Canteen",
        "allDay": False,
    }


def test_what_begins_now_is_still_to_come_and_what_began_is_not() -> None:
    tools = Tools(events("2026-01-02T03:04:04Z", "2026-01-02T03:04:05Z"))
    assert tools.done("calendar.next")["title"] == "2026-01-02T03:04:05Z"


def test_a_whole_day_that_has_begun_is_not_next() -> None:
    tools = Tools(events("2026-01-02", "2026-01-03", allDay=True))
    given = tools.done("calendar.next")
    assert (given["startTime"], given["allDay"], given["location"]) == ("2026-01-03", True, None)


def test_next_looks_30_days_ahead() -> None:
    assert Tools(events("2026-02-01T03:04:06Z")).done("calendar.next") == {"found": False}
    assert Tools(events("2026-02-01T03:04:05Z")).done("calendar.next")["found"] is True
    assert Tools(sem(calendar=[])).done("calendar.next") == {"found": False}


def test_next_is_found_whatever_the_order_and_the_offsets() -> None:
    tools = Tools(events("2026-01-03T10:00:00Z", "2026-01-03T11:00:00+09:00"))  # the second is 02:00Z
    assert tools.done("calendar.next")["title"] == "2026-01-03T11:00:00+09:00"
