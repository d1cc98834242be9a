"""Tests for `policy`: what happens to a call in which order, and what is kept of it."""

from __future__ import annotations

import json
from threading import Barrier, Thread

import pytest
from jsonschema_rs import Draft202012Validator

from evalkit.contracts.agent_context.semantic.catalogue import TOOLS, output_schema
from evalkit.contracts.agent_context.semantic.nouns import Authority, Json, Moment, Refused
from evalkit.contracts.agent_context.semantic.policy import SEMANTIC, stored
from evalkit.contracts.agent_context.store import Ledger
from evalkit.contracts.agent_context.vocabulary import Settings
from tests.contracts.agent_context.semantic.tiny_store import BOTH, Desk

CONFLICT = "requestId was already used for a different tool call"
EXPIRED = "requestId result has expired and cannot be replayed safely"
SECRET = "sk-" + "1" * 20
DAY = 86_400


def append(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """Write first, then fail where the text says so: nothing of that may stay."""
    ledger.append("journal", args["text"])
    if args["text"] == "raise":
        raise ValueError("could not append")
    if args["text"] == "refuse":
        return {"ok": False, "summary": "refused by the adapter"}
    return {"ok": True, "summary": "done", "date": args.get("date", "today")}


def capture(ledger: Ledger, args: Json, moment: Moment) -> Json:
    ledger.append("brainInbox", args["text"])
    return {"ok": True, "id": "1"}


def recent(ledger: Ledger, args: Json, moment: Moment) -> Json:
    return {"ok": True, "items": [row.body for row in ledger.rows("brainInbox")]}


def now(ledger: Ledger, args: Json, moment: Moment) -> Json:
    return {"ok": True, "seconds": moment.seconds, "zone": moment.timezone}


def search(ledger: Ledger, args: Json, moment: Moment) -> Json:
    return ["no", "object"]


ADAPTERS = {
    "journal.append": append,
    "brain.capture": capture,
    "brain.recent": recent,
    "brain.search": search,
    "time.now": now,
}


@pytest.fixture
def desk() -> Desk:
    return Desk(ADAPTERS)


def journal(desk: Desk) -> list[Json]:
    return desk.store.collections.get("journal", [])


def text_of(result: Json) -> str:
    assert list(result) == ["isError", "content", "_meta"]
    assert result["isError"] is True
    return str(result["content"][0]["text"])


def completed(request_id: str, name: str, result: Json, duplicate: bool = False) -> Json:
    return {
        "type": "portos_tool_result",
        "requestId": request_id,
        "name": name,
        "version": 1,
        "duplicate": duplicate,
        "state": "completed",
        "result": result,
    }


# one call


def test_a_completed_call_is_told_in_the_one_shape(desk: Desk) -> None:
    result = desk.call("daily_log_append", {"text": "a"}, "r1")
    expected = completed("r1", "journal.append", {"ok": True, "summary": "done", "date": "today"})
    assert result == expected
    assert list(result) == list(expected)


def test_an_adapter_is_told_the_time_in_the_zone_of_the_store(desk: Desk) -> None:
    desk.store.collections["clock"] = [{"timezone": "Asia/Tokyo"}]
    assert desk.call("time.now", {})["result"] == {"ok": True, "seconds": 1_000_000.0, "zone": "Asia/Tokyo"}


def test_an_adapter_is_given_a_whole_number_as_an_integer() -> None:
    def limit(ledger: Ledger, args: Json, moment: Moment) -> Json:
        return {"ok": True, "kind": type(args["limit"]).__name__}

    desk = Desk({"brain.recent": limit})
    assert desk.call("brain.recent", {"limit": 5.0})["result"]["kind"] == "int"


def test_a_reading_without_a_key_waits_for_no_writer(desk: Desk) -> None:
    desk.call("time.now", {})
    assert desk.store.opened == ["view"]
    desk.call("time.now", {}, "r1")
    desk.call("journal.append", {"text": "a"})
    assert desk.store.opened == ["view", "transaction", "transaction"]


@pytest.mark.parametrize("key", [None, "r1"])
@pytest.mark.parametrize(
    ("text", "error", "result"),
    [
        ("raise", "could not append", None),
        ("refuse", "refused by the adapter", {"ok": False, "summary": "refused by the adapter"}),
    ],
)
def test_a_failed_call_leaves_no_effect(
    desk: Desk, key: str | None, text: str, error: str, result: Json
) -> None:
    told = desk.call("journal.append", {"text": text}, key)
    assert (told["state"], told["error"], told.get("result")) == ("failed", error, result)
    assert ("result" in told) == (result is not None)
    assert journal(desk) == []


def test_an_answer_that_is_no_object_is_told_as_invalid(desk: Desk) -> None:
    told = desk.call("brain.search", {"query": "a"})
    assert (told["state"], told["error"]) == ("failed", "Tool adapter returned an invalid result")
    assert "result" not in told


@pytest.mark.parametrize("key", [None, "r1"])
def test_a_store_that_fails_a_reading_fails_the_call(desk: Desk, key: str | None) -> None:
    desk.store.broken = {"rows brainInbox"}
    told = desk.call("brain.recent", {}, key)
    assert (told["state"], told["error"]) == ("failed", "rows brainInbox is broken")
    assert "result" not in told


@pytest.mark.parametrize("broken", ["transaction", "recall", "remember", "commit", "rows clock"])
def test_a_store_that_breaks_around_the_adapter_fails_the_call_and_keeps_nothing(
    desk: Desk, broken: str
) -> None:
    desk.store.broken = {broken}
    told = desk.call("journal.append", {"text": "a"}, "r1")
    assert (told["state"], told["error"]) == ("failed", f"{broken} is broken")
    assert journal(desk) == []
    desk.store.broken = set()
    assert desk.store.memory.keys() == ({"r1"} if broken == "rows clock" else set())


def test_an_error_is_scrubbed_before_it_is_cut() -> None:
    def fail(ledger: Ledger, args: Json, moment: Moment) -> Json:
        raise OSError("e" * 485 + " ghp_" + "a" * 36)

    desk = Desk({"time.now": fail})
    assert desk.call("time.now", {})["error"] == "e" * 485 + " [REDACTED]"


def test_results_are_scrubbed_and_bounded_before_they_are_remembered(desk: Desk) -> None:
    desk.store.collections["brainInbox"] = [{"text": SECRET}, *({"text": "x" * 900} for _ in range(50))]
    told = desk.call("brain.recent", {}, "r1")
    assert told["result"]["items"][0] == {"text": "[REDACTED]"}
    assert told["result"]["truncated"] is True
    assert desk.store.memory["r1"].result == told
    assert SECRET not in json.dumps(told)


def test_a_result_that_is_no_json_fails_and_keeps_no_effect() -> None:
    def odd(ledger: Ledger, args: Json, moment: Moment) -> Json:
        ledger.append("journal", "a")
        return {"ok": True, "odd": object()}

    desk = Desk({"journal.append": odd})
    assert desk.call("journal.append", {"text": "a"}, "r1")["state"] == "failed"
    assert journal(desk) == []
    assert desk.store.memory == {}


def test_every_result_is_what_the_tool_s_output_schema_promises(desk: Desk) -> None:
    promised = Draft202012Validator(output_schema(TOOLS[14]))
    for number, text in enumerate(("a", "raise", "refuse", "a")):
        assert promised.is_valid(desk.call("journal.append", {"text": text}, f"r{number % 3}"))
    assert not promised.is_valid(desk.call("time.now", {}))
    assert not promised.is_valid({})


# refusals


@pytest.mark.parametrize(
    ("name", "arguments", "authority", "code"),
    [
        ("nope", None, Authority("agent", frozenset()), "TOOL_NOT_FOUND"),
        ("time.now", {"a": 1}, Authority("agent", frozenset()), "TOOL_CAPABILITY_DENIED"),
        ("journal.append", {}, Authority("ui", frozenset()), "TOOL_AUTH_REQUIRED"),
        ("journal.append", {}, Authority("ui", frozenset(), True), "TOOL_VALIDATION_ERROR"),
    ],
)
def test_the_tool_is_judged_before_the_authority_and_that_before_the_arguments(
    desk: Desk, name: str, arguments: Json, authority: Authority, code: str
) -> None:
    with pytest.raises(Refused) as caught:
        desk.call(name, arguments, "r1", authority)
    assert caught.value.code == code
    assert desk.store.opened == []


# the same call again


def test_a_repeated_call_is_answered_from_memory(desk: Desk) -> None:
    first = desk.call("journal.append", {"text": "a", "date": "d"}, "r1")
    again = desk.call("journal_append", {"date": "d", "text": "a"}, "r1")
    assert again == {**first, "duplicate": True}
    assert desk.call("daily_log_append", {"text": "a", "date": "d"}, "r1") == again
    assert journal(desk) == ["a"]


def test_numbers_that_json_cannot_tell_apart_are_the_same_call(desk: Desk) -> None:
    desk.call("brain.recent", {"limit": 5}, "r1")
    assert desk.call("brain.recent", {"limit": 5.0}, "r1")["duplicate"] is True


@pytest.mark.parametrize(
    ("name", "arguments", "authority"),
    [
        ("journal.append", {"text": "b"}, None),
        ("brain.capture", {"text": "a"}, None),
        ("journal.append", {"text": "a"}, Authority("ui", frozenset(), True)),
    ],
)
def test_a_request_id_that_meant_something_else_is_a_conflict(
    desk: Desk, name: str, arguments: Json, authority: Authority | None
) -> None:
    desk.call("journal.append", {"text": "a"}, "r1")
    with pytest.raises(Refused, match=f"^{CONFLICT}$") as caught:
        desk.call(name, arguments, "r1", authority or Authority("agent", frozenset({"writePortos"})))
    assert caught.value.code == "TOOL_IDEMPOTENCY_CONFLICT"
    assert desk.store.collections == {"journal": ["a"]}


def test_a_failure_is_remembered_even_when_the_store_has_healed(desk: Desk) -> None:
    desk.store.broken = {"rows brainInbox"}
    first = desk.call("brain.recent", {}, "r1")
    desk.store.broken = set()
    assert desk.call("brain.recent", {}, "r1") == {**first, "duplicate": True}
    assert desk.call("brain.recent", {}, "r2")["state"] == "completed"


def test_a_revoked_grant_and_bad_arguments_come_before_the_memory(desk: Desk) -> None:
    desk.call("journal.append", {"text": "a"}, "r1")
    with pytest.raises(Refused, match="requires the writePortos capability"):
        desk.call("journal.append", {"text": "a"}, "r1", Authority("agent", frozenset({"readPortos"})))
    with pytest.raises(Refused, match="text must be a string"):
        desk.call("journal.append", {"text": 1}, "r1")


def test_calls_without_a_request_id_are_never_the_same(desk: Desk) -> None:
    told = [desk.call("journal.append", {"text": "a"}) for _ in range(2)]
    assert [result["requestId"] for result in told] == ["agent-mcp:id-1", "agent-mcp:id-2"]
    assert [result["duplicate"] for result in told] == [False, False]
    assert journal(desk) == ["a", "a"]
    assert desk.store.memory == {}


def test_one_of_many_calls_at_once_is_carried_out(desk: Desk) -> None:
    start = Barrier(20)
    results: list[Json] = []

    def call() -> None:
        start.wait()
        results.append(desk.call("journal.append", {"text": "a"}, "r1"))

    threads = [Thread(target=call) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert journal(desk) == ["a"]
    assert sorted(result["duplicate"] for result in results) == [False] + [True] * 19
    assert len({json.dumps({**result, "duplicate": None}) for result in results}) == 1


def crowd_out(desk: Desk) -> None:
    """500 other requests, so that the result of every earlier one is forgotten."""
    for number in range(500):
        desk.call("time.now", {}, f"other-{number}")


def test_the_500th_newest_result_is_still_there(desk: Desk) -> None:
    desk.call("journal.append", {"text": "a"}, "r1")
    for number in range(499):
        desk.call("time.now", {}, f"other-{number}")
    assert desk.call("journal.append", {"text": "a"}, "r1")["duplicate"] is True


def test_a_call_whose_result_is_forgotten_is_not_carried_out_again(desk: Desk) -> None:
    desk.call("journal.append", {"text": "a"}, "r1")
    crowd_out(desk)
    desk.time += DAY
    with pytest.raises(Refused, match=f"^{EXPIRED}$") as caught:
        desk.call("journal.append", {"text": "a"}, "r1")
    assert caught.value.code == "TOOL_IDEMPOTENCY_EXPIRED"
    with pytest.raises(Refused, match=f"^{CONFLICT}$"):
        desk.call("journal.append", {"text": "b"}, "r1")
    assert journal(desk) == ["a"]


@pytest.mark.parametrize("text", ["a", "b"])
def test_a_call_that_is_forgotten_altogether_is_a_new_one(desk: Desk, text: str) -> None:
    desk.call("journal.append", {"text": "a"}, "r1")
    crowd_out(desk)
    desk.time += DAY + 0.001
    assert desk.call("journal.append", {"text": text}, "r1")["duplicate"] is False
    assert journal(desk) == ["a", text]
    assert desk.call("journal.append", {"text": text}, "r1")["duplicate"] is True


def test_the_memory_is_bounded(desk: Desk) -> None:
    desk.rules = desk.rules._replace(memory=desk.rules.memory._replace(results=3, fingerprints=4))
    for number in range(20):
        desk.call("time.now", {}, f"r{number}")
    results = [known.result is not None for known in desk.store.memory.values()]
    assert results == [False] * 4 + [True] * 3


def test_a_stored_result_is_found_by_its_request_id(desk: Desk) -> None:
    first = desk.call("journal.append", {"text": "a"}, "r1")
    assert stored(desk.rules, desk.surroundings, "r1") == first
    with pytest.raises(Refused) as caught:
        stored(desk.rules, desk.surroundings, "r2")
    assert caught.value.code == "TOOL_CALL_NOT_FOUND"
    crowd_out(desk)
    with pytest.raises(Refused):
        stored(desk.rules, desk.surroundings, "r1")


# over MCP


def test_over_mcp_a_completed_call_has_its_result_as_text_and_as_data(desk: Desk) -> None:
    result = desk.over_mcp("journal_append", {"text": "a"}, "k1")
    assert list(result) == ["content", "structuredContent"]
    assert result["structuredContent"]["requestId"] == "agent-mcp:k1"
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert desk.over_mcp("journal_append", {"text": "a"}, "k1")["structuredContent"]["duplicate"] is True


def test_over_mcp_a_failed_call_is_an_error_with_data(desk: Desk) -> None:
    result = desk.over_mcp("journal_append", {"text": "refuse"})
    assert list(result) == ["isError", "content", "structuredContent"]
    assert result["isError"] is True
    assert result["structuredContent"]["error"] == "refused by the adapter"
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("nope", BOTH),
        ("Time.now", BOTH),
        ("journal_append", Settings(read_portos=True)),
        ("time.now", Settings(write_portos=True)),
        ("time_now", Settings()),
    ],
)
def test_over_mcp_an_unknown_and_an_ungranted_tool_look_the_same(
    desk: Desk, name: str, settings: Settings
) -> None:
    assert desk.over_mcp(name, {"a": 1}, "a bad key", settings) is None
    assert desk.store.opened == []


@pytest.mark.parametrize(
    ("args", "key", "code", "text"),
    [
        (
            {"a": 1},
            "a b",
            "VALIDATION_ERROR",
            "Idempotency-Key may hold only the characters A-Z a-z 0-9 . _ : -",
        ),
        ({"a": 1}, "k", "TOOL_VALIDATION_ERROR", "Invalid arguments for 'time.now': a is not allowed"),
    ],
)
def test_over_mcp_a_refusal_is_a_sentence_with_its_code(
    desk: Desk, args: Json, key: str, code: str, text: str
) -> None:
    result = desk.over_mcp("time_now", args, key)
    assert text_of(result) == text
    assert result["_meta"] == {"code": code}
    assert desk.store.opened == []


def test_over_mcp_a_conflict_tells_nothing_of_the_first_call(desk: Desk) -> None:
    desk.over_mcp("journal_append", {"text": "first"}, "k1")
    result = desk.over_mcp("journal_append", {"text": "second"}, "k1")
    assert text_of(result) == CONFLICT
    assert result["_meta"] == {"code": "TOOL_IDEMPOTENCY_CONFLICT"}
    assert journal(desk) == ["first"]


@pytest.mark.parametrize("key", [None, ""])
def test_over_mcp_an_empty_key_is_no_key_and_no_arguments_are_none(desk: Desk, key: str | None) -> None:
    ids = [desk.over_mcp("time_now", None, key)["structuredContent"]["requestId"] for _ in range(2)]
    assert ids == ["agent-mcp:id-1", "agent-mcp:id-2"]


def test_the_shipped_rules_have_an_adapter_for_every_tool() -> None:
    assert list(SEMANTIC.adapters) == [tool.id for tool in TOOLS]
