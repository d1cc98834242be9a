"""The same call over each of these ways in, on a fresh World each, gives the same result.

Of a tool the result is whether it failed and its structured output, or its content where it has none;
of `manifest` the manifest, of `rpc` the answer. `ignoring` takes paths that may differ.
A command line and a request tell failures in words of their own: of these only the failing is compared.

expect:
  parity: {over: [direct, mcp, http], ignoring: [output.requestId]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._ignoring import IGNORING, without
from evalkit.expectations._plain import PLAIN
from evalkit.expectations._roots import NOTHING
from evalkit.model import Evidence, Finding, Json, Observation, Rerun
from evalkit.values import ABSENT, find, same

OPERATIONS: Final = frozenset({"manifest", "tool", "rpc"})
SCHEMA: Final[Json] = {
    "description": "Ways in over which the same call gives the same result, but for what `ignoring` names.",
    "type": "object",
    "required": ["over"],
    "additionalProperties": False,
    "properties": {
        "over": {
            "type": "array",
            "minItems": 1,
            "uniqueItems": True,
            "items": {"enum": ["direct", "mcp", "http", "cli"]},
        },
        "ignoring": IGNORING,
    },
}
CODES: Final[Mapping[str, str]] = {
    "surfaces-differ": "The same call gives another result over another way in.",
    **NOTHING,
}

_CONTENT: Final = "toolResult.content"


def paths(wanted: Json) -> Iterator[str]:
    """The paths that are ignored."""
    yield from wanted.get("ignoring", ())


def extras(wanted: Json) -> tuple[Rerun, ...]:
    """Ask for one more run over each way in."""
    return tuple(Rerun(1, over) for over in wanted["over"])


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each way in and each part of the result that differs from what this step got."""
    ignoring = tuple(wanted.get("ignoring", ()))
    here = _result(evidence.observation, evidence.call.operation)
    if not here:
        yield Finding("nothing-to-compare", f"there is no result over {evidence.over}")
    for index, (over, (run,)) in enumerate(zip(wanted["over"], evidence.reruns, strict=True)):
        there = _result(run, evidence.call.operation)
        compared = dict.fromkeys((*here, *there))
        if not PLAIN.isdisjoint((evidence.over, over)):
            compared.pop(_CONTENT, None)
        for path in compared:
            left = without(here.get(path, ABSENT), path, ignoring)
            right = without(there.get(path, ABSENT), path, ignoring)
            if not same(left, right):
                message = f"{path} over {over} differs from {evidence.over}"
                yield Finding("surfaces-differ", message, path, left, right, ("over", index))


def _result(observation: Observation, operation: str) -> dict[str, Json]:
    roots = observation.roots
    result = roots.get("toolResult")
    if operation == "tool" and isinstance(result, dict):
        key = "output" if "output" in roots else _CONTENT
        return {"toolResult.isError": result.get("isError", False), key: find(roots, key)}
    path = {"tool": "rpc.error"}.get(operation, operation)
    answer = find(roots, path)
    return {} if answer is ABSENT else {path: answer}
