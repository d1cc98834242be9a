"""Twins that let too much of a stored event out, or hide what may be shown (spec 4)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from evalkit.contracts.scriba.ledger_nouns import EventRow
from evalkit.contracts.scriba.minimising import Show, Undecodable, only_sound, public_event
from evalkit.contracts.scriba.nouns import Json
from evalkit.contracts.scriba.pages import PAGE_RULES
from tests.twins.twin import Twin, twin_of


def _showing(name: str, *promised_by: str, show: Callable[[EventRow, str], Json | None]) -> tuple[Twin, Twin]:
    """The same fault in the context and in pages."""
    return (
        twin_of("scriba", f"{name}, in the context", *promised_by, show_event=show),
        twin_of("scriba", f"{name}, in pages", *promised_by, pages=PAGE_RULES._replace(public_event=show)),
    )


def _with_payload(row: EventRow, profile_id: str) -> Json | None:
    event = public_event(row, profile_id)
    return event and {**event, "data": {**event["data"], "payload": row.payload_json}}


def _as_it_is(row: EventRow, profile_id: str) -> Json | None:
    """What cannot be decoded is shown with what is known of it."""
    try:
        return public_event(row, profile_id)
    except Undecodable:
        return _bare(row, profile_id, row.rule_kind, {})


def _bare(row: EventRow, profile_id: str, kind: str, data: Json) -> Json:
    return {
        "schemaVersion": "scriba.event.v1",
        "id": row.id,
        "providerId": row.provider_id,
        "profileId": profile_id,
        "kind": kind,
        "detectedAt": row.detected_at,
        "data": data,
    }


def _raw_kind(row: EventRow, profile_id: str) -> Json | None:
    event = public_event(row, profile_id)
    return event and {**event, "kind": row.event_kind}


def _with_nulls(row: EventRow, profile_id: str) -> Json | None:
    event = public_event(row, profile_id)
    return event and {**event, "data": {"resetAt": None, "earliestExpiryAt": None, **event["data"]}}


def _with_epoch(row: EventRow, profile_id: str) -> Json | None:
    """Where a time is missing, there is the beginning of time."""
    event = public_event(row, profile_id)
    if event is not None:
        return event
    epoch = "1970-01-01T00:00:00Z"
    return _bare(row, profile_id, row.rule_kind, {"expiresAt": epoch, "resetAt": epoch})


def _by_the_row(row: EventRow, profile_id: str) -> Json | None:
    """The profile is not the one that was asked for."""
    return public_event(row, "personal")


def _strict_numbers(row: EventRow, profile_id: str) -> Json | None:
    payload = json.loads(row.payload_json)
    event = public_event(row, profile_id)
    expected = {"limit_warning": "used_percent", "reset_grant": "available_count"}.get(row.event_kind)
    if expected and not isinstance(payload.get(expected), (int, float)):
        raise Undecodable
    return event


def _nothing_at_all(rows: Sequence[EventRow], show: Show) -> list[Json]:
    try:
        return [event for row in rows if (event := show(row))]
    except Undecodable:
        return []


def _one_too_few(rows: Sequence[EventRow], show: Show) -> list[Json]:
    """One fewer than were read."""
    return only_sound(rows, show)[: len(rows) - 1 if len(rows) > 1 else None]


def _any_order(events: Sequence[Json]) -> list[Json]:
    return sorted(events, key=lambda event: event["id"], reverse=True)


def _ties_ascending(events: Sequence[Json]) -> list[Json]:
    by_id = sorted(events, key=lambda event: event["id"])
    return sorted(by_id, key=lambda event: event["detectedAt"], reverse=True)


TWINS: tuple[Twin, ...] = (
    twin_of(
        "scriba",
        "a context hides every event",
        "event-gate-others[ours]",
        "event-profile",
        choose_events=lambda rows, show: [],
    ),
    *_showing("the payload is shown with an event", "event-kinds", show=_with_payload),
    *_showing("an unknown event kind is passed through", "event-gate", show=_as_it_is),
    *_showing("the stored kind is the public one", "event-kinds", show=_raw_kind),
    *_showing(
        "a time that is not there is null",
        "event-kinds[no-reset-time]",
        "event-kinds[quirk-no-count]",
        show=_with_nulls,
    ),
    *_showing("a time that is missing is made up", "event-without-time", show=_with_epoch),
    *_showing("an event bears the default profile", "event-profile", show=_by_the_row),
    *_showing(
        "a number that is missing hides its event",
        "event-kinds[quirk-no-numbers]",
        "event-kinds[quirk-no-count]",
        show=_strict_numbers,
    ),
    twin_of(
        "scriba",
        "a context passes over what it cannot decode",
        "event-gate",
        "event-gate-others[theirs]",
        choose_events=only_sound,
    ),
    twin_of(
        "scriba",
        "a context that cannot decode a row has read its events",
        "event-gate",
        choose_events=_nothing_at_all,
    ),
    twin_of(
        "scriba",
        "a context has one event too few",
        "event-gate-old",
        "event-order",
        choose_events=_one_too_few,
    ),
    twin_of(
        "scriba", "events of a context are in the order of their ids", "event-order", event_order=_any_order
    ),
    twin_of("scriba", "events of one moment ascend by their ids", "event-order", event_order=_ties_ascending),
)
