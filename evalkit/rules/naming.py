"""Rules of what a server and its tools are called, and how they are described."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evalkit.model import Evidence, Json
from evalkit.rules import Fault, Rule
from evalkit.rules._listed import MANIFEST, Listed, manifest_of, over_list, over_tools

LONGEST: Final = 128
"""Characters of a tool's name, since 2025-11-25."""

_NAMES_SINCE: Final = "2025-11-25"
_STRANGE: Final = re.compile(r"[^A-Za-z0-9_.-]")
_PORTABLE: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _tool_named(listed: Listed) -> Iterator[Fault]:
    name = listed.tool.get("name", ...)
    if not isinstance(name, str):
        told = f"the tool at {listed.at} has no name that is a text"
        yield Fault(told, listed.path("name"), actual=name)


def _names_unique(tools: list[Json]) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for at, tool in enumerate(tools):
        name = tool.get("name") if isinstance(tool, dict) else None
        if isinstance(name, str) and first.setdefault(name, at) != at:
            told = f"{name!r} is listed twice, first at {first[name]}"
            yield Fault(told, f"manifest.tools.{at}.name", actual=name)


def _name_length(listed: Listed) -> Iterator[Fault]:
    name = listed.tool.get("name")
    if isinstance(name, str) and not 1 <= len(name) <= LONGEST:
        told = f"the name of the tool at {listed.at} has {len(name)} characters, not 1 to {LONGEST}"
        yield Fault(told, listed.path("name"), actual=name)


def _name_characters(listed: Listed) -> Iterator[Fault]:
    name = listed.tool.get("name")
    strange = _STRANGE.search(name) if isinstance(name, str) else None
    if strange:
        told = f"{name!r} holds {strange[0]!r}; only letters, digits, `_`, `-` and `.` may stand in a name"
        yield Fault(told, listed.path("name"), actual=name)


def _name_portable(listed: Listed) -> Iterator[Fault]:
    name = listed.tool.get("name")
    if not isinstance(name, str) or _PORTABLE.fullmatch(name):
        return
    conforms = 1 <= len(name) <= LONGEST and not _STRANGE.search(name)
    if conforms or "" < listed.revision < _NAMES_SINCE:
        told = f"{name!r} is refused by model interfaces that take 1 to 64 letters, digits, `_` and `-`"
        yield Fault(told, listed.path("name"), actual=name)


def _tool_described(listed: Listed) -> Iterator[Fault]:
    described = listed.tool.get("description", "")
    if isinstance(described, str) and not described.strip():
        told = f"{listed.name} has no description, so a model can only guess what it does"
        yield Fault(told, listed.path("description"), actual=listed.tool.get("description", ...))


def _server_named(evidence: Evidence) -> Iterator[Fault]:
    info = manifest_of(evidence).get("serverInfo", ...)
    if not isinstance(info, dict):
        yield Fault("the server does not say who it is", "manifest.serverInfo", actual=info)
        return
    for key in ("name", "version"):
        if not isinstance(info.get(key), str):
            path = f"manifest.serverInfo.{key}"
            yield Fault(f"the server's {key} is no text", path, actual=info.get(key, ...))


_PAGE: Final = "2025-11-25, server/tools, Tool Names"

RULES: Final = (
    Rule(
        "tool-named",
        "high",
        "Each tool has a name, and it is a text.",
        "2024-11-05, server/tools, Tool",
        'breaks: {"description": "Search"}\nkeeps:  {"name": "search", "description": "Search"}',
        MANIFEST,
        over_tools(_tool_named),
    ),
    Rule(
        "tool-names-unique",
        "high",
        "No two tools have one name.",
        "2024-11-05, server/tools, Tool: a unique identifier",
        'breaks: [{"name": "search"}, {"name": "search"}]\nkeeps:  [{"name": "search"}, {"name": "Search"}]',
        MANIFEST,
        over_list(_names_unique),
    ),
    Rule(
        "tool-name-length",
        "medium",
        "A tool's name has 1 to 128 characters.",
        _PAGE,
        'breaks: {"name": ""}\nkeeps:  {"name": "search"}',
        MANIFEST,
        over_tools(_name_length),
        since=_NAMES_SINCE,
    ),
    Rule(
        "tool-name-characters",
        "medium",
        "A tool's name holds ASCII letters, digits, `_`, `-` and `.` only.",
        _PAGE,
        'breaks: {"name": "search notes"}\nkeeps:  {"name": "search_notes"}',
        MANIFEST,
        over_tools(_name_characters),
        since=_NAMES_SINCE,
    ),
    Rule(
        "tool-name-portable",
        "low",
        "A tool's name is one that every model interface takes: 1 to 64 letters, digits, `_` and `-`.",
        "the narrowest limit of model interfaces; the specification permits more",
        'breaks: {"name": "admin.search"}\nkeeps:  {"name": "admin_search"}',
        MANIFEST,
        over_tools(_name_portable),
    ),
    Rule(
        "tool-described",
        "low",
        "Each tool has a description.",
        "2024-11-05, server/tools, Tool; the specification permits none",
        'breaks: {"name": "search"}\nkeeps:  {"name": "search", "description": "Search all notes"}',
        MANIFEST,
        over_tools(_tool_described),
    ),
    Rule(
        "server-named",
        "medium",
        "The server tells its name and its version in `serverInfo`.",
        "2024-11-05, basic/lifecycle, Initialization",
        'breaks: {"serverInfo": {"name": "notes"}}\nkeeps:  the same with {"version": "1"}',
        frozenset({"manifest", "session"}),
        _server_named,
        until="2025-11-25",
    ),
)
