"""JSON text is read by the standard library's decoder, and every mistake in it is found and placed."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.errors import Mistake, SuiteError
from evalkit.text import Document, parse_document

Place = tuple[str, int, int]
Path = tuple[str | int, ...]


def read(text: str) -> Document:
    return parse_document(text.encode(), "suite.json", format="json")


def mistakes(text: str) -> list[Mistake]:
    with pytest.raises(SuiteError) as caught:
        read(text)
    return list(caught.value.mistakes)


def places(text: str) -> list[Place]:
    return [(mistake.code, mistake.line, mistake.column) for mistake in mistakes(text)]


KEPT: dict[str, Any] = {
    "[1.10, 1e3, 1E-2, -0, 0.0]": [1.1, 1000.0, 0.01, 0, 0.0],
    "[9007199254740991, -9007199254740991]": [9007199254740991, -9007199254740991],
    '\ufeff{"a": 1}': {"a": 1},
    '\r\n\t {"a"\t:\r\n1}\n': {"a": 1},
    '{"a": {"k": 1}, "b": {"k": 2}}': {"a": {"k": 1}, "b": {"k": 2}},
    '{"yes": "no", "1": "~", "": ""}': {"yes": "no", "1": "~", "": ""},
    r'["\ud83d\ude00", "\ud83d", "\/\u00e9"]': ["😀", "\ud83d", "/é"],
    '["\u2028\x7f\x85"]': ["\u2028\x7f\x85"],
    '{"NaN": "Infinity"}': {"NaN": "Infinity"},
    "{}": {},
    '{"cases": []}': {"cases": []},
    "null": None,
    '"x"': "x",
}

REFUSED: dict[str, list[Place]] = {
    '{"a": 1, "a": 2}': [("duplicate-key", 1, 10)],
    '{"a": [{"b": 1,\n "\\u0062": 2}]}': [("duplicate-key", 2, 2)],
    '{"é": NaN,\n "b": [Infinity, -Infinity, 1]}': [
        ("not-json-number", 1, 7),
        ("not-json-number", 2, 8),
        ("not-json-number", 2, 18),
    ],
    "[9007199254740992, -9007199254740992]": [("big-integer", 1, 2), ("big-integer", 1, 20)],
    f'{{"a": {"1" * 5000}}}': [("big-integer", 1, 7)],
    "[1e400, -1.5E+999]": [("number-overflow", 1, 2), ("number-overflow", 1, 9)],
    '{"a": 1, "a": NaN, "b": }': [
        ("duplicate-key", 1, 10),
        ("not-json-number", 1, 15),
        ("json-syntax", 1, 25),
    ],
    "": [("empty-document", 0, 0)],
    " \n": [("empty-document", 0, 0)],
    "{} x": [("trailing-text", 1, 4)],
    '{"a": 1}\n{"b": 2}': [("trailing-text", 2, 1)],
    "[1]]": [("trailing-text", 1, 4)],
    "{": [("json-syntax", 1, 2)],
    '{"a": 1': [("json-syntax", 1, 8)],
    '{"a": 1,}': [("json-syntax", 1, 9)],
    '{"a": [1, 2,]}': [("json-syntax", 1, 13)],
    '{"a": [1 2]}': [("json-syntax", 1, 10)],
    '{"a": [1}': [("json-syntax", 1, 9)],
    '{"a": [{}}}': [("json-syntax", 1, 10)],
    '{"a": [{} {}]}': [("json-syntax", 1, 11)],
    '{"a": [{},]}': [("json-syntax", 1, 11)],
    '{"a": [1}}': [("json-syntax", 1, 9)],
    '{"a": 1]': [("json-syntax", 1, 8)],
    '{"a" 1}': [("json-syntax", 1, 6)],
    "{a: 1}": [("json-syntax", 1, 2)],
    "{\"a\": 'x'}": [("json-syntax", 1, 7)],
    '{"a": True}': [("json-syntax", 1, 7)],
    '{"a": 01}': [("json-syntax", 1, 7)],
    '{"a": +1}': [("json-syntax", 1, 7)],
    '{"a": .5}': [("json-syntax", 1, 7)],
    '{"a": 1.}': [("json-syntax", 1, 7)],
    '// x\n{"a": 1}': [("json-syntax", 1, 1)],
    '{"a": "x\ny"}': [("json-syntax", 1, 7)],
    '{"a": "x': [("json-syntax", 1, 7)],
    '{"a": "\\q"}': [("json-syntax", 1, 8)],
    '{"a": "\\u12"}': [("json-syntax", 1, 8)],
    '{"a": "x\ty"}': [("json-syntax", 1, 9)],
    '{"a": 1\x0c}': [("json-syntax", 1, 7)],
}


@pytest.mark.parametrize("text", KEPT)
def test_what_json_allows_is_read(text: str) -> None:
    assert json.dumps(read(text).data) == json.dumps(KEPT[text])


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_json_is_refused_with_its_place(text: str) -> None:
    assert places(text) == REFUSED[text]


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        ('{"a": 1,}', "found `}`, wanted a key in double quotes", "remove the comma before it"),
        ("{a: 1}", "found `a`, wanted a key in double quotes", "double quotes"),
        ("[1", "found the end of the file, wanted a comma or `]`", "cut off"),
        ("[None]", "found `None`, wanted a value", "write true, false or null"),
        ("[1] # x", "text after the end of the JSON value", "remove it"),
        ("[1, # x\n2]", "found `#`, wanted a value", "remove the comment"),
        ("[\x0c1]", r"found `'\x0c1'`, wanted a value", "write a value"),
        ("[1 2]", "found `2`, wanted a comma or `]`", "write a comma or `]`"),
        ("[007]", "found `007`, wanted a value", "no leading zero"),
    ],
)
def test_a_mistake_says_what_was_found_and_what_to_do(text: str, message: str, remedy: str) -> None:
    [mistake] = mistakes(text)
    assert mistake.message == message
    assert remedy in mistake.remedy


# limits


@pytest.mark.parametrize(
    ("before", "after", "levels"),
    [
        ("", "", 0),
        ('{"a": ', "}", 1),
        ('{"a": {"b": ', "}}", 2),
        ('{"a": [{}, {"b": ', "}]}", 3),
    ],
    ids=["outermost", "a list in it", "in an object in it", "in an object in a list in it"],
)
def test_sixty_four_levels_are_read_and_sixty_five_are_refused(before: str, after: str, levels: int) -> None:
    inner = 64 - levels
    assert read(before + "[" * inner + "]" * inner + after).data is not None
    text = before + "[" * (inner + 1) + "]" * (inner + 1) + after
    assert places(text) == [("too-deep", 1, len(before) + inner + 1)]


@pytest.mark.parametrize("text", ["[" * 10_000, '{"a":' * 10_000, '{"cases": [' + "[" * 10_000])
def test_depth_ten_thousand_is_a_clear_mistake(text: str) -> None:
    [mistake] = mistakes(text)
    assert mistake.code == "too-deep"


def test_brackets_in_strings_neither_add_to_the_depth_nor_hide_it() -> None:
    assert read('{"a": [{"b": "' + "[" * 100 + '"}]}').data["a"][0]["b"] == "[" * 100
    deep = '["]", ' * 70 + '"["' + ', "["]' * 70
    assert [mistake.code for mistake in mistakes(deep)] == ["too-deep"]


def test_reading_ends_at_a_thousand_mistakes() -> None:
    found = places("[" + "NaN,\n" * 5_000 + "1]")
    assert len(found) == 1001
    assert found[-1] == ("too-many-mistakes", 1000, 1)


# places


def test_every_node_has_a_place() -> None:
    document = read(
        '{"name": "é漢", "args": {"ids": [1, {"q": 2}]},\n "cases": [\n  {"id": 1},\n  {"id": {"x": []}}\n ]}'
    )
    assert document.place(()) == (1, 1)
    assert document.place(("name",)) == (1, 10)
    assert document.place(("name",), key=True) == (1, 2)
    assert document.place(("args", "ids", 1, "q")) == (1, 42)
    assert document.place(("args", "ids", 1, "q"), key=True) == (1, 37)
    assert document.place(("cases",)) == (2, 11)
    assert document.place(("cases", 1)) == (4, 3)
    assert document.place(("cases", 1), key=True) == (4, 3)
    assert document.place(("cases", 1, "id", "x")) == (4, 16)
    assert document.excerpt(3) == '  {"id": 1},'


def test_a_path_that_leads_nowhere_has_the_place_of_its_nearest_ancestor() -> None:
    document = read('{"a": {"b": [1]},\n "c": [[2], "x"]}')
    assert document.place(("z",)) == (1, 1)
    assert document.place((0,)) == (1, 1)
    assert document.place(("a", "z"), key=True) == (1, 7)
    assert document.place(("a", "b", 1)) == (1, 13)
    for item in (2, -1, "0"):
        assert document.place(("c", item)) == (2, 7)
    assert document.place(("c", 0, 5)) == (2, 8)
    assert document.place(("c", 1, "x")) == (2, 13)
    document = read('{"c": [{"x": [2]}, "y"]}')
    for item in (2, -1, "0"):
        assert document.place(("c", item)) == (1, 7)
    assert document.place(("c", 0, "x", 5)) == (1, 14)
    assert document.place(("c", 1, "x")) == (1, 20)
    assert read("[1, [2]]").place((1, 0)) == (1, 6)
    assert read("7").place(("a",)) == (1, 1)


# properties

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=20)
    | st.text('[]{}\\",:', max_size=10)
)
DATA = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text('ab{["\\', max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None)
@given(DATA, st.booleans(), st.sampled_from([None, 0, 1]))
def test_what_json_writes_reads_back_equal(data: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(data, ensure_ascii=ascii_only, indent=indent)
    text = re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)
    assert json.dumps(read(text).data) == json.dumps(data)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.text("abc", max_size=2), DATA, max_size=3) | DATA, st.randoms(use_true_random=False)
)
def test_every_place_is_where_the_writer_put_it(data: Any, random: Any) -> None:
    writer = Writer(random)
    writer.write(data, ())
    document = read("".join(writer.text))
    for (path, key), place in writer.places.items():
        assert document.place(path, key=key) == place


@pytest.mark.parametrize("text", ["[1, 2", '{"a": 1', '{"a": [1, {"b": "c"}]}', '[{"a": NaN}, 1e400]'])
def test_a_broken_text_is_never_read(text: str) -> None:
    """Every cut of a text but its whole is refused, and so is every text with a stray sign in it."""
    for cut in range(1, len(text)):
        assert mistakes(text[:cut])
        for sign in "]},:x":
            with_sign = f"{text[:cut]}{sign}{text[cut:]}"
            assert is_refused(with_sign) == is_refused_by_the_library(with_sign)


def is_refused(text: str) -> bool:
    try:
        read(text)
    except SuiteError:
        return True
    return False


def is_refused_by_the_library(text: str) -> bool:
    try:
        data = json.loads(text)
        json.dumps(data, allow_nan=False)
    except ValueError:
        return True
    return False


class Writer:
    """Writes JSON with white space at random, and keeps where each value and key begins."""

    def __init__(self, random: Any) -> None:
        self.random = random
        self.text: list[str] = []
        self.places: dict[tuple[Path, bool], tuple[int, int]] = {}
        self.line = self.column = 1

    def put(self, text: str) -> None:
        self.text.append(text)
        for character in text:
            self.line, self.column = (self.line + 1, 1) if character == "\n" else (self.line, self.column + 1)

    def space(self) -> None:
        self.put(self.random.choice(["", "", " ", "\n", "\t", " \r\n  "]))

    def write(self, data: Any, path: Path) -> None:
        self.space()
        self.places[path, False] = (self.line, self.column)
        if isinstance(data, dict):
            self.write_all("{", "}", [(path, key, data[key]) for key in data])
        elif isinstance(data, list):
            self.write_all("[", "]", [(path, index, item) for index, item in enumerate(data)])
        else:
            self.put(json.dumps(data))
        self.space()

    def write_all(self, opening: str, closing: str, members: list[tuple[Path, str | int, Any]]) -> None:
        self.put(opening)
        self.space()
        for number, (path, step, value) in enumerate(members):
            if number:
                self.put(",")
            if isinstance(step, str):
                self.space()
                self.places[(*path, step), True] = (self.line, self.column)
                self.put(json.dumps(step))
                self.space()
                self.put(":")
            self.write(value, (*path, step))
        self.put(closing)
