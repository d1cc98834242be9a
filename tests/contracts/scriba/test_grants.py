"""Tests for `grants`: how many resets a snapshot tells of, and when the first expires (spec 2.9)."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.contracts.scriba.grants import Grants, are_known, find_grants, in_utc, summarise
from evalkit.contracts.scriba.nouns import Instant
from evalkit.contracts.scriba.snapshots import Credit, Line
from tests.contracts.scriba.small_files import instant

EARLY, MIDDLE, LATE = "2026-07-14T12:00:00Z", "2026-07-15T12:00:00Z", "2026-07-16T12:00:00Z"


def line(label: str, value: Any) -> Line:
    return Line("", label, value, None, "", None, ())


def shown(lines: list[Line], credits: list[Credit]) -> tuple[int, Instant | None, bool]:
    found = find_grants(lines, credits)
    return (*summarise(found), are_known(found))


def test_credits_that_are_available_are_counted_and_the_earliest_expiry_is_shown() -> None:
    several = [
        Credit("available", LATE),
        Credit("available", EARLY),
        Credit("redeemed", "2026-07-13T13:00:00Z"),
    ]
    assert shown([], several) == (2, instant(EARLY), True)


def test_lines_tell_count_and_expiry() -> None:
    assert shown([line("Reset grants", 1), line("Grant expiry", EARLY)], []) == (1, instant(EARLY), True)


def test_a_count_that_was_told_is_not_replaced_by_the_number_of_credits() -> None:
    assert shown([line("Reset grants", 5)], [Credit("available", LATE)]) == (5, instant(LATE), True)
    assert shown([line("Reset grants", 0)], [Credit("available", LATE)]) == (0, instant(LATE), True)


def test_nothing_is_known_where_nothing_is_told() -> None:
    assert shown([], []) == (0, None, False)
    assert shown([line("Grants", 3)], [Credit("redeemed", EARLY)]) == (0, None, False)


def test_a_count_of_nothing_is_known() -> None:
    assert shown([line("Reset grants", 0)], []) == (0, None, True)


def test_an_expiry_alone_is_known_without_a_count() -> None:
    assert shown([line("Grant expiry", EARLY)], []) == (0, instant(EARLY), True)


@pytest.mark.parametrize("value", ["1", True, 1.5, -1, 2**63, 1e300, None, [], {}])
def test_a_value_that_is_no_count_tells_nothing(value: Any) -> None:
    assert shown([line("Reset grants", value)], []) == (0, None, False)


def test_of_several_lines_with_one_label_the_last_that_tells_something_counts() -> None:
    lines = [line("Reset grants", 1), line("Reset grants", 2), line("Reset grants", "many")]
    lines += [line("Grant expiry", EARLY), line("Grant expiry", LATE), line("Grant expiry", "soon")]
    assert shown(lines, []) == (2, instant(LATE), True)


@pytest.mark.parametrize("value", ["", "soon", "2026-07-14", 5, None])
def test_a_value_that_is_no_time_tells_nothing(value: Any) -> None:
    assert shown([line("Grant expiry", value)], []) == (0, None, False)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    count, _, _ = shown([line("Reset grants", 2.0)], [])
    assert count == 2
    assert isinstance(count, int)


@pytest.mark.parametrize("label", ["reset grants", " Reset grants", "Reset grants "])
def test_labels_are_compared_exactly(label: str) -> None:
    assert shown([line(label, 3)], []) == (0, None, False)


def test_a_credit_without_a_status_counts_and_its_expiry_is_the_last_resort() -> None:
    assert shown([], [Credit("", EARLY)]) == (1, instant(EARLY), True)
    assert shown([], [Credit("", EARLY), Credit("available", LATE)]) == (2, instant(LATE), True)


def test_an_expiry_that_was_told_gives_way_to_an_earlier_one_of_a_credit() -> None:
    assert find_grants([line("Grant expiry", MIDDLE)], [Credit("", EARLY)]).expiry == instant(EARLY)
    assert find_grants([line("Grant expiry", MIDDLE)], [Credit("", LATE)]).expiry == instant(MIDDLE)


def test_a_credit_without_a_time_of_expiry_is_not_counted() -> None:
    assert shown([], [Credit("available", ""), Credit("available", "never")]) == (0, None, False)


def test_credits_that_have_expired_are_still_told_of() -> None:
    assert shown([], [Credit("available", "2001-01-01T00:00:00Z")]) == (
        1,
        instant("2001-01-01T00:00:00Z"),
        True,
    )


def test_all_moments_can_be_told_in_utc() -> None:
    found = find_grants([], [Credit("available", "2026-07-14T14:00:00+02:00")])
    utc = in_utc(found)
    assert found.expiry == Instant(instant(EARLY).nanoseconds, 120)
    assert utc == Grants(1, instant(EARLY), (("available", instant(EARLY)),))
    assert in_utc(Grants()) == Grants()
