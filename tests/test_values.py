"""Paths, equality, frozen data and `${{ }}`, as the suite language says them."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Callable

import jsonpath_rfc9535
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.frozen import FrozenDict, FrozenList, freeze, thaw
from evalkit.model import Json
from evalkit.values import (
    ABSENT,
    PathError,
    check_path,
    dotted,
    encode,
    fault_in,
    fill,
    find,
    kind_of,
    merge_patch,
    names_in,
    parse_json,
    root_of,
    same,
    select,
)

ROOTS = {
    "output": {"items": [{"ref": "a", "n": None}, {"ref": "b"}], "text": "a😀"},
    "manifest": {"length": 7},
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("output.items.0.ref", "a"),
        ("output.items.0.n", None),
        ("output.items.length", 2),
        ("output.text.length", 3),
        ("manifest.length", 7),
        ("output.items.2", ABSENT),
        ("output.items.00", ABSENT),
        ("output.items.-1", ABSENT),
        ("output.items.0.ref.0", ABSENT),
        ("output.length", ABSENT),
        ("output.constructor.name", ABSENT),
    ],
)
def test_a_dotted_path_leads_to_one_node_or_none(path: str, value: object) -> None:
    assert find(ROOTS, path) == value or find(ROOTS, path) is value


def test_a_jsonpath_leads_to_every_node_with_its_own_path() -> None:
    assert select(ROOTS, "$.output.items[*].ref") == [
        ("output.items.0.ref", "a"),
        ("output.items.1.ref", "b"),
    ]
    assert select(ROOTS, "$.output.none[*]") == []
    assert select(ROOTS, "output.items.1.ref") == [("output.items.1.ref", "b")]


@pytest.mark.parametrize("path", ["", "a..b", ".a", "a.", "$[", "$.a[?"])
def test_a_path_that_cannot_be_read_is_refused(path: str) -> None:
    with pytest.raises(PathError):
        check_path(path)


@pytest.mark.parametrize(
    ("path", "root"),
    [("output.a", "output"), ("$.rpc.id", "rpc"), ("$['output'].x", "output"), ("$..x", ""), ("$", "")],
)
def test_the_root_of_a_path_is_its_first_name(path: str, root: str) -> None:
    assert root_of(path) == root


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (False, 0, False),
        (9007199254740993, 9007199254740992, False),
        (9007199254740993, 9007199254740992.0, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ([1, 2], [2, 1], False),
        (None, ABSENT, False),
        ("1", 1, False),
        ({}, [], False),
        ([None], [None], True),
    ],
)
def test_equality_is_that_of_json(left: object, right: object, equal: bool) -> None:
    assert same(left, right) is equal
    assert same(right, left) is equal


def test_the_kinds_are_the_words_of_json_schema() -> None:
    values: list[object] = [ABSENT, None, True, 1, 1.5, "", [], {}]
    kinds = [kind_of(value) for value in values]
    assert kinds == ["nothing", "null", "boolean", "integer", "number", "string", "array", "object"]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"a": {1, 2}}, "a set at a is no JSON value"),
        ({"a": [float("nan")]}, "nan at a.0 is no JSON number"),
        ({1: "a"}, "the key 1 is no text"),
        ((1,), "a tuple is no JSON value"),
        (b"x", "a bytes is no JSON value"),
    ],
)
def test_what_is_no_json_is_told_with_its_place(value: object, told: str) -> None:
    assert fault_in(value) == told


def test_a_value_that_holds_itself_is_no_json() -> None:
    loop: list[object] = []
    loop.append(loop)
    assert "holds itself" in (fault_in(loop) or "")


def test_json_is_sound() -> None:
    assert fault_in({"a": [1, 2.5, None, True, "\ud83d", {}]}) is None


@pytest.mark.parametrize("text", ["NaN", '{"a":1,"a":2}', "[1e400]", "{", "[" * 100_000])
def test_reading_json_is_strict(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  each reader of JSON words it in its own way
        parse_json(text)


def test_reading_and_writing_keeps_integers_and_lone_surrogates() -> None:
    assert parse_json("[9007199254740993]") == [9007199254740993]
    assert encode({"a": "é\ud83d"}) == '{"a":"é\\ud83d"}'


def test_frozen_data_refuses_change_and_passes_for_plain_data() -> None:
    frozen = freeze({"a": [1, {"b": 2}]})
    changes: list[Callable[[], object]] = [
        lambda: frozen.update(x=1),
        lambda: frozen["a"].append(2),
        lambda: frozen["a"][1].__setitem__("b", 3),
        lambda: frozen.pop("a"),
        lambda: frozen.__ior__({}),
        lambda: frozen["a"].sort(),
    ]
    for change in changes:
        with pytest.raises(TypeError, match="belongs to the suite"):
            change()
    assert isinstance(frozen, dict)
    assert json.dumps(frozen) == '{"a": [1, {"b": 2}]}'
    assert freeze(frozen) is frozen


def test_a_copy_of_frozen_data_can_be_changed() -> None:
    frozen = freeze({"a": [1]})
    for copied in (thaw(frozen), copy.deepcopy(frozen)):
        copied["a"].append(2)
        assert frozen == {"a": [1]}
    sent = pickle.loads(pickle.dumps(frozen))
    assert type(sent) is FrozenDict
    assert type(sent["a"]) is FrozenList


def test_a_merge_patch_follows_rfc_7396() -> None:
    target = {"a": {"b": 1, "c": 2}, "d": [1]}
    assert merge_patch(target, {"a": {"b": None, "e": {"f": None, "g": 1}}, "d": [2]}) == {
        "a": {"c": 2, "e": {"g": 1}},
        "d": [2],
    }


def test_a_name_alone_keeps_its_type_and_within_a_text_becomes_text() -> None:
    known = {"matrix.n": 3, "matrix.t": "x", "matrix.l": [1]}
    assert fill("${{ matrix.n }}", known.__getitem__) == 3
    assert fill("${{matrix.l}}", known.__getitem__) == [1]
    assert fill("n=${{ matrix.n }} t=${{ matrix.t }} l=${{ matrix.l }}", known.__getitem__) == "n=3 t=x l=[1]"
    assert fill("$${{ matrix.n }}", known.__getitem__) == "${{ matrix.n }}"
    assert fill("${{ matrix.n }}${{ matrix.n }}", known.__getitem__) == "33"


def test_names_are_found_anywhere_but_in_literals() -> None:
    assert list(names_in({"a": ["${{ x.y }}", {"b": "$${{ no }} ${{z}}"}]})) == ["x.y", "z"]


PLAIN_PATHS = st.lists(
    st.sampled_from([".a", ".b", ".length", "[*]", "[0]", "[1]", "[10]", "['a']", ".*"]),
    min_size=1,
    max_size=5,
).map(lambda steps: "$" + "".join(steps))
TREES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "a", "ab"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


@given(PLAIN_PATHS, TREES)
def test_a_path_that_needs_no_library_leads_where_the_library_leads(path: str, tree: Json) -> None:
    by_library = [(dotted(node.location), node.value) for node in jsonpath_rfc9535.compile(path).find(tree)]
    assert select(tree, path) == by_library


def test_only_names_indices_and_stars_need_no_library() -> None:
    code = (
        "import sys; from evalkit.values import select, check_path;"
        "assert select({'a': [{'b': 1}, {'b': 2}]}, '$.a[*].b') == [('a.0.b', 1), ('a.1.b', 2)];"
        "check_path('$.a[0]'); print('jsonpath_rfc9535' in sys.modules);"
        "select({'a': [1]}, '$.a[?@ > 0]'); print('jsonpath_rfc9535' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "True"]
