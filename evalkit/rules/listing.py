"""Rules of the handshake's facts and of `tools/list` as a whole: read to its end, well shaped, and stable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.model import Evidence, Json
from evalkit.rules import Fault, Rule, revision_of
from evalkit.rules._listed import MANIFEST, Listed, manifest_of, over_list, over_tools
from evalkit.values import kind_of, quick_json

LARGEST: Final = 65_536
"""Bytes of all tools as compact JSON: some 16,000 tokens, which a model reads before its first question."""

CAPABILITIES: Final[Mapping[str, str]] = {
    "experimental": "2024-11-05",
    "logging": "2024-11-05",
    "prompts": "2024-11-05",
    "resources": "2024-11-05",
    "tools": "2024-11-05",
    "completions": "2025-03-26",
    "tasks": "2025-11-25",
    "extensions": "2026-07-28",
}
"""Each capability of a server and the revision that brought it; before that it may be anything."""

_STATELESS: Final = "2026-07-28"
"""From here on there is no handshake."""

_CHANGED: Final = "notifications/tools/list_changed"

_KINDS: Final[Mapping[str, str]] = {
    "title": "string",
    "description": "string",
    "icons": "array",
    "annotations": "object",
    "execution": "object",
    "_meta": "object",
}


def _listing_whole(evidence: Evidence) -> Iterator[Fault]:
    manifest = manifest_of(evidence)
    why, capabilities = manifest.get("incomplete"), manifest.get("capabilities")
    if why is None:
        return
    if not manifest.get("tools") and isinstance(capabilities, dict) and "tools" not in capabilities:
        return  # it never said that it has tools
    yield Fault(f"the tools could not be read to the end: {why}", "manifest.incomplete", actual=why)


def _entries_objects(tools: list[Json]) -> Iterator[Fault]:
    for at, tool in enumerate(tools):
        if not isinstance(tool, dict):
            told = f"entry {at} of the listing is of the kind {kind_of(tool)}, and no tool"
            yield Fault(told, f"manifest.tools.{at}", actual=tool)


def _fields_typed(listed: Listed) -> Iterator[Fault]:
    for key, wanted in _KINDS.items():
        kind = kind_of(listed.tool.get(key, ...))
        if kind not in (wanted, "nothing"):
            told = f"`{key}` of {listed.name} is of the kind {kind}, not {wanted}"
            yield Fault(told, listed.path(key), actual=listed.tool[key])


def _capabilities_typed(evidence: Evidence) -> Iterator[Fault]:
    told, revision = manifest_of(evidence).get("capabilities", ...), revision_of(evidence)
    if told is ... and revision >= _STATELESS:
        return  # nothing is agreed at the start there, and `server/discover` need not have been answered
    if not isinstance(told, dict):
        yield Fault("the server's capabilities are no object", "manifest.capabilities", actual=told)
        return
    for name, since in CAPABILITIES.items():
        if name not in told or "" < revision < since:
            continue
        if isinstance(told[name], dict):
            yield from _flags_boolean(name, told[name])
        else:
            path = f"manifest.capabilities.{name}"
            yield Fault(f"the capability `{name}` is no object", path, actual=told[name])


def _flags_boolean(name: str, capability: Mapping[str, Json]) -> Iterator[Fault]:
    for flag in ("listChanged", "subscribe"):
        if not isinstance(capability.get(flag, False), bool):
            path = f"manifest.capabilities.{name}.{flag}"
            yield Fault(f"`{flag}` of the capability `{name}` is no boolean", path, actual=capability[flag])


def _instructions_text(evidence: Evidence) -> Iterator[Fault]:
    told = manifest_of(evidence).get("instructions", "")
    if not isinstance(told, str):
        yield Fault("the server's instructions are no text", "manifest.instructions", actual=told)


def _listing_stable(evidence: Evidence) -> Iterator[Fault]:
    for step, before, now in _listings(evidence):
        if sorted(before) != sorted(now) and not _announced(evidence):
            told = f"other tools came than at the step {step!r}, and no change was announced"
            yield Fault(told, "manifest.tools", before, now)


def _listing_ordered(evidence: Evidence) -> Iterator[Fault]:
    for step, before, now in _listings(evidence):
        if before != now and sorted(before) == sorted(now):
            told = f"the same tools came in another order than at the step {step!r}"
            yield Fault(told, "manifest.tools", before, now)


def _listings(evidence: Evidence) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each earlier step that read a whole listing: its id, the names of then, and those of now."""
    now = _names(manifest_of(evidence))
    for step, observation in evidence.earlier.items():
        before = _names(observation.roots.get("manifest"))
        if before is not None and now is not None:
            yield step, before, now


def _names(manifest: Json) -> list[str] | None:
    tools = manifest.get("tools") if isinstance(manifest, dict) and "incomplete" not in manifest else None
    if not isinstance(tools, list):
        return None
    return [str(tool.get("name")) for tool in tools if isinstance(tool, dict)]


def _announced(evidence: Evidence) -> bool:
    heard = (evidence.observation, *evidence.earlier.values())
    told = (one for observation in heard for one in observation.roots.get("notifications") or ())
    return any(isinstance(one, dict) and one.get("method") == _CHANGED for one in told)


def _listing_small(tools: list[Json]) -> Iterator[Fault]:
    size = len(quick_json(tools))
    if size > LARGEST:
        told = f"the {len(tools)} tools take {size} bytes, all of which a model reads before each task"
        yield Fault(told, "manifest.tools", LARGEST, size)


_BEGUN: Final = frozenset({"manifest", "session"})

RULES: Final = (
    Rule(
        "listing-whole",
        "high",
        "Every page of `tools/list` comes, and the pages end: no cursor comes back.",
        "2024-11-05, server/utilities/pagination",
        'breaks: {"tools": [], "nextCursor": "2"} on every page\nkeeps:  a last page without `nextCursor`',
        MANIFEST,
        _listing_whole,
    ),
    Rule(
        "listing-entries",
        "high",
        "The listing is an array of objects.",
        "2024-11-05, server/tools, Listing Tools",
        'breaks: {"tools": ["search"]}\nkeeps:  {"tools": [{"name": "search", "inputSchema": {…}}]}',
        MANIFEST,
        over_list(_entries_objects),
    ),
    Rule(
        "tool-fields-typed",
        "high",
        "A tool's optional fields have the specification's types, or are left out; null is no way to do so.",
        "2025-11-25, schema, Tool: strict clients refuse the whole listing",
        'breaks: {"name": "search", "description": null}\nkeeps:  {"name": "search"}',
        MANIFEST,
        over_tools(_fields_typed),
    ),
    Rule(
        "capabilities-typed",
        "high",
        "The capabilities are an object of objects, and their flags are booleans.",
        "2024-11-05, schema, ServerCapabilities: strict clients refuse the whole answer",
        'breaks: {"capabilities": {"tools": true}}\nkeeps:  {"capabilities": {"tools": {}}}',
        _BEGUN,
        _capabilities_typed,
    ),
    Rule(
        "instructions-text",
        "medium",
        "The server's instructions are a text, where there are any.",
        "2024-11-05, basic/lifecycle, Initialization",
        'breaks: {"instructions": ["Search first."]}\nkeeps:  {"instructions": "Search first."}',
        _BEGUN,
        _instructions_text,
    ),
    Rule(
        "listing-stable",
        "low",
        "The same tools are listed again, unless the server announces that they changed.",
        "2025-11-25, server/tools, List Changed Notification: a SHOULD",
        "breaks: [read, write], then [read]\nkeeps:  the same after `notifications/tools/list_changed`",
        MANIFEST,
        _listing_stable,
    ),
    Rule(
        "listing-ordered",
        "low",
        "The same tools come in the same order each time.",
        "2026-07-28, server/tools, Capabilities: a SHOULD",
        "breaks: [read, write], then [write, read]\nkeeps:  [read, write], then [read, write]",
        MANIFEST,
        _listing_ordered,
    ),
    Rule(
        "listing-small",
        "low",
        f"All tools together take at most {LARGEST:,} bytes as JSON.",
        "a limit of evalkit: the specification has none",
        "breaks: 200 tools with a page of description each\nkeeps:  20 tools with a paragraph each",
        MANIFEST,
        over_list(_listing_small),
    ),
)
