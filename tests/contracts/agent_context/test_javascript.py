"""JavaScript's conversions, against values worked out from the language's specification."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.contracts.agent_context.javascript import (
    SPACES,
    Json,
    cut,
    fold_whitespace,
    stringify,
    to_number,
    to_string,
    trim,
    utf16_length,
)

HIGH, LOW = chr(0xD83D), chr(0xDE00)
TEXTS = st.text(st.characters(blacklist_categories=()), max_size=40)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        (None, "null"),
        (..., "undefined"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-7, "-7"),
        (1.0, "1"),
        (-0.0, "0"),
        (1.5, "1.5"),
        (-0.25, "-0.25"),
        (123456789.125, "123456789.125"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.25e25, "1.25e+25"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-10, "1.5e-10"),
        (5e-324, "5e-324"),
        (10**20, "100000000000000000000"),
        (10**21, "1e+21"),
        (9007199254740993, "9007199254740993"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        ([], ""),
        ([1, 2], "1,2"),
        ([1, [2, [3, None]], [], "x"], "1,2,3,,,x"),
        ([None], ""),
        ([{}], "[object Object]"),
        ({"a": 1}, "[object Object]"),
    ],
)
def test_to_string_is_string_of_javascript(value: Json, text: str) -> None:
    assert to_string(value) == text


def test_a_list_nested_a_hundred_thousand_deep_becomes_text() -> None:
    nested: list[Json] = [1]
    for _ in range(100_000):
        nested = [nested]
    assert to_string(nested) == "1"


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (None, 0.0),
        (True, 1.0),
        (False, 0.0),
        (4, 4.0),
        ("", 0.0),
        ("  \u00a0\ufeff ", 0.0),
        (" 4 ", 4.0),
        ("+1.5e3", 1500.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("0x10", 16.0),
        ("0B11", 3.0),
        ("0o17", 15.0),
        ("Infinity", math.inf),
        ("-Infinity", -math.inf),
        ("1e400", math.inf),
        (10**400, math.inf),
        (-(10**400), -math.inf),
        ("0x" + "f" * 400, math.inf),
        ([], 0.0),
        ([7], 7.0),
        (["7"], 7.0),
    ],
)
def test_to_number_is_number_of_javascript(value: Json, number: float) -> None:
    assert to_number(value) == number


@pytest.mark.parametrize(
    "value", ["abc", "1_0", "-0x1", "1e", ".", "1 2", "infinity", "nan", "\u0661", {}, [1, 2], ..., math.nan]
)
def test_to_number_of_no_number_is_nan(value: Json) -> None:
    assert math.isnan(to_number(value))


def test_every_javascript_space_folds_and_no_other_does() -> None:
    assert fold_whitespace(f"{SPACES}a{SPACES}b{SPACES}") == "a b"
    assert fold_whitespace("a \t\n b") == "a b"
    assert fold_whitespace("a\x1cb\x85c\u200bd\u180ee") == "a\x1cb\x85c\u200bd\u180ee"
    assert fold_whitespace("\x1ca\x1d") == "\x1ca\x1d"
    assert fold_whitespace(" \t ") == ""


def test_trim_takes_javascript_spaces_from_both_ends_only() -> None:
    assert trim("\ufeff\u3000 a  b \u2028") == "a  b"
    assert trim("\x85a\x1f") == "\x85a\x1f"


def test_length_counts_utf16_code_units() -> None:
    assert utf16_length("abc") == 3
    assert utf16_length("é漢") == 2
    assert utf16_length("a\U0001f600b") == 4
    assert utf16_length(HIGH + LOW) == 2


@pytest.mark.parametrize(
    ("units", "kept"),
    [(-1, ""), (0, ""), (1, "a"), (2, "a"), (3, "a\U0001f600"), (4, "a\U0001f600b"), (9, "a\U0001f600b")],
)
def test_a_cut_never_splits_a_character(units: int, kept: str) -> None:
    assert cut("a\U0001f600b", units) == kept


def test_a_cut_never_parts_two_halves_that_stand_alone() -> None:
    assert cut("a" + HIGH + LOW, 2) == "a"
    assert cut("a" + HIGH + LOW, 3) == "a" + HIGH + LOW
    assert cut("a" + HIGH + HIGH, 2) == "a" + HIGH


@given(TEXTS, st.integers(0, 60))
def test_a_cut_is_the_longest_prefix_that_fits(text: str, units: int) -> None:
    kept = cut(text, units)
    assert text.startswith(kept)
    assert utf16_length(kept) <= units
    assert kept == text or utf16_length(kept) >= units - 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ([], "[]"),
        ({"b": 1, "a": [None, True, False]}, '{"b":1,"a":[null,true,false]}'),
        ([1.0, 1e21, 1e-7, -0.0, 0.1], "[1,1e+21,1e-7,0,0.1]"),
        ([math.nan, math.inf, -math.inf], "[null,null,null]"),
        ({"a": {"b": [{}, [], 2.5]}}, '{"a":{"b":[{},[],2.5]}}'),
        ((1, "x"), '[1,"x"]'),
        ("é漢\U0001f600/\x7f\u2028", '"é漢\U0001f600/\x7f\u2028"'),
        ('"\\\b\f\n\r\t\x00\x1f', '"\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f"'),
        (HIGH, '"\\ud83d"'),
        ({LOW: [1.0]}, '{"\\ude00":[1]}'),
        (HIGH + LOW, '"\U0001f600"'),
        (LOW + HIGH, '"\\ude00\\ud83d"'),
        (9007199254740993, "9007199254740993"),
    ],
)
def test_stringify_is_json_stringify(value: Json, text: str) -> None:
    assert stringify(value) == text


def test_stringify_refuses_what_is_not_json() -> None:
    with pytest.raises(TypeError):
        stringify({"a": ...})
    with pytest.raises(TypeError):
        stringify([1.5, {1}])


SCALARS = (
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(-1e15, 1e15) | st.text(max_size=5)
)
JSON_VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(JSON_VALUES)
def test_what_stringify_wrote_reads_back_equal(value: Json) -> None:
    assert json.loads(stringify(value)) == value
