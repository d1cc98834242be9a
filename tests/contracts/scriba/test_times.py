"""Tests for `times`: RFC 3339 there and back, to the nanosecond (spec 1.9)."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.contracts.scriba import times
from evalkit.contracts.scriba.nouns import Instant

_SECOND: Final = 10**9
# 20,454 days from 1970 to 2026 (56 years, 14 of them leap years), and 193 from there to 13 July
_NOON: Final = ((56 * 365 + 14 + 193) * 86_400 + 12 * 3_600) * _SECOND


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1970-01-01T00:00:00Z", Instant(0)),
        ("1969-12-31T23:59:59.999999999Z", Instant(-1)),
        ("2026-07-13T12:00:00Z", Instant(_NOON)),
        ("2026-07-13T12:00:00.000000001Z", Instant(_NOON + 1)),
        ("2026-07-13T12:00:00.5Z", Instant(_NOON + _SECOND // 2)),
        ("2026-07-13T14:00:00+02:00", Instant(_NOON, 120)),
        ("2026-07-13T08:30:00-03:30", Instant(_NOON, -210)),
        ("2024-02-29T00:00:00Z", Instant((54 * 365 + 13 + 59) * 86_400 * _SECOND)),
    ],
)
def test_a_text_is_a_moment_and_back(text: str, instant: Instant) -> None:
    assert times.parse(text) == instant
    assert times.format(instant) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-07-13T12:00:00.000Z", "2026-07-13T12:00:00Z"),
        ("2026-07-13T12:00:00.120000000Z", "2026-07-13T12:00:00.12Z"),
        ("2026-07-13T12:00:00+00:00", "2026-07-13T12:00:00Z"),
        ("2026-07-13T12:00:00.10-00:00", "2026-07-13T12:00:00.1Z"),
        ("0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"),
    ],
)
def test_a_moment_is_written_without_what_says_nothing(text: str, written: str) -> None:
    instant = times.parse(text)
    assert instant is not None
    assert times.format(instant) == written


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "2026-07-13",
        "2026-07-13T12:00:00",
        "2026-07-13T12:00Z",
        "2026-07-13 12:00:00Z",
        "2026-07-13t12:00:00Z",
        "2026-07-13T12:00:00z",
        "2026-07-13T12:00:00.Z",
        "2026-07-13T12:00:00,5Z",
        "2026-07-13T12:00:00.1234567890Z",
        "2026-07-13T24:00:00Z",
        "2026-07-13T12:60:00Z",
        "2026-06-30T23:59:60Z",
        "2026-02-29T12:00:00Z",
        "2026-13-01T12:00:00Z",
        "2026-W28-1T12:00:00Z",
        "2026-07-13T12:00:00+0200",
        "2026-07-13T12:00:00+02",
        "2026-07-13T12:00:00+24:00",
        "2026-07-13T12:00:00+02:60",
        "2026-07-13T12:00:00+02:00:00",
        "2026-07-13T12:00:00Z\n",
        " 2026-07-13T12:00:00Z",
        "２026-07-13T12:00:00Z",
        "2026-07-13T12:00:00.٣Z",
        "0000-01-01T00:00:00Z",
        "12026-07-13T12:00:00Z",
        # in UTC these are in the years 0 and 10000
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "1752408000",
        "yesterday",
    ],
)
def test_any_other_text_is_no_moment(text: str) -> None:
    assert times.parse(text) is None


def test_the_same_moment_can_be_told_in_utc() -> None:
    assert times.format(times.utc(Instant(_NOON, 120))) == "2026-07-13T12:00:00Z"


_FIRST: Final = -62_135_596_800 * _SECOND
_LAST: Final = 253_402_300_800 * _SECOND - 1


@settings(derandomize=True, deadline=None)
@given(st.integers(_FIRST, _LAST), st.integers(-1439, 1439))
def test_what_is_written_is_read_back(nanoseconds: int, offset: int) -> None:
    if _FIRST <= nanoseconds + offset * 60 * _SECOND <= _LAST:
        instant = Instant(nanoseconds, offset)
        assert times.parse(times.format(instant)) == instant


@settings(derandomize=True, deadline=None)
@given(st.text())
def test_no_text_is_an_error(text: str) -> None:
    times.parse(text)
