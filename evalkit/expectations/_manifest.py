"""The manifest as an expectation reads it: its tools, one tool by name, and findings where it has none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from evalkit.expectations._plain import require_more
from evalkit.model import Evidence, Finding, Json, Path
from evalkit.values import ABSENT

MANIFEST: Final = frozenset({"manifest", "tool"})
MANIFEST_CODES: Final[Mapping[str, str]] = {
    "manifest-malformed": "The manifest lacks its array of named tools, or states a limit that is no number.",
}
LIST_CODES: Final[Mapping[str, str]] = {
    "no-tools": "The manifest lists no tool, so nothing was checked.",
    "manifest-incomplete": "Not all of the tools could be read, so the others were not checked.",
    **MANIFEST_CODES,
}
ADVERTISED_CODES: Final[Mapping[str, str]] = {
    "tool-not-advertised": "A tool is spoken of that the manifest does not list.",
    **MANIFEST_CODES,
}
Tool: TypeAlias = Mapping[str, Json]


def tools(evidence: Evidence) -> list[Json] | Finding:
    """What the manifest lists, unchecked; or the finding that it lists nothing.

    Raises CapabilityMissing for a tool call over a way in that has no manifest.
    """
    require_more(evidence, "manifest")
    manifest = evidence.observation.roots.get("manifest", ABSENT)
    listed = manifest.get("tools", ABSENT) if isinstance(manifest, dict) else ABSENT
    if isinstance(listed, list):
        return listed
    path = "manifest.tools" if isinstance(manifest, dict) else "manifest"
    actual = listed if isinstance(manifest, dict) else manifest
    return Finding("manifest-malformed", "the manifest has no array of tools", path, actual=actual)


def tool_named(evidence: Evidence, name: str) -> Tool | Finding:
    """The advertised tool of this name, or the finding that there is none."""
    listed = tools(evidence)
    if isinstance(listed, Finding):
        return listed
    for tool in listed:
        if isinstance(tool, dict) and tool.get("name") == name:
            return tool
    return not_advertised(name, listed)


def named_tools(listed: list[Json]) -> Iterator[tuple[int, Tool]]:
    """Each listed tool that is an object with a name, with its place in the list."""
    for index, tool in enumerate(listed):
        if isinstance(tool, dict) and isinstance(tool.get("name"), str):
            yield index, tool


def faults_of_list(evidence: Evidence, listed: list[Json]) -> Iterator[Finding]:
    """Findings for a list that is empty or not whole, and for each listed tool that is no object with a name.

    Where a later page did not come, the driver says why in the manifest's `incomplete`.
    """
    why = evidence.observation.roots["manifest"].get("incomplete")
    if isinstance(why, str):
        message = f"the manifest is not whole: {why}"
        yield Finding("manifest-incomplete", message, "manifest.incomplete", actual=why)
    if not listed:
        yield Finding(
            "no-tools", "the manifest lists no tool, so nothing was checked", "manifest.tools", actual=[]
        )
    named = {index for index, _ in named_tools(listed)}
    for index, tool in enumerate(listed):
        if index not in named:
            path = f"manifest.tools.{index}"
            yield Finding("manifest-malformed", f"{path} has no name", path, actual=tool)


def not_advertised(name: str, listed: list[Json], at: Path = ()) -> Finding:
    """The finding for a tool that the manifest does not list."""
    names = [tool["name"] for _, tool in named_tools(listed)]
    return Finding("tool-not-advertised", f"{name} is not advertised", "manifest.tools", name, names, at)
