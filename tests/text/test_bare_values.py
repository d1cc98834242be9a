"""A bare YAML scalar is read only where JSON, YAML 1.1 and YAML 1.2 agree on its type."""

from __future__ import annotations

import json
import math
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from yaml.nodes import ScalarNode
from yaml.resolver import Resolver

from evalkit.text.bare_values import read_value, refuse_key
from evalkit.text.mistakes import TEXT_MISTAKES, Refusal

JSON_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?", re.ASCII)

# YAML 1.2.2, section 10.3.2, the table of the core schema.
CORE = {
    "null": re.compile(r"null|Null|NULL|~"),
    "bool": re.compile(r"true|True|TRUE|false|False|FALSE"),
    "int": re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"),
    "float": re.compile(
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
    ),
}
PARTS = (
    *("0", "1", "7", "8", "60", "00", "10", "-", "+", "_", ".", ":", "e", "E", "e+", "e-3"),
    *("x", "o", "b", "0x", "0b", "0o", "f", "inf", "Inf", "nan", "NaN", "Z", "T", "t", " "),
    *(
        "2024",
        "2024-01-01",
        "-1",
        "1:02:03",
        "yes",
        "No",
        "y",
        "N",
        "on",
        "OFF",
        "true",
        "True",
        "null",
        "Null",
    ),
    *("~", "<", "<<", "=", "a"),
)
WORDS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=5).map("".join)
RESOLVER = Resolver()


def version_1_1(text: str) -> str:
    """The type that PyYAML's resolver gives, and the booleans of the type repository that it leaves out."""
    if text in ("y", "Y", "n", "N"):
        return "bool"
    tag: str = RESOLVER.resolve(ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    return tag.rpartition(":")[2]


def version_1_2(text: str) -> str:
    return next((kind for kind, pattern in CORE.items() if pattern.fullmatch(text)), "str")


def json_type(text: str) -> str:
    if text in ("true", "false"):
        return "bool"
    if text == "null":
        return "null"
    if JSON_NUMBER.fullmatch(text):
        return "float" if set(text) & set(".eE") else "int"
    return "str"


@settings(max_examples=1500, deadline=None)
@given(WORDS)
@example("1.5e+3")
@example("1e3")
@example("0_8")
@example("1:30")
@example("192.0.2.10")
@example("1:59")
@example("1:60")
@example("1:60.5")
@example("1:59.5")
def test_a_value_that_the_versions_read_alike_is_read_and_any_other_refused(text: str) -> None:
    kinds = {version_1_1(text), version_1_2(text), json_type(text)}
    value = read_value(text)
    if len(kinds) > 1 or kinds & {"timestamp", "merge", "value"}:
        assert isinstance(value, Refusal)
    elif kinds == {"str"}:
        assert value == text
    elif not isinstance(value, Refusal):
        assert json.dumps(value) == json.dumps(json.loads(text))
    else:
        assert value.code in ("trailing-zero", "number-overflow", "big-integer")


def test_every_word_that_yaml_1_1_calls_a_boolean_or_null_is_refused_but_those_of_json() -> None:
    words = (
        "y Y yes Yes YES n N no No NO on On ON off Off OFF true True TRUE false False FALSE null Null NULL ~"
    )
    refused = {word for word in words.split() if isinstance(read_value(word), Refusal)}
    assert set(words.split()) - refused == {"true", "false", "null"}


@settings(max_examples=500, deadline=None)
@given(WORDS)
def test_a_bare_key_is_text_exactly_where_a_bare_value_is(text: str) -> None:
    assert (refuse_key(text) is None) == (read_value(text) == text)


@settings(max_examples=300, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_with_a_point_is_read_to_the_last_bit(number: float) -> None:
    text = repr(number)
    value = read_value(text)
    if "." in text:
        assert isinstance(value, float)
        assert (value, math.copysign(1, value)) == (number, math.copysign(1, number))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1.0", None),
        ("1.10", "trailing-zero"),
        ("1.00", "trailing-zero"),
        ("10.0", None),
        ("1.01", None),
        ("1.0e+308", None),
        ("1.0e+309", "number-overflow"),
        ("-1.0e+309", "number-overflow"),
        ("9007199254740991", None),
        ("9007199254740992", "big-integer"),
        ("-9007199254740991", None),
        ("-9007199254740992", "big-integer"),
        ("9" * 5000, "big-integer"),
    ],
)
def test_a_number_that_would_change_is_refused(text: str, code: str | None) -> None:
    value = read_value(text)
    assert (value.code if isinstance(value, Refusal) else None) == code


@given(WORDS)
def test_a_refusal_is_explained_and_has_a_remedy(text: str) -> None:
    for refusal in (read_value(text), refuse_key(text)):
        if isinstance(refusal, Refusal):
            assert refusal.code in TEXT_MISTAKES
            assert "quote" in refusal.remedy


def test_a_long_run_of_sixties_is_judged_in_linear_time() -> None:
    text = "1" + ":1" * 1_000_000 + "x"
    assert read_value(text) == text
