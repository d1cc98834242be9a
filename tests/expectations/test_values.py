"""The words that look at the values which paths lead to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from evalkit import expectations
from evalkit.model import Finding, Json

Judge = Callable[..., list[Finding]]

ITEMS: Final[list[Json]] = [{"ref": "b", "at": 2}, {"ref": "a", "at": 1}]
OUTPUT: Final[Json] = {
    "total": 3,
    "big": 9007199254740993,
    "share": 1.0,
    "ok": True,
    "next": None,
    "name": "Zoë 😀",
    "lines": "one\ntwo\n",
    "scopes": ["navigation", "brain"],
    "mixed": [1, True, 1.0, {"a": [1]}, {"a": [1.0]}],
    "numbers": [1, 2, 2.5, 9007199254740993],
    "items": ITEMS,
    "empty": [],
}
EARLIER: Final[Any] = {"first": {"output": {"total": 2}}}
KEPT: Final[list[tuple[str, Json]]] = [
    ("equals", {"output.total": 3, "output.share": 1, "output.next": None}),
    ("equals", [{"path": "output.scopes", "value": ["navigation", "brain"]}]),
    ("equals", {"output.items.0": {"at": 2.0, "ref": "b"}}),
    ("equals", {"output.scopes.length": 2, "output.name.length": 6}),
    ("equals", {"$.output.items[?@.at == 1].ref": "a"}),
    ("equals", {"steps.first.output.total": 2}),
    ("equals", {"$.steps.first.output.total": 2}),
    ("differs", {"output.total": 4, "output.ok": 1, "output.next": False, "output.big": 9007199254740992}),
    ("subset", {"output.items.0": {"ref": "b"}, "output": {"items": [{}, {"at": 1}], "ok": True}}),
    ("contains", {"output.name": "Zo", "output.scopes": "brain", "output.mixed": {"a": [1]}}),
    ("contains", [{"path": "output.name", "value": ""}]),
    (
        "lacks",
        {"output.name": "zo", "output.scopes": "vault", "output.items": {"ref": "b"}, "output.empty": 1},
    ),
    ("matches", {"output.name": "^Z.* 😀$", "output.lines": "(?m)^two$"}),
    ("matches", {"output.lines": "two\\n$"}),
    ("type", {"output.total": "integer", "output.share": "integer", "output.big": "number"}),
    ("type", {"output.next": ["integer", "null"], "output.ok": "boolean", "output": "object"}),
    ("oneOf", {"output.scopes.0": ["brain", "navigation"], "output.ok": [1, True]}),
    ("range", {"output.total": {"min": 3, "max": 3}, "output.big": {"min": 9007199254740993}}),
    ("range", {"$.output.items[*].at": {"max": 2}}),
    ("count", {"output.items": 2, "output.empty": 0, "output.scopes": {"min": 1}}),
    ("unique", ["output.scopes", "output.empty"]),
    ("unique", {"output.items": {"by": "ref"}}),
    ("sorted", ["output.numbers", "output.empty"]),
    (
        "sorted",
        {"output.items": {"by": "at", "order": "descending"}, "output.scopes": {"order": "descending"}},
    ),
    ("present", ["output.next", "$.output.items[*].ref"]),
    ("absent", ["output.other", "$.output.items[?@.at > 9]", "output.items.2", "output.total.length"]),
    ("maxItems", {"output.items": 2}),
    ("maxItems", [{"path": "output.empty", "value": 0}]),
    ("maxChars", {"output.name": 6}),
    ("schema", {"output.total": {"type": "integer"}, "output.next": True}),
    ("schema", {"$.output.items[*]": {"required": ["ref", "at"]}}),
]
BROKEN: Final[list[tuple[str, Json, list[str]]]] = [
    ("equals", {"output.total": 4, "output.other": 1}, ["value-differs", "path-missing"]),
    ("equals", {"output.ok": 1}, ["value-differs"]),
    ("equals", {"output.other": None}, ["path-missing"]),
    ("equals", {"output.big": 9007199254740992}, ["value-differs"]),
    ("equals", {"output.scopes": ["brain", "navigation"]}, ["value-differs"]),
    ("equals", {"$.output.items[*].ref": "a"}, ["value-differs"]),
    ("equals", {"$.output.nothing[*]": 1}, ["path-missing"]),
    ("equals", {"output.__class__": 1, "output.scopes.-1": 1}, ["path-missing", "path-missing"]),
    ("equals", {"steps.second.output.total": 2}, ["path-missing"]),
    ("differs", {"output.share": 1, "output.other": 1}, ["value-equal", "path-missing"]),
    ("subset", {"output.scopes": ["navigation"]}, ["part-differs"]),
    ("subset", {"output.items.0": {"ref": "b", "kind": "x"}}, ["part-differs"]),
    ("subset", {"output.next": {}, "output.other": {}}, ["part-differs", "path-missing"]),
    ("contains", {"output.name": "zo", "output.scopes": "nav"}, ["text-missing", "item-missing"]),
    ("contains", {"output.name": 1, "output.total": "3", "output": "total"}, ["wrong-type"] * 3),
    ("contains", {"output.mixed": False, "output.other": "x"}, ["item-missing", "path-missing"]),
    ("lacks", {"output.name": "Zo", "output.scopes": "brain"}, ["text-present", "item-present"]),
    ("lacks", {"output.next": "x", "output.other": "x"}, ["wrong-type", "path-missing"]),
    ("matches", {"output.lines": "two$", "output.name": "^oë"}, ["no-match", "no-match"]),
    ("matches", {"output.total": "3", "output.other": "x"}, ["wrong-type", "path-missing"]),
    ("type", {"output.ok": "integer", "output.numbers.2": "integer"}, ["type-differs", "type-differs"]),
    ("type", {"output.total": ["string", "null"], "output.other": "null"}, ["type-differs", "path-missing"]),
    ("oneOf", {"output.ok": [1, "true"], "output.other": [None]}, ["not-one-of", "path-missing"]),
    ("range", {"output.total": {"max": 2}, "output.share": {"min": 1.5, "max": 2}}, ["out-of-range"] * 2),
    (
        "range",
        {"output.name": {"min": 0}, "output.ok": {"min": 0}, "output.x": {"min": 0}},
        ["wrong-type"] * 2 + ["path-missing"],
    ),
    ("range", {"$.output.items[*].at": {"max": 1}}, ["out-of-range"]),
    ("count", {"output.items": 1, "output.empty": {"min": 1}}, ["count-differs", "count-differs"]),
    ("count", {"output.name": 6, "output.other": 0}, ["wrong-type", "path-missing"]),
    ("unique", ["output.mixed"], ["items-repeated"]),
    ("unique", {"output.items": {"by": "ref.length"}}, ["items-repeated"]),
    ("unique", ["output.name", "output.other"], ["wrong-type", "path-missing"]),
    ("unique", {"output.items": {"by": "kind"}}, ["wrong-type"]),
    ("sorted", {"output.items": {"by": "at"}, "output.scopes": {"order": "ascending"}}, ["out-of-order"] * 2),
    ("sorted", ["output.mixed", "output.items", "output.total"], ["wrong-type"] * 3),
    ("sorted", {"output.items": {"by": "kind"}, "output.other": {"by": "x"}}, ["wrong-type", "path-missing"]),
    ("present", ["output.next", "output.other", "$.output.items[9]"], ["path-missing", "path-missing"]),
    ("absent", ["output.next", "$.output.items[*].ref"], ["path-present"] * 3),
    (
        "maxItems",
        {"output.items": 1, "output.name": 9, "output.x": 9},
        ["too-many-items", "wrong-type", "path-missing"],
    ),
    (
        "maxChars",
        {"output.name": 5, "output.items": 9, "output.x": 9},
        ["too-many-chars", "wrong-type", "path-missing"],
    ),
    (
        "schema",
        {"output": {"required": ["x"], "maxProperties": 1}, "output.x": True},
        ["schema-violated"] * 2 + ["path-missing"],
    ),
    ("schema", {"output.next": False}, ["schema-violated"]),
    ("schema", {"output.total": {"type": "strnig"}}, ["schema-unreadable"]),
    ("schema", {"output.total": {"$ref": "#/$defs/none"}}, ["schema-unreadable"]),
    ("schema", {"output.name": {"pattern": "(?<name>[}"}}, ["pattern-not-checkable"]),
]


@pytest.mark.parametrize(("word", "wanted"), KEPT, ids=str)
def test_what_holds_gives_no_finding(judge: Judge, word: str, wanted: Json) -> None:
    assert judge(word, wanted, {"output": OUTPUT}, earlier=EARLIER) == []


@pytest.mark.parametrize(("word", "wanted", "codes"), BROKEN, ids=str)
def test_what_does_not_hold_gives_each_finding(
    judge: Judge, word: str, wanted: Json, codes: list[str]
) -> None:
    found = judge(word, wanted, {"output": OUTPUT}, earlier=EARLIER)
    assert [finding.code for finding in found] == codes


def test_every_code_of_these_words_is_shown_broken() -> None:
    shown = {(word, code) for word, _, codes in BROKEN for code in codes}
    words = {word for word, _ in KEPT}
    assert shown == {(word, code) for word in words for code in expectations.find(word).CODES}


def test_a_finding_names_the_place_in_the_answer_and_in_the_suite(judge: Judge) -> None:
    wanted = [{"path": "output.ok", "value": True}, {"path": "$.output.items[*].ref", "value": "b"}]
    (finding,) = judge("equals", wanted, {"output": OUTPUT})
    assert (finding.path, finding.expected, finding.actual) == ("output.items.1.ref", "b", "a")
    assert finding.at == (1, "value")


def test_a_value_of_another_type_is_told_by_its_type(judge: Judge) -> None:
    one, other = judge("equals", {"output.ok": "true", "output.total": 4}, {"output": OUTPUT})
    assert "boolean" in one.message
    assert "integer" not in other.message


def test_the_first_item_out_of_order_is_named(judge: Judge) -> None:
    (finding,) = judge("sorted", ["output"], {"output": [1, 2, 4, 3, 0]})
    assert "item 3" in finding.message
    assert finding.actual == [1, 2, 4, 3, 0]


def test_an_unknown_keyword_gets_the_nearest_known_one() -> None:
    ((_, message),) = expectations.find("schema").check({"output": {"maxLenght": 1}})  # type: ignore[attr-defined]
    assert message.endswith("did you mean maxLength?")


def test_a_mapping_points_at_its_key(judge: Judge) -> None:
    (finding,) = judge("maxItems", {"output.items": 1}, {"output": OUTPUT})
    assert (finding.at, finding.expected, finding.actual) == (("output.items",), 1, 2)


def test_a_path_that_leads_nowhere_has_nothing_actual(judge: Judge) -> None:
    (finding,) = judge("equals", {"output.other": None}, {"output": OUTPUT})
    assert finding.expected is None
    assert finding.actual is ...


def test_a_schema_finding_names_the_violating_part(judge: Judge) -> None:
    schema = {"items": {"properties": {"at": {"maximum": 1}}}}
    (finding,) = judge("schema", {"output.items": schema}, {"output": OUTPUT})
    assert (finding.path, finding.actual) == ("output.items.0.at", 2)


def test_no_message_shows_a_value_that_came_back(judge: Judge) -> None:
    private = "hunter" + "2" * 3
    for word, wanted in [
        ("equals", "x"),
        ("contains", "x"),
        ("matches", "^x"),
        ("oneOf", ["x"]),
        ("maxChars", 1),
    ]:
        (finding,) = judge(word, {"output": wanted}, {"output": private})
        assert private not in finding.message


def test_equal_items_are_found_among_many_in_linear_time(judge: Judge) -> None:
    items = [{"at": number} for number in range(20_000)]
    (finding,) = judge("unique", ["output"], {"output": [*items, {"at": 7.0}]})
    assert finding.actual == [{"at": 7.0}]


@pytest.mark.parametrize(
    ("word", "wanted", "at"),
    [
        ("matches", {"output": "("}, ("output",)),
        ("matches", [{"path": "output", "value": "(?<year>x)"}], (0, "value")),
        ("matches", {"output": "[[a]"}, ("output",)),
        ("range", {"output": {"min": 2, "max": 1}}, ("output",)),
        ("count", {"output": {"min": 2, "max": 1}}, ("output",)),
        (
            "schema",
            {"output": {"properties": {"a": {"maxLenght": 1}}}},
            ("output", "properties", "a", "maxLenght"),
        ),
        ("schema", {"output": {"format": "dat"}}, ("output", "format")),
        ("schema", {"output": {"pattern": "(?<name>[}"}}, ("output", "pattern")),
        ("schema", {"output": {"type": "strnig"}}, ("output", "type")),
    ],
)
def test_what_could_never_be_judged_is_refused_at_load(word: str, wanted: Json, at: Any) -> None:
    ((place, message),) = expectations.find(word).check(wanted)  # type: ignore[attr-defined]
    assert place == at
    assert message


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("matches", {"output": "^a$"}),
        ("range", {"output": {"min": 1, "max": 1}}),
        ("count", {"output": 0}),
        ("schema", {"output": {"format": "date-time"}}),
    ],
)
def test_what_can_be_judged_is_not_refused(word: str, wanted: Json) -> None:
    assert list(expectations.find(word).check(wanted)) == []  # type: ignore[attr-defined]


def test_a_named_group_of_another_dialect_gets_its_cure() -> None:
    ((_, message),) = expectations.find("matches").check({"output": "(?<year>x)"})  # type: ignore[attr-defined]
    assert "(?P<name>" in message


@pytest.mark.parametrize(
    ("pattern", "text", "matched"),
    [
        ("^[a-z]+$", "abc\n", False),
        ("^[a-z]+$", "abc", True),
        (r"^\$", "$", True),
        (r"^\$", "", False),
        ("^[$]$", "$", True),
        ("^[]$]$", "$", True),
        ("^[^]$]$", "$", False),
        ("a$|b", "a\nb", True),
    ],
)
def test_a_dollar_anchors_to_the_very_end(judge: Judge, pattern: str, text: str, matched: bool) -> None:
    assert (judge("matches", {"output": pattern}, {"output": text}) == []) is matched
