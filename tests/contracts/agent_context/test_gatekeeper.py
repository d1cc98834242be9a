"""Tests for `gatekeeper` and `results`: who is refused, in which order, in which words, and what is read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from evalkit.contracts.agent_context.gatekeeper import RULES, call_tool
from evalkit.contracts.agent_context.results import failure, invalid_input
from evalkit.model import Json

if TYPE_CHECKING:
    from tests.contracts.agent_context.conftest import Open

CLOSED = "Agent context is disabled or invalid."
UNAVAILABLE = "Context source unavailable for this request."
OFF = {"agentContext": {"enabled": False}}
INVALID = {"agentContext": {"enabled": True, "x": 1}}
FIXTURE: Json = {
    "navigation": [{"id": "n", "label": "Alpha", "section": "S", "path": "/a", "aliases": ["alpha"]}],
    "workspaces": [{"appId": "a", "appName": "Alpha", "taskCount": 1}],
    "brain": {"ideas": [{"id": "1", "title": "Alpha"}]},
    "identity": {"k": {"label": "Alpha", "present": True}},
}
NO_READS = {"navigation": 0, "workspaces": 0, "brain": 0, "identity": 0}


def test_a_success_says_the_same_as_text_and_as_data(opened: Open) -> None:
    result = opened(FIXTURE).call("list_context", {"scope": "navigation"})
    assert list(result) == ["content", "structuredContent"]
    assert [block["type"] for block in result["content"]] == ["text"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


@pytest.mark.parametrize("settings", [None, {}, OFF, INVALID])
@pytest.mark.parametrize("tool", ["list_context", "context_profile", "nope", "__proto__"])
def test_a_closed_contract_refuses_everything_alike(opened: Open, settings: Json, tool: str) -> None:
    contract = opened(FIXTURE, settings=settings)
    assert contract.refusal(tool, {"scope": "navigation"}) == CLOSED
    assert contract.reads == NO_READS


@pytest.mark.parametrize("name", ["nope", "__proto__", "constructor", "Search_Context", " list_context", ""])
def test_an_unknown_name_is_refused_by_name(opened: Open, name: str) -> None:
    assert opened(FIXTURE).refusal(name) == f"Unknown or ungranted tool: {name}"


@pytest.mark.parametrize("name", ["brain_search", "brain.search", "journal_append"])
def test_a_semantic_tool_without_its_grant_does_not_exist(opened: Open, name: str) -> None:
    contract = opened(FIXTURE, settings={"agentContext": {"enabled": True}})
    assert contract.refusal(name) == f"Unknown or ungranted tool: {name}"
    assert name not in [tool["name"] for tool in contract.manifest()["tools"]]


def test_a_long_unknown_name_is_echoed_cut(opened: Open) -> None:
    assert opened().refusal("n" * 300) == "Unknown or ungranted tool: " + "n" * 120
    assert opened().refusal("n" * 119 + "😀") == "Unknown or ungranted tool: " + "n" * 119


@pytest.mark.parametrize("query", ["home", ""])
def test_a_missing_scope_is_told_before_any_input(opened: Open, query: str) -> None:
    contract = opened(FIXTURE, scopes=["brain"])
    assert contract.refusal("resolve_navigation", {"query": query}) == "Tool requires the navigation scope."
    assert contract.reads == NO_READS


@pytest.mark.parametrize(
    ("tool", "args", "paths"),
    [
        ("search_context", {}, "query"),
        ("search_context", {"query": "", "limit": 26, "zzz": 1}, "query, limit, input"),
        ("search_context", {"query": "a", "scopes": "brain"}, "scopes, scopes"),
        ("list_context", {"scope": "workspaces", "limit": 26}, "limit"),
        ("list_context", None, "scope"),
        ("list_context", [], "input"),
        ("get_context", {"ref": "r" * 181}, "ref"),
        ("context_profile", {"x": 1}, "input"),
    ],
)
def test_a_refusal_reads_no_source(opened: Open, tool: str, args: Json, paths: str) -> None:
    contract = opened(FIXTURE)
    assert contract.refusal(tool, args) == f"Invalid tool input at: {paths}"
    assert contract.reads == NO_READS


def test_absent_arguments_are_no_arguments(opened: Open) -> None:
    assert opened().output("context_profile", None) == opened().output("context_profile", {})


def test_a_scope_that_is_not_configured_looks_like_a_failing_source(opened: Open) -> None:
    contract = opened(FIXTURE, scopes=["brain"])
    assert contract.refusal("list_context", {"scope": "navigation"}) == UNAVAILABLE
    search = {"query": "a", "scopes": ["brain", "navigation"]}
    assert contract.refusal("search_context", search) == UNAVAILABLE
    assert contract.reads == NO_READS


@pytest.mark.parametrize("ref", ["brain:ideas:x", "vault:x", "NAVIGATION:n", "nonsense", ":"])
def test_a_reference_outside_the_scopes_is_unknown_and_unread(opened: Open, ref: str) -> None:
    contract = opened({**FIXTURE, "sourceStatus": {"brain": "stale"}}, scopes=["navigation"])
    output = contract.output("get_context", {"ref": ref})
    assert output == {"item": None, "sourceTruncated": False, "sourceStatus": "fresh"}
    assert contract.reads == NO_READS


def test_what_a_list_shows_can_be_got_by_its_reference(opened: Open) -> None:
    contract = opened(FIXTURE)
    for scope in ("navigation", "workspaces", "brain", "identity"):
        (item,) = contract.items(scope)
        assert contract.output("get_context", {"ref": f"  {item['ref']} "})["item"] == item


@pytest.mark.parametrize("ref", ["workspaces:workspace:a", "navigation:", "navigation:N", "brain:ideas:1"])
def test_only_the_whole_reference_gets_an_item(opened: Open, ref: str) -> None:
    assert opened(FIXTURE).output("get_context", {"ref": ref})["item"] is None


def test_the_first_of_two_equal_references_is_got(opened: Open) -> None:
    twice = {"navigation": [{"id": "n", "label": "first"}, {"id": "n", "label": "second"}]}
    assert opened(twice).output("get_context", {"ref": "navigation:n"})["item"]["title"] == "first"


@pytest.mark.parametrize("scope", ["navigation", "workspaces", "brain", "identity"])
def test_a_failing_source_fails_the_call_and_hides_why(opened: Open, scope: str) -> None:
    contract = opened({**FIXTURE, "errors": [scope], "errorText": "PRIVATE /home/x"})
    for tool, args in (
        ("list_context", {"scope": scope}),
        ("search_context", {"query": "alpha"}),
        ("get_context", {"ref": f"{scope}:x"}),
    ):
        assert contract.refusal(tool, args) == UNAVAILABLE


def test_a_failing_source_is_no_matter_to_other_scopes(opened: Open) -> None:
    contract = opened({**FIXTURE, "errors": ["brain"]})
    assert contract.output("list_context", {"scope": "workspaces"})["sourceStatus"] == "fresh"
    assert contract.output("resolve_navigation", {"query": "alpha"})["match"] is not None


def test_the_profile_asks_no_source(opened: Open) -> None:
    contract = opened({"errors": ["navigation", "workspaces", "brain", "identity"]})
    output = contract.output("context_profile")
    assert list(output) == ["profile", "scopes", "actions", "limits", "exclusions"]
    assert contract.reads == NO_READS


@pytest.mark.parametrize(
    ("tool", "args", "stale", "status"),
    [
        ("list_context", {"scope": "workspaces"}, "workspaces", "stale"),
        ("search_context", {"query": "zzz"}, "identity", "stale"),
        ("search_context", {"query": "alpha", "scopes": ["brain"]}, "identity", "fresh"),
        ("get_context", {"ref": "navigation:n"}, "brain", "fresh"),
        ("get_context", {"ref": "brain:ideas:nope"}, "brain", "stale"),
        ("resolve_navigation", {"query": "alpha"}, "navigation", "stale"),
    ],
)
def test_an_answer_is_stale_if_a_source_it_asked_is(
    opened: Open, tool: str, args: Json, stale: str, status: str
) -> None:
    contract = opened({**FIXTURE, "sourceStatus": {stale: "stale"}})
    assert contract.output(tool, args)["sourceStatus"] == status


@pytest.mark.parametrize("said", ["STALE", "old", None, True, ["stale"]])
def test_only_the_word_stale_means_stale(opened: Open, said: Json) -> None:
    contract = opened({**FIXTURE, "sourceStatus": {"workspaces": said}})
    assert contract.output("list_context", {"scope": "workspaces"})["sourceStatus"] == "fresh"


@pytest.mark.parametrize(
    ("tool", "args", "read"),
    [
        ("list_context", {"scope": "brain"}, {"brain": 1}),
        ("search_context", {"query": "a", "scopes": ["identity", "brain"]}, {"brain": 1, "identity": 1}),
        ("get_context", {"ref": "workspaces:x"}, {"workspaces": 1}),
        ("resolve_navigation", {"query": "a"}, {"navigation": 1}),
    ],
)
def test_each_scope_is_asked_once(opened: Open, tool: str, args: Json, read: dict[str, int]) -> None:
    contract = opened(FIXTURE)
    contract.output(tool, args)
    assert contract.reads == {**NO_READS, **read}


def test_bad_record_null(opened: Open) -> None:
    for fixture in ({"workspaces": [None]}, {"identity": {"k": None}}, {"navigation": [{"aliases": 5}]}):
        (scope,) = fixture
        assert opened(fixture).refusal("list_context", {"scope": scope}) == UNAVAILABLE


def test_a_bad_record_fails_the_call_even_off_the_page(opened: Open) -> None:
    contract = opened({"workspaces": [{"appId": "a"}, None]})
    assert contract.refusal("list_context", {"scope": "workspaces", "limit": 1}) == UNAVAILABLE


def test_iso_no_cross_talk(opened: Open) -> None:
    one, other = opened(FIXTURE), opened(FIXTURE)
    held = json.dumps(one.world.fixture)
    calls: list[tuple[str, Json]] = [
        ("list_context", {"scope": "brain"}),
        ("search_context", {"query": "alpha"}),
    ]
    first = [one.call(*call) for call in calls]
    one.world.patch({"brain": {"ideas": [{"id": 9}]}})
    one.world.settings = OFF
    assert one.refusal("list_context", {"scope": "brain"}) == CLOSED
    assert [other.call(*call) for call in calls] == first
    assert json.dumps(other.world.fixture) == held


def test_one_call_sees_one_configuration(opened: Open) -> None:
    contract = opened(FIXTURE, "metadata")
    assert contract.items("workspaces")[0]["title"] == "Workspace"
    contract.world.settings = {"agentContext": {"enabled": True, "profile": "summary"}}
    assert contract.items("workspaces")[0]["title"] == "Alpha"


class _Broken:
    """A store that raises something unheard of."""

    def items(self, scope: str) -> Json:
        """Never gives anything."""
        raise KeyError("SECRET_PATH")

    def status(self, scope: str) -> Json:
        """Never asked."""
        return "fresh"


def test_err_message_hidden() -> None:
    settings = {"agentContext": {"enabled": True}}
    result = call_tool(RULES, _Broken(), settings, "list_context", {"scope": "workspaces"})
    assert result == {"isError": True, "content": [{"type": "text", "text": UNAVAILABLE}]}


def test_a_refusal_has_at_most_500_characters() -> None:
    text = failure(invalid_input([f"scopes.{index}" for index in range(1000)]))["content"][0]["text"]
    assert len(text) == 500
