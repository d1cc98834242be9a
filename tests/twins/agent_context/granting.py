"""Twins that list, name or let in the wrong semantic tools: gate, grants, names, catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from evalkit.contracts.agent_context.semantic import formats
from evalkit.contracts.agent_context.semantic.arguments import arguments_refusal
from evalkit.contracts.agent_context.semantic.authority import authority_refusal, granted, grants
from evalkit.contracts.agent_context.semantic.catalogue import (
    TOOLS,
    find,
    input_schema,
    mcp_name,
    output_schema,
)
from evalkit.contracts.agent_context.semantic.formats import document, entry, seen_from
from evalkit.contracts.agent_context.semantic.nouns import Json, Refused, SemanticTool
from evalkit.contracts.agent_context.semantic.policy import GATE
from evalkit.contracts.agent_context.vocabulary import Settings
from tests.twins.agent_context.direct import refusing_first
from tests.twins.twin import altered, around, twin, twin_of

_twin = partial(twin_of, "semantic")

_BOTH = frozenset({"readPortos", "writePortos"})
_UNKNOWN_TOOL, _AUTHORITY, _ARGUMENTS = GATE

GATE_TWINS = (
    _twin(
        "a semantic tool that does not exist passes the gate",
        "i-http-refused[unknown]",
        gate=(_AUTHORITY, _ARGUMENTS),
    ),
    _twin(
        "anyone may write",
        "i-http-ui-write",
        "i-http-refused[nobody]",
        gate=(_UNKNOWN_TOOL, _ARGUMENTS),
    ),
    _twin(
        "arguments of semantic tools unjudged",
        "s-bad-arg",
        "s-enum",
        "i-validation-first",
        "i-http-refused[arguments]",
        gate=(_UNKNOWN_TOOL, _AUTHORITY),
    ),
    _twin(
        "arguments judged before the authority",
        "i-http-refused[nobody]",
        gate=(_UNKNOWN_TOOL, _ARGUMENTS, _AUTHORITY),
    ),
)


def _bad_arguments(name: str, args: Json, headers: Mapping[str, str]) -> Refused | None:
    """What is wrong with the arguments of a semantic tool, granted or not."""
    tool = find(name)
    return arguments_refusal(tool, args) if tool else None


def _only_unless_read(settings: Settings) -> frozenset[str]:
    return grants(settings) if settings.read_portos else _BOTH


GRANT_TWINS = (
    _twin(
        "grant off but listed",
        "s-none",
        "s-read",
        "s-write",
        "s-ungranted",
        "s-ungranted-text",
        "i-http-catalogue",
        granted=lambda tool, scope, capabilities: (
            None if granted(tool, scope, capabilities) is None else True
        ),
    ),
    _twin(
        "listed but denied",
        "s-search",
        "s-profile-independent",
        "s-grant-at-once",
        "i-replay",
        authority_refusal=lambda tool, authority: Refused("TOOL_CAPABILITY_DENIED", "denied"),
    ),
    _twin(
        "everything granted",
        "s-none",
        "s-read",
        "s-write",
        "s-ungranted",
        "s-scope-independent",
        "s-grant-at-once",
        "s-invalid-grants",
        "i-revoked",
        grants=lambda settings: _BOTH,
    ),
    _twin(
        "everything granted unless reading is",
        "s-none",
        "s-write",
        "s-invalid-grants",
        grants=_only_unless_read,
    ),
    _twin(
        "nothing granted",
        "s-read",
        "s-write",
        "s-both-order",
        "s-disabled-lists",
        grants=lambda s: frozenset(),
    ),
    _twin(
        "a grant to read is one to write",
        "s-read",
        "s-ungranted[write-by-reader]",
        "s-ungranted[write-by-alias]",
        "s-ungranted[invalid-arguments]",
        "s-ungranted-text",
        "s-grant-at-once",
        "i-revoked",
        grants=lambda settings: _BOTH if settings.read_portos else grants(settings),
    ),
    _twin(
        "a grant to write is one to read",
        "s-write",
        "s-ungranted[read-by-writer]",
        grants=lambda settings: _BOTH if settings.write_portos else grants(settings),
    ),
    _twin(
        "a scope of the context is a grant",
        "s-scope-independent",
        grants=lambda settings: grants(settings) | ({"readPortos"} if "brain" in settings.scopes else set()),
    ),
    _twin(
        "a grant to read needs the scope of the context",
        "s-profile-independent",
        grants=lambda settings: grants(settings) if "brain" in settings.scopes else frozenset(),
    ),
    _twin(
        "grants are for the enabled",
        "s-disabled-lists",
        grants=lambda settings: grants(settings) if settings.enabled else frozenset(),
    ),
    twin(
        "what is granted needs no context that is enabled",
        "s-disabled-calls",
        is_open=lambda settings: settings.enabled or settings.write_portos,
    ),
    around(
        refusing_first(_bad_arguments), "arguments judged before the grant", "s-ungranted[invalid-arguments]"
    ),
    _twin(
        "nobody's catalogue is granted",
        "i-http-anywhere",
        granted=lambda tool, scope, capabilities: granted(tool, "agent", capabilities),
    ),
    _twin(
        "a person may not read without a password",
        "i-http-ui-read",
        "i-http-match",
        authority_refusal=lambda tool, authority: (
            Refused("TOOL_AUTH_REQUIRED", "denied")
            if authority.scope == "ui" and not authority.authenticated
            else authority_refusal(tool, authority)
        ),
    ),
    _twin(
        "a person may write without a password",
        "i-http-ui-write",
        authority_refusal=lambda tool, authority: authority_refusal(
            tool, authority._replace(authenticated=True)
        ),
    ),
    _twin(
        "a person may write never",
        "h-auth-write",
        authority_refusal=lambda tool, authority: authority_refusal(
            tool, authority._replace(authenticated=False)
        ),
    ),
    _twin(
        "an unknown tool called by another code",
        "i-http-refused[unknown]",
        unknown_tool=lambda name: Refused("TOOL_CAPABILITY_DENIED", f"Unknown tool: {name}"),
    ),
    _twin(
        "an unknown tool not named",
        "i-http-refused[unknown]",
        unknown_tool=lambda name: Refused("TOOL_NOT_FOUND", "Unknown tool"),
    ),
)


def _without(*names: str) -> Callable[[str], SemanticTool | None]:
    return lambda name: None if name in names else find(name)


_ALIASES = {
    "recent": "brain_list_recent",
    "drink": "meatspace_log_drink",
    "nicotine": "meatspace_log_nicotine",
    "today": "meatspace_summary_today",
    "weight": "meatspace_log_weight",
    "workout": "meatspace_log_workout",
    "goals": "goal_list",
    "progress": "goal_update_progress",
    "goal-note": "goal_log_note",
    "processes": "pm2_status",
    "append": "daily_log_append",
    "read": "daily_log_read",
    "agents": "code_agent_status",
    "catalog": "catalog_lookup",
}

NAME_TWINS = (
    _twin(
        "alias not recognised",
        *(f"s-alias[{row}]" for row in _ALIASES),
        "i-alias-same",
        find=_without(*_ALIASES.values()),
    ),
    *(
        _twin(f"alias {alias} not recognised", f"s-alias[{row}]", find=_without(alias))
        for row, alias in _ALIASES.items()
    ),
    _twin(
        "a tool not found by its id",
        "s-alias[id]",
        find=_without(*(tool.id for tool in TOOLS)),
    ),
    _twin(
        "a tool not found by its name",
        "s-alias[name]",
        "s-search",
        "s-recent",
        find=_without(*map(mcp_name, TOOLS)),
    ),
    _twin(
        "a dash stays in the name of a tool",
        "s-alias[dashed]",
        "s-goal-progress",
        find=_without("goals_update_progress", "goals_log_note", "feeds_mark_read"),
    ),
    _twin(
        "an agent does what only a person may",
        "s-never",
        find=lambda name: TOOLS[-1] if name == "pm2_restart" else find(name),
    ),
    _twin(
        "a near name is good enough",
        "s-ungranted-text",
        find=lambda name: find(name.replace("captura", "search")),
    ),
    _twin(
        "a legacy name needs no grant to write",
        "s-ungranted[write-by-alias]",
        find=lambda name: (
            tool._replace(effect="read") if (tool := find(name)) and name in tool.aliases else tool
        ),
    ),
    _twin(
        "a tool left out of the list",
        "s-write",
        "s-both-order",
        "s-disabled-lists",
        "i-http-catalogue",
        tools=TOOLS[1:],
    ),
    _twin("semantic tools in another order", "s-read", "s-write", "s-both-order", tools=TOOLS[::-1]),
    _twin(
        "a semantic tool listed twice",
        "s-names-safe",
        "s-both-order",
        "s-read",
        "s-disabled-lists",
        tools=(*TOOLS, TOOLS[-1]),
    ),
    _twin(
        "a tool listed that only a person may use",
        "s-never",
        "s-both-order",
        "s-disabled-lists",
        tools=(*TOOLS, TOOLS[0]._replace(id="cos.create-task")),
    ),
    _twin(
        "a word that is allowed forgotten",
        "s-closed-schemas",
        tools=tuple(
            tool._replace(properties={**tool.properties, "unit": {"type": "string"}})
            if tool.id == "health.log.weight"
            else tool
            for tool in TOOLS
        ),
    ),
    _twin(
        "a tool without a word of what it is for",
        "s-described",
        tools=tuple(tool._replace(description="") for tool in TOOLS),
    ),
)


def _entry(change: Callable[[Json], Json]) -> Callable[..., Json]:
    """Entries of which something is changed."""

    def changed(*parts: Json) -> Json:
        told = entry(*parts)
        return {**told, **change(told)}

    return changed


def _policy(key: str, said: Callable[[Json], Json]) -> Callable[..., Json]:
    return _entry(lambda told: {"policy": {**told["policy"], key: said(told["policy"])}})


def _row(change: Callable[[Json], Json]) -> Callable[[Json], Json]:
    """Rows of `tools/list` of which something is changed."""

    def changed(told: Json) -> Json:
        row = formats.mcp(told)
        return {**row, **change(row)}

    return changed


def _hint(name: str) -> Callable[[Json], Json]:
    return _row(lambda row: {"annotations": {**row["annotations"], name: not row["annotations"][name]}})


_POLICY = {
    "requiredCapabilities": lambda policy: [],
    "sideEffect": lambda policy: "read",
    "idempotent": lambda policy: True,
    "confirmation": lambda policy: "none",
    "scopes": lambda policy: ["agent"],
    "async": lambda policy: True,
}

CATALOGUE_TWINS = (
    _twin(
        "arguments advertised as open",
        "s-closed-schemas",
        "s-bad-arg[extra]",
        input_schema=lambda tool: {**input_schema(tool), "additionalProperties": True},
    ),
    _twin(
        "no argument advertised as required",
        "s-closed-schemas",
        "s-bad-arg[missing]",
        input_schema=lambda tool: {**input_schema(tool), "required": []},
    ),
    _twin(
        "another result advertised than is given",
        "s-search",
        "s-closed-schemas",
        output_schema=lambda tool: output_schema(tool._replace(id=mcp_name(tool))),
    ),
    _twin("no result advertised", "s-closed-schemas", "i-http-catalogue", output_schema=lambda tool: {}),
    *(
        _twin(f"the policy of a tool lies: {key}", "i-http-catalogue", entry=_policy(key, said))
        for key, said in _POLICY.items()
    ),
    _twin(
        "a legacy name not told",
        "i-http-catalogue",
        entry=_entry(lambda told: {"aliases": [told["providerName"]]}),
    ),
    _twin(
        "a tool named by its id",
        "s-names-safe",
        "s-read",
        "i-http-formats",
        entry=_entry(lambda told: {"providerName": told["name"]}),
    ),
    _twin("a tool of no kind", "i-http-catalogue", entry=_entry(lambda told: {"type": "tool"})),
    _twin(
        "a catalogue that says that nothing is granted",
        "i-http-catalogue",
        "i-http-formats",
        "i-http-etag",
        seen_from=lambda told, scope, is_granted: seen_from(told, scope, False),
    ),
    _twin(
        "a catalogue that says that all is granted",
        "i-http-catalogue",
        "i-http-formats",
        "i-http-etag",
        "i-http-anywhere",
        seen_from=lambda told, scope, is_granted: seen_from(told, scope, True),
    ),
    _twin(
        "nothing there to all scopes",
        "i-http-anywhere",
        seen_from=lambda told, scope, is_granted: {
            **seen_from(told, scope, is_granted),
            "availableInScope": scope != "all",
        },
    ),
    _twin(
        "forms that tell what is not granted",
        "i-http-formats",
        document=lambda scope, entries, form: {
            **document(scope, entries, form),
            "tools": list(map(formats.FORMATS[form], entries)),
        },
    ),
    _twin(
        "a catalogue that leaves out what is not granted",
        "i-http-catalogue",
        document=lambda scope, entries, form: document(
            scope, [told for told in entries if told["granted"] is not False], form
        ),
    ),
    _twin(
        "one form whatever is asked for",
        "i-http-formats",
        document=lambda scope, entries, form: document(scope, entries, "portos"),
    ),
    *(
        _twin(
            f"the form {form} in other words",
            f"i-http-formats[{form}]",
            document=altered(
                document, FORMATS={**formats.FORMATS, form: lambda told: {"tool": told["name"]}}
            ),
        )
        for form in ("openai", "anthropic", "mcp")
    ),
    *(
        _twin(f"a semantic tool's {hint} turned round", "s-annotations", describe=_hint(hint))
        for hint in (
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        )
    ),
    _twin(
        "a semantic tool with a title",
        "s-annotations",
        describe=_row(lambda row: {"title": row["name"]}),
    ),
)

TWINS = (*GATE_TWINS, *GRANT_TWINS, *NAME_TWINS, *CATALOGUE_TWINS)
