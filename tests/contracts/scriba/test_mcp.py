"""The MCP messages of the two tools, without any stream (spec 7); the official client is in test_stdio."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from evalkit.contracts.scriba.mcp.arguments import context_problem, events_problem
from evalkit.contracts.scriba.mcp.catalogue import TOOLS
from evalkit.contracts.scriba.mcp.messages import answer
from evalkit.contracts.scriba.mcp.rules import McpRules
from evalkit.contracts.scriba.mcp.versions import REVISIONS
from evalkit.contracts.scriba.nouns import PageUnavailable, ProfileUnavailable, StoreUnreadable
from tests.contracts.scriba.fakes import DOCUMENT, PAGE, FakeService, raising

Json = Any

RULES = McpRules()
ZERO = "v1.0000000000000000"


def ask(message: Json, service: FakeService | None = None) -> Json:
    return answer(RULES, service or FakeService(), message)


def request(method: str, **more: Json) -> Json:
    return ask({"jsonrpc": "2.0", "id": 7, "method": method, **more})


def call(name: str, arguments: Json, service: FakeService | None = None) -> Json:
    params = {"name": name, "arguments": arguments}
    answered = ask({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}, service)
    assert answered.keys() == {"jsonrpc", "id", "result"}
    return answered["result"]


def get_context(arguments: Json, service: FakeService | None = None) -> Json:
    return call("scriba_get_context", arguments, service)


def list_events(arguments: Json, service: FakeService | None = None) -> Json:
    return call("scriba_list_events", arguments, service)


def told(text: str) -> Json:
    return {"content": [{"type": "text", "text": text}], "isError": True}


# --- the session


@pytest.mark.parametrize("offered", [*REVISIONS, "2025-03-26"])
def test_a_known_revision_is_spoken(offered: str) -> None:
    result = request("initialize", params={"protocolVersion": offered})["result"]
    assert result["protocolVersion"] == offered
    assert result["serverInfo"]["name"] == "scriba"
    assert result["capabilities"] == {"tools": {}}


@pytest.mark.parametrize("offered", ["", "1999-01-01", "2026-07-28", "2025-03-26 "])
def test_for_any_other_the_newest_is_offered(offered: str) -> None:
    result = request("initialize", params={"protocolVersion": offered})["result"]
    assert result["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("number", [0, -1, 1.5, "", "a", "\ud800", 10**400])
def test_an_answer_has_the_id_of_its_request(number: Json) -> None:
    answered = ask({"jsonrpc": "2.0", "id": number, "method": "ping", "params": {"_meta": {}}})
    assert answered == {"jsonrpc": "2.0", "id": number, "result": {}}


@pytest.mark.parametrize(
    "message",
    [
        {"method": "notifications/initialized"},
        {"method": "tools/call", "params": {"name": "scriba_get_context"}},
        {"method": "nonsense", "params": []},
        {"id": 1, "result": {}},
        {"id": 1, "error": {"code": 1, "message": "no"}},
    ],
)
def test_what_asks_nothing_is_not_answered_and_does_nothing(message: Json) -> None:
    service = FakeService()
    assert ask({"jsonrpc": "2.0", **message}, service) is None
    assert service.asked == []


@pytest.mark.parametrize(
    "message",
    [
        *(None, 1, "ping", [], [{"jsonrpc": "2.0", "id": 1, "method": "ping"}], {}),
        {"id": 1, "method": "ping"},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": 1},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": [], "method": "ping"},
        {"jsonrpc": "2.0", "id": float("inf"), "method": "ping"},
    ],
)
def test_what_is_no_message_is_refused(message: Json) -> None:
    error = {"code": -32600, "message": "Invalid JSON-RPC message"}
    assert ask(message) == {"jsonrpc": "2.0", "id": None, "error": error}


@pytest.mark.parametrize("method", ["resources/list", "prompts/list", "server/discover", "", "tools/List"])
def test_there_is_nothing_but_tools(method: str) -> None:
    assert request(method)["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("initialize", None),
        ("initialize", {}),
        ("initialize", {"protocolVersion": 1}),
        ("ping", []),
        ("tools/list", "all"),
        ("tools/call", None),
        ("tools/call", {"name": 1}),
        ("tools/call", {"name": []}),
        ("tools/call", {"name": "scriba_set_context", "arguments": {}}),
        ("tools/call", {"name": "scriba_get_context", "arguments": []}),
        ("tools/call", {"name": "scriba_get_context", "arguments": "work"}),
    ],
)
def test_params_that_do_not_fit_are_refused(method: str, params: Json) -> None:
    answered = request(method, params=params)
    assert (answered["id"], answered["error"]["code"]) == (7, -32602)


# --- the tools: MC01


def test_mc01_there_are_two_tools_that_only_read() -> None:
    tools = request("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["scriba_get_context", "scriba_list_events"]
    for tool in tools:
        assert tool["annotations"] == {"readOnlyHint": True, "openWorldHint": False}
        assert tool["description"]
        for name in ("inputSchema", "outputSchema"):
            assert tool[name]["type"] == "object"
            assert tool[name]["additionalProperties"] is False
            Draft202012Validator.check_schema(tool[name])


def test_mc01_output_schemas_refer_to_nothing_outside_of_themselves() -> None:
    def references(part: Json) -> list[str]:
        if isinstance(part, list):
            return [found for item in part for found in references(item)]
        if not isinstance(part, dict):
            return []
        own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
        return own + [found for item in part.values() for found in references(item)]

    for tool in request("tools/list")["result"]["tools"]:
        found = references(tool["outputSchema"])
        assert "#/$defs/event" in found
        assert all(one.startswith("#/$defs/") for one in found)


# --- what may be asked: MC05, MC06 and MC08

PROFILES: list[Json] = [
    "",
    "INVALID",
    " work",
    "work ",
    "work\n",
    "a--b",
    "-a",
    "a-",
    "a" * 33,
    "ärger",
    None,
    1,
    [],
]
LIMITS: list[Json] = [0, 101, -1, 5.5, True, False, "5", None, [], 10**400]
MODES: list[Json] = ["", "tail", "capture", "Latest", None, 1, []]
REFUSED: list[Json] = [
    *({"profile": profile} for profile in PROFILES),
    *({"limit": limit} for limit in LIMITS),
    *({"mode": mode} for mode in MODES),
    *(
        {"mode": "replay", "cursor": cursor}
        for cursor in (
            *("", "bad", "v1.", "v2.0000000000000001", "v1.01", "v1.-000000000000001", None, 1),
            *("v1.000000000000000A", "v1.8000000000000000", f"{ZERO}\n", f" {ZERO}", "v1x0000000000000000"),
        )
    ),
    {"unknown": True},
    {"cursor": "bad"},
    {"cursor": ZERO},
    {"mode": "replay"},
    {"mode": "latest", "cursor": ZERO},
]
ACCEPTED = [
    ({}, ("latest", "", 20, None)),
    ({"limit": 5}, ("latest", "", 5, None)),
    ({"limit": 5.0}, ("latest", "", 5, None)),
    ({"limit": 1}, ("latest", "", 1, None)),
    ({"limit": 100}, ("latest", "", 100, None)),
    ({"mode": "latest", "profile": "a" * 32}, ("latest", "", 20, "a" * 32)),
    ({"mode": "replay", "cursor": ZERO}, ("replay", ZERO, 20, None)),
    (
        {"mode": "replay", "cursor": "v1.7fffffffffffffff", "limit": 2, "profile": "work-2"},
        ("replay", "v1.7fffffffffffffff", 2, "work-2"),
    ),
]


@pytest.mark.parametrize("arguments", REFUSED, ids=str)
def test_mc08_what_the_schema_refuses_is_an_error_and_asks_nothing(arguments: Json) -> None:
    service = FakeService()
    result = list_events(arguments, service)
    assert result["isError"] is True
    assert "structuredContent" not in result
    assert [item["type"] for item in result["content"]] == ["text"]
    assert service.asked == []


@pytest.mark.parametrize(("arguments", "asked"), ACCEPTED)
def test_mc06_what_the_schema_takes_is_asked_with_what_is_usual_filled_in(
    arguments: Json, asked: tuple[Any, ...]
) -> None:
    service = FakeService()
    assert list_events(arguments, service)["isError"] is False
    assert service.asked == [("events", *asked)]
    assert type(service.asked[0][3]) is int


@pytest.mark.parametrize(
    "arguments", [{"profile": profile} for profile in PROFILES] + [{"x": 1}, {"mode": "latest"}]
)
def test_mc05_a_context_takes_nothing_but_a_profile(arguments: Json) -> None:
    service = FakeService()
    assert get_context(arguments, service)["isError"] is True
    assert service.asked == []


@pytest.mark.parametrize("arguments", [None, {}])
def test_no_arguments_are_none(arguments: Json) -> None:
    service = FakeService()
    get_context(arguments, service)
    list_events(arguments, service)
    assert service.asked == [("context", None), ("events", "latest", "", 20, None)]


def test_a_refusal_shows_no_value() -> None:
    for value in ("CANARY", {"CANARY": 1}):
        shown = json.dumps(
            [get_context({"profile": value}), list_events({"mode": value}), get_context({"CANARY": 1})]
        )
        assert "CANARY" not in shown


MEMBERS = {
    "profile": st.sampled_from([*PROFILES, "work", "a" * 32]),
    "mode": st.sampled_from(["latest", "replay", "capture", 1, None]),
    "cursor": st.sampled_from([ZERO, "bad", "", 1, None]),
    "limit": st.one_of(
        st.integers(-1, 102), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.none()
    ),
    "more": st.just(1),
}


@given(st.fixed_dictionaries({}, optional=MEMBERS))
def test_the_hand_written_check_says_what_the_published_schema_says(arguments: Json) -> None:
    for tool, check in zip(TOOLS, (context_problem, events_problem), strict=True):
        is_valid = jsonschema_rs.Draft202012Validator(tool.input_schema).is_valid(arguments)
        assert (check(arguments) == "") is is_valid


# --- what is answered: MC02 to MC04, MC07, MC09 and MC10


def test_mc02_the_text_is_the_structured_content_with_its_keys_in_order() -> None:
    result = get_context({})
    assert result["structuredContent"] == DOCUMENT
    assert result["isError"] is False
    (item,) = result["content"]
    assert item["type"] == "text"
    assert item["text"] == (
        '{"aged":5,"events":[],"schemaVersion":"scriba.context.v1","sources":[],"text":"\\u003cé\\u2028"}'
    )
    assert list(result["structuredContent"]) == sorted(DOCUMENT)


def test_mc07_a_page_is_the_service_s() -> None:
    result = list_events({"mode": "replay", "cursor": ZERO})
    assert result["structuredContent"] == PAGE
    assert result["content"][0]["text"].startswith('{"cursor":{"highWater":"a","next":"b"},')


def test_mc03_the_profile_is_handed_on() -> None:
    service = FakeService()
    get_context({"profile": "work"}, service)
    assert service.asked == [("context", "work")]


def test_mc04_an_unknown_profile_is_told_by_its_code() -> None:
    service = FakeService(raising(ProfileUnavailable()))
    assert get_context({"profile": "nope"}, service) == told("profile_unavailable")
    assert list_events({"profile": "nope"}, service) == told("profile_unavailable")


@pytest.mark.parametrize(
    "code",
    [
        *("invalid_limit", "invalid_mode", "invalid_cursor", "cursor_future", "cursor_expired"),
        *("events_unavailable", "read_error"),
    ],
)
def test_mc09_a_page_that_is_not_there_is_told_by_its_code(code: str) -> None:
    assert list_events({}, FakeService(raising(PageUnavailable(code)))) == told(code)


@pytest.mark.parametrize(
    "problem",
    [
        StoreUnreadable("/home/me/secret.sqlite"),
        sqlite3.OperationalError("unable to open /home/me/secret.sqlite"),
        OSError(13, "Permission denied", "/home/me/secret.sqlite"),
        RuntimeError("/home/me/secret.sqlite"),
        ValueError("/home/me/secret.sqlite"),
    ],
)
def test_mc10_a_fault_is_told_without_its_message(problem: Exception) -> None:
    for ask_tool in (get_context, list_events):
        assert ask_tool({}, FakeService(raising(problem))) == told("data unavailable")


def test_a_document_that_is_no_json_is_a_fault() -> None:
    class Strange(FakeService):
        def context(self, profile: str | None) -> Json:
            return {"a": object()}

    assert get_context({}, Strange()) == told("data unavailable")


def test_what_ends_the_program_is_no_answer() -> None:
    with pytest.raises(KeyboardInterrupt):
        get_context({}, FakeService(raising(KeyboardInterrupt())))
