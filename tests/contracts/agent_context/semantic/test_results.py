"""Tests for what is told: `outcomes`, `scrubbing`, `bounds`, `moments` and `faults`."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.contracts.agent_context.faults import caught
from evalkit.contracts.agent_context.redaction import scrub
from evalkit.contracts.agent_context.semantic.bounds import bound
from evalkit.contracts.agent_context.semantic.moments import moment
from evalkit.contracts.agent_context.semantic.nouns import Moment
from evalkit.contracts.agent_context.semantic.outcomes import (
    Outcome,
    keeps_effects,
    normalise,
    of_answer,
    of_fault,
)
from evalkit.contracts.agent_context.semantic.scrubbing import scrubbed
from evalkit.model import Json
from tests.contracts.agent_context.semantic.tiny_store import TinyStore

SECRET = "sk-" + "1" * 20
INVALID = "Tool adapter returned an invalid result"
FAILED = "Tool adapter reported failure"

# outcomes


@pytest.mark.parametrize("answer", [None, [], [{"ok": True}], "text", 1, True])
def test_an_answer_that_is_no_object_fails_without_a_result(answer: Json) -> None:
    assert of_answer(answer) == Outcome(INVALID, ...)


@pytest.mark.parametrize(
    "answer", [{}, {"ok": True}, {"ok": None}, {"ok": 0}, {"state": "done"}, {"error": "x"}]
)
def test_any_other_object_completes(answer: Json) -> None:
    assert of_answer(answer) == Outcome(None, answer)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({"ok": False, "error": "e", "summary": "s"}, "e"),
        ({"ok": False, "summary": "s"}, "s"),
        ({"ok": False, "error": "", "summary": "s"}, "s"),
        ({"ok": False, "error": {"a": 1}, "summary": "s"}, "s"),
        ({"ok": False}, FAILED),
        ({"ok": True, "state": "failed", "error": "e"}, "e"),
    ],
)
def test_a_reported_failure_keeps_its_result_and_says_why(answer: Json, error: str) -> None:
    assert of_answer(answer) == Outcome(error, answer)


@pytest.mark.parametrize(("problem", "error"), [(OSError("disk"), "disk"), (OSError(), FAILED)])
def test_a_fault_is_its_message_without_a_result(problem: Exception, error: str) -> None:
    assert of_fault(problem) == Outcome(error, ...)


def test_only_a_completed_call_keeps_its_effects() -> None:
    assert keeps_effects(Outcome(None, {}))
    assert not keeps_effects(Outcome("e", {}))


def test_a_completed_result_has_no_error_and_a_fault_no_result() -> None:
    head = {"type": "portos_tool_result", "requestId": "r", "name": "t", "version": 1, "duplicate": False}
    completed = normalise("t", "r", Outcome(None, {"ok": True}))
    assert completed == {**head, "state": "completed", "result": {"ok": True}}
    assert list(completed) == [*head, "state", "result"]
    assert normalise("t", "r", Outcome("e")) == {**head, "state": "failed", "error": "e"}
    both = normalise("t", "r", Outcome("e", {"ok": False}))
    assert both == {**head, "state": "failed", "error": "e", "result": {"ok": False}}


# scrubbing


def test_secrets_go_from_every_text_of_the_result_and_the_error_and_keys_stay() -> None:
    normalised = {
        "requestId": f"agent-mcp:{SECRET}",
        "error": f"key {SECRET}",
        "result": {SECRET: [{"text": f"my {SECRET}"}, (SECRET,), 5, None, True]},
    }
    assert scrubbed(normalised, scrub) == {
        "requestId": f"agent-mcp:{SECRET}",
        "error": "key [REDACTED]",
        "result": {SECRET: [{"text": "my [REDACTED]"}, ["[REDACTED]"], 5, None, True]},
    }


def test_scrubbing_changes_no_value_that_it_was_given() -> None:
    result = {"items": [{"text": SECRET}]}
    scrubbed({"result": result}, scrub)
    assert result == {"items": [{"text": SECRET}]}


# bounds


def result_of(members: Json, error: str | None = None) -> Json:
    return normalise("journal.read", "agent-mcp:k1", Outcome(error, members))


def size(value: Json) -> int:
    """UTF-16 units of the JSON text, counted in another way than the contract does."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def test_what_fits_exactly_stays_and_one_unit_more_does_not() -> None:
    empty = size(result_of({"content": ""}))
    exact = result_of({"content": "x" * (20_000 - empty)})
    assert bound(exact) is exact
    over = bound(result_of({"content": "x" * (20_001 - empty)}))
    assert over["result"]["truncated"] is True


def test_a_text_is_cut_to_the_last_unit_that_fits() -> None:
    bounded = bound(result_of({"ok": True, "content": "x" * 100_000, "date": "2026-01-02"}))
    assert size(bounded) == 20_000
    assert list(bounded["result"]) == ["ok", "content", "date", "truncated"]
    assert bounded["result"]["date"] == "2026-01-02"


@pytest.mark.parametrize(("character", "units"), [("\n", 2), ("\u0001", 6), ("😀", 2), ("é", 1), ('"', 2)])
def test_a_text_is_measured_as_it_is_written(character: str, units: int) -> None:
    room = 20_000 - size(result_of({"content": "", "truncated": True}))
    bounded = bound(result_of({"content": character * 50_000}))
    assert bounded["result"]["content"] == character * (room // units)


def test_trailing_rows_go_and_counts_stay() -> None:
    # Each row is 100 units of JSON, and a comma: 198 of them and the envelope are just below the budget.
    rows = [{"text": "x" * 89} for _ in range(300)]
    assert size(rows[0]) == 100
    room = 20_000 - size(result_of({"count": 300, "items": [], "truncated": True}))
    bounded = bound(result_of({"count": 300, "items": rows}))
    assert bounded["result"] == {"count": 300, "items": rows[: (room + 1) // 101], "truncated": True}


def test_a_first_row_that_is_too_large_is_cut_rather_than_lost() -> None:
    bounded = bound(result_of({"items": [{"date": "2026-01-02", "text": "x" * 30_000}, {"text": "y"}]}))
    assert size(bounded) == 20_000
    assert [row["date"] for row in bounded["result"]["items"]] == ["2026-01-02"]


def test_the_largest_member_gives_way_and_then_the_next() -> None:
    one = bound(result_of({"a": ["x" * 15_000] * 2, "b": "y" * 5_000}))
    assert size(one) == 20_000
    assert one["result"]["b"] == "y" * 5_000
    assert len(one["result"]["a"]) == 1
    both = bound(result_of({"a": ["x" * 15_000] * 2, "b": "y" * 25_000}))
    assert size(both) == 20_000
    assert both["result"]["a"] == []


def test_what_cannot_be_made_smaller_goes_as_a_whole() -> None:
    numbers = {f"n{number:05}": number for number in range(5_000)}
    assert bound(result_of(numbers))["result"] == {"truncated": True}


def test_an_error_has_at_most_500_units_and_splits_no_pair() -> None:
    assert bound(result_of(..., "e" * 501))["error"] == "e" * 500
    assert bound(result_of(..., "e" * 499 + "😀"))["error"] == "e" * 499
    assert bound(result_of({"ok": False}, "e" * 500))["error"] == "e" * 500


def test_a_failed_result_is_bounded_too() -> None:
    bounded = bound(result_of({"ok": False, "summary": "s" * 30_000}, "s" * 30_000))
    assert size(bounded) == 20_000
    assert bounded["error"] == "s" * 500
    assert bounded["result"]["truncated"] is True


def test_half_a_surrogate_pair_is_measured_as_the_escape_it_becomes() -> None:
    bounded = bound(result_of({"content": "\ud83d" * 10_000}))
    room = 20_000 - size(result_of({"content": "", "truncated": True}))
    assert len(bounded["result"]["content"]) == room // len("\\ud83d")


LONG = st.builds(str.__mul__, st.sampled_from("aé😀\n"), st.integers(3_000, 9_000))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=9) | LONG,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(max_size=10), JSON, max_size=6))
def test_nothing_is_larger_than_the_budget_and_twice_is_as_once(members: Json) -> None:
    bounded = bound(result_of(members))
    assert size(bounded) <= 20_000
    assert bound(bounded) == bounded
    assert bounded["result"] == members or bounded["result"]["truncated"] is True


# moments and faults


@pytest.mark.parametrize(
    ("clock", "zone"),
    [
        ([], "UTC"),
        ([{}], "UTC"),
        ([{"timezone": ""}], "UTC"),
        ([{"timezone": 5}], "UTC"),
        ([{"timezone": "Europe/Berlin"}], "Europe/Berlin"),
    ],
)
def test_the_zone_is_the_clock_s_and_utc_without_it(clock: Json, zone: str) -> None:
    assert moment(TinyStore({"clock": clock}), 5.0) == Moment(5.0, zone)


def test_a_fault_becomes_a_value_and_an_interruption_does_not() -> None:
    def fail() -> Json:
        raise KeyError("x")

    def stop() -> Json:
        raise KeyboardInterrupt

    assert caught(lambda: 5) == 5
    assert isinstance(caught(fail), KeyError)
    with pytest.raises(KeyboardInterrupt):
        caught(stop)
