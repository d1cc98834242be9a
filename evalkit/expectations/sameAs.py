"""Each path holds what an earlier step's path held, but for the paths of this step that `ignoring` names.

The compared paths are dotted ones; an ignored one may be a JSONPath.

steps:
  - {id: first, operation: tool, tool: list_context, expect: {isError: false}}
  - id: again
    operation: tool
    tool: list_context
    expect:
      sameAs:
        output: steps.first.output
        ignoring: [output.generatedAt]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._ignoring import IGNORING, without
from evalkit.expectations._paths import MISSING, nodes, nothing_at
from evalkit.model import Evidence, Finding, Json, Path
from evalkit.values import ABSENT, same

_PATH: Final[Json] = {"type": "string", "minLength": 1, "pattern": "^[^$]"}
SCHEMA: Final[Json] = {
    "description": "Path of this step → path of an earlier one (steps.ID.…) that holds the same value.",
    "type": "object",
    "minProperties": 1,
    "propertyNames": _PATH,
    "properties": {"ignoring": IGNORING},
    "additionalProperties": _PATH,
}
CODES: Final[Mapping[str, str]] = {
    "not-the-same": "The value at the path is another one than in the earlier step.",
    **MISSING,
}


def paths(wanted: Json) -> Iterator[str]:
    """The compared paths of both steps, and the ignored ones."""
    for path, other in wanted.items():
        yield from (path, other) if path != "ignoring" else other


def check(wanted: Json) -> Iterator[tuple[Path, str]]:
    """Yield where nothing is compared."""
    if wanted.keys() == {"ignoring"}:
        yield ("ignoring",), "`ignoring` alone compares nothing; name a path, such as output: steps.ID.output"


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each path that leads nowhere or whose value is not the earlier one."""
    ignoring = tuple(wanted.get("ignoring", ()))
    for path, other in wanted.items():
        if path == "ignoring":
            continue
        here, there = nodes(evidence, path), nodes(evidence, other)
        if not here:
            yield nothing_at(path, ABSENT, (path,))
        if not there:
            yield nothing_at(other, ABSENT, (path,))
        if here and there:
            left, right = (without(found[0][1], path, ignoring) for found in (here, there))
            if not same(left, right):
                message = f"{path} is not what {other} was"
                yield Finding("not-the-same", message, path, right, left, (path,))
