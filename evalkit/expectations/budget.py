"""The answer is at most so large, and took at most so many source calls.

Measured is the structured output, or where there is none the tool result or the wire's answer: of `manifest`
the manifest, of `rpc` the answer, of `http` the body, of `sse` the events, of `cli` standard output.
A text is measured as it is, anything else as compact JSON: `chars` in UTF-16 units, `bytes` in UTF-8,
`tokens` as a quarter of `chars`, rounded up. `items` counts `output.items`, or an output that is an array.
`sourceCalls` is the sum over all sources that this step asked.

expect:
  budget: {chars: 20000, tokens: 5000, items: 25, sourceCalls: 1}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.errors import CapabilityMissing
from evalkit.expectations._measures import BUDGET_CODES, exceeded, tokens
from evalkit.expectations._sources import SOURCE_LOG
from evalkit.expectations._texts import text_of
from evalkit.model import Evidence, Finding, Json
from evalkit.values import ABSENT, find, utf16_length

_LIMIT: Final[Json] = {"type": "integer", "minimum": 0}
SCHEMA: Final[Json] = {
    "description": "How large the answer may be, and how many source calls it may take.",
    "type": "object",
    "minProperties": 1,
    "additionalProperties": False,
    "properties": {
        "chars": {**_LIMIT, "description": "UTF-16 units, as JavaScript counts."},
        "bytes": {**_LIMIT, "description": "Bytes in UTF-8."},
        "tokens": {**_LIMIT, "description": "A quarter of the characters, rounded up."},
        "items": {**_LIMIT, "description": "Items of `output.items`, or of an output that is an array."},
        "sourceCalls": {**_LIMIT, "description": "How often this step asked its sources, all together."},
    },
}
CODES: Final[Mapping[str, str]] = {
    "nothing-measured": "The step gave no answer of the kind that the budget measures.",
    **BUDGET_CODES,
}
_MEASURED: Final[Mapping[str, tuple[str, ...]]] = {
    "manifest": ("manifest",),
    "tool": ("output", "toolResult"),
    "rpc": ("rpc", "response.body"),
    "http": ("response.body",),
    "sse": ("events",),
    "cli": ("process.stdout",),
}


def needs(wanted: Json) -> frozenset[str]:
    """The capabilities that a live target must provide for this."""
    return frozenset({SOURCE_LOG}) if "sourceCalls" in wanted else frozenset()


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each limit passed. Raise CapabilityMissing where source calls are not known."""
    if "sourceCalls" in wanted and not evidence.source_calls:
        raise CapabilityMissing("budget.sourceCalls needs a target that says which of its sources were asked")
    if not wanted.keys().isdisjoint(("chars", "bytes", "tokens")):
        yield from _too_large(evidence, wanted)
    if "items" in wanted:
        yield from _too_many(evidence, wanted["items"])
    if "sourceCalls" in wanted:
        calls = sum(evidence.source_calls.values())
        yield from exceeded("source calls", calls, wanted["sourceCalls"], "sources", ("sourceCalls",))


def _too_large(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    places = _MEASURED.get(evidence.call.operation, ("output", "rpc"))
    found = ((path, find(evidence.observation.roots, path)) for path in places)
    path, answer = next((pair for pair in found if pair[1] is not ABSENT), ("", ABSENT))
    if answer is ABSENT:
        yield Finding("nothing-measured", f"there is no {' and no '.join(places)}", places[0])
        return
    text = text_of(answer)
    chars = utf16_length(text)
    sizes = {"chars": chars, "bytes": len(text.encode(errors="surrogatepass")), "tokens": tokens(chars)}
    for measure, size in sizes.items():
        if measure in wanted:
            yield from exceeded(measure, size, wanted[measure], path, (measure,))


def _too_many(evidence: Evidence, limit: int) -> Iterator[Finding]:
    output = evidence.observation.roots.get("output", ABSENT)
    items = output.get("items", ABSENT) if isinstance(output, dict) else output
    path = "output.items" if isinstance(output, dict) else "output"
    if isinstance(items, list):
        yield from exceeded("items", len(items), limit, path, ("items",))
    else:
        yield Finding("nothing-measured", f"{path} is no array", path, limit, items, ("items",))
