"""All sources, or those named, hold what they held before the step; of a database, its business rows.

expect:
  unchanged: true

expect:
  unchanged: [workspaces, brain]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.errors import CapabilityMissing
from evalkit.expectations._sources import SOURCE_LOG
from evalkit.model import Evidence, Finding, Json, Snapshots
from evalkit.values import ABSENT, same

SCHEMA: Final[Json] = {
    "description": "true for every source, or the names of those that the step must leave as they were.",
    "anyOf": [
        {"const": True},
        {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string", "minLength": 1}},
    ],
}
CODES: Final[Mapping[str, str]] = {"source-changed": "A source holds something else than before the step."}


def needs(wanted: Json) -> frozenset[str]:
    """The capabilities that a live target must provide for this."""
    return frozenset({SOURCE_LOG})


def extras(wanted: Json) -> tuple[type[Snapshots]]:
    """Ask for what the sources held before and after the step."""
    return (Snapshots,)


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each source that changed. Raise CapabilityMissing where one cannot be seen."""
    seen = evidence.snapshots
    if seen is None or not seen.before:
        raise CapabilityMissing("unchanged needs a target that shows what its sources hold")
    both = dict.fromkeys((*seen.before, *seen.after))
    unseen = [] if wanted is True else [name for name in wanted if name not in both]
    if unseen:
        raise CapabilityMissing(f"unchanged asks for {', '.join(unseen)}, which the target does not show")
    for name in both if wanted is True else wanted:
        before, after = seen.before.get(name, ABSENT), seen.after.get(name, ABSENT)
        if not same(before, after):
            at = () if wanted is True else (wanted.index(name),)
            yield Finding(
                "source-changed", f"the source {name} changed", f"sources.{name}", before, after, at
            )
