"""So many more runs, each on a fresh World, answer with the same bytes.

Compared is each root that came back, as compact JSON with its keys in order; headers are left out.

expect:
  repeatable: 2
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._roots import NOTHING, came_back
from evalkit.model import Evidence, Finding, Json, Observation, Rerun
from evalkit.values import ABSENT, quick_json

READS_MANIFEST: Final = True
SCHEMA: Final[Json] = {
    "type": "integer",
    "minimum": 1,
    "maximum": 100,
    "description": "How many more runs must answer with the same bytes.",
}
CODES: Final[Mapping[str, str]] = {
    "runs-differ": "A second run on a fresh World answered with other bytes.",
    **NOTHING,
}


def extras(wanted: Json) -> tuple[Rerun]:
    """Ask for the extra runs."""
    return (Rerun(wanted),)


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each run and each root that differs from the first."""
    first = _answer(evidence.observation)
    if not first:
        yield Finding("nothing-to-compare", "nothing came back")
    (runs,) = evidence.reruns
    for number, run in zip(range(2, wanted + 2), runs, strict=True):
        again = _answer(run)
        for root in dict.fromkeys((*first, *again)):
            before, after = first.get(root, ABSENT), again.get(root, ABSENT)
            if before is ABSENT or after is ABSENT or quick_json(before) != quick_json(after):
                yield Finding("runs-differ", f"{root} differs in run {number}", root, before, after)


def _answer(observation: Observation) -> dict[str, Json]:
    answer = came_back(observation)
    response = answer.get("response")
    if isinstance(response, dict):
        answer["response"] = {key: value for key, value in response.items() if key != "headers"}
    return answer
