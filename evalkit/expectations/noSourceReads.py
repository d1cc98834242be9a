"""The step asked no source at all.

expect:
  isError: true
  noSourceReads: true
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.errors import CapabilityMissing
from evalkit.expectations._sources import SOURCE_LOG
from evalkit.model import Evidence, Finding, Json

SCHEMA: Final[Json] = {"const": True, "description": "The step must ask no source."}
CODES: Final[Mapping[str, str]] = {"source-read": "The step asked a source, and must not."}


def needs(wanted: Json) -> frozenset[str]:
    """The capabilities that a live target must provide for this."""
    return frozenset({SOURCE_LOG})


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each source asked. Raise CapabilityMissing where no source is known."""
    if not evidence.source_calls:
        raise CapabilityMissing("noSourceReads needs a target that names its sources")
    for source, calls in evidence.source_calls.items():
        if calls:
            path = f"sources.{source}.calls"
            yield Finding(
                "source-read", f"{source} was asked {_times(calls)}", path, expected=0, actual=calls
            )


def _times(calls: int) -> str:
    return "once" if calls == 1 else f"{calls} times"
