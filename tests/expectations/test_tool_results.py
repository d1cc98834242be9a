"""The words about one tool result: error or not, schemas, text against structure, forbidden keys."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from evalkit import expectations
from evalkit.errors import CapabilityMissing
from evalkit.model import Finding, Json

Judge = Callable[..., list[Finding]]

INPUT: Final[Json] = {
    "type": "object",
    "required": ["scope"],
    "additionalProperties": False,
    "properties": {"scope": {"type": "string"}, "limit": {"type": "integer", "maximum": 25}},
}
OUTPUT: Final[Json] = {
    "type": "object",
    "required": ["total"],
    "additionalProperties": False,
    "properties": {"total": {"type": "integer"}, "at": {"type": "string", "format": "date-time"}},
}
LIST: Final[Json] = {"name": "list", "inputSchema": INPUT, "outputSchema": OUTPUT}
MANIFEST: Final[Json] = {"tools": [{"name": "other"}, LIST]}


def listing(**schemas: Json) -> Json:
    """A manifest whose tool `list` has these schemas instead."""
    return {"tools": [{**LIST, **schemas}]}


def answer(output: Json, *texts: str) -> dict[str, Json]:
    """The roots of a successful call; the text is the output's JSON unless given."""
    said = texts or (json.dumps(output),)
    content = [{"type": "text", "text": text} for text in said]
    return {
        "manifest": MANIFEST,
        "toolResult": {"content": content, "structuredContent": output},
        "output": output,
    }


def refusal(text: str) -> dict[str, Json]:
    """The roots of a call that the tool refused."""
    return {
        "manifest": MANIFEST,
        "toolResult": {"isError": True, "content": [{"type": "text", "text": text}]},
    }


GOOD: Final = answer({"total": 1})
REFUSED: Final = refusal("quota")
TEXT_ONLY: Final[Json] = {
    "manifest": MANIFEST,
    "toolResult": {"content": [{"type": "text", "text": '{"total": 1}'}]},
}
NO_RESULT: Final[Json] = {"manifest": MANIFEST, "rpc": {"error": {"code": -32602, "message": "no"}}}
HUGE: Final = answer({"total": 9007199254740993}, '{"total": 9007199254740993}')
Row = tuple[str, Json, Json, dict[str, Json]]

ARGS: Final = {"words": {"args": {"scope": "brain"}}}
BAD_ARGS: Final = {"words": {"args": {"limit": 26, "x": 1}}}

KEPT: Final[list[Row]] = [
    ("isError", False, GOOD, {}),
    ("isError", False, {"toolResult": {"isError": False}}, {}),
    ("isError", True, REFUSED, {}),
    ("inputSchemaValid", True, GOOD, ARGS),
    ("inputSchemaValid", False, REFUSED, BAD_ARGS),
    ("inputSchemaValid", False, REFUSED, {}),
    ("inputSchemaValid", True, {"manifest": listing(inputSchema={"type": "object"})}, {}),
    (
        "inputSchemaValid",
        True,
        {"manifest": listing(inputSchema={"type": "object"})},
        {"words": {"args": None}},
    ),
    ("outputSchemaValid", True, GOOD, {}),
    ("outputSchemaValid", True, answer({"total": 1.0, "at": "2026-01-01T00:00:00+01:00"}), {}),
    ("outputSchemaValid", False, answer({"total": "1"}), {}),
    ("outputSchemaValid", True, {**answer([1]), "manifest": listing(outputSchema=True)}, {}),
    (
        "outputSchemaValid",
        True,
        {**answer(None), "manifest": listing(outputSchema={"type": ["array", "null"]})},
        {},
    ),
    ("contentParity", True, GOOD, {}),
    ("contentParity", True, HUGE, {}),
    ("contentParity", True, answer({"a": 1, "b": [1.0]}, '{ "b": [1], "a": 1.0 }'), {}),
    ("contentParity", False, answer({"total": 1}, "one item"), {}),
    ("contentParity", False, answer({"total": 1}, '{"total": 2}'), {}),
    ("absentKeys", ["repoPath"], answer({"items": [{"a": {"path": 1}}], "repo": "repoPath"}), {}),
    ("absentKeys", ["a"], answer([]), {"operation": "resource"}),
]
BROKEN: Final[list[tuple[str, Json, Json, dict[str, Json], list[str]]]] = [
    ("isError", False, REFUSED, {}, ["unexpected-error"]),
    ("isError", True, GOOD, {}, ["error-expected"]),
    ("isError", True, answer({}, "Error: it went wrong"), {}, ["error-expected"]),
    ("isError", False, NO_RESULT, {}, ["result-missing"]),
    ("isError", False, {"toolResult": "Hello"}, {}, ["result-malformed"]),
    ("isError", True, {"toolResult": {"isError": "true"}}, {}, ["result-malformed"]),
    ("isError", False, {"toolResult": {"isError": None}}, {}, ["result-malformed"]),
    ("isError", False, {"toolResult": {"content": "Hello"}}, {}, ["result-malformed"]),
    ("isError", True, {"toolResult": {"isError": True, "content": None}}, {}, ["result-malformed"]),
    (
        "isError",
        False,
        {"toolResult": {"content": [{"type": "text"}, {"type": "image"}, "x", {"json": {}}]}},
        {},
        ["result-malformed"] * 3,
    ),
    ("inputSchemaValid", True, GOOD, BAD_ARGS, ["input-invalid"] * 3),
    ("inputSchemaValid", True, GOOD, {}, ["input-invalid"]),
    ("inputSchemaValid", True, GOOD, {"words": {"args": []}}, ["input-invalid"]),
    ("inputSchemaValid", False, GOOD, ARGS, ["input-valid"]),
    ("inputSchemaValid", False, GOOD, {"words": {"tool": "none"}}, ["tool-not-advertised"]),
    ("inputSchemaValid", True, GOOD, {"words": {"tool": "other"}}, ["schema-missing"]),
    ("inputSchemaValid", True, {"manifest": {"tools": {}}}, {}, ["manifest-malformed"]),
    ("inputSchemaValid", False, {"toolResult": {}}, {}, ["manifest-malformed"]),
    (
        "inputSchemaValid",
        True,
        {"manifest": listing(inputSchema={"$ref": "#/x"})},
        ARGS,
        ["schema-unreadable"],
    ),
    (
        "inputSchemaValid",
        False,
        {"manifest": listing(inputSchema={"type": "text"})},
        ARGS,
        ["schema-unreadable"],
    ),
    (
        "inputSchemaValid",
        False,
        {"manifest": listing(inputSchema={"properties": {"scope": {"pattern": "(?<n>[}"}}})},
        ARGS,
        ["pattern-not-checkable"],
    ),
    ("outputSchemaValid", True, REFUSED, {}, ["tool-failed"]),
    ("outputSchemaValid", False, REFUSED, {}, ["tool-failed"]),
    ("outputSchemaValid", True, TEXT_ONLY, {}, ["output-missing"]),
    ("outputSchemaValid", False, TEXT_ONLY, {}, ["output-missing"]),
    (
        "outputSchemaValid",
        True,
        {**TEXT_ONLY, "manifest": {"tools": []}},
        {},
        ["tool-not-advertised", "output-missing"],
    ),
    ("outputSchemaValid", True, GOOD, {"words": {"tool": "other"}}, ["schema-missing"]),
    ("outputSchemaValid", True, {**GOOD, "manifest": 7}, {}, ["manifest-malformed"]),
    (
        "outputSchemaValid",
        True,
        {**GOOD, "manifest": listing(outputSchema={"$ref": "http://x/y"})},
        {},
        ["schema-unreadable"],
    ),
    (
        "outputSchemaValid",
        True,
        {
            **answer({"total": "x"}),
            "manifest": listing(outputSchema={"properties": {"total": {"pattern": "(?<n>[}"}}}),
        },
        {},
        ["pattern-not-checkable"],
    ),
    ("outputSchemaValid", True, answer({"total": "1", "x": 1}), {}, ["output-invalid"] * 2),
    (
        "outputSchemaValid",
        True,
        answer({"total": 1, "at": "2026-09-01T16:56:29.958"}),
        {},
        ["output-invalid"],
    ),
    ("outputSchemaValid", True, answer(None), {}, ["output-invalid"]),
    ("outputSchemaValid", True, answer([]), {}, ["output-invalid"]),
    ("outputSchemaValid", False, GOOD, {}, ["output-valid"]),
    ("outputSchemaValid", True, NO_RESULT, {}, ["result-missing"]),
    ("outputSchemaValid", True, {**GOOD, "toolResult": []}, {}, ["result-malformed"]),
    ("contentParity", True, answer({"total": 1}, '{"total": 2}'), {}, ["content-differs"]),
    ("contentParity", True, answer({"total": 1}, '{"total": true}'), {}, ["content-differs"]),
    (
        "contentParity",
        True,
        answer({"id": 9007199254740992}, '{"id": 9007199254740993}'),
        {},
        ["content-differs"],
    ),
    ("contentParity", True, answer({"total": 1}, "{}"), {}, ["content-differs"]),
    ("contentParity", True, answer({"total": 1}, 'WARNING stale\n{"total": 1}'), {}, ["content-not-json"]),
    ("contentParity", True, answer({"total": 1}, '{"total": 1}', "stale"), {}, ["content-not-json"]),
    ("contentParity", True, answer({"a": 1}, '{"a": NaN}'), {}, ["content-not-json"]),
    ("contentParity", True, answer({"a": 1}, '{"a": 2, "a": 1}'), {}, ["content-not-json"]),
    ("contentParity", False, GOOD, {}, ["content-equal"]),
    ("contentParity", True, {**GOOD, "toolResult": {"content": "Hello"}}, {}, ["content-missing"]),
    (
        "contentParity",
        True,
        {**GOOD, "toolResult": {"content": [{"type": "text"}, {"type": "json"}]}},
        {},
        ["content-missing"],
    ),
    ("contentParity", False, {**GOOD, "toolResult": {}}, {}, ["content-missing"]),
    ("contentParity", True, REFUSED, {}, ["tool-failed"]),
    ("contentParity", True, TEXT_ONLY, {}, ["output-missing"]),
    ("contentParity", True, NO_RESULT, {}, ["result-missing"]),
    ("contentParity", True, {"toolResult": [], "output": {}}, {}, ["result-malformed"]),
    ("absentKeys", ["a", "b"], answer({"b": 1, "c": [{"a": 1, "b": {"a": 2}}]}), {}, ["key-found"] * 4),
    ("absentKeys", ["a"], REFUSED, {}, ["tool-failed"]),
    ("absentKeys", ["a"], TEXT_ONLY, {}, ["output-missing"]),
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


@pytest.mark.parametrize("word", ["isError", "outputSchemaValid", "contentParity", "absentKeys"])
def test_a_refusal_is_told_with_its_own_text(judge: Judge, word: str) -> None:
    (finding,) = judge(word, ["a"] if word == "absentKeys" else False, refusal("quota exceeded"))
    assert finding.actual == "quota exceeded"
    assert "quota exceeded" in finding.message


def test_a_long_error_text_stands_in_actual_only(judge: Judge) -> None:
    (finding,) = judge("isError", False, refusal("x" * 501))
    assert finding.actual == "x" * 501
    assert "xx" not in finding.message


def test_an_error_without_text_is_told_without(judge: Judge) -> None:
    (finding,) = judge("isError", False, {"toolResult": {"isError": True}})
    assert (finding.message, finding.expected, finding.actual) == ("the tool failed", False, "")


def test_a_success_that_should_be_an_error_is_told_as_such(judge: Judge) -> None:
    (finding,) = judge("isError", True, GOOD)
    assert (finding.path, finding.expected, finding.actual) == ("toolResult.isError", True, False)


def test_an_rpc_error_is_shown_where_the_result_is_missing(judge: Judge) -> None:
    (finding,) = judge("isError", False, NO_RESULT)
    assert finding.actual == {"code": -32602, "message": "no"}


def test_the_envelope_is_not_judged_by_the_output_schema(judge: Judge) -> None:
    roots = answer({"total": 1})
    roots["toolResult"] |= {"isError": False, "_meta": {}}
    assert judge("outputSchemaValid", True, roots) == []


def test_violations_lead_to_their_place(judge: Judge) -> None:
    (wrong,) = judge("outputSchemaValid", True, answer({"total": "1"}))
    assert (wrong.path, wrong.actual) == ("output.total", "1")
    (limit,) = judge("inputSchemaValid", True, GOOD, words={"args": {"scope": "a", "limit": 26}})
    assert (limit.path, limit.actual) == ("args.limit", 26)


def test_found_keys_come_in_the_order_of_the_document(judge: Judge) -> None:
    output = {"z": {"a": 1}, "items": [{"b": 2}, {"a": 3}], "a": 4}
    found = judge("absentKeys", ["a", "b"], answer(output))
    assert [(finding.path, finding.actual, finding.at) for finding in found] == [
        ("output.a", 4, (0,)),
        ("output.z.a", 1, (0,)),
        ("output.items.0.b", 2, (1,)),
        ("output.items.1.a", 3, (0,)),
    ]


def test_text_that_is_no_json_is_not_repeated_in_the_message(judge: Judge) -> None:
    (finding,) = judge("contentParity", True, answer({}, "private words"))
    assert "private" not in finding.message


@pytest.mark.parametrize("word", ["contentParity", "outputSchemaValid"])
@pytest.mark.parametrize("wanted", [True, False])
def test_what_an_error_never_has_cannot_stand_beside_it(word: str, wanted: bool) -> None:
    conflicts = expectations.find(word).conflicts  # type: ignore[attr-defined]
    assert len(list(conflicts({word: wanted, "isError": True}))) == 1
    assert list(conflicts({word: wanted, "isError": False})) == []
    assert list(conflicts({word: wanted})) == []


@pytest.mark.parametrize("over", ["cli", "http"])
@pytest.mark.parametrize(
    ("word", "wanted", "missing"),
    [
        ("contentParity", True, "content"),
        ("inputSchemaValid", True, "manifest"),
        ("outputSchemaValid", True, "manifest"),
        ("readOnlyTools", True, "manifest"),
        ("rpcError", False, "JSON-RPC answer"),
        ("rpcError", True, "JSON-RPC answer"),
    ],
)
def test_what_only_mcp_tells_is_a_missing_capability_over_other_ways(
    judge: Judge, word: str, wanted: Json, missing: str, over: str
) -> None:
    roots = {"toolResult": {"isError": False, "structuredContent": {}}, "output": {}}
    with pytest.raises(CapabilityMissing, match=f"a tool call over `{over}` gives no {missing}"):
        judge(word, wanted, roots, over=over)
