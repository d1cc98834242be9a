"""Says whether an answer rests on a stale source (spec A.8)."""

from __future__ import annotations

from collections.abc import Iterable

from .vocabulary import Json


def freshness(statuses: Iterable[Json]) -> str:
    """`stale` if any source says exactly `stale`; whatever else a source says means `fresh`."""
    return "stale" if any(status == "stale" for status in statuses) else "fresh"
