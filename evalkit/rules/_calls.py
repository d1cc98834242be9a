"""What the rules of tool calls read: the result, its texts, the tool as it is advertised, and its schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.errors import CapabilityMissing
from evalkit.model import Evidence, Json, Path
from evalkit.rules import revision_of
from evalkit.rules._answers import answer_of
from evalkit.rules._compiled import compiled
from evalkit.rules._listed import Advertised, Listed
from evalkit.schemas import Schema, SchemaError
from evalkit.values import ABSENT

TOOL: Final = frozenset({"tool"})
RESULT: Final = "toolResult"
COMPLETE: Final = "complete"
"""The `resultType` of a result; with another one the server asks for more first."""


def result_of(evidence: Evidence) -> Json:
    """The tool result, whatever it is. Raises CapabilityMissing where the call was answered without one."""
    result = evidence.observation.roots.get(RESULT, ABSENT)
    if result is ABSENT:
        raise CapabilityMissing("the call was answered with an error, so there is no result to judge")
    kind = result.get("resultType") if isinstance(result, dict) else None
    if isinstance(kind, str) and kind != COMPLETE:
        raise CapabilityMissing("the server asks for more before it gives a result")
    return result


def success_of(evidence: Evidence) -> Mapping[str, Json]:
    """The result of a call that went well; empty where it is no object. Raises CapabilityMissing."""
    result = result_of(evidence)
    if has_failed(result):
        raise CapabilityMissing("the tool failed, so there is no output to judge")
    return result if isinstance(result, dict) else {}


def has_failed(result: Json) -> bool:
    """Whether a result says that it is an error."""
    return isinstance(result, dict) and result.get("isError") is True


def blocks_of(result: Json) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Path and content of each block that is an object."""
    content = result.get("content") if isinstance(result, dict) else None
    for index, block in enumerate(content if isinstance(content, list) else ()):
        if isinstance(block, dict):
            yield f"{RESULT}.content.{index}", block


def texts_of(result: Json) -> Iterator[tuple[str, str]]:
    """Path and text of each block that is one of text."""
    for path, block in blocks_of(result):
        if block.get("type") == "text" and isinstance(block.get("text"), str):
            yield f"{path}.text", block["text"]


def nodes_of(value: Json, place: Path) -> Iterator[tuple[Path, Json]]:
    """Every value within a value, and itself, with its place; however deep it is nested."""
    nodes = [(place, value)]
    for at, node in nodes:  # grows while it is read
        yield at, node
        if isinstance(node, dict):
            nodes += [((*at, key), inner) for key, inner in node.items()]
        elif isinstance(node, list):
            nodes += [((*at, index), inner) for index, inner in enumerate(node)]


def error_of(evidence: Evidence) -> Json:
    """The error with which the call was answered, whatever it is; ABSENT where it was none."""
    return answer_of(evidence).get("error", ABSENT)


def listing_of(evidence: Evidence) -> list[Json]:
    """What the manifest lists. Raises CapabilityMissing where it lists nothing that can be judged by."""
    manifest = evidence.observation.roots.get("manifest")
    listed = manifest.get("tools") if isinstance(manifest, dict) else None
    if not isinstance(listed, list):
        raise CapabilityMissing("the manifest has no array of tools to judge the call by")
    return listed


def tool_of(evidence: Evidence) -> Listed | None:
    """The tool that was called, as the manifest lists it. Raises CapabilityMissing where there is no list."""
    name = evidence.call.words["tool"]
    for at, tool in enumerate(listing_of(evidence)):
        if isinstance(tool, dict) and tool.get("name") == name:
            return Listed(at, name, tool, revision_of(evidence))
    return None


def schema_of(evidence: Evidence, key: str) -> Advertised | None:
    """An advertised schema of the tool that was called; None where it has none that is an object."""
    tool = tool_of(evidence)
    schema = tool.tool.get(key) if tool else None
    return Advertised(tool, key, schema) if tool and isinstance(schema, dict) else None


def compiled_or_skip(advertised: Advertised) -> Schema:
    """The compiled schema. Raises CapabilityMissing where it is none, which a rule of schemas tells."""
    usable = compiled(advertised)
    if isinstance(usable, SchemaError):
        told = f"the {advertised.key} of {advertised.of.name} cannot be judged by: {usable.message}"
        raise CapabilityMissing(told)
    return usable.schema
