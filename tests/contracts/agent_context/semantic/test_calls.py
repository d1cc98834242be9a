"""Tests for what is asked: `arguments`, `authority`, `envelopes`, `fingerprints` and `replays`."""

from __future__ import annotations

import math

import pytest

from evalkit.contracts.agent_context.semantic.arguments import arguments_refusal, settle
from evalkit.contracts.agent_context.semantic.authority import (
    authority_refusal,
    granted,
    grants,
    unknown_tool,
)
from evalkit.contracts.agent_context.semantic.catalogue import find
from evalkit.contracts.agent_context.semantic.envelopes import (
    envelope_issues,
    fresh_request_id,
    key_request_id,
    read_envelope,
)
from evalkit.contracts.agent_context.semantic.fingerprints import canonical, fingerprint
from evalkit.contracts.agent_context.semantic.nouns import (
    STATUSES,
    Authority,
    Refused,
    SemanticTool,
    ToolCall,
)
from evalkit.contracts.agent_context.semantic.replays import Memory, repeat, verdict
from evalkit.contracts.agent_context.store import Remembered
from evalkit.contracts.agent_context.vocabulary import Settings
from evalkit.model import Json


def tool(name: str) -> SemanticTool:
    found = find(name)
    assert found is not None
    return found


# arguments


@pytest.mark.parametrize(
    ("name", "arguments", "issues"),
    [
        ("brain.search", {}, "query is required"),
        ("brain.search", {"query": 1}, "query must be a string"),
        ("brain.search", {"query": None}, "query must be a string"),
        ("brain.search", {"query": "a", "zz": 1}, "zz is not allowed"),
        (
            "brain.search",
            {"zz": 1, "limit": "1"},
            "query is required; limit must be an integer; zz is not allowed",
        ),
        ("brain.search", {"query": "a", "limit": True}, "limit must be an integer"),
        ("brain.search", {"query": "a", "limit": 1.5}, "limit must be an integer"),
        ("brain.search", {"query": "a", "limit": math.inf}, "limit must be an integer"),
        ("health.log.weight", {"weight": math.nan}, "weight must be a number"),
        ("health.log.weight", {"weight": False}, "weight must be a number"),
        ("health.log.weight", {"weight": 1, "unit": "st"}, "unit must be one of lb, kg"),
        ("health.log.weight", {"weight": 1, "unit": ["lb"]}, "unit must be a string"),
        ("feeds.mark-read", {"all": 1}, "all must be a boolean"),
        ("time.now", [], "arguments must be an object"),
        ("time.now", "x", "arguments must be an object"),
        ("time.now", {"a": 1}, "a is not allowed"),
    ],
)
def test_arguments_that_the_schema_does_not_allow_are_refused_by_path(
    name: str, arguments: Json, issues: str
) -> None:
    refused = arguments_refusal(tool(name), arguments)
    assert refused is not None
    assert refused.code == "TOOL_VALIDATION_ERROR"
    assert str(refused) == f"Invalid arguments for '{name}': {issues}"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("brain.search", {"query": " ", "limit": -3}),
        ("brain.search", {"query": "", "limit": 25.0}),
        ("brain.search", {"query": "a", "limit": 10**400}),
        ("health.log.weight", {"weight": -1e9, "unit": "kg", "date": "never"}),
        ("feeds.mark-read", {"all": False}),
        ("time.now", {}),
    ],
)
def test_ranges_and_blanks_are_left_to_the_adapter(name: str, arguments: Json) -> None:
    assert arguments_refusal(tool(name), arguments) is None


def test_a_refusal_of_arguments_has_at_most_500_characters() -> None:
    refused = arguments_refusal(tool("time.now"), {"k" * 600: 1})
    assert len(str(refused)) == 500


def test_whole_numbers_become_integers_and_nothing_else_changes() -> None:
    settled = settle({"a": 5.0, "b": 5.5, "c": True, "d": "5.0", "e": 7, "f": 1e300})
    assert settled == {"a": 5, "b": 5.5, "c": True, "d": "5.0", "e": 7, "f": 1e300}
    assert [type(value) for value in settled.values()] == [int, float, bool, str, int, float]


# authority

READ = frozenset({"readPortos"})
WRITE = frozenset({"writePortos"})
NONE: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    ("settings", "capabilities"),
    [
        (Settings(), NONE),
        (Settings(read_portos=True), READ),
        (Settings(write_portos=True), WRITE),
        (Settings(read_portos=True, write_portos=True), READ | WRITE),
    ],
)
def test_the_settings_grant_what_they_say(settings: Settings, capabilities: frozenset[str]) -> None:
    assert grants(settings) == capabilities


@pytest.mark.parametrize(
    ("name", "authority", "code"),
    [
        ("brain.search", Authority("agent", READ), None),
        ("brain.search", Authority("agent", WRITE), "TOOL_CAPABILITY_DENIED"),
        ("brain.search", Authority("agent", NONE, authenticated=True), "TOOL_CAPABILITY_DENIED"),
        ("brain.capture", Authority("agent", READ), "TOOL_CAPABILITY_DENIED"),
        ("brain.capture", Authority("mind", WRITE), None),
        ("brain.capture", Authority("mind", NONE), "TOOL_CAPABILITY_DENIED"),
        ("brain.search", Authority("ui", NONE), None),
        ("brain.capture", Authority("ui", NONE, authenticated=True), None),
        ("brain.capture", Authority("ui", READ | WRITE), "TOOL_AUTH_REQUIRED"),
        ("brain.capture", Authority("voice", WRITE), "TOOL_AUTH_REQUIRED"),
        ("brain.search", Authority("all", READ, authenticated=True), "TOOL_SCOPE_DENIED"),  # type: ignore[arg-type]
    ],
)
def test_a_call_needs_its_scope_its_capability_or_its_session(
    name: str, authority: Authority, code: str | None
) -> None:
    refused = authority_refusal(tool(name), authority)
    assert (refused.code if refused else None) == code
    assert code is None or STATUSES[code] == 403


def test_grants_decide_for_the_agent_and_the_mind_alone() -> None:
    told = [granted(tool("brain.search"), scope, WRITE) for scope in ("agent", "mind", "ui", "voice", "all")]
    assert told == [False, False, None, None, None]
    assert granted(tool("brain.search"), "agent", READ) is True


def test_an_unknown_name_is_echoed_cut() -> None:
    assert str(unknown_tool("n" * 300)) == "Unknown tool: " + "n" * 120


# envelopes


@pytest.mark.parametrize("key", [None, "", "  ", "\t"])
def test_an_empty_key_is_no_key(key: str | None) -> None:
    assert key_request_id(key) is None


@pytest.mark.parametrize("key", ["k", "k" * 190, "A-z.0_9:x", " k1 "])
def test_a_key_becomes_the_request_id(key: str) -> None:
    assert key_request_id(key) == f"agent-mcp:{key.strip()}"


@pytest.mark.parametrize("key", ["a b", "é", "a, b", "a\n", "k/1", "٣", "k" * 191])
def test_a_bad_key_is_refused_in_words_that_name_the_header(key: str) -> None:
    with pytest.raises(Refused, match=r"^Idempotency-Key may ") as caught:
        key_request_id(key)
    assert caught.value.code == "VALIDATION_ERROR"
    assert key not in str(caught.value)


def test_a_key_that_is_too_long_is_told_the_limit() -> None:
    with pytest.raises(Refused, match=r"at most 190 characters, not 191"):
        key_request_id("k" * 191)


def test_a_fresh_request_id_looks_like_a_keyed_one() -> None:
    assert fresh_request_id("u-1") == "agent-mcp:u-1"


GOOD: Json = {"requestId": "r1", "name": "time.now"}


@pytest.mark.parametrize(
    ("body", "call"),
    [
        (GOOD, ToolCall("time.now", {}, "r1")),
        ({**GOOD, "type": "portos_tool_call", "version": 1}, ToolCall("time.now", {}, "r1")),
        ({**GOOD, "version": 1.0, "requestId": " r:1 "}, ToolCall("time.now", {}, "r:1")),
        ({**GOOD, "requestId": "r" * 200, "arguments": {"a": 1}}, ToolCall("time.now", {"a": 1}, "r" * 200)),
    ],
)
def test_an_envelope_is_read(body: Json, call: ToolCall) -> None:
    assert envelope_issues(body) == []
    assert read_envelope(body) == call


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ([], [""]),
        (None, [""]),
        ({}, ["requestId", "name"]),
        ({**GOOD, "requestId": "r" * 201}, ["requestId"]),
        ({**GOOD, "requestId": "a b"}, ["requestId"]),
        ({**GOOD, "requestId": " "}, ["requestId"]),
        ({**GOOD, "requestId": 1}, ["requestId"]),
        ({**GOOD, "name": "a:b"}, ["name"]),
        ({**GOOD, "name": "n" * 101}, ["name"]),
        ({**GOOD, "name": " time.now"}, ["name"]),
        ({**GOOD, "type": None}, ["type"]),
        ({**GOOD, "version": True}, ["version"]),
        ({**GOOD, "version": "1"}, ["version"]),
        ({**GOOD, "version": 2}, ["version"]),
        ({**GOOD, "arguments": None}, ["arguments"]),
        ({**GOOD, "arguments": []}, ["arguments"]),
        ({**GOOD, "scope": "ui", "name": ""}, ["name", "scope"]),
    ],
)
def test_an_envelope_is_closed(body: Json, paths: list[str]) -> None:
    assert [path for path, _ in envelope_issues(body)] == paths


# fingerprints


def test_a_fingerprint_is_the_sha256_of_the_canonical_json() -> None:
    # sha256sum of {"arguments":{"text":"a"},"name":"journal.append","scope":"agent"}
    known = "7951617a2e27c4edb38232e1aa28b7a1686be8b2bbc6f2a62dd1244b7ab6b838"
    assert fingerprint("journal.append", {"text": "a"}, "agent") == known


def test_a_fingerprint_holds_any_text_that_json_can() -> None:
    # sha256sum of {"arguments":{"text":"café \ud83d"},"name":"journal.append","scope":"ui"}, é as UTF-8
    known = fingerprint("journal.append", {"text": "café \ud83d"}, "ui")
    assert known == "3303ecb77f17e7a779812c6a45f1d0cf2dae92bca468aaa9a5a82b74837e0df0"


def test_the_order_of_keys_makes_no_difference() -> None:
    assert fingerprint("t", {"a": 1, "b": {"c": 1, "d": 2}}, "ui") == fingerprint(
        "t", {"b": {"d": 2, "c": 1}, "a": 1}, "ui"
    )


@pytest.mark.parametrize(
    "other", [("t", {"a": "1"}, "agent"), ("u", {"a": 1}, "agent"), ("t", {"a": 1}, "ui"), ("t", {}, "agent")]
)
def test_another_name_scope_or_value_makes_a_difference(other: tuple[str, Json, str]) -> None:
    assert fingerprint(*other) != fingerprint("t", {"a": 1}, "agent")


def test_canonical_json_keeps_the_order_of_lists() -> None:
    assert canonical({"b": [{"d": 1, "c": 2}, 1], "a": None}) == '{"a":null,"b":[{"c":2,"d":1},1]}'


# replays

RESULT = {"state": "completed", "duplicate": False}


def known(result: Json = None, at: float = 100.0) -> Remembered:
    return Remembered("r1", "f1", result, at)


@pytest.mark.parametrize(
    ("seen", "fingerprint", "expected"),
    [
        (None, "f1", "new"),
        (known(RESULT), "f1", "replay"),
        (known(RESULT), "f2", "conflict"),
        (known(), "f1", "expired"),
        (known(), "f2", "conflict"),
        (known(at=99.0), "f1", "expired"),
        (known(at=98.9), "f1", "new"),
        (known(at=98.9), "f2", "new"),
        (known(RESULT, at=1.0), "f1", "replay"),
        (known(RESULT, at=1.0), "f2", "conflict"),
    ],
)
def test_a_request_is_judged_by_what_is_known_of_its_id(
    seen: Remembered | None, fingerprint: str, expected: str
) -> None:
    assert verdict(seen, fingerprint, before=99.0) == expected


def test_a_replay_is_the_stored_result_marked_as_a_duplicate() -> None:
    assert repeat("replay", known(RESULT)) == {"state": "completed", "duplicate": True}
    assert RESULT["duplicate"] is False


def test_a_conflict_and_an_expiry_have_their_code_and_their_text() -> None:
    conflict, expired = repeat("conflict", known(RESULT)), repeat("expired", known())
    assert isinstance(conflict, Refused)
    assert isinstance(expired, Refused)
    assert (conflict.code, str(conflict)) == (
        "TOOL_IDEMPOTENCY_CONFLICT",
        "requestId was already used for a different tool call",
    )
    assert (expired.code, str(expired)) == (
        "TOOL_IDEMPOTENCY_EXPIRED",
        "requestId result has expired and cannot be replayed safely",
    )


def test_the_memory_has_the_limits_of_the_specification() -> None:
    assert Memory() == (500, 10_000, 86_400)
