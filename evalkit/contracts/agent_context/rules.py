"""The policy as one value: every rule of the contract under its name, each replaceable on its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from . import (
    budgets,
    inputs,
    inspection,
    javascript,
    manifest,
    matching,
    navigation,
    outputs,
    pagination,
    projection,
    redaction,
    references,
    results,
    scopes,
    settings,
    sources,
    staleness,
    tools,
)
from .inspection import Inspected
from .manifest import Limits
from .sources import Reading, Sources
from .vocabulary import Json, Redact, Row, Settings, Tool


class Request(NamedTuple):
    """One tool call with everything that was settled when it came in. `tool` is None for an unknown name."""

    name: str
    tool: Tool | None
    args: Json
    settings: Settings
    sources: Sources


class Rules(NamedTuple):
    """Every rule. `gate` holds the refusals in order: each gives the text to refuse with, or None."""

    gate: tuple[Callable[[Rules, Request], str | None], ...]

    # who may call, and what
    read_settings: Callable[[Json], Settings] = settings.read_settings
    is_open: Callable[[Settings], bool] = scopes.is_open
    find_tool: Callable[[str], Tool | None] = tools.find_tool
    is_enabled: Callable[[str, tuple[str, ...]], bool] = scopes.is_enabled
    input_issues: Callable[[str, Json], Sequence[str]] = inputs.input_issues
    trim: Callable[[str], str] = javascript.trim

    # what is read
    choose_scopes: Callable[[list[str] | None, tuple[str, ...]], tuple[str, ...]] = scopes.choose_scopes
    scope_of: Callable[[str], str] = scopes.scope_of
    read: Callable[[Sources, str], Reading] = sources.read
    inspect: Callable[[str, Sequence[Row]], Inspected] = inspection.inspect
    freshness: Callable[[Iterable[Json]], str] = staleness.freshness

    # what is found
    search_text: Callable[[str, str, Json], str] = matching.search_text
    matcher: Callable[[str], Callable[[str], bool]] = matching.matcher
    is_same: Callable[[str, str], bool] = references.is_same
    resolve: Callable[[str, Sequence[Row]], Row | None] = navigation.resolve

    # what is shown of it
    reference: Callable[[str, str, Json, Redact], str] = references.reference
    project: Callable[[str, str, Json, str, Redact], Json] = projection.project
    redact: Redact = redaction.redact

    # how much of it
    window: Callable[[Json], tuple[int, int]] = pagination.window
    search_page: Callable[[list[Json], int, bool, str], Json] = pagination.search_page
    list_page: Callable[[list[Json], int, int, bool, str], Json] = pagination.list_page
    fit: Callable[[list[Json], Callable[[list[Json]], Json]], Json] = budgets.fit

    # how it is answered
    output_is_valid: Callable[[str, Json], bool] = outputs.is_valid
    success: Callable[[Json], Json] = results.success
    failure: Callable[[str], Json] = results.failure
    unknown_tool: Callable[[str], str] = results.unknown_tool
    missing_scope: Callable[[str], str] = results.missing_scope
    invalid_input: Callable[[Sequence[str]], str] = results.invalid_input
    unavailable: Callable[[Exception], str] = results.unavailable

    # what is said of it beforehand
    limits: Limits = manifest.LIMITS
    exclusions: tuple[str, ...] = manifest.EXCLUSIONS
    visible_tools: Callable[[tuple[str, ...]], tuple[Tool, ...]] = tools.visible_tools
    input_schema: Callable[[str], Json] = inputs.input_schema
    output_schema: Callable[[str], Json] = outputs.output_schema
    describe: Callable[[Tool, Json, Json], Json] = manifest.describe
    compose_profile: Callable[[Settings, Limits, Sequence[str]], Json] = manifest.compose_profile
    compose_manifest: Callable[[Settings, Limits, Sequence[str], Sequence[Json]], Json] = (
        manifest.compose_manifest
    )
