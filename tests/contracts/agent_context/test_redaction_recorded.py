"""The 204 recorded pairs: each gives what was recorded, or stands in a list with the reason why not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evalkit.contracts.agent_context.redaction import redact, scrub

RECORDED = Path(__file__).parents[3] / "../shared/specs/portos-redaction-vectors.json"
DIFFERENCES = Path(__file__).with_name("redaction_differences.json")
KINDS = {"secret", "false alarm", "cut"}
MARKER = re.compile(r"\[REDACTED(?: [A-Z ]+)?\]")

Json = Any


def recorded() -> list[Json]:
    if not RECORDED.is_file():
        return []
    return [pair for pair in json.loads(RECORDED.read_text("utf-8")) if pair["id"] != "undef"]


def differences(column: str) -> dict[str, Json]:
    listed: dict[str, Json] = json.loads(DIFFERENCES.read_text("utf-8"))[column]
    return listed


def ours(pair: Json, difference: Json) -> str:
    """What the list of differences says, without a secret standing in the list."""
    given = {
        "as the input": pair["input"],
        "the input up to the marker": pair["input"].partition(" ")[0],
        "the input up to the emoji": pair["input"][:-1],
    }
    output: str = given.get(difference["output"], difference["output"])
    return output


PAIRS = recorded()
needs_pairs = pytest.mark.skipif(not PAIRS, reason="the recorded pairs are not beside this project")
each_pair = pytest.mark.parametrize("pair", PAIRS, ids=[pair["id"] for pair in PAIRS])


@each_pair
def test_a_text_is_redacted_as_recorded_or_as_the_list_says(pair: Json) -> None:
    difference = differences("context").get(pair["id"])
    assert redact(pair["input"]) == (ours(pair, difference) if difference else pair["portos_context"])


@each_pair
def test_the_secret_rules_alone_do_as_recorded_or_as_the_list_says(pair: Json) -> None:
    difference = differences("secrets_only").get(pair["id"])
    if not isinstance(pair["input"], str):
        assert scrub(pair["input"]) == pair["input"]
    else:
        assert scrub(pair["input"]) == (ours(pair, difference) if difference else pair["portos_secrets_only"])


@each_pair
def test_what_was_redacted_is_redacted_again_unchanged(pair: Json) -> None:
    once, scrubbed = redact(pair["input"]), scrub(pair["input"])
    assert redact(once) == once
    assert scrub(scrubbed) == scrubbed


@needs_pairs
def test_all_recorded_pairs_are_here() -> None:
    # The pair `undef` is the one that JSON cannot hold; it is tested by hand below.
    assert len({pair["id"] for pair in PAIRS}) == 203


def test_undefined_is_the_empty_text() -> None:
    assert redact(...) == ""


@needs_pairs
@pytest.mark.parametrize("column", ["context", "secrets_only"])
def test_every_listed_difference_is_one(column: str) -> None:
    recorded_output = {pair["id"]: pair[f"portos_{column}"] for pair in PAIRS}
    pairs = {pair["id"]: pair for pair in PAIRS}
    for name, difference in differences(column).items():
        assert ours(pairs[name], difference) != recorded_output[name]
        assert difference["kind"] in KINDS
        assert difference["reason"]


@needs_pairs
@pytest.mark.parametrize("column", ["context", "secrets_only"])
def test_nothing_stays_that_went_before_unless_it_was_a_false_alarm(column: str) -> None:
    listed = differences(column)
    redactor = redact if column == "context" else scrub
    for pair in PAIRS:
        kind = listed.get(pair["id"], {}).get("kind")
        if kind in (None, "false alarm") or not isinstance(pair["input"], str):
            continue
        for word in re.findall(r"\w{2,}", pair["input"]):
            if word not in MARKER.sub("", pair[f"portos_{column}"]):
                assert word not in MARKER.sub("", redactor(pair["input"])), pair["id"]
