"""Tests for `projection` and `assembly`: the members of a document, and when one is left out (spec 1)."""

from __future__ import annotations

from typing import Any

from evalkit.contracts.scriba import projection
from evalkit.contracts.scriba.assembly import absent, present
from evalkit.contracts.scriba.budget_nouns import HistoryObservation, Values, WindowReading
from evalkit.contracts.scriba.candidates import Candidate
from evalkit.contracts.scriba.grants import Grants, GrantSummary
from evalkit.contracts.scriba.nouns import Instant
from evalkit.contracts.scriba.reading import Events, Past
from evalkit.contracts.scriba.rules import RULES, event_limit
from evalkit.contracts.scriba.sources import Sighting, Source
from tests.contracts.scriba.small_files import HOUR, MINUTE, NOW, at, instant

Json = Any
EARLY = "2026-07-13T11:56:00Z"


def test_a_source_shows_all_that_is_known_in_the_order_of_its_table() -> None:
    source = Source("codex", "quota", "degraded", ("a", "b"), "stale", instant(EARLY), instant(NOW), 5, True)
    assert list(projection.show_source(source).items()) == [
        ("sourceId", "codex-quota"),
        ("kind", "quota"),
        ("availability", "degraded"),
        ("observedAt", EARLY),
        ("generatedAt", NOW),
        ("ageMs", 5),
        ("stale", True),
        ("provenance", [{"source": "a"}, {"source": "b"}]),
        ("reasonCode", "stale"),
    ]


def test_a_source_leaves_out_what_is_unknown_but_not_what_is_nothing() -> None:
    shown = projection.show_source(Source("codex", "policy-events", "available", ("a",)))
    assert list(shown) == ["sourceId", "kind", "availability", "provenance"]
    shown = projection.show_source(Source("codex", "quota", "available", ("a",), age_ms=0, stale=False))
    assert (shown["ageMs"], shown["stale"]) == (0, False)


def test_a_window_is_shown_with_null_for_what_is_unknown() -> None:
    window = projection.show_window("primary.weekly", Values(20, 80, Instant(instant(NOW).nanoseconds, 120)))
    assert list(window.items()) == [
        ("key", "primary.weekly"),
        ("usedPercent", 20),
        ("remainingPercentPoints", 80),
        ("resetAt", "2026-07-13T14:00:00+02:00"),
    ]
    unknown = {"key": "k", "usedPercent": None, "remainingPercentPoints": None, "resetAt": None}
    assert projection.show_window("k", Values()) == unknown


def test_grants_leave_out_an_expiry_that_is_unknown() -> None:
    assert projection.show_grants(GrantSummary(0, None)) == {"availableCount": 0}
    shown = projection.show_grants(GrantSummary(2, instant(NOW)))
    assert list(shown.items()) == [("availableCount", 2), ("earliestExpiryAt", NOW)]


def test_a_provider_has_one_profile_and_names_its_sources_unsorted() -> None:
    shown = projection.show_provider("codex", "work", ["w"], ["b"], {"g": 1})
    assert list(shown) == ["providerId", "profiles"]
    (profile,) = shown["profiles"]
    assert list(profile.items()) == [
        ("profileId", "work"),
        ("windows", ["w"]),
        ("budgets", ["b"]),
        ("grants", {"g": 1}),
        ("sourceIds", ["codex-quota", "codex-budget", "codex-grants", "codex-policy-events"]),
    ]


def test_an_empty_document_has_every_member_and_nothing_private() -> None:
    document = projection.show_document(instant(NOW), [], [], [])
    assert list(document.items()) == [
        ("schemaVersion", "scriba.context.v1"),
        ("generatedAt", NOW),
        ("sources", []),
        ("providers", []),
        ("events", []),
    ]


def test_events_are_listed_by_time_and_then_by_id_both_descending() -> None:
    order = [("b", at(0)), ("a", at(0)), ("z", at(-1)), ("c", "2026-07-13T11:59:59.99Z"), ("d", at(-HOUR))]
    events = [{"id": identity, "detectedAt": text} for identity, text in order]
    assert projection.newest_first(events[::-1]) == events
    assert projection.newest_first([events[3], *events[:3], events[4]]) == events


def test_a_document_has_20_events_unless_asked_otherwise_and_never_over_100() -> None:
    assert [event_limit(asked) for asked in (0, -1, 1, 20, 100, 101)] == [20, 20, 1, 20, 100, 100]


WINDOW = WindowReading("primary.five_hour", "5h limit", 40.0, instant(at(2 * HOUR)), 5 * HOUR // 1_000_000)
SEEN = Sighting(instant(at(-4 * MINUTE)))
CODEX = Candidate("codex", "provider-api", "acctP", (WINDOW,), SEEN, Grants(), False, SEEN)


def sample(minutes: int, used: float) -> HistoryObservation:
    return HistoryObservation(instant(at(-minutes * MINUTE)), (WINDOW._replace(used_percent=used),))


READ, NO_EVENTS = Past("read"), Events("read")


def part(candidate: Candidate = CODEX, past: Past = READ, events: Events = NO_EVENTS) -> Json:
    made = present(RULES, instant(NOW), "personal", candidate, past, events)
    assert made.provider is not None
    (profile,) = made.provider["profiles"]
    return profile, {source.kind: source for source in made.sources}, made.events


def test_windows_and_budgets_stand_side_by_side() -> None:
    weekly = WINDOW._replace(key="primary.weekly", used_percent=None)
    profile, _, _ = part(CODEX._replace(windows=(WINDOW, weekly)))
    assert [window["key"] for window in profile["windows"]] == ["primary.five_hour", "primary.weekly"]
    assert [found["key"] for found in profile["budgets"]] == ["primary.five_hour", "primary.weekly"]
    assert profile["windows"][1] == {
        "key": "primary.weekly",
        "usedPercent": None,
        "remainingPercentPoints": None,
        "resetAt": None,
    }


def test_history_raises_confidence() -> None:
    past = Past(
        "read", tuple(sample(minutes, used) for minutes, used in ((64, 25), (44, 30), (24, 35), (4, 40)))
    )
    profile, sources, _ = part(past=past)
    assert profile["budgets"] == [
        {
            "key": "primary.five_hour",
            "risk": "low",
            "confidence": "high",
            "reasons": ["cycle_estimate_available", "recent_estimate_available", "pace_conservative_recent"],
        }
    ]
    assert sources["budget"].provenance == ("budget-current", "budget-history")


def test_history_that_was_read_and_is_empty_is_not_one_that_is_unavailable() -> None:
    assert part(past=Past("read"))[0]["budgets"][0]["reasons"][0] == "history_empty"
    for outcome in ("unavailable", "failed"):
        profile, _, _ = part(past=Past(outcome))
        assert profile["budgets"][0]["reasons"][0] == "history_unavailable"


def test_one_source_that_failed_leaves_the_others_as_they_are() -> None:
    _, sources, events = part(past=Past("failed"), events=Events("failed"))
    assert [source.availability for source in sources.values()] == [
        *("available", "unavailable", "unavailable", "unavailable")
    ]
    assert (sources["budget"].reason, sources["policy-events"].reason) == ("read_error", "read_error")
    assert events == ()


def test_policy_events_are_as_old_as_their_newest_row() -> None:
    _, sources, events = part(events=Events("read", ["e"], Sighting(instant(at(-20 * MINUTE)))))
    assert events == ["e"]
    assert (sources["policy-events"].availability, sources["policy-events"].age_ms) == ("degraded", 1_200_000)


def test_an_observation_without_a_time_is_stale_and_shows_no_time() -> None:
    timeless = CODEX._replace(quota_seen=Sighting(None))
    profile, sources, _ = part(timeless)
    assert profile["budgets"][0]["risk"] == "unknown"
    assert "observation_stale" in profile["budgets"][0]["reasons"]
    assert projection.show_source(sources["quota"]) == {
        "sourceId": "codex-quota",
        "kind": "quota",
        "availability": "degraded",
        "stale": True,
        "provenance": [{"source": "provider-api"}],
        "reasonCode": "stale",
    }


def test_a_provider_that_is_not_there_has_only_sources() -> None:
    made = absent(RULES, "codex", False, True)
    assert (len(made.sources), made.provider, made.events) == (4, None, ())
