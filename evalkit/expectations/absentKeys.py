"""No object at any depth of the structured output has one of these keys.

expect:
  absentKeys: [repoPath, privateBody]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from evalkit.expectations._results import OUTPUT_CODES, OUTPUTS, no_output
from evalkit.model import Evidence, Finding, Json, Path
from evalkit.values import ABSENT, dotted

OPERATIONS: Final = OUTPUTS
SCHEMA: Final[Json] = {
    "type": "array",
    "minItems": 1,
    "items": {"type": "string"},
    "description": "Keys that no object of the structured output may have, however deep.",
}
CODES: Final[Mapping[str, str]] = {
    "key-found": "An object of the structured output has a key that must not be there.",
    **OUTPUT_CODES,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each place where one of the keys stands."""
    output = evidence.observation.roots.get("output", ABSENT)
    if output is ABSENT:
        yield no_output(evidence)
        return
    keys = frozenset(wanted)
    if not _holds_any(output, keys):
        return
    for path, key, value in _keyed(output, keys):
        where = dotted(path)
        yield Finding("key-found", f"the key stands at {where}", where, ABSENT, value, (wanted.index(key),))


def _holds_any(output: Json, keys: frozenset[str]) -> bool:
    waiting = [output]
    for node in waiting:
        if isinstance(node, dict):
            if not keys.isdisjoint(node):
                return True
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
    return False


def _keyed(output: Json, keys: frozenset[str]) -> Iterator[tuple[Path, str, Json]]:
    waiting: list[tuple[Path, Json]] = [(("output",), output)]
    while waiting:
        path, node = waiting.pop()
        if isinstance(node, dict):
            if not keys.isdisjoint(node):
                yield from (((*path, key), key, node[key]) for key in node if key in keys)
            inside: Iterable[tuple[str | int, Json]] = node.items()
        elif isinstance(node, list):
            inside = enumerate(node)
        else:
            continue
        waiting += [((*path, part), inner) for part, inner in inside if isinstance(inner, (dict, list))][::-1]
