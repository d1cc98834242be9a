"""A stored event shows its allowed members only, and a row that is not sound is refused (spec 1.7, 4)."""

from __future__ import annotations

import json

import pytest

from evalkit.contracts.scriba.ledger_nouns import EventRow
from evalkit.contracts.scriba.minimising import Undecodable, all_or_nothing, only_sound, public_event
from evalkit.contracts.scriba.nouns import Json
from evalkit.contracts.scriba.seeding.canaries import PAYLOAD

PUBLIC = {
    "limit_warning": "remaining_checkpoint",
    "reset": "reset_transition",
    "reset_grant": "grant_available",
    "reset_grant_warning": "grant_expiry_checkpoint",
}
WARNING = {"label": "5h limit", "threshold_remaining": 20, "used_percent": 81, "remaining_percent": 19}
RESET = {
    "primary_trigger_label": "Weekly limit",
    "reset_kind": "early",
    "previous_reset_at": "2026-07-12T13:00:00Z",
    "current_reset_at": "2026-07-19T13:00:00Z",
}


def row(kind: str, said: Json, **columns: Json) -> EventRow:
    """A row whose payload says so, and a lot of private things besides."""
    payload = json.dumps({"kind": kind, "version": 1, **PAYLOAD, **said})
    usual = EventRow("e1", kind, PUBLIC.get(kind, ""), "codex", 1, payload, "2026-07-13T11:50:00Z")
    return usual._replace(**columns)


def data(kind: str, said: Json) -> Json:
    """What is shown of a payload."""
    event = public_event(row(kind, said), "personal")
    return event and event["data"]


def show(one: EventRow) -> Json | None:
    """As a surface asks."""
    return public_event(one, "personal")


def test_an_event_has_its_members_in_the_order_of_the_specification() -> None:
    event = public_event(row("limit_warning", WARNING), "work")
    assert json.dumps(event) == json.dumps(
        {
            "schemaVersion": "scriba.event.v1",
            "id": "e1",
            "providerId": "codex",
            "profileId": "work",
            "kind": "remaining_checkpoint",
            "detectedAt": "2026-07-13T11:50:00Z",
            "data": {
                "windowKey": "primary.five_hour",
                "checkpointPercent": 20,
                "usedPercent": 81,
                "remainingPercentPoints": 19,
            },
        }
    )


@pytest.mark.parametrize(
    ("kind", "said", "shown"),
    [
        (
            "limit_warning",
            {**WARNING, "label": " WEEKLY limit ", "reset_at": "2026-07-12T15:00:00.50+02:00"},
            {
                "windowKey": "primary.weekly",
                "checkpointPercent": 20,
                "usedPercent": 81,
                "remainingPercentPoints": 19,
                "resetAt": "2026-07-12T13:00:00.5Z",
            },
        ),
        (
            "limit_warning",
            {"label": "Spark 5h", "threshold_remaining": 5.9, "used_percent": 94.5, "remaining_percent": 5.5},
            {
                "windowKey": "spark.five_hour",
                "checkpointPercent": 5,
                "usedPercent": 94.5,
                "remainingPercentPoints": 5.5,
            },
        ),
        (
            "reset",
            RESET,
            {
                "windowKey": "primary.weekly",
                "resetKind": "early",
                "previousResetAt": "2026-07-12T13:00:00Z",
                "resetAt": "2026-07-19T13:00:00Z",
            },
        ),
        (
            "reset_grant",
            {"available_count": 2, "expires_at": "2026-07-20T00:00:00Z"},
            {"availableCount": 2, "earliestExpiryAt": "2026-07-20T00:00:00Z"},
        ),
        ("reset_grant", {"available_count": 2, "expires_at": "soon"}, {"availableCount": 2}),
        (
            "reset_grant_warning",
            {"threshold_days": 3, "expires_at": "2026-07-20T00:00:00Z"},
            {"checkpointDays": 3, "expiresAt": "2026-07-20T00:00:00Z"},
        ),
    ],
)
def test_each_kind_shows_its_own_members_and_no_others(kind: str, said: Json, shown: Json) -> None:
    """CX27, and canaries in every other member."""
    event = public_event(row(kind, said), "personal")
    assert event is not None
    assert event["kind"] == PUBLIC[kind]
    assert json.dumps(event["data"]) == json.dumps(shown)
    assert "CANARY" not in json.dumps(event)


@pytest.mark.parametrize("number", [None, "81", True, [81], {}])
def test_a_number_that_is_none_becomes_zero(number: Json) -> None:
    said = {"label": "5h limit", "threshold_remaining": number, "used_percent": number}
    assert data("limit_warning", said) == {
        "windowKey": "primary.five_hour",
        "checkpointPercent": 0,
        "usedPercent": 0,
        "remainingPercentPoints": 0,
    }
    assert data("reset_grant", {"available_count": number}) == {"availableCount": 0}
    assert data("reset_grant_warning", {"threshold_days": number, "expires_at": "2026-07-20T00:00:00Z"}) == {
        "checkpointDays": 0,
        "expiresAt": "2026-07-20T00:00:00Z",
    }


@pytest.mark.parametrize("literal", ["1e999", "-1e999", "9" * 5000])
def test_a_number_too_great_for_one_becomes_zero(literal: str) -> None:
    text = '{"kind":"reset_grant","version":1,"available_count":' + literal + "}"
    event = public_event(row("reset_grant", {}, payload_json=text), "personal")
    assert event is not None
    assert event["data"] == {"availableCount": 0}


def test_a_count_past_what_sixty_four_bits_hold_becomes_zero() -> None:
    assert data("reset_grant", {"available_count": 1e300}) == {"availableCount": 0}
    assert data("reset_grant", {"available_count": 2**63 - 1}) == {"availableCount": 2**63 - 1}


@pytest.mark.parametrize(
    ("kind", "shown"),
    [("odd", "odd"), (None, ""), (7, ""), ("\ud800", "\ufffd"), ("a\udc00b", "a\ufffdb"), ("😀", "😀")],
)
def test_a_kind_of_reset_passes_through_as_text(kind: Json, shown: str) -> None:
    assert data("reset", {**RESET, "reset_kind": kind})["resetKind"] == shown


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("reset", {**RESET, "previous_reset_at": None}),
        ("reset", {**RESET, "current_reset_at": ""}),
        ("reset", {**RESET, "current_reset_at": "2026-07-19"}),
        ("reset_grant_warning", {"threshold_days": 3}),
        ("reset_grant_warning", {"threshold_days": 3, "expires_at": 1}),
    ],
)
def test_a_sound_row_without_a_time_that_must_be_is_left_out(kind: str, said: Json) -> None:
    assert public_event(row(kind, said), "personal") is None


def test_a_sound_row_without_the_time_of_its_detection_is_left_out() -> None:
    assert public_event(row("limit_warning", WARNING, detected_at="yesterday"), "personal") is None


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        "null",
        "not json",
        "",
        '{"kind":"limit_warning","version":1,"label":"5h limit","used_percent":NaN}',
        '{"kind":"limit_warning","version":1.0,"label":"5h limit"}',
        '{"kind":"limit_warning","version":"1","label":"5h limit"}',
        '{"kind":"limit_warning","version":true,"label":"5h limit"}',
        '{"kind":"limit_warning","version":2,"label":"5h limit"}',
        '{"kind":"limit_warning","label":"5h limit"}',
        '{"version":1,"label":"5h limit"}',
        '{"kind":"reset_grant","version":1,"label":"5h limit"}',
        '{"kind":"limit_warning","version":1}',
        '{"kind":"limit_warning","version":1,"label":7}',
        '{"kind":"limit_warning","version":1,"label":"Credits left"}',
        '{"kind":"limit_warning","version":1,"label":"Sonnet"}',
        "[" * 100_000,
    ],
)
def test_a_payload_that_does_not_pass_the_gate_is_refused(text: str) -> None:
    with pytest.raises(Undecodable):
        public_event(row("limit_warning", {}, payload_json=text), "personal")


def test_a_reset_of_a_window_that_nobody_knows_is_refused() -> None:
    with pytest.raises(Undecodable):
        public_event(row("reset", {**RESET, "primary_trigger_label": "Credits left"}), "personal")


def test_a_label_is_one_of_the_providers_own_windows() -> None:
    event = public_event(
        row("limit_warning", {**WARNING, "label": "Sonnet"}, provider_id="claude"), "default"
    )
    assert event is not None
    assert event["providerId"] == "claude"
    assert event["data"]["windowKey"] == "sonnet.weekly"


@pytest.mark.parametrize("columns", [{"payload_version": 2}, {"rule_kind": "grant_available"}])
def test_a_column_that_does_not_fit_is_refused(columns: Json) -> None:
    """CX26."""
    with pytest.raises(Undecodable):
        public_event(row("limit_warning", WARNING, **columns), "personal")


@pytest.mark.parametrize("kind", ["radar_alert", "pacing_warning", ""])
@pytest.mark.parametrize("rule_kind", PUBLIC.values())
def test_a_kind_that_is_not_public_is_refused(kind: str, rule_kind: str) -> None:
    with pytest.raises(Undecodable):
        public_event(row(kind, {**WARNING, **RESET}, rule_kind=rule_kind), "personal")


SOUND = row("limit_warning", WARNING, id="sound")
TIMELESS = row("reset", {**RESET, "current_reset_at": None}, id="timeless")
POISON = row("limit_warning", {}, id="poison", payload_json="{}")
LAST = row("reset_grant", {}, id="last")


def test_in_a_context_one_row_that_cannot_be_decoded_hides_all() -> None:
    """CX24; CX25 is the row that only lacks a time."""
    assert [event["id"] for event in all_or_nothing([SOUND, TIMELESS, LAST], show)] == ["sound", "last"]
    with pytest.raises(Undecodable):
        all_or_nothing([SOUND, POISON, LAST], show)


def test_in_a_page_a_row_that_cannot_be_decoded_is_passed_over() -> None:
    shown = only_sound([SOUND, TIMELESS, POISON, LAST], show)
    assert [event["id"] for event in shown] == ["sound", "last"]
