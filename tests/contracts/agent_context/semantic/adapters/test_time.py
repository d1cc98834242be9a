"""Tests for `adapters.time` and `adapters.local_time`: what a clock shows, in its zone."""

from __future__ import annotations

from zoneinfo import ZoneInfoNotFoundError

import pytest

from evalkit.contracts.agent_context.semantic.adapters.local_time import parse
from tests.contracts.agent_context.semantic.adapters.sem import Tools


def test_the_time_is_told_in_utc_and_on_the_clock() -> None:
    assert Tools().done("time.now") == {
        "iso": "2026-01-02T03:04:05.000Z",
        "timezone": "UTC",
        "date": "2026-01-02",
        "dayOfWeek": "Friday",
        "time": "03:04",
    }


def test_a_clock_behind_utc_shows_the_day_before() -> None:
    assert Tools(timezone="America/New_York").done("time.now") == {
        "iso": "2026-01-02T03:04:05.000Z",
        "timezone": "America/New_York",
        "date": "2026-01-01",
        "dayOfWeek": "Thursday",
        "time": "22:04",
    }


def test_a_fraction_of_a_second_is_told_in_milliseconds() -> None:
    tools = Tools()
    tools.moment = tools.moment._replace(seconds=tools.moment.seconds + 0.25)
    assert tools.done("time.now")["iso"] == "2026-01-02T03:04:05.250Z"


def test_a_zone_that_does_not_exist_fails_the_call() -> None:
    with pytest.raises(ZoneInfoNotFoundError, match="Mars/Base"):
        Tools(timezone="Mars/Base").call("time.now")


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-07-01T12:00:00Z", 14),
        ("2026-07-01T12:00:00+02:00", 12),
        ("2026-07-01T12:00", 12),
        ("2026-07-01", 0),
    ],
)
def test_a_time_is_moved_to_the_clock_and_one_without_offset_is_on_it(text: str, hour: int) -> None:
    parsed = parse(text, "Europe/Berlin")
    assert (parsed.hour, parsed.utcoffset()) == (hour, parse("2026-07-01", "Europe/Berlin").utcoffset())


def test_what_is_no_time_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="soon"):
        parse("soon", "UTC")
