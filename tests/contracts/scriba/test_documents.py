"""Tests for `documents`: the schemas take what is specified, and nothing else (spec 1, 5.1, 6.4, 7.4)."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Final

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from evalkit.contracts.scriba.budget_verdicts import REASONS
from evalkit.contracts.scriba.documents import Name, output_schema, schema
from evalkit.model import Json

_NAMES: Final[tuple[Name, ...]] = ("context", "event", "events", "local-health", "local-error")


def _source(source_id: str, kind: str, origins: list[str], **rest: Json) -> Json:
    provenance = [{"source": origin} for origin in origins]
    return {
        "sourceId": source_id,
        "kind": kind,
        "availability": "unavailable",
        "provenance": provenance,
    } | rest


def _event(kind: str = "grant_available", **data: Json) -> Json:
    return {
        "schemaVersion": "scriba.event.v1",
        "id": "any-id",
        "providerId": "codex",
        "profileId": "personal",
        "kind": kind,
        "detectedAt": "2026-07-13T12:00:00.000000001Z",
        "data": data or {"availableCount": 2},
    }


def _context() -> Json:
    missing: Json = {"reasonCode": "missing"}
    return {
        "schemaVersion": "scriba.context.v1",
        "generatedAt": "2026-07-13T12:00:00Z",
        "sources": [
            _source("claude-budget", "budget", ["budget-current"], **missing),
            _source("claude-grants", "grants", ["status-cache"], **missing),
            _source("claude-policy-events", "policy-events", ["policy-store"], **missing),
            _source("claude-quota", "quota", ["status-cache"], **missing),
            _source(
                "codex-budget",
                "budget",
                ["budget-current", "budget-history"],
                generatedAt="2026-07-13T12:00:00Z",
                ageMs=0,
                stale=False,
            ),
            _source("codex-grants", "grants", ["provider-api"], reasonCode="read_error"),
            _source("codex-policy-events", "policy-events", ["policy-store"]),
            _source("codex-quota", "quota", ["provider-api"], observedAt="2026-07-13T14:00:00+02:00"),
        ],
        "providers": [
            {
                "providerId": "codex",
                "profiles": [
                    {
                        "profileId": "personal",
                        "windows": [
                            {
                                "key": "primary.five_hour",
                                "usedPercent": 20.5,
                                "remainingPercentPoints": 79.5,
                                "resetAt": None,
                            },
                            {
                                "key": "primary.weekly",
                                "usedPercent": None,
                                "remainingPercentPoints": None,
                                "resetAt": None,
                            },
                        ],
                        "budgets": [
                            {
                                "key": "primary.five_hour",
                                "risk": "unknown",
                                "confidence": "none",
                                "reasons": ["reset_time_missing"],
                            }
                        ],
                        "grants": {"availableCount": 0},
                        "sourceIds": ["codex-quota", "codex-budget", "codex-grants", "codex-policy-events"],
                    }
                ],
            }
        ],
        "events": [_event()],
    }


def _page() -> Json:
    return {
        "schemaVersion": "scriba.events.v1",
        "generatedAt": "2026-07-13T12:00:00Z",
        "events": [_event()],
        "cursor": {"next": "v1.0000000000000001", "highWater": "v1.7fffffffffffffff"},
    }


def _is_valid(wanted: Json, document: Json) -> bool:
    return Draft202012Validator(wanted, format_checker=FormatChecker(["date-time"])).is_valid(document)


@pytest.mark.parametrize("name", _NAMES)
def test_a_schema_is_of_draft_2020_12_under_its_own_name(name: Name) -> None:
    Draft202012Validator.check_schema(schema(name))
    assert schema(name)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema(name)["$id"] == f"https://agensfield.dev/scriba/schemas/{name}.schema.json"


@pytest.mark.parametrize("name", _NAMES)
def test_every_object_of_a_schema_is_closed(name: Name) -> None:
    objects = [part for part in _parts(schema(name)) if "required" in part]
    assert objects
    for part in objects:
        assert part["type"] == "object"
        assert part["additionalProperties"] is False
        assert set(part["required"]) <= set(part["properties"])


@pytest.mark.parametrize("name", ["context", "events"])
def test_an_output_schema_needs_nothing_from_outside(name: Json) -> None:
    whole = output_schema(name)
    for part in _parts(whole):
        if "$ref" in part:
            assert part["$ref"].removeprefix("#/$defs/") in whole["$defs"]
    assert whole["$defs"]["event"]["properties"]["schemaVersion"] == {"const": "scriba.event.v1"}
    assert not {"$schema", "$id", "$defs"} & set(whole["$defs"]["event"])
    assert {"$ref": "event.schema.json"} in list(_parts(schema(name)))  # the published one stays as it is


@pytest.mark.parametrize("name", ["context", "events"])
def test_what_two_schemas_define_under_one_name_is_the_same(name: Name) -> None:
    outer, inner = schema(name)["$defs"], schema("event")["$defs"]
    assert outer.keys() & inner.keys()
    for word in outer.keys() & inner.keys():
        assert outer[word] == inner[word]


def test_the_schema_knows_the_reasons_of_the_budget() -> None:
    assert schema("context")["$defs"]["reason"]["enum"] == list(REASONS)


def test_a_document_as_specified_is_valid() -> None:
    assert _is_valid(output_schema("context"), _context())
    assert _is_valid(output_schema("events"), _page())


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/sources/0",
        "/sources/0/provenance/0",
        "/providers/0",
        "/providers/0/profiles/0",
        "/providers/0/profiles/0/windows/0",
        "/providers/0/profiles/0/budgets/0",
        "/providers/0/profiles/0/grants",
        "/events/0",
        "/events/0/data",
    ],
)
def test_an_unknown_member_is_refused_at_every_depth(path: str) -> None:
    document = _context()
    _at(document, path)["accountRef"] = "x"
    assert not _is_valid(output_schema("context"), document)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/schemaVersion", "scriba.context.v2"),
        ("/generatedAt", "2026-07-13T14:00:00+02:00"),
        ("/generatedAt", "2026-07-13T12:00:00"),
        ("/sources", []),
        ("/sources", None),
        ("/sources/0/kind", "events"),
        ("/sources/0/availability", "ok"),
        ("/sources/0/reasonCode", ""),
        ("/sources/0/reasonCode", "disk_error"),
        ("/sources/0/sourceId", ""),
        ("/sources/0/provenance", []),
        ("/sources/0/provenance", [{"source": "policy-store"}, {"source": "policy-store"}]),
        ("/sources/0/provenance/0/source", "disk"),
        ("/sources/4/ageMs", -1),
        ("/sources/4/ageMs", 0.5),
        ("/sources/4/stale", None),
        ("/sources/7/observedAt", None),
        ("/providers/0/providerId", "Codex"),
        ("/providers/0/profiles", []),
        ("/providers/0/profiles/0/profileId", ""),
        ("/providers/0/profiles/0/windows", None),
        ("/providers/0/profiles/0/windows/0/key", "five_hour"),
        ("/providers/0/profiles/0/windows/0/usedPercent", 100.1),
        ("/providers/0/profiles/0/windows/0/remainingPercentPoints", -0.1),
        ("/providers/0/profiles/0/windows/0/resetAt", ""),
        ("/providers/0/profiles/0/budgets/0/risk", "none"),
        ("/providers/0/profiles/0/budgets/0/confidence", "unknown"),
        ("/providers/0/profiles/0/budgets/0/reasons", ["burn_zero", "burn_zero"]),
        ("/providers/0/profiles/0/budgets/0/reasons", ["other"]),
        ("/providers/0/profiles/0/grants/availableCount", -1),
        ("/providers/0/profiles/0/sourceIds", ["codex-quota", "codex-quota"]),
        ("/events", None),
        ("/events/0/kind", "radar_alert"),
        ("/events/0/kind", "remaining_checkpoint"),
        ("/events/0/detectedAt", "2026-07-13T14:00:00+02:00"),
        ("/events/0/id", ""),
    ],
)
def test_a_value_that_is_not_specified_is_refused(path: str, value: Json) -> None:
    document = _context()
    parent, _, name = path.rpartition("/")
    _at(document, parent)[name] = value
    assert not _is_valid(output_schema("context"), document)


@pytest.mark.parametrize("name", ["usedPercent", "remainingPercentPoints", "resetAt"])
def test_a_value_of_a_window_is_never_left_out(name: str) -> None:
    document = _context()
    del _at(document, "/providers/0/profiles/0/windows/0")[name]
    assert not _is_valid(output_schema("context"), document)


_CHECKPOINT: Final = {
    "windowKey": "primary.weekly",
    "checkpointPercent": 20,
    "usedPercent": 81,
    "remainingPercentPoints": 19,
}
_TIME: Final = "2026-07-13T12:00:00Z"
_RESET: Final = {
    "windowKey": "primary.weekly",
    "resetKind": "early",
    "previousResetAt": _TIME,
    "resetAt": _TIME,
}


@pytest.mark.parametrize(
    ("kind", "required", "optional"),
    [
        ("remaining_checkpoint", _CHECKPOINT, {"resetAt": _TIME}),
        ("reset_transition", _RESET, {}),
        ("grant_available", {"availableCount": 0}, {"earliestExpiryAt": _TIME}),
        ("grant_expiry_checkpoint", {"checkpointDays": 3, "expiresAt": _TIME}, {}),
    ],
)
def test_an_event_has_the_data_of_its_kind(kind: str, required: Json, optional: Json) -> None:
    wanted = schema("event")
    assert _is_valid(wanted, _event(kind, **required))
    assert _is_valid(wanted, _event(kind, **required, **optional))
    for name in required:
        data = {word: value for word, value in required.items() if word != name}
        assert not _is_valid(wanted, _event(kind) | {"data": data})
    for name in required | optional:
        assert not _is_valid(wanted, _event(kind, **required, **optional) | {"data": {**required, name: "x"}})
    assert not _is_valid(wanted, _event(kind, **required, other=1))


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "v1.",
        "v2.0000000000000001",
        "v1.01",
        "v1.-000000000000001",
        "v1.000000000000000A",
        "v1.8000000000000000",
        "v1.0000000000000001\n",
    ],
)
def test_a_cursor_that_is_none_is_refused(cursor: str) -> None:
    page = _page()
    page["cursor"]["next"] = cursor
    assert not _is_valid(output_schema("events"), page)


def test_a_page_has_at_most_a_hundred_events() -> None:
    page = _page()
    page["events"] = [_event()] * 100
    assert _is_valid(output_schema("events"), page)
    page["events"] = [_event()] * 101
    assert not _is_valid(output_schema("events"), page)


def test_health_and_errors_are_as_specified() -> None:
    health = json.loads(
        '{"schemaVersion":"scriba.local.health.v1","status":"ok",'
        '"contextVersion":"scriba.context.v1","eventVersion":"scriba.events.v1"}'
    )
    assert _is_valid(schema("local-health"), health)
    assert not _is_valid(schema("local-health"), health | {"status": "bad"})
    assert _is_valid(schema("local-error"), {"error": {"code": "cursor_expired"}})
    for error in ({"code": "cursor_expired", "message": "x"}, {"code": "internal"}, {}):
        assert not _is_valid(schema("local-error"), {"error": error})
    assert len(schema("local-error")["properties"]["error"]["properties"]["code"]["enum"]) == 13


def test_making_an_output_schema_changes_no_schema() -> None:
    before = copy.deepcopy(schema("event")), copy.deepcopy(schema("events"))
    output_schema.cache_clear()
    output_schema("events")
    assert (schema("event"), schema("events")) == before


def _parts(node: Json) -> Iterator[dict[str, Json]]:
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _parts(child)


def _at(document: Json, path: str) -> Json:
    for step in path.split("/")[1:]:
        document = document[int(step) if isinstance(document, list) else step]
    return document
