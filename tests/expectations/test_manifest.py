"""The words about what the manifest says, and about its limits and other budgets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from evalkit import expectations
from evalkit.errors import CapabilityMissing
from evalkit.model import Finding, Json

Judge = Callable[..., list[Finding]]
Row = tuple[str, Json, Json, dict[str, Any]]

READ_ONLY: Final[Json] = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
READER: Final[Json] = {"name": "reader", "annotations": READ_ONLY}
WRITER: Final[Json] = {"name": "writer"}
NAMELESS: Final[Json] = {"title": "no name", "annotations": READ_ONLY}


def listing(*tools: Json) -> Json:
    """The roots of a step whose manifest lists these tools."""
    return {"manifest": {"tools": list(tools)}}


def limited(chars: Json, tokens: Json, output: Json) -> Json:
    """The roots of a step with these limits and this output."""
    return {"manifest": {"limits": {"maxResponseChars": chars, "maxApproxTokens": tokens}}, "output": output}


FAILED: Final[Json] = {
    "manifest": {"limits": {"maxResponseChars": 10, "maxApproxTokens": 10}},
    "toolResult": {"isError": True, "content": []},
}
# {"a":"…"} is 8 characters and what stands between the quotes.
TWENTY: Final[Json] = {"a": "x" * 12}
SMILES: Final[Json] = {"a": "😀" * 6}

KEPT: Final[list[Row]] = [
    ("advertisedToolsCovered", True, listing(READER), {"uses": [("reader", False)]}),
    ("advertisedToolsCovered", True, listing(READER), {"uses": [("reader", True), ("gone", True)]}),
    ("readOnlyTools", True, listing(READER), {}),
    ("readOnlyTools", ["reader"], listing(READER, WRITER), {}),
    ("annotations", {"reader": READ_ONLY}, listing(READER, WRITER), {}),
    ("annotations", {"writer": {"readOnlyHint": False}}, listing(WRITER), {}),
    ("annotations", {"writer": {"destructiveHint": True, "openWorldHint": True}}, listing(WRITER), {}),
    ("withinBudgets", True, limited(20, 5, TWENTY), {}),
    ("withinBudgets", True, limited(20, 5, SMILES), {}),
    ("withinBudgets", True, limited(20000, 5000, None), {}),
    ("budget", {"chars": 20, "bytes": 32, "tokens": 5}, {"output": SMILES}, {}),
    (
        "budget",
        {"items": 2, "sourceCalls": 3},
        {"output": {"items": [1, 2]}},
        {"calls": {"a": 1, "b": 2, "c": 0}},
    ),
    ("budget", {"items": 0}, {"output": []}, {}),
    ("budget", {"chars": 5}, {"response": {"body": "hello"}}, {"operation": "http"}),
    ("budget", {"chars": 2}, {"manifest": {}}, {"operation": "manifest"}),
    ("budget", {"bytes": 3}, {"process": {"stdout": "é\n"}}, {"operation": "cli"}),
    ("budget", {"chars": 14}, {"toolResult": {"content": []}}, {}),
]
CUT: Final[Json] = {"manifest": {"tools": [READER], "incomplete": "page 2 is the error -32603"}}
BROKEN: Final[list[tuple[str, Json, Json, dict[str, Any], list[str]]]] = [
    ("advertisedToolsCovered", True, listing(READER, WRITER), {"uses": []}, ["tool-not-covered"] * 2),
    (
        "advertisedToolsCovered",
        True,
        listing(READER),
        {"uses": [("reader", False), ("gone", True), ("gone", False), ("far", False), ("far", False)]},
        ["tool-not-advertised"] * 2,
    ),
    (
        "advertisedToolsCovered",
        True,
        listing(READER, READER),
        {"uses": [("reader", False)]},
        ["tool-repeated"],
    ),
    (
        "advertisedToolsCovered",
        True,
        listing(NAMELESS, "reader"),
        {"uses": [("reader", True)]},
        ["manifest-malformed"] * 2,
    ),
    ("advertisedToolsCovered", True, listing(), {"uses": [("gone", True)]}, ["no-tools"]),
    ("advertisedToolsCovered", True, {"manifest": []}, {"uses": []}, ["manifest-malformed"]),
    ("advertisedToolsCovered", True, CUT, {"uses": [("reader", False)]}, ["manifest-incomplete"]),
    ("readOnlyTools", True, listing(READER, WRITER), {}, ["hint-differs"] * 4),
    (
        "readOnlyTools",
        True,
        listing({"name": "x", "annotations": {**READ_ONLY, "readOnlyHint": 1}}),
        {},
        ["hint-differs"],
    ),
    ("readOnlyTools", True, listing({"name": "x", "annotations": [1]}), {}, ["hint-differs"] * 4),
    ("readOnlyTools", True, listing(NAMELESS), {}, ["manifest-malformed"]),
    ("readOnlyTools", True, listing(), {}, ["no-tools"]),
    ("readOnlyTools", True, CUT, {}, ["manifest-incomplete"]),
    ("readOnlyTools", True, {"manifest": {"tools": None}}, {}, ["manifest-malformed"]),
    ("readOnlyTools", ["reader", "gone"], listing(READER), {}, ["tool-not-advertised"]),
    ("annotations", {"writer": {"readOnlyHint": True}}, listing(WRITER), {}, ["hint-differs"]),
    ("annotations", {"reader": {"readOnlyHint": True}}, listing(READER), {}, ["hint-differs"] * 3),
    ("annotations", {"gone": {"readOnlyHint": True}}, listing(READER), {}, ["tool-not-advertised"]),
    ("annotations", {"gone": {"readOnlyHint": True}}, {}, {}, ["manifest-malformed"]),
    ("withinBudgets", True, limited(19, 4, TWENTY), {}, ["budget-exceeded"] * 2),
    ("withinBudgets", True, limited(19, 5, SMILES), {}, ["budget-exceeded"]),
    ("withinBudgets", True, limited(21, 5, {"a": "x" * 13}), {}, ["budget-exceeded"]),
    ("withinBudgets", True, FAILED, {}, ["tool-failed"]),
    ("withinBudgets", True, {"manifest": FAILED["manifest"]}, {}, ["output-missing"]),
    ("withinBudgets", True, limited("20", 5, {}), {}, ["manifest-malformed"]),
    ("withinBudgets", True, limited(20, True, {}), {}, ["manifest-malformed"]),
    ("budget", {"chars": 19, "bytes": 31, "tokens": 4}, {"output": SMILES}, {}, ["budget-exceeded"] * 3),
    ("budget", {"tokens": 5}, {"output": {"a": "x" * 13}}, {}, ["budget-exceeded"]),
    (
        "budget",
        {"items": 1, "sourceCalls": 0},
        {"output": [1, 2]},
        {"calls": {"a": 1}},
        ["budget-exceeded"] * 2,
    ),
    ("budget", {"items": 1, "chars": 1}, {}, {}, ["nothing-measured"] * 2),
    ("budget", {"items": 1}, {"output": {"items": "ab"}}, {}, ["nothing-measured"]),
    ("budget", {"items": 1}, {"output": "ab"}, {}, ["nothing-measured"]),
    ("budget", {"chars": 4}, {"response": {"body": "hello"}}, {"operation": "http"}, ["budget-exceeded"]),
    ("budget", {"chars": 9}, {"output": 1}, {"operation": "cli"}, ["nothing-measured"]),
]


@pytest.mark.parametrize(("word", "wanted", "roots", "more"), KEPT, ids=str)
def test_what_holds_gives_no_finding(judge: Judge, word: str, wanted: Json, roots: Json, more: Any) -> None:
    assert judge(word, wanted, roots, **more) == []


@pytest.mark.parametrize(("word", "wanted", "roots", "more", "codes"), BROKEN, ids=str)
def test_what_does_not_hold_gives_each_finding(
    judge: Judge, word: str, wanted: Json, roots: Json, more: Any, codes: list[str]
) -> None:
    assert [finding.code for finding in judge(word, wanted, roots, **more)] == codes


def test_every_code_of_these_words_is_shown_broken() -> None:
    shown = {(word, code) for word, *_, codes in BROKEN for code in codes}
    words = {word for word, *_ in KEPT}
    assert shown == {(word, code) for word in words for code in expectations.find(word).CODES}


@pytest.mark.parametrize(
    ("word", "wanted", "roots"),
    [
        ("withinBudgets", True, {"manifest": {"tools": []}, "output": {}}),
        ("withinBudgets", True, {"manifest": {"limits": {"maxResponseChars": 1}}, "output": {}}),
        ("withinBudgets", True, {"output": {}}),
        ("budget", {"sourceCalls": 1}, {"output": {}}),
    ],
)
def test_what_the_target_does_not_state_is_a_missing_capability(
    judge: Judge, word: str, wanted: Json, roots: Json
) -> None:
    with pytest.raises(CapabilityMissing):
        judge(word, wanted, roots)


def test_the_whole_result_is_measured_not_only_its_items(judge: Judge) -> None:
    items = ["x" * 8]
    # ["xxxxxxxx"] is 12 characters, {"items":["xxxxxxxx"]} is 22.
    (finding,) = judge("withinBudgets", True, limited(21, 6, {"items": items}))
    assert (finding.expected, finding.actual) == (21, 22)


@pytest.mark.parametrize("text", ["x" * 3000, "é" * 3000, "😀" * 1500, "\n" * 1500, "\x01" * 500, '"' * 1500])
def test_the_limit_is_exact_whatever_the_characters(judge: Judge, text: str) -> None:
    # 3,000 UTF-16 units each once escaped, and 8 around them.
    assert judge("withinBudgets", True, limited(3008, 752, {"a": text})) == []
    assert len(judge("withinBudgets", True, limited(3007, 751, {"a": text}))) == 2


def test_numbers_are_measured_as_json_writes_them(judge: Judge) -> None:
    assert judge("withinBudgets", True, limited(7, 2, [1e16])) == []  # [1e+16]
    assert len(judge("withinBudgets", True, limited(6, 2, [1e16]))) == 1


def test_a_hint_finding_leads_to_its_place(judge: Judge) -> None:
    annotated = {"name": "writer", "annotations": {**READ_ONLY, "openWorldHint": True}}
    (finding,) = judge("readOnlyTools", True, listing(READER, annotated))
    assert finding.path == "manifest.tools.1.annotations.openWorldHint"
    assert (finding.expected, finding.actual) == (False, True)
    assert "by default" not in finding.message


def test_a_hint_that_is_no_boolean_is_called_so(judge: Judge) -> None:
    annotated = {"name": "reader", "annotations": {**READ_ONLY, "readOnlyHint": "true"}}
    (finding,) = judge("readOnlyTools", True, listing(annotated))
    assert "is no boolean" in finding.message


@pytest.mark.parametrize(
    ("roots", "path", "actual"),
    [
        ({"manifest": [1]}, "manifest", [1]),
        ({"manifest": {"tools": 1}}, "manifest.tools", 1),
        ({}, "manifest", ...),
    ],
)
def test_a_manifest_without_tools_is_shown(judge: Judge, roots: Json, path: str, actual: Json) -> None:
    (finding,) = judge("readOnlyTools", True, roots)
    assert (finding.path, finding.actual) == (path, actual)


def test_a_default_is_said_to_be_one(judge: Judge) -> None:
    (finding,) = judge("annotations", {"writer": {"openWorldHint": False}}, listing(WRITER))
    assert "is true by default, and false is wanted" in finding.message
    assert finding.at == ("writer",)


def test_tools_that_only_one_side_knows_are_named(judge: Judge) -> None:
    found = judge("advertisedToolsCovered", True, listing(READER), uses=[("gone", False)])
    assert [finding.message.split()[0] for finding in found] == ["reader", "gone"]


def test_source_calls_are_a_need_only_where_they_are_counted() -> None:
    needs = expectations.find("budget").needs  # type: ignore[attr-defined]
    assert needs({"chars": 1}) == frozenset()
    assert needs({"sourceCalls": 1}) == {"source-log"}
