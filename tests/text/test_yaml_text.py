"""YAML text is read by our own strict rules, whichever of PyYAML's parsers gives the events."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalkit.errors import Mistake, SuiteError
from evalkit.text import Document, parse_document, yaml_events

Place = tuple[str, int, int]


@pytest.fixture(params=["libyaml", "pure"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name: str = request.param
    if name == "pure":
        monkeypatch.setattr(yaml_events, "CParser", None)
    elif not yaml.__with_libyaml__:
        pytest.skip("this PyYAML was built without libyaml")
    return name


def read(text: str) -> Document:
    return parse_document(text.encode(), "suite.yaml", format="yaml")


def mistakes(text: str) -> list[Mistake]:
    with pytest.raises(SuiteError) as caught:
        read(text)
    return list(caught.value.mistakes)


def places(text: str) -> list[Place]:
    return [(mistake.code, mistake.line, mistake.column) for mistake in mistakes(text)]


KEPT: dict[str, Any] = {
    "a: true\nb: false\nc: null": {"a": True, "b": False, "c": None},
    "- 0\n- -0\n- 12\n- -3": [0, 0, 12, -3],
    "- 1.0\n- 0.5\n- -2.25\n- 1.5e+3\n- 2.5E-1": [1.0, 0.5, -2.25, 1500.0, 0.25],
    "- 9007199254740991\n- -9007199254740991": [9007199254740991, -9007199254740991],
    "- 1.01\n- '1.10'\n- 100": [1.01, "1.10", 100],
    '- "yes"\n- \'no\'\n- "~"\n- "010"\n- "2024-01-01"': ["yes", "no", "~", "010", "2024-01-01"],
    "- yEs\n- nope\n- tRUE\n- nULL\n- O": ["yEs", "nope", "tRUE", "nULL", "O"],
    "- 1.2.3\n- 192.0.2.10\n- v1\n- 1a\n- 0:30\n- 1:99": ["1.2.3", "192.0.2.10", "v1", "1a", "0:30", "1:99"],
    "- 2024-1-1\n- 2024-01\n- 20240101x": ["2024-1-1", "2024-01", "20240101x"],
    "- .\n- -\x2d\n- +\n- 0x\n- 0o8\n- .info\n- _1": [".", "--", "+", "0x", "0o8", ".info", "_1"],
    "- <<<\n- ==\n- a=b": ["<<<", "==", "a=b"],
    'a: ""\nb: {}\nc: []': {"a": "", "b": {}, "c": []},
    '"true": 1\n"200": 2\n"<<": 3\n"": 4\n"yes": 5': {"true": 1, "200": 2, "<<": 3, "": 4, "yes": 5},
    "a: {k: 1}\nb: {k: 2}": {"a": {"k": 1}, "b": {"k": 2}},
    "k: 1\nK: 2": {"k": 1, "K": 2},
    "a: ${{ matrix.x }}\nb: x ${{ y }} z": {"a": "${{ matrix.x }}", "b": "x ${{ y }} z"},
    'a: {b: "${{ x }}"}\nc: ["${{ y }}"]': {"a": {"b": "${{ x }}"}, "c": ["${{ y }}"]},
    "- [a: 1, b]\n- {c: 2,}": [[{"a": 1}, "b"], {"c": 2}],
    "a: |\n  one\n\n  yes\nb: >-\n  on\n  off": {"a": "one\n\nyes\n", "b": "on off"},
    "a: one\n  two": {"a": "one two"},
    "? a\n: b": {"a": "b"},
    "a: it's, e.g. http://x:80 #1\nb: x#y": {"a": "it's, e.g. http://x:80", "b": "x#y"},
    "---\na: b\n...\n": {"a": "b"},
    "%YAML 1.2\n---\na: b": {"a": "b"},
    "# first\n%YAML 1.1 # old\n---\na: b": {"a": "b"},
    "\ufeffa: b\r\nc: d\r\n": {"a": "b", "c": "d"},
    "a: b\rc: d\r": {"a": "b", "c": "d"},
    "é: 漢\n😀: ü": {"é": "漢", "😀": "ü"},
    'a: "\\u2028\\x07\\0\\U0001F600"': {"a": "\u2028\x07\0😀"},
    "a: &x {k: [1]}\nb: *x\nc: [*x]": {"a": {"k": [1]}, "b": {"k": [1]}, "c": [{"k": [1]}]},
    "a: &x 1\nb: &x 2\nc: *x": {"a": 1, "b": 2, "c": 2},
    "&x a: 1\nb: {*x : 2}": {"a": 1, "b": {"a": 2}},
    "just text": "just text",
    "null": None,
}

REFUSED: dict[str, list[Place]] = {
    # bare values: one code a kind
    "a: yes\nb: No\nc: ON\nd: off\ne: y\nf: N\ng: True\nh: FALSE": [
        ("bare-boolean", line, 4) for line in range(1, 9)
    ],
    "\ufeff😀: yes\r\nb: no\r\n": [("bare-boolean", 1, 4), ("bare-boolean", 2, 4)],
    "é: x\rü: [漢, no]\r": [("bare-boolean", 2, 8)],
    "- ~\n- Null\n- NULL": [("bare-null", 1, 3), ("bare-null", 2, 3), ("bare-null", 3, 3)],
    "- 010\n- 0o17\n- 00\n- -07\n- 0_7": [("bare-octal", line, 3) for line in range(1, 6)],
    "- 08\n- 01.5\n- -09\n- 010e1": [("bare-leading-zero", line, 3) for line in range(1, 5)],
    "- 0x1f\n- -0xA_B": [("bare-hexadecimal", 1, 3), ("bare-hexadecimal", 2, 3)],
    "- 0b1\n- +0b1_0": [("bare-binary", 1, 3), ("bare-binary", 2, 3)],
    "- 1:30\n- 12:30:45\n- 0:30.5\n- -1:0": [("bare-sexagesimal", line, 3) for line in range(1, 5)],
    "- 2024-01-01\n- 2024-1-1 1:02:03\n- 2024-01-01T10:00:00.5Z\n- 2001-12-14t21:59:43 -05:00": [
        ("bare-date", line, 3) for line in range(1, 5)
    ],
    "- .nan\n- .NaN\n- .inf\n- -.INF\n- +.Inf": [("bare-not-finite", line, 3) for line in range(1, 6)],
    "- +1\n- +1.5\n- +.5": [("bare-plus", line, 3) for line in range(1, 4)],
    "- 1_000\n- 1_0.5\n- 1.5_0\n- -1_0": [("bare-underscore", line, 3) for line in range(1, 5)],
    "- 1.\n- .5\n- -.5": [("bare-decimal-point", line, 3) for line in range(1, 4)],
    "- 1e3\n- 1E+3\n- 1.5e3\n- .5e+1\n- 1.e-1": [("bare-exponent", line, 3) for line in range(1, 6)],
    "a: =\nb: <<": [("yaml-special", 1, 4), ("yaml-special", 2, 4)],
    "- 1.10\n- -0.00\n- 1.50e+3": [("trailing-zero", line, 3) for line in range(1, 4)],
    "- 9007199254740992\n- -9007199254740992\n- 1" + "0" * 5000: [
        ("big-integer", line, 3) for line in range(1, 4)
    ],
    "a: 1.0e+400\nb: -1.5E+999": [("number-overflow", 1, 4), ("number-overflow", 2, 4)],
    # keys
    "true: 1\nnull: 2\n200: 3\n1.5: 4": [("typed-key", line, 1) for line in range(1, 5)],
    "on: 1\n~: 2\n0x1f: 3\n2024-01-01: 4\n1_0: 5": [
        ("bare-boolean", 1, 1),
        ("bare-null", 2, 1),
        ("bare-hexadecimal", 3, 1),
        ("bare-date", 4, 1),
        ("bare-underscore", 5, 1),
    ],
    "a: 1\nb: {c: 1, 'c': 2}\na: 3": [("duplicate-key", 2, 11), ("duplicate-key", 3, 1)],
    "- - k: 1\n    k: 1": [("duplicate-key", 2, 5)],
    "&x a: 1\n*x : 2": [("duplicate-key", 2, 1)],
    "a: &x {k: 1}\nb:\n  <<: *x\n  c: 1": [("merge-key", 3, 3)],
    ": 1": [("empty-key", 1, 1)],
    "a: {: 1}": [("empty-key", 1, 5)],
    "- : 1": [("empty-key", 1, 3)],
    "? [a]\n: b": [("key-not-text", 1, 3)],
    "{a: b}: c": [("key-not-text", 1, 1)],
    "a: {[b]: c}": [("key-not-text", 1, 5)],
    "&x true: 1": [("key-not-text", 1, 1)],
    "a: {{ x }}": [("key-not-text", 1, 5), ("empty-value", 1, 7)],
    # values that are not there
    "a:\nb: 1\n  # only a remark\nc:": [("empty-value", 1, 1), ("empty-value", 4, 1)],
    "{a, b: 1, c: }": [("empty-value", 1, 2), ("empty-value", 1, 11)],
    "a: &x\nb: 1": [("empty-value", 1, 1)],
    "a:\n  -\n  - 1\n  - # a remark\n": [("empty-item", 2, 3), ("empty-item", 4, 3)],
    "- &x\n- [&y , 1]": [("empty-item", 1, 3), ("empty-item", 2, 4)],
    # tags, anchors, aliases
    "a: !!str 1": [("explicit-tag", 1, 4)],
    "- ! 010\n- !x [1]\n- !<y> {a: yes}\n- &z !t k": [
        ("explicit-tag", 1, 3),
        ("explicit-tag", 2, 3),
        ("explicit-tag", 3, 3),
        ("bare-boolean", 3, 12),
        ("explicit-tag", 4, 3),
    ],
    "!!map\na: 1": [("explicit-tag", 1, 1)],
    "!k a: 1": [("explicit-tag", 1, 1)],
    "a: !e!x 1": [("explicit-tag", 1, 4)],
    "a: !t! b": [("explicit-tag", 1, 4)],
    "a: *x\nb: &x 1": [("unknown-alias", 1, 4)],
    "a: &x [1, *x]": [("recursive-alias", 1, 11)],
    "a: &x\n  b: {c: *x}": [("recursive-alias", 2, 10)],
    # the document
    "": [("empty-document", 0, 0)],
    "# nothing\n\n": [("empty-document", 0, 0)],
    "---\n": [("empty-document", 0, 0)],
    "a: 1\n---\nb: 2": [("several-documents", 2, 1)],
    "a: 1\n--- # an empty one\n": [("several-documents", 2, 1)],
    "%TAG ! tag:x,2000:\n---\na: b": [("yaml-directive", 1, 1)],
    "# first\n%FOO bar\n---\na: b": [("yaml-directive", 2, 1)],
    "%YAML 1.3\n---\na: b": [("yaml-directive", 1, 1)],
    "%YAML 1.1\n%YAML 1.1\n---\na: b": [("yaml-directive", 2, 1)],
    # characters
    "a: b\x07c\nd: \x7f\x1b": [
        ("control-character", 1, 5),
        ("control-character", 2, 4),
        ("control-character", 2, 5),
    ],
    'a: "\u2028\u2029\x85\x9f"\nb\ufeff: 1': [
        *[("control-character", 1, column) for column in range(5, 9)],
        ("control-character", 2, 2),
    ],
    # syntax
    "a: {b: ${{ x }}}": [("unquoted-filling", 1, 8)],
    "a: yes\nb: [x, y${{ z }}]": [
        ("bare-boolean", 1, 4),
        ("unquoted-filling", 2, 9),
    ],
    "a:\n\tb: 1": [("tab-indentation", 2, 1)],
    "a:\n  b: 1\n\tc: 2": [("tab-indentation", 3, 1)],
    "a: |\n\tx": [("tab-indentation", 2, 1)],
    "a: b: c": [("yaml-syntax", 1, 5)],
    "a: 1\n b: 2": [("yaml-syntax", 2, 3)],
    "a:\n  b: 1\n c: 2": [("yaml-syntax", 3, 2)],
    "a: 1\n- b": [("yaml-syntax", 2, 1)],
    "- a\nb: 1": [("yaml-syntax", 2, 1)],
    "a: - b": [("yaml-syntax", 1, 4)],
    "a: ? b": [("yaml-syntax", 1, 4)],
    "a: @x": [("yaml-syntax", 1, 4)],
    "a: *": [("yaml-syntax", 1, 4)],
    "é: [1,\n b: 2": [("yaml-syntax", 2, 6)],
    "a: 'x' y": [("yaml-syntax", 1, 8)],
    'a: 1\nb: "x\nc: 2': [("yaml-syntax", 2, 4)],
    'a: "\\q"': [("yaml-syntax", 1, 5)],
    'a: "x\\ud83d"': [("yaml-syntax", 1, 6)],
    'a: "\\U00110000"': [("yaml-syntax", 1, 5)],
    'a: "\\xZZ"': [("yaml-syntax", 1, 5)],
    "a: |x\n y": [("yaml-syntax", 1, 5)],
    "a: >\nb": [("yaml-syntax", 2, 1)],
    '"a" b': [("yaml-syntax", 1, 5)],
    "a: 1\n...\nb: 2": [("yaml-syntax", 3, 1)],
}


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("text", KEPT)
def test_what_the_rules_allow_is_read_as_json_types(text: str) -> None:
    wanted = KEPT[text]
    data = read(text).data
    assert json.dumps(data) == json.dumps(wanted)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("text", REFUSED)
def test_what_the_rules_forbid_is_refused_with_its_place(text: str) -> None:
    assert places(text) == REFUSED[text]


@pytest.mark.usefixtures("parser")
def test_a_mistake_says_what_was_found_where_and_what_to_do() -> None:
    [mistake] = mistakes("name: x\n  # ü\ncountry: NO # Norway\n")
    assert mistake == Mistake(
        code="bare-boolean",
        message="bare `NO` is a boolean to one YAML version and text to another",
        remedy='write true or false, or quote it if it is text: "NO"',
        file="suite.yaml",
        line=3,
        column=10,
        excerpt="country: NO # Norway",
    )


@pytest.mark.usefixtures("parser")
def test_an_unquoted_filling_is_told_to_be_quoted() -> None:
    [mistake] = mistakes("a: [${{ matrix.x }}]")
    assert "quote it" in mistake.remedy


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(("text", "remedy"), [("a: {{ x }}", '"${{ … }}"'), ("? [a]\n: b", "write text")])
def test_a_key_that_is_no_text_is_told_what_may_be_meant(text: str, remedy: str) -> None:
    assert remedy in mistakes(text)[0].remedy


@pytest.mark.usefixtures("parser")
def test_a_duplicate_key_names_the_place_of_the_first() -> None:
    [mistake] = mistakes("x:\n  a: 1\n  b: 2\n  a: 3\n")
    assert "the first is at 2:3" in mistake.message


@pytest.mark.usefixtures("parser")
def test_reading_ends_at_a_thousand_mistakes() -> None:
    found = places("- yes\n" * 5_000)
    assert found[998:] == [
        ("bare-boolean", 999, 3),
        ("bare-boolean", 1000, 3),
        ("too-many-mistakes", 1000, 3),
    ]


@pytest.mark.usefixtures("parser")
def test_a_message_never_repeats_a_long_text() -> None:
    [mistake] = mistakes("a: " + "1" * 100_000)
    assert len(mistake.message) < 100
    assert len(mistake.excerpt) == 200


# limits


@pytest.mark.usefixtures("parser")
def test_sixty_four_levels_are_read_and_sixty_five_are_refused() -> None:
    assert read("[" * 64 + "]" * 64).data is not None
    assert places("[" * 65 + "]" * 65) == [("too-deep", 1, 65)]
    assert places("- " * 65 + "x") == [("too-deep", 1, 129)]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("text", ["[" * 10_000, "- " * 10_000, "? " * 10_000, '{"a": ' * 10_000])
def test_depth_ten_thousand_is_a_clear_mistake(text: str) -> None:
    [mistake] = mistakes(text)
    assert mistake.code == "too-deep"


@pytest.mark.usefixtures("parser")
def test_depth_counts_what_aliases_bring_along() -> None:
    chain = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 63))
    assert read(chain).data["a62"] is not None
    assert places(chain + "a63: [*a62]\n") == [("too-deep", 64, 7)]


@pytest.mark.usefixtures("parser")
def test_two_hundred_fifty_six_aliases_are_read_and_one_more_is_refused() -> None:
    assert read("- &a 1\n" + "- *a\n" * 256).data == [1] * 257
    assert places("- &a 1\n" + "- *a\n" * 257) == [("too-many-aliases", 258, 3)]


def test_two_hundred_thousand_alias_nodes_are_read_and_one_more_is_refused() -> None:
    numbers = ",".join(["1"] * 999)  # with its list, a thousand nodes
    text = f"- &a [{numbers}]\n" + "- *a\n" * 200
    assert len(read(text).data) == 201
    assert places(text + "- *a\n") == [("too-many-alias-nodes", 202, 3)]


@pytest.mark.usefixtures("parser")
def test_an_alias_bomb_does_not_go_off() -> None:
    nines = "".join(f"- &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))
    [mistake] = mistakes("- &a0 [x, x, x, x, x, x, x, x, x]\n" + nines)
    assert mistake.code == "too-many-alias-nodes"


@pytest.mark.usefixtures("parser")
def test_a_merge_key_chain_is_refused_link_by_link() -> None:
    chain = "a0: &a0 {x: 1}\n" + "".join(f"a{i}: &a{i} {{<<: *a{i - 1}}}\n" for i in range(1, 100))
    assert places(chain) == [("merge-key", line, 10 if line <= 10 else 12) for line in range(2, 101)]


def test_an_alias_gives_the_same_object() -> None:
    data = read("a: &x {k: 1}\nb: *x").data
    assert data["a"] is data["b"]


# places


@pytest.mark.usefixtures("parser")
def test_every_node_has_a_place() -> None:
    document = read(
        "name: é漢 # a remark\n"
        "cases:\n"
        "- id: one\n"
        "  args: {q: 'x', ids: [1, 2]}\n"
        "-   id: two\n"
        '    "expect":\n'
        "      ok: true\n"
        "last: |\n"
        "  text\n"
    )
    assert document.place(()) == (1, 1)
    assert document.place(("name",)) == (1, 7)
    assert document.place(("name",), key=True) == (1, 1)
    assert document.place(("cases",)) == (3, 1)
    assert document.place(("cases",), key=True) == (2, 1)
    assert document.place(("cases", 0)) == (3, 3)
    assert document.place(("cases", 0), key=True) == (3, 3)
    assert document.place(("cases", 0, "args", "q")) == (4, 13)
    assert document.place(("cases", 0, "args", "ids", 1)) == (4, 27)
    assert document.place(("cases", 1)) == (5, 5)
    assert document.place(("cases", 1, "expect"), key=True) == (6, 5)
    assert document.place(("cases", 1, "expect", "ok")) == (7, 11)
    assert document.place(("last",)) == (8, 7)


@pytest.mark.usefixtures("parser")
def test_a_path_that_leads_nowhere_has_the_place_of_its_nearest_ancestor() -> None:
    document = read("a:\n  b: [1, x]\n")
    assert document.place(("z", "b")) == (1, 1)
    assert document.place(("a", "z"), key=True) == (2, 3)
    assert document.place(("a", "b", 2)) == (2, 6)
    assert document.place(("a", "b", "1")) == (2, 6)
    assert document.place(("a", "b", -1)) == (2, 6)
    assert document.place(("a", "b", 1, 0)) == (2, 10)


@pytest.mark.usefixtures("parser")
def test_a_path_into_an_alias_has_the_place_of_the_alias() -> None:
    document = read("a: &x {k: [1, 2]}\nb: *x\nc: [*x, 3]\n")
    assert document.place(("a", "k", 1)) == (1, 15)
    assert document.place(("b", "k", 1)) == (2, 4)
    assert document.place(("c", 0, "k")) == (3, 5)
    assert document.place(("c", 1)) == (3, 9)


# properties

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: "." in repr(x))
    | st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=20)
)
KEYS = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=10)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.usefixtures("parser")
@given(DATA)
def test_json_in_double_quoted_flow_style_reads_back_equal(data: Any) -> None:
    text = json.dumps(data)
    assert json.dumps(read(text).data) == text


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab:- \n\t#'\"{}[]&*!|>%?,~1.\\"), max_size=24))
def test_any_text_is_read_or_refused_and_never_raises_otherwise(text: str) -> None:
    with suppress(SuiteError):
        read(text)
