"""A cursor is one exact text for one sequence (spec 5.1)."""

from __future__ import annotations

import pytest

from evalkit.contracts.scriba.cursors import read_cursor, write_cursor

SOUND = {
    "v1.0000000000000000": 0,
    "v1.0000000000000001": 1,
    "v1.00000000000000ff": 255,
    "v1.7fffffffffffffff": 2**63 - 1,
}
UNSOUND = (
    "",
    "v1.",
    "v2.0000000000000001",
    "v1.01",
    "v1.-000000000000001",
    "v1.000000000000000A",
    "v1.8000000000000000",
    "v1.00000000000000001",
    " v1.0000000000000001",
    "v1.0000000000000001\n",
    "V1.0000000000000001",
    "v1_0000000000000001",
    "v1.000000000000000١",
)


@pytest.mark.parametrize("text", SOUND)
def test_a_cursor_is_read_and_written_as_the_same_text(text: str) -> None:
    assert read_cursor(text) == SOUND[text]
    assert write_cursor(SOUND[text]) == text


@pytest.mark.parametrize("text", UNSOUND)
def test_what_is_not_exactly_a_cursor_is_none(text: str) -> None:
    assert read_cursor(text) is None
