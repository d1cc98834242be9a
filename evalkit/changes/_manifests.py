"""Two manifests -> what changed for a client that knew the old one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.changes._nouns import Change, Level
from evalkit.changes._schemas import Difference, differences
from evalkit.model import Json
from evalkit.values import encode, same

HINTS: Final[Mapping[str, bool]] = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
"""What a hint that is left out means (2025-11-25, schema, ToolAnnotations)."""

_OF_INPUT: Final[Mapping[str, Level]] = {"narrower": "breaking", "wider": "addition", "other": "risky"}
_OF_OUTPUT: Final[Mapping[str, Level]] = {"narrower": "addition", "wider": "breaking", "other": "risky"}
_HARMLESS: Final = frozenset({"property-added"})
"""Wider, but no surprise to whoever reads an output: an unknown name in it is passed over."""

_READ: Final = ("description", "instructions")


def between_manifests(old: Json, new: Json) -> Iterator[Change]:
    """Every change. A client sends what the input schemas admit, and reads what the output schemas do."""
    before, after = _tools(old), _tools(new)
    for name in sorted(before.keys() - after.keys()):
        yield Change("breaking", "tool-removed", f"tools.{name}", f"the tool {name} is gone")
    for name in sorted(after.keys() - before.keys()):
        yield Change("addition", "tool-added", f"tools.{name}", f"the tool {name} is new")
    for name in sorted(before.keys() & after.keys()):
        yield from _of_tool(before[name], after[name], f"tools.{name}")
    yield from _of_server(old, new)


def _of_tool(old: Mapping[str, Json], new: Mapping[str, Json], path: str) -> Iterator[Change]:
    yield from _of_input(old.get("inputSchema", {}), new.get("inputSchema", {}), f"{path}.inputSchema")
    yield from _of_output(old.get("outputSchema", ...), new.get("outputSchema", ...), f"{path}.outputSchema")
    yield from _of_hints(old, new, f"{path}.annotations")
    for word in sorted((old.keys() | new.keys()) - {"name", "inputSchema", "outputSchema", "annotations"}):
        was, now = old.get(word, ...), new.get(word, ...)
        if not same(was, now):
            level: Level = "risky" if word in _READ else "addition"
            yield Change(level, f"{word}-changed", f"{path}.{word}", f"`{word}` changed", was, now)


def _of_input(old: Json, new: Json, path: str) -> Iterator[Change]:
    for one in differences(old, new):
        yield _change(one, _OF_INPUT[one.direction], path)


def _of_output(old: Json, new: Json, path: str) -> Iterator[Change]:
    if new is ... and old is not ...:
        yield Change("breaking", "output-schema-removed", path, "nothing is said of the output any more", old)
    elif old is ... and new is not ...:
        yield Change("addition", "output-schema-added", path, "an output schema is new", ..., new)
    elif old is not ...:
        for one in differences(old, new):
            level = "addition" if one.code in _HARMLESS else _OF_OUTPUT[one.direction]
            yield _change(one, level, path)


def _change(one: Difference, level: Level, path: str) -> Change:
    place = ".".join((path, *map(str, one.path)))
    told = one.message or f"`{one.path[-1] if one.path else 'the schema'}` changed"
    return Change(level, one.code, place, told, one.old, one.new)


def _of_hints(old: Mapping[str, Json], new: Mapping[str, Json], path: str) -> Iterator[Change]:
    before, after = _annotations(old), _annotations(new)
    for hint, default in HINTS.items():
        was, now = before.get(hint, default), after.get(hint, default)
        if not same(was, now):
            told = f"{hint} is {encode(now)}, and was {encode(was)}"
            yield Change("breaking", "hint-changed", f"{path}.{hint}", told, was, now)
    for word in sorted((before.keys() | after.keys()) - HINTS.keys()):
        if not same(before.get(word, ...), after.get(word, ...)):
            shown = before.get(word, ...), after.get(word, ...)
            yield Change("addition", "annotation-changed", f"{path}.{word}", f"`{word}` changed", *shown)


def _of_server(old: Mapping[str, Json], new: Mapping[str, Json]) -> Iterator[Change]:
    before, after = _capabilities(old), _capabilities(new)
    for name in sorted(before.keys() - after.keys()):
        yield Change("breaking", "capability-removed", f"capabilities.{name}", f"`{name}` is not offered now")
    for name in sorted(after.keys() - before.keys()):
        yield Change("addition", "capability-added", f"capabilities.{name}", f"`{name}` is offered now")
    for name in sorted(before.keys() & after.keys()):
        if not same(before[name], after[name]):
            shown = before[name], after[name]
            told = f"what `{name}` can do changed"
            yield Change("risky", "capability-changed", f"capabilities.{name}", told, *shown)
    for word in ("protocolVersion", "instructions"):
        was, now = old.get(word, ...), new.get(word, ...)
        if not same(was, now):
            yield Change("risky", f"{word}-changed", word, f"`{word}` changed", was, now)


def _tools(manifest: Mapping[str, Json]) -> dict[str, Mapping[str, Json]]:
    """The tools by their names, in their order."""
    listed = (tool for tool in manifest.get("tools", ()) if isinstance(tool, dict))
    return {tool["name"]: tool for tool in listed if isinstance(tool.get("name"), str)}


def _annotations(tool: Mapping[str, Json]) -> Mapping[str, Json]:
    said = tool.get("annotations")
    return said if isinstance(said, dict) else {}


def _capabilities(manifest: Mapping[str, Json]) -> Mapping[str, Json]:
    said = manifest.get("capabilities")
    return said if isinstance(said, dict) else {}
