"""None of these texts is anywhere in what came back, in any spelling.

Searched is all that the subject answered with: manifest, output, content, headers, standard error, raw bytes.
Spellings are plain, folded, JSON-escaped, URL-encoded, hex, base64, and digits with other separators.

expect:
  excludes: [alice@example.com, /Users/alice]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._roots import came_back
from evalkit.model import Evidence, Finding, Json, Observation
from evalkit.spellings import Hit, needles_for
from evalkit.values import ABSENT, encode, find, quick_json

READS_MANIFEST: Final = True
SCHEMA: Final[Json] = {
    "description": "Texts that must not come back, in any spelling.",
    "type": "array",
    "minItems": 1,
    "items": {"type": "string", "minLength": 1},
}
CODES: Final[Mapping[str, str]] = {
    "text-found": "A text that must not come back was found.",
    "nothing-came-back": "The step gave no answer in which anything could be looked for.",
}
_LONGEST_WHOLE: Final = 400
_MOST_PLACES: Final = 5


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each text, with every place where it was found."""
    seen = evidence.observation
    came = _searched(seen)
    if not came and not seen.raw:
        yield Finding("nothing-came-back", "nothing came back")
        return
    needles = needles_for({str(index): text for index, text in enumerate(wanted)})
    manifest = came.pop("manifest", ABSENT)
    hits = needles.search(came)
    if manifest is not ABSENT:
        hits += needles.search_known(manifest, quick_json(manifest), "manifest")
    for index, piece in enumerate(seen.raw):
        hits += needles.search(piece, f"raw.{index}")
    if hits:
        for at, text in enumerate(wanted):
            found = [hit for hit in hits if hit.name == str(at)]
            if found:
                yield _finding(text, found, seen, at)


def _searched(observation: Observation) -> dict[str, Json]:
    """What came back, the output first; a tool result that repeats it is not searched twice."""
    came = came_back(observation)
    output, result = came.get("output", ABSENT), came.get("toolResult")
    if output is ABSENT:
        return came
    if isinstance(result, dict) and result.get("structuredContent", ABSENT) is output:
        came["toolResult"] = {key: value for key, value in result.items() if key != "structuredContent"}
    return {"output": output, **came}


def _finding(text: str, hits: list[Hit], seen: Observation, at: int) -> Finding:
    places = [f"{hit.path} ({hit.spelling})" for hit in hits[:_MOST_PLACES]]
    more = f" and {len(hits) - _MOST_PLACES} more" if len(hits) > _MOST_PLACES else ""
    times = "once" if len(hits) == 1 else f"in {len(hits)} places"
    message = f"{encode(text)} must not come back, and was found {times}: {', '.join(places)}{more}"
    return Finding("text-found", message, hits[0].path, ABSENT, _around(text, hits[0], seen), (at,))


def _around(text: str, hit: Hit, seen: Observation) -> str:
    """The string in which it was found, whole where it is short: a cut could halve a secret beside it."""
    node = find(seen.roots, hit.path)
    if isinstance(node, str) and len(node) <= _LONGEST_WHOLE and needles_for({"": text}).search(node):
        return node
    return hit.excerpt.replace(f"<secret {hit.name}>", text)
