"""Offsets become lines and columns, and refusals become mistakes, for texts of every shape."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import SuiteError
from evalkit.text.mistakes import ReadingEnds, Refusal
from evalkit.text.places import Lines, Outline, Refusals

TEXTS = st.lists(
    st.sampled_from(["\n", "\r", "\r\n", "a", "é漢", "x" * 300, "y" * 4095, "z" * 4096, ""])
).map("".join)


def counted(text: str, offset: int) -> tuple[int, int]:
    """The place of `offset`, found by walking there."""
    line = column = 1
    for index in range(offset):
        if text[index] == "\n" or (text[index] == "\r" and text[index + 1 : index + 2] != "\n"):
            line, column = line + 1, 1
        else:
            column += 1
    return line, column


def test_columns_count_characters_and_lines_end_at_lf_crlf_and_cr() -> None:
    lines = Lines("f", "aé\n漢b\r\nc\rd")
    assert lines.place(0) == (1, 1)
    assert lines.place(1) == (1, 2)
    assert lines.place(3) == (2, 1)
    assert lines.place(4) == (2, 2)
    assert lines.place(7) == (3, 1)
    assert lines.place(9) == (4, 1)
    assert lines.place(10) == (4, 2)


def test_a_column_is_counted_from_the_start_of_a_long_line() -> None:
    lines = Lines("f", "a\n" + "x" * 10_000)
    assert lines.place(9_000) == (2, 8_999)
    assert Lines("f", "x" * 10_000).place(9_000) == (1, 9_001)


def test_a_place_past_the_end_is_the_end() -> None:
    assert Lines("f", "ab").place(99) == (1, 3)
    assert Lines("f", "").place(0) == (1, 1)


@given(TEXTS, st.data())
def test_any_offset_has_the_place_that_counting_gives(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    assert Lines("f", text).place(offset) == counted(text, offset)


@given(TEXTS)
def test_an_excerpt_is_the_line_without_its_end_cut_at_200_characters(text: str) -> None:
    lines = Lines("f", text)
    wanted = [line[:200] for line in re.split("\r\n|\n|\r", text)]
    assert [lines.excerpt(number) for number in range(1, len(wanted) + 1)] == wanted
    assert lines.excerpt(0) == lines.excerpt(len(wanted) + 1) == lines.excerpt(len(wanted) + 9) == ""


def test_an_excerpt_of_exactly_200_characters_is_whole() -> None:
    assert Lines("f", "x" * 200 + "\r\ny").excerpt(1) == "x" * 200
    assert Lines("f", "x" * 201 + "\r\ny").excerpt(1) == "x" * 200


def test_mistakes_stand_in_the_order_of_the_text() -> None:
    refusals = Refusals(Lines("f", "ab\ncd"))
    refusals.add(Refusal("b", "later", "r"), 4)
    refusals.add(Refusal("a", "earlier", "r"), 1)
    with pytest.raises(ReadingEnds):
        refusals.end(Refusal("c", "the file", "r"), -1)
    with pytest.raises(SuiteError) as caught:
        refusals.raise_any()
    assert [mistake[:1] + mistake[3:] for mistake in caught.value.mistakes] == [
        ("c", "f", 0, 0, ""),
        ("a", "f", 1, 2, "ab"),
        ("b", "f", 2, 2, "cd"),
    ]


def test_without_a_refusal_nothing_is_raised() -> None:
    Refusals(Lines("f", "")).raise_any()


def test_an_outline_steps_over_what_collections_hold() -> None:
    # {"a": [x, {}], "b": y} with the offsets 0 to 6 in document order
    outline = Outline([0, -10, 1, 2, -8, 3, 4, -8, 5, 6], {"a": ["x", {}], "b": "y"})
    assert outline.find(("a", 1), key=False) == 4
    assert outline.find(("b",), key=True) == 5
    assert outline.find(("b",), key=False) == 6
