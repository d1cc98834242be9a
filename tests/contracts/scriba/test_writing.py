"""Tests for `writing`: JSON as Go writes it (spec 1.9, 7.5)."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.contracts.scriba.writing import alphabetical, compact, pretty
from evalkit.model import Json


def test_compact_text_keeps_the_order_of_keys_and_has_no_spaces() -> None:
    assert compact({"b": [1, None, True], "a": {}, "c": ("x",)}) == b'{"b":[1,null,true],"a":{},"c":["x"]}'


def test_pretty_text_is_indented_by_two_spaces_and_does_not_end_the_line() -> None:
    value = {"b": [1, {"x": "<"}], "a": {}, "c": [], "d": 81.0}
    assert pretty(value).decode().splitlines() == [
        "{",
        '  "b": [',
        "    1,",
        "    {",
        '      "x": "\\u003c"',
        "    }",
        "  ],",
        '  "a": {},',
        '  "c": [],',
        '  "d": 81',
        "}",
    ]
    assert not pretty(value).endswith(b"\n")


def test_alphabetical_text_has_its_keys_in_order_at_every_depth() -> None:
    assert alphabetical({"b": [{"d": 1, "c": 2.0}], "a": {"z": 1, "B": 2}}) == (
        b'{"a":{"B":2,"z":1},"b":[{"c":2,"d":1}]}'
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (81.0, "81"),
        (0.0, "0"),
        (-0.0, "-0"),
        (81, "81"),
        (66.7, "66.7"),
        (0.1 + 0.2, "0.30000000000000004"),
        (0.001, "0.001"),
        (0.0001, "0.0001"),
        (0.00001234, "0.00001234"),
        (-0.000001, "-0.000001"),
        (0.0000001, "1e-7"),
        (1.5e-10, "1.5e-10"),
        (5e-324, "5e-324"),
        (2.0**53, "9007199254740992"),
        (1e16, "10000000000000000"),
        (1.2345678901234568e20, "123456789012345680000"),
        (1e21, "1e+21"),
        (-1.5e300, "-1.5e+300"),
        (10**30, "1" + "0" * 30),
        (True, "true"),
    ],
)
def test_a_number_is_written_as_go_writes_it(number: float, text: str) -> None:
    assert compact([number]) == f"[{text}]".encode()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_in_json_is_not_written(number: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        compact({"a": [number]})


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("<a href='x'>&</a>", "\\u003ca href='x'\\u003e\\u0026\\u003c/a\\u003e"),
        ("line\u2028paragraph\u2029", "line\\u2028paragraph\\u2029"),
        ('"\\/\b\f\n\r\t', '\\"\\\\/\\b\\f\\n\\r\\t'),
        ("\x00\x1f\x7f", "\\u0000\\u001f\x7f"),
        ("é😀", "é😀"),
        ("half \ud83d", "half \ufffd"),
        ("\\u003c", "\\\\u003c"),
    ],
)
def test_a_text_is_escaped_as_for_a_web_page(text: str, written: str) -> None:
    assert compact({"t": text}) == f'{{"t":"{written}"}}'.encode()
    assert alphabetical({"t": text}) == f'{{"t":"{written}"}}'.encode()


@settings(derandomize=True, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_has_its_shortest_digits(number: float) -> None:
    text = compact(number).decode()
    assert float(text) == number
    assert Decimal(text) == Decimal(repr(number))
    assert ("e" in text) == (number != 0 and not 1e-6 <= abs(number) < 1e21)
    assert not text.endswith(".0")


_TEXTS = st.text(st.characters(codec="utf-8"))
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(0, 100) | _TEXTS
_VALUES = st.recursive(_SCALARS, lambda inner: st.lists(inner) | st.dictionaries(_TEXTS, inner), max_leaves=8)


@settings(derandomize=True, deadline=None)
@given(_VALUES)
def test_every_way_of_writing_says_the_same(value: Json) -> None:
    for write in (compact, pretty, alphabetical):
        text = write(value)
        assert json.loads(text) == value
        assert not set("<>&\u2028\u2029") & set(text.decode())
