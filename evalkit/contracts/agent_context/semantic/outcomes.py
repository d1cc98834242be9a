"""Gives whatever an adapter did one shape: the normalised result (spec C.3)."""

from __future__ import annotations

from typing import Final, NamedTuple

from .nouns import Json

INVALID: Final = "Tool adapter returned an invalid result"
FAILED: Final = "Tool adapter reported failure"


class Outcome(NamedTuple):
    """What came of a call: it failed where there is an error. `result` is `...` where there is none."""

    error: str | None
    result: Json = ...


def of_answer(answer: Json) -> Outcome:
    """The outcome of an adapter that gave an answer; `ok: false` or `state: failed` in it is a failure."""
    if not isinstance(answer, dict):
        return Outcome(INVALID)
    if answer.get("ok") is not False and answer.get("state") != "failed":
        return Outcome(None, answer)
    told = (text for text in (answer.get("error"), answer.get("summary")) if isinstance(text, str) and text)
    return Outcome(next(told, FAILED), answer)


def of_fault(problem: Exception) -> Outcome:
    """The outcome of an adapter or a store that raised: its message, and no result."""
    return Outcome(str(problem) or FAILED)


def keeps_effects(outcome: Outcome) -> bool:
    """Whether what the adapter wrote stays: a call that failed leaves nothing behind."""
    return outcome.error is None


def normalise(tool_id: str, request_id: str, outcome: Outcome) -> Json:
    """The one shape of every result, under the canonical id of the tool."""
    told = {"error": outcome.error, "result": outcome.result}
    return {
        "type": "portos_tool_result",
        "requestId": request_id,
        "name": tool_id,
        "version": 1,
        "duplicate": False,
        "state": "completed" if outcome.error is None else "failed",
        **{name: value for name, value in told.items() if value is not None and value is not ...},
    }
