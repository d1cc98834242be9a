"""Typed literals: each shown made, each shown refused with its path."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.literals import LiteralError, Scope, Undrawn, evaluate, is_plain, may_hold_marks


def made(value: Any, **names: Any) -> Any:
    return evaluate(value, scope(**names))


def scope(prefix: str = "", **names: Any) -> Scope:
    def look_up(name: str) -> Any:
        if name not in names:
            raise LookupError(f"`{name}` is not defined here")
        return names[name]

    return Scope(look_up, prefix)


def test_an_integer_of_any_size_is_exact() -> None:
    assert made({"a": {"$int": "9007199254740993"}}) == {"a": 9007199254740993}
    assert made({"$int": "-0"}) == 0


def test_a_text_is_repeated_and_anything_else_gives_copies() -> None:
    assert made({"$repeat": {"value": "ab", "times": 3}}) == "ababab"
    assert made({"$repeat": {"value": {"id": 1}, "times": 2}}) == [{"id": 1}, {"id": 1}]
    assert made({"$repeat": {"value": {"$join": ["a", "b"]}, "times": 2}}) == "abab"
    assert made({"$repeat": {"value": ["x"], "times": 0}}) == []


def test_copies_count_from_zero() -> None:
    wanted = [{"id": "app-0", "n": 0}, {"id": "app-1", "n": 1}]
    copies = {"$repeat": {"value": {"id": "app-${{ index }}", "n": "${{ index }}"}, "times": "${{ n }}"}}
    assert made(copies, n=2) == wanted


def test_texts_are_joined() -> None:
    assert (
        made({"$join": ["sk", "-", {"$repeat": {"value": "1", "times": 3}}, "${{ x }}"]}, x="!") == "sk-111!"
    )


def test_a_literal_object_stays_as_it_is() -> None:
    assert made({"$literal": {"$int": "${{ nothing }}"}}) == {"$int": "${{ nothing }}"}


@pytest.mark.parametrize("data", [{"$ref": "#/x"}, {"$int": "1", "b": 2}, {"$schema": "x"}])
def test_every_other_dollar_key_is_data(data: Any) -> None:
    assert made(data) == data
    assert is_plain(data)


def test_a_secret_is_its_text_and_is_remembered_by_its_place() -> None:
    here = scope("fixtures.one")
    value = {"brain": [{"token": {"$join": ["Bearer ", {"$secret": "abcd"}]}, "body": {"$secret": "hidden"}}]}
    assert evaluate(value, here) == {"brain": [{"token": "Bearer abcd", "body": "hidden"}]}
    assert here.secrets == {
        "fixtures.one.brain.0.token.$join.1": "abcd",
        "fixtures.one.brain.0.body": "hidden",
    }


def test_every_copy_of_a_secret_is_remembered() -> None:
    here = scope("fixtures.one")
    evaluate(
        {"rows": {"$repeat": {"value": {"label": {"$secret": "hidden-${{ index }}"}}, "times": 2}}}, here
    )
    assert here.secrets == {"fixtures.one.rows.0.label": "hidden-0", "fixtures.one.rows.1.label": "hidden-1"}


def test_a_name_in_a_key_is_filled_in_as_text() -> None:
    assert made({"sources.${{ s }}.calls": 1, "${{ n }}": 2}, s="brain", n=3) == {
        "sources.brain.calls": 1,
        "3": 2,
    }
    assert not is_plain({"${{ s }}": 1})


@pytest.mark.parametrize(
    ("value", "code", "path"),
    [
        ({"a": {"$int": "1.5"}}, "literal-shape", ("a", "$int")),
        ({"$int": 5}, "literal-shape", ("$int",)),
        ({"$repeat": {"value": 1}}, "literal-shape", ("$repeat",)),
        ({"$repeat": {"value": 1, "times": True}}, "literal-shape", ("$repeat", "times")),
        ({"$repeat": {"value": 1, "times": -1}}, "literal-shape", ("$repeat", "times")),
        ({"$repeat": {"value": 1, "times": 200_001}}, "repeat-too-large", ("$repeat",)),
        ({"$repeat": {"value": "x" * 1024, "times": 65_537}}, "repeat-too-large", ("$repeat",)),
        ({"$repeat": {"value": ["${{ index }}"], "times": 10**9}}, "repeat-too-large", ("$repeat",)),
        (
            {"$repeat": {"value": [{"$int": "x${{ index }}"}], "times": 1}},
            "literal-shape",
            ("$repeat", "value", 0, "$int"),
        ),
        ({"$join": ["a", 1]}, "literal-shape", ("$join",)),
        ({"$secret": "abc"}, "secret-too-short", ("$secret",)),
        ({"$secret": 1234}, "literal-shape", ("$secret",)),
        (["${{ nope }}"], "undefined-name", (0,)),
    ],
)
def test_what_cannot_be_made_is_refused_with_its_path(value: Any, code: str, path: tuple[str, ...]) -> None:
    with pytest.raises(LiteralError) as refused:
        made(value)
    assert (refused.value.code, refused.value.path) == (code, path)
    assert refused.value.remedy


def test_repeats_of_repeats_are_counted_together() -> None:
    inner = {"$repeat": {"value": 1, "times": 1000}}
    with pytest.raises(LiteralError, match="200,000"):
        made({"$repeat": {"value": inner, "times": 1000}})


def test_two_keys_that_become_one_are_refused() -> None:
    assert made({"${{ x }}": 1, "b": 2}, x="a") == {"a": 1, "b": 2}
    with pytest.raises(LiteralError, match="two keys become the same"):
        made({"${{ x }}": 1, "a": 2}, x="a")


def test_a_mark_that_is_written_as_an_escape_is_one_all_the_same() -> None:
    assert may_hold_marks(r'{"\u0024secret": "x"}')
    assert may_hold_marks(r'a: "$\x7b{ x }}"')
    assert not may_hold_marks(r'{"a": "\u00e9\n"}')


def test_a_plain_file_is_told_by_its_text() -> None:
    assert not may_hold_marks('{"a": "$5", "$ref": 1}')
    assert may_hold_marks("a: ${{ x }}")
    assert may_hold_marks('{"$int": "1"}')


def test_a_sample_is_drawn_from_a_schema_or_a_tool() -> None:
    closed = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert made({"$sample": {"schema": closed}}) == {"n": 1}
    assert made({"$sample": {"schema": closed, "seed": 1}}) == {"n": 2}
    assert made({"$sample": {"tool": "${{ tool }}"}}, tool={"inputSchema": closed}) == {"n": 1}
    assert made({"$sample": {"schema": closed, "break": "missing"}}) == {}


@pytest.mark.parametrize(
    "said",
    [
        "x",
        {},
        {"seed": 1},
        {"schema": {}, "tool": {}},
        {"schema": {}, "seed": "1"},
        {"schema": {}, "seed": True},
        {"schema": {}, "break": "all"},
        {"schema": {}, "size": 1},
    ],
)
def test_a_sample_of_another_shape_is_refused(said: Any) -> None:
    with pytest.raises(LiteralError) as problem:
        made({"$sample": said})
    assert (problem.value.code, problem.value.path) == ("literal-shape", ("$sample",))


@pytest.mark.parametrize(
    "said", [{"schema": False}, {"tool": {}}, {"tool": "x"}, {"schema": {}, "break": "extra"}]
)
def test_a_sample_that_cannot_be_drawn_is_told_apart(said: Any) -> None:
    with pytest.raises(Undrawn) as problem:
        made({"$sample": said})
    assert problem.value.code == "sample-impossible"
