"""Lets a tool call through or refuses it; the order of the refusals is the policy (spec A.5)."""

from __future__ import annotations

from typing import Final

from .answers import answer
from .results import CLOSED
from .rules import Request, Rules
from .sources import Sources
from .vocabulary import Json


def call_tool(rules: Rules, sources: Sources, settings: Json, name: str, args: Json) -> Json:
    """One call → a tool result as MCP shapes it. `settings` is the whole document, as it is now.

    No source is asked before the whole gate is passed, and no reason for a failure behind it gets out.
    """
    request = Request(
        name, rules.find_tool(name), {} if args is None else args, rules.read_settings(settings), sources
    )
    for refuse in rules.gate:
        text = refuse(rules, request)
        if text is not None:
            return rules.failure(text)
    try:
        return rules.success(answer(rules, request))
    except Exception as problem:  # noqa: BLE001 - whatever a source raises must look the same from outside
        return rules.failure(rules.unavailable(problem))


def manifest(rules: Rules, settings: Json) -> Json:
    """What the contract says of itself under these settings."""
    effective = rules.read_settings(settings)
    tools = [
        rules.describe(tool, rules.input_schema(tool.name), rules.output_schema(tool.name))
        for tool in rules.visible_tools(effective.scopes)
    ]
    return rules.compose_manifest(effective, rules.limits, rules.exclusions, tools)


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
