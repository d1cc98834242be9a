"""Tests for `adapter`: the semantic tools over plain HTTP, row by row of spec C.5."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import count

import pytest

from evalkit.contracts.agent_context import adapter
from evalkit.contracts.agent_context.access.nouns import Identity
from evalkit.contracts.agent_context.adapter import ADAPTER, HttpAdapter
from evalkit.contracts.agent_context.exchange import Head, Reply
from evalkit.contracts.agent_context.semantic.nouns import (
    STATUSES,
    Authority,
    Refused,
    Surroundings,
    ToolCall,
)
from evalkit.contracts.agent_context.semantic.policy import (
    SEMANTIC,
    execute,
    over_mcp,
    stored,
    view_catalogue,
)
from evalkit.contracts.agent_context.settings import read_settings
from evalkit.contracts.agent_context.store.memory import FixtureStore
from evalkit.model import Json

CATALOGUE, CALL = "/api/cos/tools", "/api/cos/tools/call"
NOBODY = Identity()
OWNER = Identity(True, True, "session")
NOW = 1_700_000_000.0
COMPLETED = {"type": "portos_tool_result", "state": "completed", "requestId": "k1"}


class Recorded:
    """Tools that note what they are asked and answer what a test has laid down."""

    def __init__(self, answer: Json = COMPLETED) -> None:
        self.answer = answer
        self.asked: list[tuple[Json, ...]] = []

    def catalogue(self, scope: str, form: str, settings: Json) -> Json:
        return self._answer("catalogue", scope, form, settings)

    def call(self, call: ToolCall, authority: Authority) -> Json:
        return self._answer("call", call, authority)

    def stored(self, request_id: str) -> Json:
        return self._answer("stored", request_id)

    def _answer(self, *asked: Json) -> Json:
        self.asked.append(asked)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Core:
    """The real semantic core over a store in memory."""

    def __init__(self) -> None:
        self.effects: list[Json] = []
        store = FixtureStore(dict, lambda collection: None, self.effects.append)
        ids = (f"id-{number}" for number in count(1))
        self.surroundings = Surroundings(store, lambda: NOW, ids.__next__)

    def catalogue(self, scope: str, form: str, settings: Json) -> Json:
        grants = SEMANTIC.grants(read_settings(settings)) if scope == "agent" else frozenset[str]()
        return view_catalogue(SEMANTIC, scope, grants, form)

    def call(self, call: ToolCall, authority: Authority) -> Json:
        return execute(SEMANTIC, self.surroundings, call, authority)

    def stored(self, request_id: str) -> Json:
        return stored(SEMANTIC, self.surroundings, request_id)


def get(tools: adapter.Tools, path: str, query: str = "", **headers: str) -> Reply | None:
    return ask(tools, Head("GET", path, query, headers, "192.0.2.1"))


def post(
    tools: adapter.Tools, body: Json, identity: Identity = OWNER, headers: Mapping[str, str] | None = None
) -> Reply:
    reply = ask(tools, Head("POST", CALL, "", headers or {}, "192.0.2.1"), body, identity)
    assert reply is not None
    return reply


def ask(
    tools: adapter.Tools,
    head: Head,
    body: Json = ...,
    identity: Identity = NOBODY,
    settings: Json = None,
) -> Reply | None:
    return HttpAdapter(ADAPTER, tools, lambda: NOW).answer(head, body, identity, settings or {})


def told(reply: Reply | None) -> Json:
    assert reply is not None
    return json.loads(reply.body)


def refusal(reply: Reply | None) -> tuple[int, str]:
    assert reply is not None
    return reply.status, told(reply)["code"]


def envelope(**changes: Json) -> Json:
    return {"requestId": "k1", "name": "journal.append", "arguments": {"text": "a"}, **changes}


def actions(**grants: bool) -> Json:
    return {"agentContext": {"enabled": True, "actions": grants}}


# The catalogue


def test_the_catalogue_is_of_all_scopes_in_the_own_form_where_nothing_else_is_said() -> None:
    tools = Recorded({"tools": []})
    reply = ask(tools, Head("GET", CATALOGUE, "", {}, ""), settings={"x": 1})
    assert tools.asked == [("catalogue", "all", "portos", {"x": 1})]
    assert (told(reply), reply and reply.status) == ({"tools": []}, 200)


@pytest.mark.parametrize("scope", ["all", "agent", "mind", "ui", "voice"])
@pytest.mark.parametrize("form", ["portos", "openai", "anthropic", "mcp"])
def test_every_scope_comes_in_every_form(scope: str, form: str) -> None:
    tools = Recorded({})
    get(tools, CATALOGUE, f"format={form}&intent=log%20a%20drink&scope={scope}")
    assert tools.asked == [("catalogue", scope, form, {})]


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("scope=root", ["scope"]),
        ("scope=", ["scope"]),
        ("scope=Agent", ["scope"]),
        ("format=xml", ["format"]),
        ("scope=ui&scope=ui", ["scope"]),
        ("x=1", ["x"]),
        ("x=1&scope=root&format=xml", ["x", "scope", "format"]),
        ("intent=a&intent=b", ["intent"]),
        (f"intent={'a' * 501}", ["intent"]),
        (f"intent={'%F0%9F%98%80' * 250}a", ["intent"]),
    ],
)
def test_the_query_is_closed(query: str, paths: list[str]) -> None:
    tools = Recorded({})
    reply = get(tools, CATALOGUE, query)
    assert refusal(reply) == (400, "VALIDATION_ERROR")
    details = told(reply)["context"]["details"]
    assert [detail["path"] for detail in details] == paths
    assert all(set(detail) == {"path", "message"} and detail["message"] for detail in details)
    assert tools.asked == []


@pytest.mark.parametrize("query", ["intent=", f"intent={'a' * 500}", f"intent={'%F0%9F%98%80' * 250}"])
def test_an_intent_has_up_to_500_characters(query: str) -> None:
    reply = get(Recorded({}), CATALOGUE, query)
    assert reply is not None
    assert reply.status == 200


def test_the_etag_is_the_sha256_of_the_canonical_json() -> None:
    # SHA-256 of `{}` is 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a.
    reply = get(Recorded({}), CATALOGUE)
    assert reply is not None
    assert dict(reply.headers) == {
        "content-type": "application/json; charset=utf-8",
        "etag": '"RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o"',
        "cache-control": "private, no-cache",
    }


def test_the_etag_does_not_depend_on_the_order_of_keys() -> None:
    assert adapter.etag_of({"a": 1, "b": {"c": 2, "d": 3}}) == adapter.etag_of(
        {"b": {"d": 3, "c": 2}, "a": 1}
    )
    assert adapter.etag_of({"a": [1, 2]}) != adapter.etag_of({"a": [2, 1]})


def test_i_http_etag_the_same_catalogue_is_not_sent_again() -> None:
    first = get(Core(), CATALOGUE)
    assert first is not None
    etag = dict(first.headers)["etag"]
    again = get(Core(), CATALOGUE, "", **{"if-none-match": etag})
    assert again == (304, (("etag", etag), ("cache-control", "private, no-cache")), b"")


@pytest.mark.parametrize("write", ["*", "W/{}", "{}, {}", '"x", {}', "", "x"])
def test_only_the_exact_etag_counts(write: str) -> None:
    etag = adapter.etag_of({})
    reply = get(Recorded({}), CATALOGUE, "", **{"if-none-match": write.format(etag, etag)})
    assert reply is not None
    assert reply.status == 200
    bare = get(Recorded({}), CATALOGUE, "", **{"if-none-match": etag.strip('"')})
    assert bare is not None
    assert bare.status == 200


@pytest.mark.parametrize("form", ["portos", "openai", "anthropic", "mcp"])
def test_i_http_etag_it_changes_when_a_grant_flips(form: str) -> None:
    asked = Head("GET", CATALOGUE, f"scope=agent&format={form}", {}, "")
    replies = [
        ask(Core(), asked, settings=settings)
        for settings in (actions(), actions(readPortos=True), actions(writePortos=True))
    ]
    etags = {dict(reply.headers)["etag"] for reply in replies if reply}
    assert len(etags) == 3


# Calls


def test_a_call_is_the_owners_and_authenticated_as_the_gate_says() -> None:
    for identity in (NOBODY, OWNER, Identity(True, True, "basic"), Identity(True, False)):
        tools = Recorded()
        post(tools, envelope(type="portos_tool_call", version=1), identity)
        call = ToolCall("journal.append", {"text": "a"}, "k1")
        assert tools.asked == [("call", call, Authority("ui", frozenset(), identity.authenticated))]


def test_arguments_may_be_missing_and_the_id_is_trimmed() -> None:
    tools = Recorded()
    post(tools, {"requestId": "  a:b ", "name": "time.now"})
    assert tools.asked[0][1] == ToolCall("time.now", {}, "a:b")


def test_a_completed_call_is_200_and_a_failed_one_422() -> None:
    failed = {**COMPLETED, "state": "failed", "error": "no goal matches"}
    for result, status in ((COMPLETED, 200), (failed, 422)):
        reply = post(Recorded(result), envelope())
        assert (reply.status, told(reply)) == (status, result)


@pytest.mark.parametrize("code", sorted(STATUSES))
def test_a_refusal_has_its_code_and_status(code: str) -> None:
    reply = post(Recorded(Refused(code, "no")), envelope())
    assert (reply.status, told(reply)) == (
        STATUSES[code],
        {"error": "no", "code": code, "timestamp": 1_700_000_000_000},
    )


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        (..., [""]),
        (None, [""]),
        ([], [""]),
        ("x", [""]),
        ({}, ["requestId", "name"]),
        (envelope(requestId=""), ["requestId"]),
        (envelope(requestId="  "), ["requestId"]),
        (envelope(requestId="a b"), ["requestId"]),
        (envelope(requestId="é"), ["requestId"]),
        (envelope(requestId="a" * 201), ["requestId"]),
        (envelope(requestId=1), ["requestId"]),
        (envelope(name=""), ["name"]),
        (envelope(name="a:b"), ["name"]),
        (envelope(name="a" * 101), ["name"]),
        (envelope(version=2), ["version"]),
        (envelope(version=True), ["version"]),
        (envelope(version=None), ["version"]),
        (envelope(type="tool_call"), ["type"]),
        (envelope(arguments=[]), ["arguments"]),
        (envelope(arguments=None), ["arguments"]),
        (envelope(authority={"scope": "agent"}), ["authority"]),
        (envelope(name=1, x=1), ["name", "x"]),
    ],
)
def test_the_envelope_is_closed(body: Json, paths: list[str]) -> None:
    tools = Recorded()
    reply = post(tools, body)
    assert refusal(reply) == (400, "VALIDATION_ERROR")
    details = told(reply)["context"]["details"]
    assert [detail["path"] for detail in details] == paths
    assert all(set(detail) == {"path", "message"} and detail["message"] for detail in details)
    assert tools.asked == []


def test_of_very_many_issues_only_the_first_are_told() -> None:
    keys = {"\ud800": 1, **{f"key {number}": 1 for number in range(1000)}}
    details = told(post(Recorded(), envelope(**keys)))["context"]["details"]
    assert [detail["path"] for detail in details] == ["?", *(f"key {number}" for number in range(19))]


def test_of_a_very_long_key_only_the_beginning_is_told() -> None:
    details = told(post(Recorded(), envelope(**{"k" * 100_000: 1})))["context"]["details"]
    assert details == [{"path": "k" * 120, "message": "is not allowed"}]


@pytest.mark.parametrize("key", ["k2", "K1", "agent-mcp:k1", "k1, k1"])
def test_i_http_mismatch_a_key_that_is_not_the_request_id_is_refused(key: str) -> None:
    tools = Recorded()
    reply = post(tools, envelope(), headers={"idempotency-key": key})
    assert refusal(reply) == (400, "TOOL_IDEMPOTENCY_MISMATCH")
    assert tools.asked == []


@pytest.mark.parametrize("headers", [{}, {"idempotency-key": ""}, {"idempotency-key": " k1 "}])
def test_a_key_that_is_the_request_id_or_is_not_sent_is_no_matter(headers: dict[str, str]) -> None:
    assert post(Recorded(), envelope(), headers=headers).status == 200


def test_a_wrong_envelope_is_told_before_a_wrong_key() -> None:
    assert refusal(post(Recorded(), {}, headers={"idempotency-key": "k1"})) == (400, "VALIDATION_ERROR")


# Over the real core


def test_i_http_ui_write_without_a_password_reads_and_does_not_write() -> None:
    core = Core()
    assert refusal(post(core, envelope(), NOBODY)) == (403, "TOOL_AUTH_REQUIRED")
    assert core.effects == []
    assert post(core, envelope(name="time.now", arguments={}), NOBODY).status == 200


def test_i_http_ui_write_is_carried_out_once_with_a_credential() -> None:
    core = Core()
    first, second = post(core, envelope()), post(core, envelope())
    assert (first.status, told(first)["duplicate"]) == (200, False)
    assert (second.status, told(second)["duplicate"]) == (200, True)
    assert len(core.effects) == 1


def test_a_failed_call_is_422_with_its_reason() -> None:
    reply = post(Core(), envelope(name="brain.search", arguments={"query": " "}))
    assert (reply.status, told(reply)["state"]) == (422, "failed")
    assert told(reply)["error"] == "query must not be empty"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"name": "journal.erase"}, (404, "TOOL_NOT_FOUND")),
        ({"arguments": {"text": 1}}, (400, "TOOL_VALIDATION_ERROR")),
        ({"arguments": {"text": "a", "\ud800": 1}}, (400, "TOOL_VALIDATION_ERROR")),
    ],
)
def test_what_the_core_refuses_is_told(changes: Json, expected: tuple[int, str]) -> None:
    assert refusal(post(Core(), envelope(**changes))) == expected


def test_the_same_id_for_something_else_is_a_conflict() -> None:
    core = Core()
    post(core, envelope())
    assert refusal(post(core, envelope(arguments={"text": "b"}))) == (409, "TOOL_IDEMPOTENCY_CONFLICT")
    assert len(core.effects) == 1


def test_i_cross_scope_an_id_of_mcp_is_another_call_here() -> None:
    core = Core()
    settings = read_settings(actions(readPortos=True, writePortos=True))
    result = over_mcp(SEMANTIC, core.surroundings, settings, "journal_append", {"text": "a"}, "k1")
    assert result is not None
    assert result["structuredContent"]["requestId"] == "agent-mcp:k1"
    reply = post(core, envelope(requestId="agent-mcp:k1"))
    assert refusal(reply) == (409, "TOOL_IDEMPOTENCY_CONFLICT")
    assert len(core.effects) == 1


# Results


def test_a_stored_result_is_found_by_its_id_in_its_own_case() -> None:
    core = Core()
    called = told(post(core, envelope(requestId="Job:K1.a_b-c")))
    assert told(get(core, "/api/cos/tools/calls/Job:K1.a_b-c")) == called
    for other in ("job:k1.a_b-c", "nothing", "__proto__"):
        assert refusal(get(core, f"/api/cos/tools/calls/{other}")) == (404, "TOOL_CALL_NOT_FOUND")


def test_half_a_surrogate_pair_in_a_result_is_written_as_javascript_writes_it() -> None:
    result = {**COMPLETED, "result": {"text": "\ud83d", "number": 2**70}}
    for reply in (post(Recorded(result), envelope()), get(Recorded(result), "/api/cos/tools/calls/k1")):
        assert reply is not None
        assert b'"\\ud83d"' in reply.body
        assert ("content-type", "application/json; charset=utf-8") in reply.headers


# What is not asked of this


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", CATALOGUE),
        ("DELETE", CATALOGUE),
        ("GET", CALL),
        ("PUT", CALL),
        ("POST", "/api/cos/tools/calls/k1"),
        ("GET", "/api/cos/tools/calls"),
        ("GET", "/api/cos/tools/calls/"),
        ("GET", "/api/cos/tools/calls/a/b"),
        ("GET", "/api/cos/tools/x"),
        ("GET", "/api/cos"),
        ("GET", "/api/agent-context/manifest"),
        ("GET", ""),
    ],
)
def test_any_other_way_is_left_to_others(method: str, path: str) -> None:
    tools = Recorded({})
    assert ask(tools, Head(method, path, "", {}, "127.0.0.1"), envelope()) is None
    assert tools.asked == []


@pytest.mark.parametrize("path", [CATALOGUE, "/api/cos/tools/calls/k1"])
def test_head_is_answered_as_get(path: str) -> None:
    assert ask(Recorded({}), Head("HEAD", path, "", {}, "")) == get(Recorded({}), path)


def test_with_a_password_it_is_answered_from_anywhere_and_under_any_name() -> None:
    for peer in ("127.0.0.1", "192.0.2.1", "2001:db8::1", ""):
        head = Head("GET", CATALOGUE, "", {"origin": "https://box.example", "host": "box.example"}, peer)
        reply = ask(Recorded({}), head, identity=OWNER)
        assert reply is not None
        assert reply.status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "127.0.0.1:5555"}, 200),
        ({"host": "localhost:5555", "origin": "http://localhost:3000"}, 200),
        ({"host": "[::1]:5555"}, 200),
        ({"host": "127.0.0.1:5555", "origin": "https://evil.example"}, 403),
        ({"host": "evil.example:5555"}, 403),
        ({"host": "evil.example:5555", "origin": "http://evil.example:5555"}, 403),
    ],
)
@pytest.mark.parametrize("path", [CATALOGUE, CALL, "/api/cos/tools/calls/k1"])
def test_without_a_password_no_page_of_another_site_is_answered(
    path: str, headers: dict[str, str], status: int
) -> None:
    tools = Recorded()
    method, body = ("POST", {"requestId": "k1", "name": "time.now"}) if path == CALL else ("GET", ...)
    reply = ask(tools, Head(method, path, "", headers, "127.0.0.1"), body)
    assert reply is not None
    assert reply.status == status
    assert bool(tools.asked) == (status == 200)


@pytest.mark.parametrize(
    ("rule", "broken"),
    [
        ("is_key_of", lambda key, request_id: True),
        ("is_current", lambda tag, etag: True),
        ("status_of", lambda result: 500),
    ],
)
def test_each_rule_can_be_replaced(rule: str, broken: Callable[..., Json]) -> None:
    rules = ADAPTER._replace(**{rule: broken})
    ways = [
        Head("POST", CALL, "", {"idempotency-key": "other"}, ""),
        Head("POST", CALL, "", {}, ""),
        Head("GET", CATALOGUE, "", {}, ""),
    ]
    mine = [HttpAdapter(rules, Recorded(), lambda: NOW).answer(head, envelope(), OWNER, {}) for head in ways]
    theirs = [
        HttpAdapter(ADAPTER, Recorded(), lambda: NOW).answer(head, envelope(), OWNER, {}) for head in ways
    ]
    assert mine != theirs
