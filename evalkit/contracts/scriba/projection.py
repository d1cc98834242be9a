"""Writes what was found as the document `scriba.context.v1`, in the order of its tables (spec 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from . import times
from .budget_nouns import Values
from .grants import GrantSummary
from .nouns import Instant, Json
from .sources import Source

_KINDS: Final = ("quota", "budget", "grants", "policy-events")


def show_source(source: Source) -> Json:
    """One source (spec 1.2)."""
    return _without_none(
        {
            "sourceId": f"{source.provider_id}-{source.kind}",
            "kind": source.kind,
            "availability": source.availability,
            "observedAt": _text(source.observed_at),
            "generatedAt": _text(source.generated_at),
            "ageMs": source.age_ms,
            "stale": source.stale,
            "provenance": [{"source": name} for name in source.provenance],
            "reasonCode": source.reason,
        }
    )


def show_window(key: str, values: Values) -> Json:
    """One window (spec 1.4): its values are null where they are unknown, never left out."""
    return {
        "key": key,
        "usedPercent": values.used_percent,
        "remainingPercentPoints": values.remaining,
        "resetAt": _text(values.reset_at),
    }


def show_grants(summary: GrantSummary) -> Json:
    """Grants (spec 1.6)."""
    return _without_none(
        {"availableCount": summary.available, "earliestExpiryAt": _text(summary.earliest_expiry)}
    )


def show_provider(
    provider_id: str, profile_id: str, windows: Sequence[Json], budgets: Sequence[Json], grants: Json
) -> Json:
    """One provider with its one profile (spec 1.3)."""
    profile = {
        "profileId": profile_id,
        "windows": windows,
        "budgets": budgets,
        "grants": grants,
        "sourceIds": [f"{provider_id}-{kind}" for kind in _KINDS],
    }
    return {"providerId": provider_id, "profiles": [profile]}


def show_document(
    now: Instant, sources: Sequence[Source], providers: Sequence[Json], events: Sequence[Json]
) -> Json:
    """The whole document (spec 1.1)."""
    return {
        "schemaVersion": "scriba.context.v1",
        "generatedAt": times.format(now),
        "sources": [show_source(source) for source in sources],
        "providers": providers,
        "events": events,
    }


def newest_first(events: Sequence[Json]) -> list[Json]:
    """Events as a document lists them: by time of detection and then by id, both descending (spec 1.8)."""
    by_id = sorted(events, key=lambda event: event["id"], reverse=True)
    return sorted(by_id, key=lambda event: _nanoseconds(event["detectedAt"]), reverse=True)


def _text(instant: Instant | None) -> str | None:
    return None if instant is None else times.format(instant)


def _nanoseconds(text: str) -> int:
    instant = times.parse(text)
    return 0 if instant is None else instant.nanoseconds


def _without_none(members: Json) -> Json:
    return {name: value for name, value in members.items() if value is not None}
