"""The words that compare this step with an earlier one, with other runs, or with the sources before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from evalkit import expectations
from evalkit.errors import CapabilityMissing
from evalkit.model import Finding, Json, Rerun, Snapshots

Judge = Callable[..., list[Finding]]
Row = tuple[str, Json, Json, dict[str, Any]]


def told(output: Json, **result: Json) -> Json:
    """The roots of a tool call with this output."""
    return {"toolResult": {"structuredContent": output, **result}, "output": output}


FIRST: Final[Json] = {"items": [{"ref": "a", "at": 1}, {"ref": "b", "at": 1}], "id": 1}
LATER: Final[Json] = {"items": [{"ref": "a", "at": 2}, {"ref": "b", "at": 2}], "id": 2}
REFUSED: Final[Json] = {"toolResult": {"isError": True, "content": [{"type": "text", "text": "no"}]}}
PLAINLY_REFUSED: Final[Json] = {"toolResult": {"isError": True}}
KILLED: Final[Json] = {"process": {"exitCode": -9}}
BEFORE: Final = {"earlier": {"first": {"output": FIRST}}}
TOOL_ONLY: Final[Json] = {"toolResult": {"content": [{"type": "text", "text": "a"}]}}
OTHER_TEXT: Final[Json] = {"toolResult": {"content": [{"type": "text", "text": "b"}]}}

KEPT: Final[list[Row]] = [
    ("sameAs", {"output": "steps.first.output"}, {"output": {"id": 1.0, "items": FIRST["items"]}}, BEFORE),
    ("sameAs", {"output.items.0.ref": "steps.first.output.items.0.ref"}, {"output": LATER}, BEFORE),
    (
        "sameAs",
        {"output": "steps.first.output", "ignoring": ["output.id", "$.output.items[*].at"]},
        {"output": LATER},
        BEFORE,
    ),
    (
        "sameAs",
        {"output.items": "steps.first.output.items", "ignoring": ["output.items.0", "output.items.1.at"]},
        {"output": LATER},
        BEFORE,
    ),
    (
        "parity",
        {"over": ["mcp", "http"]},
        told(FIRST),
        {"reruns": [[told(FIRST, isError=False)], [told(FIRST)]]},
    ),
    (
        "parity",
        {"over": ["mcp"], "ignoring": ["output.id", "$.output.items[*].at"]},
        told(FIRST),
        {"reruns": [[told(LATER)]]},
    ),
    ("parity", {"over": ["mcp"]}, TOOL_ONLY, {"reruns": [[TOOL_ONLY]]}),
    ("parity", {"over": ["cli", "http"]}, told(FIRST), {"reruns": [[told(FIRST)], [told(FIRST)]]}),
    ("parity", {"over": ["cli"]}, REFUSED, {"reruns": [[PLAINLY_REFUSED]]}),
    ("parity", {"over": ["mcp"]}, PLAINLY_REFUSED, {"over": "http", "reruns": [[REFUSED]]}),
    (
        "parity",
        {"over": ["mcp"]},
        {"manifest": [1]},
        {"operation": "manifest", "reruns": [[{"manifest": [1.0]}]]},
    ),
    ("repeatable", 2, told(FIRST), {"reruns": [[told(FIRST), told(FIRST)]]}),
    (
        "repeatable",
        1,
        {"response": {"status": 200, "headers": {"date": "1"}}, "sources": {"a": 1}},
        {"reruns": [[{"response": {"status": 200, "headers": {"date": "2"}}, "sources": {"a": 2}}]]},
    ),
    ("unchanged", True, {}, {"snapshots": ({"a": [1], "b": 2}, {"b": 2.0, "a": [1]})}),
    ("unchanged", ["a"], {}, {"snapshots": ({"a": [1], "b": 2}, {"a": [1], "b": 3})}),
    ("noSourceReads", True, {}, {"calls": {"workspaces": 0, "brain": 0}}),
]
BROKEN: Final[list[tuple[str, Json, Json, dict[str, Any], list[str]]]] = [
    ("sameAs", {"output": "steps.first.output"}, {"output": LATER}, BEFORE, ["not-the-same"]),
    (
        "sameAs",
        {"output": "steps.first.output", "ignoring": ["output.id"]},
        {"output": LATER},
        BEFORE,
        ["not-the-same"],
    ),
    ("sameAs", {"output.x": "steps.first.y"}, {"output": LATER}, BEFORE, ["path-missing"] * 2),
    ("sameAs", {"output": "steps.second.output"}, {"output": LATER}, BEFORE, ["path-missing"]),
    (
        "parity",
        {"over": ["mcp", "http"]},
        told(FIRST),
        {"reruns": [[told(LATER)], [told(FIRST, isError=True)]]},
        ["surfaces-differ"] * 2,
    ),
    ("parity", {"over": ["mcp"]}, TOOL_ONLY, {"reruns": [[OTHER_TEXT]]}, ["surfaces-differ"]),
    ("parity", {"over": ["mcp"]}, told(FIRST), {"reruns": [[TOOL_ONLY]]}, ["surfaces-differ"] * 2),
    ("parity", {"over": ["http"]}, told(FIRST), {"reruns": [[told(LATER)]]}, ["surfaces-differ"]),
    ("parity", {"over": ["http"]}, REFUSED, {"reruns": [[told(FIRST)]]}, ["surfaces-differ"] * 2),
    ("parity", {"over": ["cli"]}, told(FIRST), {"reruns": [[PLAINLY_REFUSED]]}, ["surfaces-differ"] * 2),
    ("parity", {"over": ["cli"]}, REFUSED, {"reruns": [[KILLED]]}, ["surfaces-differ"]),
    ("parity", {"over": ["cli"]}, KILLED, {"over": "cli", "reruns": [[KILLED]]}, ["nothing-to-compare"]),
    ("parity", {"over": ["mcp"]}, REFUSED, {"reruns": [[PLAINLY_REFUSED]]}, ["surfaces-differ"]),
    (
        "parity",
        {"over": ["mcp"]},
        told(FIRST),
        {"reruns": [[{"rpc": {"error": {}}}]]},
        ["surfaces-differ"] * 3,
    ),
    ("parity", {"over": ["mcp"]}, {}, {"reruns": [[{}]]}, ["nothing-to-compare"]),
    ("repeatable", 2, told(FIRST), {"reruns": [[told(FIRST), told(LATER)]]}, ["runs-differ"] * 2),
    (
        "repeatable",
        1,
        {"output": {"a": 1, "b": 2}},
        {"reruns": [[{"output": {"b": 2, "a": 1}}]]},
        ["runs-differ"],
    ),
    ("repeatable", 1, {"output": 1}, {"reruns": [[{"output": 1.0}]]}, ["runs-differ"]),
    ("repeatable", 1, {"output": 1}, {"reruns": [[{}]]}, ["runs-differ"]),
    ("repeatable", 1, {"sources": {}}, {"reruns": [[{"sources": {}}]]}, ["nothing-to-compare"]),
    (
        "unchanged",
        True,
        {},
        {"snapshots": ({"a": [1], "b": 2}, {"a": [1, 2], "c": 1})},
        ["source-changed"] * 3,
    ),
    ("unchanged", ["b"], {}, {"snapshots": ({"a": [1], "b": 1}, {"a": [1], "b": True})}, ["source-changed"]),
    ("noSourceReads", True, {}, {"calls": {"workspaces": 2, "brain": 0, "a": 1}}, ["source-read"] * 2),
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
    ("word", "wanted", "more"),
    [
        ("unchanged", True, {}),
        ("unchanged", True, {"snapshots": ({}, {})}),
        ("unchanged", ["a", "z"], {"snapshots": ({"a": 1}, {"a": 1})}),
        ("noSourceReads", True, {}),
    ],
)
def test_sources_that_cannot_be_seen_are_a_missing_capability(
    judge: Judge, word: str, wanted: Json, more: Any
) -> None:
    with pytest.raises(CapabilityMissing):
        judge(word, wanted, {}, **more)


def test_words_ask_for_the_runs_that_they_need() -> None:
    def extras(word: str, wanted: Json) -> Any:
        return expectations.find(word).extras(wanted)  # type: ignore[attr-defined]

    assert extras("repeatable", 3) == (Rerun(3),)
    assert extras("parity", {"over": ["mcp", "http"]}) == (Rerun(1, "mcp"), Rerun(1, "http"))
    assert extras("unchanged", True) == (Snapshots,)


@pytest.mark.parametrize("word", ["unchanged", "noSourceReads"])
def test_words_about_sources_need_a_source_log(word: str) -> None:
    assert expectations.find(word).needs(True) == {"source-log"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(("word", "wanted"), [("repeatable", 2), ("parity", {"over": ["mcp", "http"]})])
def test_a_run_that_was_not_made_is_never_taken_for_an_equal_one(
    judge: Judge, word: str, wanted: Json
) -> None:
    with pytest.raises(ValueError, match="zip"):
        judge(word, wanted, told(FIRST), reruns=[[told(FIRST)]])


def test_a_difference_shows_both_values_whole(judge: Judge) -> None:
    (finding,) = judge("sameAs", {"output": "steps.first.output"}, {"output": LATER}, **BEFORE)
    assert (finding.expected, finding.actual, finding.at) == (FIRST, LATER, ("output",))


def test_ignoring_changes_nothing_in_the_observation(judge: Judge) -> None:
    output = {"id": 2, "total": 1}
    judge("parity", {"over": ["mcp"], "ignoring": ["output.id"]}, told(output), reruns=[[told(output)]])
    assert output == {"id": 2, "total": 1}


def test_the_way_in_that_differs_is_named(judge: Judge) -> None:
    runs = [[told(FIRST)], [told(LATER)]]
    (finding,) = judge("parity", {"over": ["mcp", "http"]}, told(FIRST), reruns=runs)
    assert finding.path == "output"
    assert "http" in finding.message
    assert finding.at == ("over", 1)


def test_paths_are_those_of_both_steps_and_the_ignored_ones() -> None:
    wanted = {"output.a": "steps.first.output.b", "ignoring": ["output.c"]}
    paths: Any = expectations.find("sameAs").paths  # type: ignore[attr-defined]
    assert list(paths(wanted)) == ["output.a", "steps.first.output.b", "output.c"]


def test_the_ignored_paths_of_parity_are_told() -> None:
    paths: Any = expectations.find("parity").paths  # type: ignore[attr-defined]
    assert list(paths({"over": ["mcp"], "ignoring": ["output.id"]})) == ["output.id"]
    assert list(paths({"over": ["mcp"]})) == []


def test_each_source_that_was_asked_is_named_with_its_calls(judge: Judge) -> None:
    one, two = judge("noSourceReads", True, {}, calls={"brain": 1, "identity": 2})
    assert (one.message, one.path) == ("brain was asked once", "sources.brain.calls")
    assert (two.message, two.expected, two.actual) == ("identity was asked 2 times", 0, 2)


def test_ignoring_alone_is_refused_at_load() -> None:
    check: Any = expectations.find("sameAs").check  # type: ignore[attr-defined]
    assert [place for place, _ in check({"ignoring": ["output.a"]})] == [("ignoring",)]
    assert list(check({"output": "steps.a.output", "ignoring": ["output.a"]})) == []
