"""Decides what becomes of a request id that was seen before (spec C.4)."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from ..store import Remembered
from .nouns import Json, Refused

Verdict: TypeAlias = Literal["new", "replay", "conflict", "expired"]

CONFLICT: Final = "requestId was already used for a different tool call"
EXPIRED: Final = "requestId result has expired and cannot be replayed safely"


class Memory(NamedTuple):
    """How much is remembered: the newest results; then fingerprints alone, so many and so many seconds."""

    results: int = 500
    fingerprints: int = 10_000
    seconds: float = 24 * 60 * 60


def verdict(known: Remembered | None, fingerprint: str, before: float) -> Verdict:
    """What a request is, given what is known of its id.

    A fingerprint without a result that is older than `before` (seconds since the epoch) counts as forgotten.
    """
    if known is None or (known.result is None and known.at < before):
        return "new"
    if known.fingerprint != fingerprint:
        return "conflict"
    return "expired" if known.result is None else "replay"


def repeat(verdict: Verdict, known: Remembered) -> Json | Refused:
    """The answer to a request that is not new: the stored result marked as a duplicate, or the refusal."""
    if verdict == "replay":
        return {**known.result, "duplicate": True}
    if verdict == "conflict":
        return Refused("TOOL_IDEMPOTENCY_CONFLICT", CONFLICT)
    return Refused("TOOL_IDEMPOTENCY_EXPIRED", EXPIRED)
