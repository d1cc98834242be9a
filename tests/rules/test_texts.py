"""The texts of a tool result, kept and broken."""

from __future__ import annotations

import time
from typing import Any

import pytest

from evalkit.rules import table
from evalkit.rules.texts import LONGEST_LITERAL
from tests.rules.calls import called, refused, result, text
from tests.rules.judging import broken, is_judged

FIRST = "toolResult.content.0.text"
RULES = [rule.id for rule in table().values() if rule.judge.__module__ == "evalkit.rules.texts"]
HALF = "\ud83d"


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("text-json-numbers", '{"mean": NaN}'),
        ("text-json-numbers", '[1, Infinity]'),
        ("text-json-numbers", ' {"a": [{"b": -Infinity}]}\n'),
        ("text-json-names", '{"id": 1, "id": 2}'),
        ("text-json-names", '[{"a": {"id": 1, "id": 1}}]'),
        ("text-unicode", f"cut {HALF}"),
        ("text-unicode", "\ude00 begins"),
        ("text-unicode", '{"a": "cut \\ud83d"}'),
        ("text-unicode", '{"\\udc00": 1}'),
        ("text-unicode", '[["\\ude00\\ud83d"]]'),
        ("text-told", "[object Object]"),
        ("text-told", "[object Object],[object Object]"),
        ("text-told", "[object Promise]\n"),
        ("text-told", "<app.Note object at 0x7f2c9e0b3d10>"),
        ("text-told", "<app.read.<locals>.Note object at 0x7F>"),
        ("text-told", "<Color.RED: 1>"),
        ("text-told", "<function read at 0x7f2c9e>"),
        ("text-told", "<function read.<locals>.<lambda> at 0x7f2c9e>"),
        ("text-told", "<bound method Note.read of <app.Note object at 0x7f2c9e>>"),
        ("text-no-literal", "[{'name': 'a'}]"),
        ("text-no-literal", "{'rain': 1}"),
        ("text-no-literal", "[True, None]"),
        ("text-no-literal", "('a', 1)"),
        ("text-no-literal", " {'a'} "),
        ("text-no-literal", "{\"a\": 'it''s'}"),
    ],
)  # fmt: skip
def test_a_text_that_breaks_one_rule(rule: str, told: str) -> None:
    seen = called(result(text(told)))
    assert {name: found for name in RULES if (found := broken(name, seen))} == {rule: [FIRST]}


VIRTUOUS = {
    "nothing": "",
    "white space": " \n",
    "prose": "Rain on monday.",
    "prose with NaN in it": "The mean is NaN, the sum Infinity.",
    "a bare NaN": "NaN",
    "NaN in brackets, and prose around it": "mean: [NaN]",
    "JSON": '{"a": [1, null, true, "x"], "b": {}}',
    "JSON with NaN as a text": '{"mean": "NaN"}',
    "JSON that breaks off": '{"mean": NaN, ',
    "one name in two objects": '[{"id": 1}, {"id": 2}]',
    "a name within itself": '{"id": {"id": 1}}',
    "names that differ in case": '{"id": 1, "ID": 2}',
    "two documents": '{"id": 1}\n{"id": 1}',
    "emoji": "☔️ 😀",
    "an emoji as an escaped pair": '{"a": "\\ud83d\\ude00"}',
    "an escape that is told": "the escape \\ud83d is half of a pair",
    "an escape that is told in JSON": '{"a": "\\\\ud83d"}',
    "a mark of replacement": "cut \ufffd",
    "a text about an object": "JavaScript writes [object Object] here.",
    "a link in Markdown": "[object](https://example.org)",
    "a tag": "<note>Rain.</note>",
    "a tag with a name of space": "<app.Note id='1'>",
    "a tag that is called function": "<function name='read'>Reads.</function>",
    "an address": "at 0x7f2c9e",
    "an address of e-mail": "<Someone: a@example.org>",
    "a list without quotes": "[1, 2]",
    "a list of words": "[monday, tuesday]",
    "brackets with an apostrophe": "[it's raining]",
    "parentheses with an apostrophe": "(don't)",
    "a quoted word": "'monday'",
    "None alone": "None",
    "a number in parentheses": "(1)",
    "a call": "{'a': len('b')}",
    "an array that JSON knows too": '["it\'s", "a"]',
    "code": "x = {'a': 1}",
    "an error": "Error: {'a': 1}",
}


@pytest.mark.parametrize("name", VIRTUOUS)
def test_a_text_in_order_breaks_no_rule(name: str) -> None:
    seen = called(result(text("Before."), text(VIRTUOUS[name])))
    assert {rule: found for rule in RULES if (found := broken(rule, seen))} == {}


def test_every_text_is_read_and_every_flaw_is_told_once() -> None:
    told = '{"a": NaN, "b": NaN, "c": Infinity, "a": 1, "a": 2}'
    seen = called(result(text("Rain."), text(told)))
    second = "toolResult.content.1.text"
    assert broken("text-json-numbers", seen) == [second, second]
    assert broken("text-json-names", seen) == [second]


def test_half_a_pair_is_found_wherever_a_result_has_a_text() -> None:
    output = {"a": [f"x{HALF}"], f"{HALF}": 1}
    found = result({"type": "image", "data": "", "mimeType": HALF}, structuredContent=output)
    assert broken("text-unicode", called(found)) == [
        "toolResult.structuredContent",
        "toolResult.content.0.mimeType",
        "toolResult.structuredContent.a.0",
    ]


@pytest.mark.parametrize("rule", RULES)
def test_only_texts_of_a_result_are_read(rule: str) -> None:
    for found in ("[object Object]", result(content="{'a'}"), result({"type": "image", "text": "{'a'}"})):
        assert broken(rule, called(found)) == []
    assert not is_judged(rule, refused({"code": -32602, "message": HALF}))


@pytest.mark.parametrize("rule", RULES)
def test_a_failure_is_read_like_a_success(rule: str) -> None:
    broken_by = {
        "text-json-numbers": "[NaN]",
        "text-json-names": '{"a": 1, "a": 1}',
        "text-unicode": HALF,
        "text-told": "[object Object]",
        "text-no-literal": "['a']",
    }
    assert broken(rule, called(result(text(broken_by[rule]), isError=True))) == [FIRST]


HOSTILE: dict[str, Any] = {
    "deep JSON": "[" * 200_000 + "]" * 200_000,
    "a deep literal": "['a'," + "[" * 30_000 + "]" * 30_000 + "]",
    "a long literal": "['" + "a" * LONGEST_LITERAL + "']",
    "many objects": "[object Object] " * 6_000 + "!",
    "a long tag": "<" + "a." * 49_000 + ">",
    "an integer of many digits": "[" + "9" * 100_000 + "]",
    "a null byte": "['a\0']",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_read_in_time(name: str) -> None:
    began = time.monotonic()
    assert {
        rule: found for rule in RULES if (found := broken(rule, called(result(text(HOSTILE[name])))))
    } == {}
    assert time.monotonic() - began < 5
