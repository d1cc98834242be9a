"""Tests for `rules`: each rule can be broken alone, and its promise then no longer holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from evalkit.contracts.agent_context.gatekeeper import RULES
from evalkit.contracts.agent_context.rules import Rules
from evalkit.model import Json
from tests.twins.agent_context.table import BY_NAME

if TYPE_CHECKING:
    from tests.contracts.agent_context.conftest import Open, Opened

EMAIL = "alice@example.com"
FIXTURE: Json = {
    "navigation": [{"id": "n", "label": "Alpha", "section": "S", "path": "/a", "aliases": ["alpha"]}],
    "workspaces": [{"appId": "a", "appName": f"Alpha {EMAIL}", "repoPath": "/tmp/private"}],
    "brain": {"ideas": [{"id": "1", "title": "Alpha axb", "tags": ["findme"]}]},
    "identity": {"k": {"label": "Alpha", "present": True}},
}
OFF: Json = {"agentContext": {"enabled": False}}
MISSPELT: Json = {"agentContext": {"enabled": True, "scope": ["brain"]}}
WORKSPACES: Json = {"scope": "workspaces"}
SEMANTIC: Json = {"agentContext": {"enabled": True, "scopes": ["brain"]}}


@dataclass(frozen=True)
class Look:
    """Where to look at a contract, what is seen there, and the twin in which it is not."""

    twin: str
    at: Callable[[Opened], Json]
    kept: Json
    fixture: Json = None
    settings: Json = None
    profile: str = "summary"


def _text(tool: str, args: Json = None) -> Callable[[Opened], Json]:
    return lambda contract: contract.call(tool, args)["content"][0]["text"]


def _at(tool: str, args: Json, *path: str | int) -> Callable[[Opened], Json]:
    """The place in a tool result, or why there is none."""

    def look(contract: Opened) -> Json:
        node: Json = contract.call(tool, args)
        for part in path:
            try:
                node = node[part]
            except (KeyError, IndexError, TypeError) as problem:
                return repr(problem)
        return node

    return look


def _output(tool: str, args: Json, *path: str | int) -> Callable[[Opened], Json]:
    return _at(tool, args, "structuredContent", *path)


def _manifest(*path: str | int) -> Callable[[Opened], Json]:
    def look(contract: Opened) -> Json:
        node: Json = contract.manifest()
        for part in path:
            node = node[part]
        return node

    return look


def _reads_after(tool: str, args: Json) -> Callable[[Opened], Json]:
    def look(contract: Opened) -> Json:
        contract.call(tool, args)
        return sum(contract.reads.values())

    return look


def _says_the_same_twice(contract: Opened) -> Json:
    result = contract.call("context_profile")
    return json.loads(result["content"][0]["text"]) == result["structuredContent"]


_REF_A = "workspaces:workspace:ca978112ca1bbdcafac2"
_MANY: Json = {"workspaces": [{"appId": index} for index in range(1001)]}
_PAGE: Json = {"label": "l" * 160, "section": "s" * 400, "path": "p" * 300}
_BIG: Json = {"navigation": [{"id": index, **_PAGE} for index in range(25)]}
_LONG: Json = {"brain": {"ideas": [{"id": 1, "name": "n" * 500}]}}
_CLOSED = "Agent context is disabled or invalid."
_UNAVAILABLE = "Context source unavailable for this request."

LOOKS = [
    Look("disabled still answers", _text("context_profile"), _CLOSED, settings=OFF),
    Look("a disabled contract tells which tools it has", _text("nope"), _CLOSED, settings=OFF),
    Look(
        "resolve ignores its scope",
        _text("resolve_navigation", {"query": "alpha"}),
        "Tool requires the navigation scope.",
        settings=SEMANTIC,
    ),
    Look(
        "input judged before the scope",
        _text("resolve_navigation", {"query": ""}),
        "Tool requires the navigation scope.",
        settings=SEMANTIC,
    ),
    Look(
        "a source read before the input is judged",
        _reads_after("list_context", {"scope": "workspaces", "limit": 26}),
        0,
    ),
    Look("invalid settings ignored", _manifest("enabled"), False, settings=MISSPELT),
    Look("always open", _text("context_profile"), _CLOSED, settings=OFF),
    Look("tool names in any case", _text("Context_Profile"), "Unknown or ungranted tool: Context_Profile"),
    Look("an unknown tool succeeds", _text("nope"), "Unknown or ungranted tool: nope"),
    Look("scope check off", _text("list_context", {"scope": "navigation"}), _UNAVAILABLE, settings=SEMANTIC),
    Look(
        "any input accepted",
        _text("list_context", {"scope": "workspaces", "limit": 26}),
        "Invalid tool input at: limit",
    ),
    Look(
        "padded text taken literally",
        _output("get_context", {"ref": " navigation:n "}, "item", "title"),
        "Alpha",
    ),
    Look(
        "search order canonical",
        _output("search_context", {"query": "alpha", "scopes": ["identity", "brain"]}, "items", 0, "scope"),
        "identity",
    ),
    Look("a foreign reference looked up all the same", _reads_after("get_context", {"ref": "vault:x"}), 0),
    Look(
        "a source error swallowed",
        _text("list_context", WORKSPACES),
        _UNAVAILABLE,
        fixture={"errors": ["workspaces"]},
    ),
    Look("source cap off", _output("list_context", WORKSPACES, "total"), 1000, fixture=_MANY),
    Look(
        "source truncation not told",
        _output("list_context", {**WORKSPACES, "cursor": 995}, "truncated"),
        True,
        fixture=_MANY,
    ),
    Look(
        "stale reported fresh",
        _output("list_context", WORKSPACES, "sourceStatus"),
        "stale",
        fixture={"sourceStatus": {"workspaces": "stale"}},
    ),
    Look("private fields searched", _output("search_context", {"query": "findme"}, "total"), 0),
    Look("the query is a pattern", _output("search_context", {"query": "a.b"}, "total"), 0),
    Look("get falls back to a prefix", _output("get_context", {"ref": "navigation:"}, "item"), None),
    Look("any phrase finds a page", _output("resolve_navigation", {"query": "zzz"}, "match"), None),
    Look("raw ids in references", _output("list_context", WORKSPACES, "items", 0, "ref"), _REF_A),
    Look(
        "a private field of workspaces passed through",
        _output("list_context", WORKSPACES, "items", 0, "kind"),
        "workspace",
    ),
    Look(
        "profile ignored",
        _output("list_context", WORKSPACES, "items", 0, "title"),
        "Workspace",
        profile="metadata",
    ),
    Look("no redaction", _output("list_context", WORKSPACES, "items", 0, "title"), "Alpha [REDACTED EMAIL]"),
    Look(
        "title uncapped",
        _output("list_context", {"scope": "brain"}, "items", 0, "title"),
        "n" * 160,
        fixture=_LONG,
    ),
    Look(
        "cap off by one",
        _output("list_context", {"scope": "brain"}, "items", 0, "title"),
        "n" * 160,
        fixture=_LONG,
    ),
    Look(
        "11 items where nothing is said", _output("list_context", WORKSPACES, "nextCursor"), 10, fixture=_MANY
    ),
    Look(
        "total counts the page",
        _output("search_context", {"query": "app", "limit": 3}, "total"),
        1000,
        fixture=_MANY,
    ),
    Look(
        "search truncation lost", _output("search_context", {"query": "alpha", "limit": 1}, "truncated"), True
    ),
    Look(
        "cursor relative",
        _output("list_context", {**WORKSPACES, "cursor": 20, "limit": 5}, "nextCursor"),
        25,
        fixture=_MANY,
    ),
    Look(
        "list truncation lost",
        _output("list_context", {**WORKSPACES, "limit": 1}, "truncated"),
        True,
        fixture={"workspaces": [{"appId": 1}, {"appId": 2}]},
    ),
    Look(
        "budget off",
        lambda contract: len(_text("list_context", {"scope": "navigation", "limit": 25})(contract)) <= 20_000,
        True,
        fixture=_BIG,
    ),
    Look(
        "outputs unchecked",
        _text("list_context", {"scope": "navigation"}),
        _UNAVAILABLE,
        fixture={"navigation": [{"id": "n" * 200}]},
    ),
    Look("text and structure differ", _says_the_same_twice, True),
    Look("a refusal looks like a success", _at("nope", None, "isError"), True),
    Look("an unknown name echoed whole", _text("n" * 121), "Unknown or ungranted tool: " + "n" * 120),
    Look(
        "the missing scope not named",
        _text("resolve_navigation", {"query": "a"}),
        "Tool requires the navigation scope.",
        settings=SEMANTIC,
    ),
    Look(
        "the issues not named",
        _text("search_context", {"query": "", "limit": 26}),
        "Invalid tool input at: query, limit",
    ),
    Look(
        "what was thrown is shown",
        _text("list_context", WORKSPACES),
        _UNAVAILABLE,
        fixture={"errors": ["workspaces"], "errorText": "PRIVATE"},
    ),
    Look("limits lied about", _manifest("limits", "maxResults"), 25),
    Look("an exclusion left out", lambda c: len(c.manifest()["exclusions"]), 5),
    Look(
        "a tool listed that cannot be used",
        lambda contract: len(contract.manifest()["tools"]),
        4,
        settings=SEMANTIC,
    ),
    Look("a tool listed that does not exist", lambda contract: len(contract.manifest()["tools"]), 5),
    Look("schema open", _manifest("tools", 0, "inputSchema", "additionalProperties"), False),
    Look(
        "$schema left in",
        lambda contract: "$schema" in contract.manifest()["tools"][0]["outputSchema"],
        False,
    ),
    Look("readOnlyHint flipped", _manifest("tools", 0, "annotations", "readOnlyHint"), True),
    Look("the profile lies", _output("context_profile", None, "profile"), "summary"),
]


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.twin)
def test_a_broken_rule_is_seen(opened: Open, look: Look) -> None:
    def seen(rules: Rules) -> Json:
        fixture = FIXTURE if look.fixture is None else look.fixture
        if look.settings is None:
            return look.at(opened(fixture, look.profile, rules=rules))
        return look.at(opened(fixture, settings=look.settings, rules=rules))

    assert seen(RULES) == look.kept
    assert seen(RULES._replace(**BY_NAME[look.twin].change)) != look.kept


def test_every_rule_is_looked_at() -> None:
    seen = {name for look in LOOKS for name in BY_NAME[look.twin].change}
    assert seen == set(Rules._fields)
