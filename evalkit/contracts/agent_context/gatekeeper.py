"""Lets a tool call through or refuses it; the order of the refusals is the policy (spec A.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from .answers import answer
from .faults import caught
from .results import CLOSED
from .rules import Request, Rules
from .sources import Sources
from .vocabulary import Json, Settings

Act: TypeAlias = Callable[[Settings, str, Json], Json | None]
"""Carries out what is no context tool: (settings, name, arguments) → a tool result, None if it is no tool."""


def call_tool(
    rules: Rules,
    sources: Sources,
    settings: Json,
    name: str,
    args: Json,
    act: Act = lambda _settings, _name, _args: None,
) -> Json:
    """One call → a tool result as MCP shapes it. `settings` is the whole document, as it is now.

    No source is asked before the whole gate is passed, and no reason for a failure behind it gets out.
    Names of context tools win over those that `act` knows.
    """
    request = Request(
        name, rules.find_tool(name), {} if args is None else args, rules.read_settings(settings), sources
    )
    if request.tool is None and rules.is_open(request.settings):
        result = act(request.settings, name, request.args)
        if result is not None:
            return result
    for refuse in rules.gate:
        text = refuse(rules, request)
        if text is not None:
            return rules.failure(text)
    result = caught(lambda: rules.success(answer(rules, request)))
    return rules.failure(rules.unavailable(result)) if isinstance(result, Exception) else result


def manifest(
    rules: Rules, settings: Json, more: Callable[[Settings], Sequence[Json]] = lambda _settings: ()
) -> Json:
    """What the contract says of itself under these settings; `more` describes the tools of `act`."""
    effective = rules.read_settings(settings)
    tools = [
        rules.describe(tool, rules.input_schema(tool.name), rules.output_schema(tool.name))
        for tool in rules.visible_tools(effective.scopes)
    ]
    return rules.compose_manifest(effective, rules.limits, rules.exclusions, [*tools, *more(effective)])


def refuse_closed(rules: Rules, request: Request) -> str | None:
    """Disabled or invalid settings refuse everything, whatever is asked."""
    return None if rules.is_open(request.settings) else CLOSED


def refuse_unknown_tool(rules: Rules, request: Request) -> str | None:
    """A name that is no tool's."""
    return rules.unknown_tool(request.name) if request.tool is None else None


def refuse_missing_scope(rules: Rules, request: Request) -> str | None:
    """A tool whose scope is not configured, whatever its arguments."""
    needs = request.tool.needs if request.tool else None
    if needs is None or rules.is_enabled(needs, request.settings.scopes):
        return None
    return rules.missing_scope(needs)


def refuse_invalid_input(rules: Rules, request: Request) -> str | None:
    """Arguments that the advertised schema does not allow."""
    issues = rules.input_issues(request.tool.name, request.args) if request.tool else ()
    return rules.invalid_input(issues) if issues else None


GATE: Final = (refuse_closed, refuse_unknown_tool, refuse_missing_scope, refuse_invalid_input)
RULES: Final = Rules(gate=GATE)
