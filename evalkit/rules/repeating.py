"""Rules of calls that were made before: what a tool that only reads leaves as it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.errors import CapabilityMissing
from evalkit.model import Evidence, Json, Observation
from evalkit.rules import Fault, Rule
from evalkit.values import ABSENT, same

MANIFEST: Final = frozenset({"manifest"})


def _listing_unchanged(evidence: Evidence) -> Iterator[Fault]:
    """These tools against those of the first step that read them; their order is another rule's."""
    before = next((found for one in evidence.earlier.values() if (found := _named(one)) is not None), None)
    after = _named(evidence.observation)
    if before is None or after is None:
        raise CapabilityMissing("the tools were not listed both before and after the calls")
    for name in dict.fromkeys((*before, *after)):
        left, right = before.get(name, ABSENT), after.get(name, ABSENT)
        if not same(left, right):
            verb = "is new" if left is ABSENT else "is gone" if right is ABSENT else "has changed"
            yield Fault(
                f"after calls of a tool that only reads, {name} {verb}", "manifest.tools", left, right
            )


def _named(observation: Observation) -> Mapping[str, Json] | None:
    """The tools that an observation lists, by name; None where it lists none that is whole."""
    manifest = observation.roots.get("manifest")
    listed = manifest.get("tools") if isinstance(manifest, dict) and "incomplete" not in manifest else None
    if not isinstance(listed, list):
        return None
    tools = [tool for tool in listed if isinstance(tool, dict) and isinstance(tool.get("name"), str)]
    return {tool["name"]: tool for tool in tools}


RULES: Final = (
    Rule(
        "listing-left-alone",
        "medium",
        "Calls of a tool that is declared read-only leave the list of tools as it was.",
        "2025-11-25, schema, ToolAnnotations, readOnlyHint",
        "breaks: a tool that is listed after two calls, and was not before\n"
        "keeps:  the same tools, in any order",
        MANIFEST,
        _listing_unchanged,
    ),
)
