"""Words that map paths to what is wanted: their shape, the nodes they speak of, the loop over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from evalkit.model import Evidence, Finding, Json, Path
from evalkit.values import ABSENT, Node, kind_of, root_of, select

MISSING: Final[Mapping[str, str]] = {
    "path-missing": "The path led nowhere, and a check of nothing never passes.",
}
WRONG_TYPE: Final[Mapping[str, str]] = {
    "wrong-type": "What the path leads to is of a type that this word cannot judge.",
}
_PATH: Final[Json] = {"type": "string", "minLength": 1}


class Fault(NamedTuple):
    """Why one node does not hold; `actual` is the node itself unless something else says it better."""

    code: str
    message: str
    actual: Json = ABSENT


Judge: TypeAlias = Callable[[Json, Json], Fault | None]


def by_path(value: Json, description: str) -> Json:
    """The schema of a word that is written `{path: value}` or, like PortOS, `[{path, value}]`."""
    return {
        "description": description,
        "type": ["object", "array"],
        "minProperties": 1,
        "propertyNames": {"minLength": 1},
        "additionalProperties": value,
        "minItems": 1,
        "items": {
            "type": "object",
            "required": ["path", "value"],
            "additionalProperties": False,
            "properties": {"path": _PATH, "value": value},
        },
    }


def paths_alone(description: str) -> Json:
    """The schema of a word that is written `[path, …]`."""
    return {"description": description, "type": "array", "minItems": 1, "items": _PATH}


def paths_or(value: Json, description: str) -> Json:
    """The schema of a word that is written `[path, …]`, or with more said of some paths."""
    schema = by_path(value, description)
    return {**schema, "items": {**schema["items"], "type": ["object", "string"], "minLength": 1}}


def pairs(wanted: Json) -> Iterator[tuple[str, Json, Path]]:
    """Each path, what is wanted there (True where only the path is written), and where that stands."""
    if isinstance(wanted, dict):
        for path, value in wanted.items():
            yield path, value, (path,)
        return
    for index, entry in enumerate(wanted):
        if isinstance(entry, str):
            yield entry, True, (index,)
        else:
            yield entry["path"], entry["value"], (index, "value")


def paths(wanted: Json) -> Iterator[str]:
    """The paths that a word reads, in any of the three ways of writing."""
    return (path for path, _, _ in pairs(wanted))


def nodes(evidence: Evidence, path: str) -> list[Node]:
    """Every node at a path of this step, or of an earlier one (`steps.ID.…`)."""
    if root_of(path) != "steps":
        return select(evidence.observation.roots, path)
    earlier = {name: observation.roots for name, observation in evidence.earlier.items()}
    return select({"steps": earlier}, path)


def judged(evidence: Evidence, wanted: Json, judge: Judge) -> Iterator[Finding]:
    """One finding for each path that leads nowhere and for each node that `judge(node, value)` faults."""
    for path, value, at in pairs(wanted):
        found = nodes(evidence, path)
        if not found:
            yield nothing_at(path, value, at)
        for where, node in found:
            fault = judge(node, value)
            if fault is not None:
                actual = node if fault.actual is ABSENT else fault.actual
                yield Finding(fault.code, f"{where} {fault.message}", where, value, actual, at)


def nothing_at(path: str, value: Json, at: Path) -> Finding:
    """The finding for a path that leads nowhere."""
    return Finding("path-missing", f"{path} leads nowhere", path, expected=value, at=at)


def wrong_type(node: Json, wanted: str) -> Fault:
    """The fault of a node that the word cannot judge; `wanted` names what it can."""
    return Fault("wrong-type", f"is of type {kind_of(node)}, and this word judges {wanted}")
