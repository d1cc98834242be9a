"""Twins that show the wrong thing: grants, events, and the document as a whole (spec 1, 2.7, 2.9, 4)."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from evalkit.contracts.scriba import grants, minimising, projection, sources, times
from evalkit.contracts.scriba.budget_nouns import Values
from evalkit.contracts.scriba.grants import Grants, GrantSummary
from evalkit.contracts.scriba.ledger_nouns import EventRow
from evalkit.contracts.scriba.nouns import Instant, Json
from evalkit.contracts.scriba.pages import PAGE_RULES
from evalkit.contracts.scriba.seeding.canaries import account_ref
from evalkit.contracts.scriba.snapshots import Credit, Line
from evalkit.contracts.scriba.sources import Age, Outcome, Sighting, Source
from tests.twins.twin import Twin, twin_of

_HOME: Final = account_ref("home")
"""What the databases call the account of the fixtures."""


def _twin(name: str, *promised_by: str, **change: Any) -> Twin:
    return twin_of("scriba", name, *promised_by, **change)


def _only_credits(lines: Sequence[Line], credits: Sequence[Credit]) -> Grants:
    return grants.find_grants((), credits)


def _only_lines(lines: Sequence[Line], credits: Sequence[Credit]) -> Grants:
    return grants.find_grants(lines, ())


def _any_status(lines: Sequence[Line], credits: Sequence[Credit]) -> Grants:
    return grants.find_grants(lines, [one._replace(status="available") for one in credits])


def _credits_before_lines(lines: Sequence[Line], credits: Sequence[Credit]) -> Grants:
    found = grants.find_grants(lines, credits)
    return found._replace(available=len(found.kept)) if found.kept else found


def _labels_in_any_case(lines: Sequence[Line], credits: Sequence[Credit]) -> Grants:
    return grants.find_grants([one._replace(label=one.label.capitalize()) for one in lines], credits)


def _halves(lines: Sequence[Line], credits: Sequence[Credit]) -> Grants:
    whole = [one._replace(value=int(one.value)) if isinstance(one.value, float) else one for one in lines]
    return grants.find_grants(whole, credits)


def _without_time_too(lines: Sequence[Line], credits: Sequence[Credit]) -> Grants:
    """A credit counts though its expiry is no time."""
    found = grants.find_grants(lines, credits)
    count = sum(one.status in ("", "available") for one in credits)
    return found._replace(available=count) if credits and found.available is None else found


def _zero_is_unknown(found: Grants) -> bool:
    return bool(found.available)


def _always_known(found: Grants) -> bool:
    return True


def _never_known(found: Grants) -> bool:
    return False


def _missing_is_available(provider_id: str, origin: str, known: bool, seen: Sighting, age: Age) -> Source:
    return sources.grants_source(provider_id, origin, True, seen, age)


def _never_stale(provider_id: str, origin: str, known: bool, seen: Sighting, age: Age) -> Source:
    return sources.grants_source(provider_id, origin, known, seen, age._replace(stale=False))


def _latest_expiry(found: Grants) -> GrantSummary:
    latest = max((expires for _, expires in found.kept), key=lambda one: one.nanoseconds, default=None)
    return grants.summarise(found)._replace(earliest_expiry=latest or found.expiry)


def _without_status_too(found: Grants) -> GrantSummary:
    return grants.summarise(found)._replace(earliest_expiry=found.expiry)


def _no_expiry(found: Grants) -> GrantSummary:
    return grants.summarise(found)._replace(earliest_expiry=None)


def _null_expiry(summary: GrantSummary) -> Json:
    return {"earliestExpiryAt": None, **projection.show_grants(summary)}


def _count_from_one(summary: GrantSummary) -> Json:
    return {**projection.show_grants(summary), "availableCount": max(summary.available, 1)}


def _read_though_failed(
    provider_id: str, events: Outcome, newest: Sighting | None, age: Age | None
) -> Source:
    return sources.events_source(provider_id, "read", newest, age)


def _missing_without_any(
    provider_id: str, events: Outcome, newest: Sighting | None, age: Age | None
) -> Source:
    return sources.events_source(provider_id, "unavailable" if newest is None else events, newest, age)


def _fresh_events(provider_id: str, events: Outcome, newest: Sighting | None, age: Age | None) -> Source:
    return sources.events_source(provider_id, events, newest, age and age._replace(stale=False))


def _with_owner(row: EventRow, profile_id: str) -> Json | None:
    shown = minimising.public_event(row, profile_id)
    return shown and {**shown, "accountRef": _HOME}


def _naming(private: Callable[[Json], Json]) -> Callable[[EventRow, str], Json | None]:
    """An event whose id, which may be any text, tells something else of what is stored."""

    def show_event(row: EventRow, profile_id: str) -> Json | None:
        shown = minimising.public_event(row, profile_id)
        return shown and {**shown, "id": f"{shown['id']}-{private(json.loads(row.payload_json))}"}

    return show_event


def _leaking(name: str, private: Callable[[Json], Json], *promised_by: str) -> tuple[Twin, Twin]:
    """The same leak in a document and in a page; no schema sees it."""
    show = _naming(private)
    return (
        _twin(name, "CX40", *promised_by, show_event=show),
        _twin(f"{name} of a page", "private-page", pages=PAGE_RULES._replace(public_event=show)),
    )


def _quoted(row: EventRow, profile_id: str) -> Json | None:
    """What cannot be decoded is shown as an event, and quoted."""
    try:
        return minimising.public_event(row, profile_id)
    except minimising.Undecodable:
        return {
            "schemaVersion": "scriba.event.v1",
            "id": row.payload_json,
            "providerId": row.provider_id,
            "profileId": profile_id,
            "kind": "grant_available",
            "detectedAt": row.detected_at,
            "data": {"availableCount": 0},
        }


def _rounded(row: EventRow, profile_id: str) -> Json | None:
    """A number that must be whole is the nearest one."""
    payload = json.loads(row.payload_json)
    whole = {**payload, "threshold_remaining": round(payload.get("threshold_remaining", 0))}
    return minimising.public_event(row._replace(payload_json=json.dumps(whole)), profile_id)


def _whole_payload(row: EventRow, profile_id: str) -> Json | None:
    shown = minimising.public_event(row, profile_id)
    return shown and {**shown, "data": {**json.loads(row.payload_json), **shown["data"]}}


def _unknown_kinds_too(row: EventRow, profile_id: str) -> Json | None:
    try:
        return minimising.public_event(row, profile_id)
    except minimising.Undecodable:
        return {
            "schemaVersion": "scriba.event.v1",
            "id": row.id,
            "kind": row.event_kind,
            "detectedAt": row.detected_at,
        }


def _default_profile(row: EventRow, profile_id: str) -> Json | None:
    return minimising.public_event(row, "default")


def _sound_ones(rows: Sequence[EventRow], show: minimising.Show) -> list[Json]:
    found = []
    for row in rows:
        try:
            found.append(show(row))
        except minimising.Undecodable:
            continue
    return [one for one in found if one is not None]


def _all_or_none(rows: Sequence[EventRow], show: minimising.Show) -> list[Json]:
    """An event that lacks a time hides all."""
    shown = [show(row) for row in rows]
    if None in shown:
        raise minimising.Undecodable
    return shown


def _oldest_first(events: Sequence[Json]) -> list[Json]:
    return projection.newest_first(events)[::-1]


def _by_text(events: Sequence[Json]) -> list[Json]:
    return sorted(events, key=lambda event: event["id"])


def _earlier_id_first(events: Sequence[Json]) -> list[Json]:
    by_id = sorted(events, key=lambda event: event["id"])
    return sorted(by_id, key=lambda event: event["detectedAt"], reverse=True)


def _of_the_profile(
    provider_id: str, profile_id: str, windows: Sequence[Json], budgets: Sequence[Json], shown: Json
) -> Json:
    """Claude, too, is told as one of the profile's."""
    own = "personal" if profile_id == "default" else profile_id
    return projection.show_provider(provider_id, own, windows, budgets, shown)


def _without_budgets(
    provider_id: str, profile_id: str, windows: Sequence[Json], budgets: Sequence[Json], shown: Json
) -> Json:
    return projection.show_provider(provider_id, profile_id, windows, (), shown)


def _ids_in_order(
    provider_id: str, profile_id: str, windows: Sequence[Json], budgets: Sequence[Json], shown: Json
) -> Json:
    provider = projection.show_provider(provider_id, profile_id, windows, budgets, shown)
    provider["profiles"][0]["sourceIds"].sort()
    return provider


def _with_account(
    provider_id: str, profile_id: str, windows: Sequence[Json], budgets: Sequence[Json], shown: Json
) -> Json:
    provider = projection.show_provider(provider_id, profile_id, windows, budgets, shown)
    provider["profiles"][0]["accountRef"] = _HOME
    return provider


def _with_files(
    now: Instant, found: Sequence[Source], providers: Sequence[Json], events: Sequence[Json]
) -> Json:
    document = projection.show_document(now, found, providers, events)
    return {**document, "path": "scriba.sqlite"}


def _other_version(
    now: Instant, found: Sequence[Source], providers: Sequence[Json], events: Sequence[Json]
) -> Json:
    return {**projection.show_document(now, found, providers, events), "schemaVersion": "scriba.context.v2"}


def _no_empty_lists(
    now: Instant, found: Sequence[Source], providers: Sequence[Json], events: Sequence[Json]
) -> Json:
    document = projection.show_document(now, found, providers, events)
    return {name: value for name, value in document.items() if value != []}


def _counted() -> Any:
    """No two documents are alike."""
    count = itertools.count()

    def show_document(
        now: Instant, found: Sequence[Source], providers: Sequence[Json], events: Sequence[Json]
    ) -> Json:
        later = now._replace(nanoseconds=now.nanoseconds + next(count) * 10**9)
        return projection.show_document(later, found, providers, events)

    return show_document


def _utc_window(key: str, values: Values) -> Json:
    return projection.show_window(
        key, values._replace(reset_at=values.reset_at and times.utc(values.reset_at))
    )


TWINS = (
    _twin("grants in lines are passed over", "CX31", "grants-of-the-cache", find_grants=_only_credits),
    _twin("credits are passed over", "CX30", find_grants=_only_lines),
    _twin("redeemed credits count", "CX30[of-three]", "CX30[without-status]", find_grants=_any_status),
    _twin(
        "credits count before the line that counts them",
        "CX31[count-before-credits]",
        find_grants=_credits_before_lines,
    ),
    _twin("labels of grants in any case", "CX32[other-label]", find_grants=_labels_in_any_case),
    _twin("half a grant counts", "CX32[half]", find_grants=_halves),
    _twin("credits without a time count", "CX32[redeemed]", "CX32[no-time]", find_grants=_without_time_too),
    _twin(
        "a count of 0 is unknown", "CX31[count-of-none]", "CX31[expiry-alone]", grants_known=_zero_is_unknown
    ),
    _twin("grants are always known", "CX32", "grants-no-json", grants_known=_always_known),
    _twin("grants are never known", "CX30", grants_known=_never_known),
    _twin("grants that nothing tells of are available", "CX32", grants_source=_missing_is_available),
    _twin("grants are never stale", "grants-of-the-cache[stale]", grants_source=_never_stale),
    _twin("the latest expiry is told", "CX30[of-three]", summarise_grants=_latest_expiry),
    _twin(
        "the expiry of credits without a status is told",
        "CX30[without-status]",
        summarise_grants=_without_status_too,
    ),
    _twin("no expiry is told", "CX30", summarise_grants=_no_expiry),
    _twin("an expiry that is not known is null", "CX32", "grants-no-json", show_grants=_null_expiry),
    _twin("at least one grant is shown", "CX32", show_grants=_count_from_one),
    _twin("events that cannot be read are available", "CX33", events_source=_read_though_failed),
    _twin("without an event the source is missing", "CX20", events_source=_missing_without_any),
    _twin("events are never stale", "CX38", "CX21", events_source=_fresh_events),
    _twin("a document shows ten events", "CX22", event_limit=lambda asked: 10),
    _twin("a document shows all events", "CX22", event_limit=lambda asked: 100),
    _twin("the account reference is shown", "CX40", show_event=_with_owner),
    *_leaking("an account reference in an id", lambda payload: _HOME, "CX18"),
    *_leaking("an account's name in an id", lambda payload: payload["account_label"]),
    *_leaking("free text in an id", lambda payload: payload["credit_title"]),
    *_leaking("a local path in an id", lambda payload: payload["snapshot"].get("path")),
    _twin("the whole payload is shown", "CX27", "CX40", show_event=_whole_payload),
    _twin("what cannot be decoded is quoted", "private-broken", show_event=_quoted),
    _twin("a number that must be whole is rounded", "event-numbers", show_event=_rounded),
    _twin("an unknown event kind passed through", "CX24", "CX26", show_event=_unknown_kinds_too),
    _twin("events are those of the profile default", "CX18", "CX19", show_event=_default_profile),
    _twin("one row that cannot be decoded is left out alone", "CX24", choose_events=_sound_ones),
    _twin("an event without a time hides all", "CX25", choose_events=_all_or_none),
    _twin("the oldest event first", "CX22", "CX23", event_order=_oldest_first),
    _twin("events in the order of their ids", "CX22", "CX23", event_order=_by_text),
    _twin("of events of one moment the earlier id first", "CX23", event_order=_earlier_id_first),
    _twin("claude is told as the profile's", "CX06", show_provider=_of_the_profile),
    _twin("budgets are not shown", "budget-worked-of-the-cache", show_provider=_without_budgets),
    _twin("ids of sources in the order of their names", "CX05", "CX12", show_provider=_ids_in_order),
    _twin("the account of a profile is shown", "CX40", "private-broken", show_provider=_with_account),
    _twin("the place of a database is shown", "private-unreadable", show_document=_with_files),
    _twin("another version of the schema is told", "private-unreadable", show_document=_other_version),
    _twin("empty lists are left out", "private-unreadable", show_document=_no_empty_lists),
    _twin("no two documents are alike", "CX39", show_document=_counted()),
    _twin("times of the cache are told in UTC", "window-offset", show_window=_utc_window),
)
