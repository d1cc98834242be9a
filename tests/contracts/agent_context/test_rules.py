"""Tests for `rules`: each rule can be broken alone, and its promise then no longer holds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import pytest

from evalkit.contracts.agent_context.gatekeeper import GATE, RULES
from evalkit.contracts.agent_context.inspection import Inspected
from evalkit.contracts.agent_context.javascript import cut, fold_whitespace, to_string
from evalkit.contracts.agent_context.rules import Request, Rules
from evalkit.contracts.agent_context.sources import Reading, Sources
from evalkit.contracts.agent_context.tools import TOOLS, find_tool
from evalkit.contracts.agent_context.vocabulary import SCOPES
from evalkit.model import Json

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
class Twin:
    """A contract with one rule broken: what to look at, and what must be seen there."""

    broken: str
    change: dict[str, Any]
    look: Callable[[Opened], Json]
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


def _read_early(rules: Rules, request: Request) -> str | None:
    rules.read(request.sources, "workspaces")
    return None


def _swallow(sources: Sources, scope: str) -> Reading:
    try:
        return RULES.read(sources, scope)
    except Exception:
        return Reading([], "fresh")


def _unredacted(value: Json, limit: int) -> str:
    return cut(fold_whitespace(to_string(value)), limit)


def _with_private_field(scope: str, name: str, record: Json, *rest: Any) -> Json:
    return {**RULES.project(scope, name, record, *rest), "repoPath": record.get("repoPath")}


def _always_summary(scope: str, name: str, record: Json, profile: str, redact: Any) -> Json:
    return RULES.project(scope, name, record, "summary", redact)


def _raw_ids(scope: str, name: str, record: Json, redact: Any) -> str:
    return f"{scope}:{name}:{record.get('appId')}"


def _with_ghost(*parts: Any) -> Json:
    document = RULES.compose_manifest(*parts)
    return {**document, "tools": [*document["tools"], {"name": "ghost"}]}


def _as_pattern(query: str) -> Callable[[str], bool]:
    return lambda text: re.search(query, text, re.IGNORECASE) is not None


_REF_A = "workspaces:workspace:ca978112ca1bbdcafac2"
_MANY: Json = {"workspaces": [{"appId": index} for index in range(1001)]}
_PAGE: Json = {"label": "l" * 160, "section": "s" * 400, "path": "p" * 300}
_BIG: Json = {"navigation": [{"id": index, **_PAGE} for index in range(25)]}
_LONG: Json = {"brain": {"ideas": [{"id": 1, "name": "n" * 500}]}}
_CLOSED = "Agent context is disabled or invalid."
_UNAVAILABLE = "Context source unavailable for this request."

TWINS = [
    Twin("disabled still answers", {"gate": GATE[1:]}, _text("context_profile"), _CLOSED, settings=OFF),
    Twin(
        "a disabled contract tells which tools it has",
        {"gate": (GATE[1], GATE[0], *GATE[2:])},
        _text("nope"),
        _CLOSED,
        settings=OFF,
    ),
    Twin(
        "resolve ignores its scope",
        {"gate": (GATE[0], GATE[1], GATE[3])},
        _text("resolve_navigation", {"query": "alpha"}),
        "Tool requires the navigation scope.",
        settings=SEMANTIC,
    ),
    Twin(
        "input judged before the scope",
        {"gate": (GATE[0], GATE[1], GATE[3], GATE[2])},
        _text("resolve_navigation", {"query": ""}),
        "Tool requires the navigation scope.",
        settings=SEMANTIC,
    ),
    Twin(
        "a source read before the input is judged",
        {"gate": (*GATE[:3], _read_early, GATE[3])},
        _reads_after("list_context", {"scope": "workspaces", "limit": 26}),
        0,
    ),
    Twin(
        "invalid settings ignored",
        {"read_settings": lambda document: replace(RULES.read_settings(document), enabled=True, valid=True)},
        _manifest("enabled"),
        False,
        settings=MISSPELT,
    ),
    Twin("always open", {"is_open": lambda settings: True}, _text("context_profile"), _CLOSED, settings=OFF),
    Twin(
        "tool names in any case",
        {"find_tool": lambda name: find_tool(name.lower())},
        _text("Context_Profile"),
        "Unknown or ungranted tool: Context_Profile",
    ),
    Twin(
        "an unknown tool succeeds",
        {"find_tool": lambda name: find_tool(name) or TOOLS[-1]},
        _text("nope"),
        "Unknown or ungranted tool: nope",
    ),
    Twin(
        "scope check off",
        {"is_enabled": lambda scope, configured: True},
        _text("list_context", {"scope": "navigation"}),
        _UNAVAILABLE,
        settings=SEMANTIC,
    ),
    Twin(
        "any input accepted",
        {"input_issues": lambda tool, args: ()},
        _text("list_context", {"scope": "workspaces", "limit": 26}),
        "Invalid tool input at: limit",
    ),
    Twin(
        "padded text taken literally",
        {"trim": lambda text: text},
        _output("get_context", {"ref": " navigation:n "}, "item", "title"),
        "Alpha",
    ),
    Twin(
        "search order canonical",
        {"choose_scopes": lambda requested, configured: tuple(s for s in SCOPES if s in requested)},
        _output("search_context", {"query": "alpha", "scopes": ["identity", "brain"]}, "items", 0, "scope"),
        "identity",
    ),
    Twin(
        "a foreign reference looked up all the same",
        {"scope_of": lambda ref: "brain"},
        _reads_after("get_context", {"ref": "vault:x"}),
        0,
    ),
    Twin(
        "a source error swallowed",
        {"read": _swallow},
        _text("list_context", WORKSPACES),
        _UNAVAILABLE,
        fixture={"errors": ["workspaces"]},
    ),
    Twin(
        "source cap off",
        {"inspect": lambda scope, rows: Inspected(rows, False)},
        _output("list_context", WORKSPACES, "total"),
        1000,
        fixture=_MANY,
    ),
    Twin(
        "source truncation not told",
        {"inspect": lambda scope, rows: replace(RULES.inspect(scope, rows), truncated=False)},
        _output("list_context", {**WORKSPACES, "cursor": 995}, "truncated"),
        True,
        fixture=_MANY,
    ),
    Twin(
        "stale reported fresh",
        {"freshness": lambda statuses: "fresh"},
        _output("list_context", WORKSPACES, "sourceStatus"),
        "stale",
        fixture={"sourceStatus": {"workspaces": "stale"}},
    ),
    Twin(
        "private fields searched",
        {"search_text": lambda scope, name, record: json.dumps(record)},
        _output("search_context", {"query": "findme"}, "total"),
        0,
    ),
    Twin(
        "the query is a pattern",
        {"matcher": _as_pattern},
        _output("search_context", {"query": "a.b"}, "total"),
        0,
    ),
    Twin(
        "get falls back to a prefix",
        {"is_same": lambda ref, wanted: ref.startswith(wanted)},
        _output("get_context", {"ref": "navigation:"}, "item"),
        None,
    ),
    Twin(
        "any phrase finds a page",
        {"resolve": lambda query, rows: rows[0]},
        _output("resolve_navigation", {"query": "zzz"}, "match"),
        None,
    ),
    Twin(
        "raw ids in references",
        {"reference": _raw_ids},
        _output("list_context", WORKSPACES, "items", 0, "ref"),
        _REF_A,
    ),
    Twin(
        "a private field passed through",
        {"project": _with_private_field},
        _output("list_context", WORKSPACES, "items", 0, "kind"),
        "workspace",
    ),
    Twin(
        "profile ignored",
        {"project": _always_summary},
        _output("list_context", WORKSPACES, "items", 0, "title"),
        "Workspace",
        profile="metadata",
    ),
    Twin(
        "no redaction",
        {"redact": _unredacted},
        _output("list_context", WORKSPACES, "items", 0, "title"),
        "Alpha [REDACTED EMAIL]",
    ),
    Twin(
        "title uncapped",
        {"redact": lambda value, limit: RULES.redact(value, 10**6)},
        _output("list_context", {"scope": "brain"}, "items", 0, "title"),
        "n" * 160,
        fixture=_LONG,
    ),
    Twin(
        "cap off by one",
        {"redact": lambda value, limit: RULES.redact(value, limit - 1)},
        _output("list_context", {"scope": "brain"}, "items", 0, "title"),
        "n" * 160,
        fixture=_LONG,
    ),
    Twin(
        "another default page",
        {"window": lambda args: (args.get("cursor", 0), args.get("limit", 11))},
        _output("list_context", WORKSPACES, "nextCursor"),
        10,
        fixture=_MANY,
    ),
    Twin(
        "total counts the page",
        {"search_page": lambda items, total, *rest: RULES.search_page(items, len(items), *rest)},
        _output("search_context", {"query": "app", "limit": 3}, "total"),
        1000,
        fixture=_MANY,
    ),
    Twin(
        "search truncation lost",
        {"search_page": lambda *parts: {**RULES.search_page(*parts), "truncated": False}},
        _output("search_context", {"query": "alpha", "limit": 1}, "truncated"),
        True,
    ),
    Twin(
        "cursor relative",
        {"list_page": lambda items, *rest: {**RULES.list_page(items, *rest), "nextCursor": len(items)}},
        _output("list_context", {**WORKSPACES, "cursor": 20, "limit": 5}, "nextCursor"),
        25,
        fixture=_MANY,
    ),
    Twin(
        "list truncation lost",
        {"list_page": lambda *parts: {**RULES.list_page(*parts), "truncated": False}},
        _output("list_context", {**WORKSPACES, "limit": 1}, "truncated"),
        True,
        fixture={"workspaces": [{"appId": 1}, {"appId": 2}]},
    ),
    Twin(
        "budget off",
        {"fit": lambda items, build: build(items)},
        lambda contract: len(_text("list_context", {"scope": "navigation", "limit": 25})(contract)) <= 20_000,
        True,
        fixture=_BIG,
    ),
    Twin(
        "outputs unchecked",
        {"output_is_valid": lambda tool, output: True},
        _text("list_context", {"scope": "navigation"}),
        _UNAVAILABLE,
        fixture={"navigation": [{"id": "n" * 200}]},
    ),
    Twin(
        "text and structure differ",
        {"success": lambda output: {**RULES.success(output), "content": [{"type": "text", "text": "{}"}]}},
        _says_the_same_twice,
        True,
    ),
    Twin(
        "a refusal looks like a success",
        {"failure": lambda text: {"content": RULES.failure(text)["content"]}},
        _at("nope", None, "isError"),
        True,
    ),
    Twin(
        "an unknown name echoed whole",
        {"unknown_tool": lambda name: f"Unknown or ungranted tool: {name}"},
        _text("n" * 121),
        "Unknown or ungranted tool: " + "n" * 120,
    ),
    Twin(
        "the missing scope not named",
        {"missing_scope": lambda scope: "No."},
        _text("resolve_navigation", {"query": "a"}),
        "Tool requires the navigation scope.",
        settings=SEMANTIC,
    ),
    Twin(
        "the issues not named",
        {"invalid_input": lambda issues: "Invalid tool input."},
        _text("search_context", {"query": "", "limit": 26}),
        "Invalid tool input at: query, limit",
    ),
    Twin(
        "what was thrown is shown",
        {"unavailable": str},
        _text("list_context", WORKSPACES),
        _UNAVAILABLE,
        fixture={"errors": ["workspaces"], "errorText": "PRIVATE"},
    ),
    Twin(
        "limits lied about",
        {"limits": (("maxResults", 50),)},
        _manifest("limits", "maxResults"),
        25,
    ),
    Twin(
        "an exclusion left out",
        {"exclusions": RULES.exclusions[1:]},
        lambda c: len(c.manifest()["exclusions"]),
        5,
    ),
    Twin(
        "a tool listed that cannot be used",
        {"visible_tools": lambda scopes: TOOLS},
        lambda contract: len(contract.manifest()["tools"]),
        4,
        settings=SEMANTIC,
    ),
    Twin(
        "a tool listed that does not exist",
        {"compose_manifest": _with_ghost},
        lambda contract: len(contract.manifest()["tools"]),
        5,
    ),
    Twin(
        "schema open",
        {"input_schema": lambda tool: {**RULES.input_schema(tool), "additionalProperties": True}},
        _manifest("tools", 0, "inputSchema", "additionalProperties"),
        False,
    ),
    Twin(
        "$schema left in",
        {"output_schema": lambda tool: {"$schema": "x", **RULES.output_schema(tool)}},
        lambda contract: "$schema" in contract.manifest()["tools"][0]["outputSchema"],
        False,
    ),
    Twin(
        "annotation flipped",
        {"describe": lambda *parts: {**RULES.describe(*parts), "annotations": {"readOnlyHint": False}}},
        _manifest("tools", 0, "annotations", "readOnlyHint"),
        True,
    ),
    Twin(
        "the profile lies",
        {"compose_profile": lambda *parts: {**RULES.compose_profile(*parts), "profile": "metadata"}},
        _output("context_profile", None, "profile"),
        "summary",
    ),
]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.broken)
def test_a_broken_rule_is_seen(opened: Open, twin: Twin) -> None:
    def seen(rules: Rules) -> Json:
        fixture = FIXTURE if twin.fixture is None else twin.fixture
        if twin.settings is None:
            return twin.look(opened(fixture, twin.profile, rules=rules))
        return twin.look(opened(fixture, settings=twin.settings, rules=rules))

    assert seen(RULES) == twin.kept
    assert seen(replace(RULES, **twin.change)) != twin.kept


def test_every_rule_has_a_twin() -> None:
    assert {name for twin in TWINS for name in twin.change} == {field.name for field in fields(Rules)}
