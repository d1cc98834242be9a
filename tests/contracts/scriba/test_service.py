"""Tests for `service`: the cases of spec 2.10, 8.5 and 12.2, and what a call opens, closes and tells."""

from __future__ import annotations

import json
import os
import pathlib
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from evalkit.contracts.scriba import writing
from evalkit.contracts.scriba.nouns import PageUnavailable, Profiles, ProfileUnavailable, Service
from evalkit.contracts.scriba.rules import RULES
from evalkit.contracts.scriba.service import ScribaService
from evalkit.contracts.scriba.store import opening
from tests.contracts.scriba.small_files import (
    HOUR,
    MINUTE,
    NOW,
    TWO_PROFILES,
    Files,
    at,
    claude,
    codex,
    digest,
    run,
    sources_of,
    status,
    two_profiles,
    weekly,
    with_four_events,
)

Json = Any

LEGACY = Profiles((), "legacy")
ZERO = "v1.0000000000000000"
SPEC = pathlib.Path(__file__).parents[3] / "../shared/specs/scriba-context.md"


@pytest.fixture
def nothing(tmp_path: pathlib.Path) -> Files:
    return Files(tmp_path)


@pytest.fixture
def two(tmp_path: pathlib.Path) -> Files:
    return two_profiles(tmp_path)


def brief(source: Json) -> tuple[Json, ...]:
    """Availability, reason, age, stale, and where it came from."""
    provenance = [item["source"] for item in source["provenance"]]
    return (
        source["availability"],
        source.get("reasonCode"),
        source.get("ageMs"),
        source.get("stale"),
        *provenance,
    )


def profiles_of(document: Json) -> dict[str, Json]:
    return {provider["providerId"]: provider["profiles"][0] for provider in document["providers"]}


def reasons(document: Json) -> dict[str, Json]:
    return {name: source.get("reasonCode") for name, source in sources_of(document).items()}


def ids(document: Json) -> list[str]:
    return [event["id"] for event in document["events"]]


# what is there, and what is not


def test_without_any_file_there_is_a_whole_document_of_reasons(nothing: Files) -> None:  # CX01
    document = nothing.service(Profiles()).context(None)
    assert (document["generatedAt"], document["providers"], document["events"]) == (NOW, [], [])
    assert reasons(document) == {
        **dict.fromkeys(("claude-budget", "claude-grants", "claude-quota"), "read_error"),
        "claude-policy-events": "missing",
        **dict.fromkeys(("codex-budget", "codex-grants", "codex-policy-events", "codex-quota"), "read_error"),
    }
    sources = sources_of(document)
    assert list(sources) == sorted(sources)
    assert brief(sources["codex-quota"]) == ("unavailable", "read_error", None, None, "provider-api")
    assert brief(sources["codex-grants"]) == ("unavailable", "read_error", None, None, "provider-api")
    assert brief(sources["claude-quota"]) == ("unavailable", "read_error", None, None, "status-cache")


def test_with_files_that_have_nothing_everything_is_missing(nothing: Files) -> None:  # CX02
    document = nothing.make_cache().make_store().service().context(None)
    assert set(reasons(document).values()) == {"missing"}
    assert brief(sources_of(document)["codex-quota"])[-1] == "status-cache"


def test_a_missing_cache_makes_codex_unreadable_as_well(nothing: Files) -> None:  # CX03
    sources = sources_of(nothing.make_store().service().context(None))
    assert brief(sources["codex-quota"]) == ("unavailable", "read_error", None, None, "status-cache")
    assert brief(sources["codex-budget"]) == ("unavailable", "read_error", None, None, "budget-current")
    assert brief(sources["codex-policy-events"]) == ("unavailable", "missing", None, None, "policy-store")
    assert brief(sources["claude-quota"])[1] == "read_error"


def test_a_missing_store_makes_only_codex_unreadable(nothing: Files) -> None:  # CX04
    sources = sources_of(nothing.make_cache().service().context(None))
    assert brief(sources["codex-quota"]) == ("unavailable", "read_error", None, None, "status-cache")
    assert brief(sources["codex-policy-events"])[1] == "read_error"
    assert brief(sources["claude-quota"])[1] == "missing"


@pytest.mark.parametrize("profile", [None, "work"])
def test_claude_comes_from_the_cache_whatever_profile_is_asked_for(
    nothing: Files, profile: str | None
) -> None:  # CX05, CX06
    document = nothing.make_cache(status(claude())).service().context(profile)
    assert profiles_of(document) == {
        "claude": {
            "profileId": "default",
            "windows": [
                {
                    "key": "primary.weekly",
                    "usedPercent": 20,
                    "remainingPercentPoints": 80,
                    "resetAt": at(84 * HOUR),
                }
            ],
            "budgets": [
                {
                    "key": "primary.weekly",
                    "risk": "low",
                    "confidence": "low",
                    "reasons": ["history_unavailable", "cycle_estimate_available", "pace_cycle_only"],
                }
            ],
            "grants": {"availableCount": 0},
            "sourceIds": ["claude-quota", "claude-budget", "claude-grants", "claude-policy-events"],
        }
    }
    sources = sources_of(document)
    assert brief(sources["claude-quota"]) == ("available", None, 300_000, False, "status-cache")
    assert brief(sources["claude-budget"]) == (
        *("degraded", "history_unavailable", 300_000, False, "budget-current"),
    )
    assert (sources["claude-budget"]["generatedAt"], "observedAt" in sources["claude-budget"]) == (NOW, False)
    assert brief(sources["claude-grants"]) == ("unavailable", "missing", None, None, "status-cache")
    assert brief(sources["claude-policy-events"]) == ("unavailable", "missing", None, None, "policy-store")
    assert brief(sources["codex-quota"])[1] == "read_error"


@pytest.mark.parametrize(
    ("minutes", "quota"),
    [
        (15, ("available", None, 900_000, False, "status-cache")),
        (16, ("degraded", "stale", 960_000, True, "status-cache")),
    ],
)
def test_claude_is_fresh_for_15_minutes(nothing: Files, minutes: int, quota: Json) -> None:  # CX07
    cached = status(claude(), generated_at=at(-minutes * MINUTE))
    document = nothing.make_cache(cached).service().context(None)
    assert brief(sources_of(document)["claude-quota"]) == quota
    assert profiles_of(document)["claude"]["budgets"][0]["reasons"][-1] == "confidence_downgraded_aging"
    assert brief(sources_of(document)["claude-budget"])[:2] == ("degraded", "history_unavailable")


def provenance(kind: str, minutes: int | None = None, **more: Json) -> Json:
    when = {} if minutes is None else {"fetchedAt": at(-minutes * MINUTE)}
    return {"kind": kind, "providerId": "claude", **when, **more}


@pytest.mark.parametrize(
    ("more", "observed_minutes_ago", "availability"),
    [
        ({"provenance": [provenance("provider-api", 2, error="x")]}, 5, "degraded"),  # CX08
        (  # CX09
            {
                "provenance": [
                    provenance("provider-api", 20),
                    provenance("provider-api", 1, error="x"),
                    provenance("cache", stale=True),
                ]
            },
            *(20, "degraded"),
        ),
        ({"state": "degraded", "provenance": [provenance("provider-api", 2)]}, 2, "available"),  # CX10
    ],
)
def test_cached_values_are_as_old_as_their_provenance_says(
    nothing: Files, more: Json, observed_minutes_ago: int, availability: str
) -> None:
    document = nothing.make_cache(status(claude(**more))).service().context(None)
    quota = sources_of(document)["claude-quota"]
    assert quota["observedAt"] == at(-observed_minutes_ago * MINUTE)
    assert (quota["ageMs"], quota["availability"]) == (observed_minutes_ago * 60_000, availability)
    assert quota["stale"] is (availability == "degraded")
    assert sources_of(document)["claude-budget"]["reasonCode"] == "history_unavailable"


def test_of_a_provider_that_is_cached_twice_the_later_one_with_a_window_counts(nothing: Files) -> None:
    later, windowless = {"providerId": "claude", "lines": [weekly(30)]}, {"providerId": "claude", "lines": []}
    document = nothing.make_cache(status(claude(), later, windowless)).service().context(None)
    assert profiles_of(document)["claude"]["windows"][0]["usedPercent"] == 30


@pytest.mark.parametrize("name", ["Claude", "claude ", "gemini", ""])
def test_only_providers_of_exactly_two_names_are_known(nothing: Files, name: str) -> None:
    document = nothing.make_cache(status({**claude(), "providerId": name})).service().context(None)
    assert document["providers"] == []


def test_a_cache_whose_own_time_is_none_is_empty_and_not_unreadable(nothing: Files) -> None:
    document = nothing.make_cache(status(claude(), generated_at="yesterday")).service().context(None)
    assert brief(sources_of(document)["claude-quota"])[:2] == ("unavailable", "missing")


@pytest.mark.parametrize("profiles", [LEGACY, TWO_PROFILES])
def test_an_amount_of_tokens_is_no_quota(nothing: Files, profiles: Profiles) -> None:  # CX11, 2.10
    tokens = {"providerId": "codex", "lines": [{"type": "amount", "label": "Weekly limit", "used": 5}]}
    assert nothing.make_cache(status(tokens)).service(profiles).context(None)["providers"] == []


def test_grant_lines_of_a_cached_provider_are_seen_by_their_own_provenance(nothing: Files) -> None:
    lines = [
        weekly(20),
        {
            "type": "amount",
            "label": "Reset grants",
            "value": 1,
            "provenance": [provenance("provider-api", 20)],
        },
        {"type": "text", "label": "Grant expiry", "value": "2026-07-14T14:00:00+02:00"},
    ]
    document = nothing.make_cache(status(claude(lines=lines))).service().context(None)
    assert brief(sources_of(document)["claude-grants"]) == (
        "degraded",
        "stale",
        1_200_000,
        True,
        "status-cache",
    )
    assert brief(sources_of(document)["claude-quota"])[0] == "available"
    assert profiles_of(document)["claude"]["grants"] == {
        "availableCount": 1,
        "earliestExpiryAt": "2026-07-14T14:00:00+02:00",
    }


def test_grants_without_a_time_of_their_own_are_as_old_as_the_quota(nothing: Files) -> None:
    seen = {**weekly(20), "provenance": [provenance("provider-api", 12)]}
    lines = [seen, {"type": "amount", "label": "Reset grants", "value": 1}]
    document = nothing.make_cache(status(claude(lines=lines))).service().context(None)
    assert sources_of(document)["claude-grants"]["ageMs"] == 720_000


def test_a_grant_line_that_says_nothing_makes_cached_grants_known(nothing: Files) -> None:
    lines = [weekly(20), {"type": "amount", "label": "Reset grants", "value": "many"}]
    document = nothing.make_cache(status(claude(lines=lines))).service().context(None)
    assert brief(sources_of(document)["claude-grants"])[:2] == ("available", None)
    assert profiles_of(document)["claude"]["grants"] == {"availableCount": 0}


# whose data it is


def test_the_default_profile_shows_its_own_account_and_no_newer_cache(two: Files) -> None:  # CX12, 2.10
    document = two.make_cache(status(codex(99), generated_at=at(-MINUTE))).service().context(None)
    profile = profiles_of(document)["codex"]
    assert (profile["profileId"], profile["windows"][0]["usedPercent"]) == ("personal", 40)
    assert profile["budgets"] == [
        {
            "key": "primary.five_hour",
            "risk": "low",
            "confidence": "high",
            "reasons": ["cycle_estimate_available", "recent_estimate_available", "pace_conservative_recent"],
        }
    ]
    sources = sources_of(document)
    assert brief(sources["codex-quota"]) == ("available", None, 240_000, False, "provider-api")
    assert brief(sources["codex-budget"]) == (
        *("available", None, 240_000, False, "budget-current", "budget-history"),
    )


def test_another_profile_shows_another_account(two: Files) -> None:  # CX13, 2.10
    document = two.make_cache(status(codex(99))).service().context("work")
    profile = profiles_of(document)["codex"]
    window = profile["windows"][0]
    assert (profile["profileId"], window["usedPercent"], window["remainingPercentPoints"]) == ("work", 91, 9)
    assert profile["budgets"] == [
        {
            "key": "primary.weekly",
            "risk": "high",
            "confidence": "low",
            "reasons": ["history_insufficient", "cycle_estimate_available", "pace_cycle_only"],
        }
    ]
    assert sources_of(document)["codex-quota"]["ageMs"] == 120_000


@pytest.mark.parametrize("profile", ["old", "nope", "Work", " work", "work ", " "])
def test_a_profile_that_is_not_enabled_is_refused_before_any_file_is_opened(
    two: Files, profile: str
) -> None:  # CX14, CX15, 2.10
    def open_file(path: str) -> sqlite3.Connection:
        raise AssertionError(path)

    service = two.service(rules=RULES._replace(open_cache=open_file, open_store=open_file))
    with pytest.raises(ProfileUnavailable):
        service.context(profile)
    with pytest.raises(ProfileUnavailable):
        service.events("latest", "", 20, profile)


@pytest.mark.parametrize(
    "unmap", ["UPDATE profile_accounts SET is_current = 0", "UPDATE profiles SET enabled = 0"]
)
def test_a_profile_without_an_account_shows_nothing_of_another(two: Files, unmap: str) -> None:  # CX16, CX17
    two.make_cache(status(codex(99))).tell(f"{unmap} WHERE profile_ref = ?", "work")
    document = two.service().context("work")
    assert document["providers"] == []
    assert reasons(document)["codex-quota"] == "missing"
    with pytest.raises(PageUnavailable, match="events_unavailable"):
        two.service().events("latest", "", 20, "work")


def test_an_id_that_no_store_may_be_asked_for_counts_as_unreadable(two: Files) -> None:
    service = two.make_cache().profile("No_Slug", "acctP").service(Profiles(("No_Slug",), "No_Slug"))
    assert reasons(service.context(None))["codex-policy-events"] == "read_error"
    with pytest.raises(PageUnavailable, match="read_error"):
        service.events("latest", "", 20, None)


def test_a_legacy_service_knows_one_profile(two: Files) -> None:  # 2.10
    service = two.service(LEGACY)
    with pytest.raises(ProfileUnavailable):
        service.context("other")
    assert profiles_of(service.context("legacy"))["codex"]["profileId"] == "legacy"


def test_without_profiles_a_newer_cache_wins_and_has_no_events(two: Files) -> None:  # 2.10
    with_four_events(two).make_cache(status(codex(33), generated_at=at(-MINUTE)))
    document = two.service(LEGACY).context(None)
    assert profiles_of(document)["codex"]["windows"][0]["usedPercent"] == 33
    assert document["events"] == []
    sources = sources_of(document)
    assert brief(sources["codex-quota"]) == ("available", None, 60_000, False, "status-cache")
    assert brief(sources["codex-budget"])[1] == "history_unavailable"
    assert brief(sources["codex-policy-events"])[1] == "missing"
    with pytest.raises(PageUnavailable, match="events_unavailable"):
        two.service(LEGACY).events("latest", "", 20, None)


def test_without_profiles_a_newer_store_wins_with_events_of_its_account_alone(two: Files) -> None:  # 2.10
    with_four_events(two).make_cache(status(codex(33)))
    service = two.service(LEGACY)
    document = service.context(None)
    assert profiles_of(document)["codex"]["windows"][0]["usedPercent"] == 91
    assert ids(document) == ["w3"]
    assert [event["id"] for event in service.events("replay", ZERO, 20, None)["events"]] == ["w3"]
    assert writing.compact(service.context(None)) == writing.compact(document)


def test_without_profiles_one_poll_has_no_events_and_that_is_known(two: Files) -> None:  # 2.10
    sources = sources_of(two.service(LEGACY).context(None))
    assert brief(sources["codex-policy-events"]) == ("available", None, None, None, "policy-store")


# events


def test_a_document_has_the_events_of_its_account_newest_first(two: Files) -> None:  # CX18, CX19
    service = with_four_events(two).service()
    document = service.context(None)
    assert ids(document) == ["p4", "p2", "p1"]
    assert {event["profileId"] for event in document["events"]} == {"personal"}
    source = sources_of(document)["codex-policy-events"]
    assert (source["observedAt"], brief(source)) == (
        at(-7 * MINUTE),
        ("available", None, 420_000, False, "policy-store"),
    )
    assert ids(service.context("work")) == ["w3"]


def test_no_events_are_known_to_be_none(two: Files) -> None:  # CX20
    document = two.service().context(None)
    assert document["events"] == []
    assert brief(sources_of(document)["codex-policy-events"]) == (
        "available",
        None,
        None,
        None,
        "policy-store",
    )


def test_events_that_are_old_are_shown_and_stale(two: Files) -> None:  # CX21
    document = two.warn("acctP", "old", at(-20 * MINUTE)).service().context(None)
    assert ids(document) == ["old"]
    source = sources_of(document)["codex-policy-events"]
    assert brief(source) == ("degraded", "stale", 1_200_000, True, "policy-store")


def test_a_document_has_the_newest_20_events_or_as_many_as_are_wanted(two: Files) -> None:  # CX22
    for number in range(25):
        two.warn("acctP", f"e{number:02}", at((number - 60) * MINUTE))
    assert ids(two.service().context(None)) == [f"e{number:02}" for number in range(24, 4, -1)]
    assert ids(two.service(limit=1).context(None)) == ["e24"]
    assert len(ids(two.service(limit=101).context(None))) == 25


def test_events_of_one_moment_are_listed_by_id_descending(two: Files) -> None:  # CX23
    two.warn("acctP", "b", at(0)).warn("acctP", "a", at(0))
    assert ids(two.service().context(None)) == ["b", "a"]


def test_events_are_listed_by_moment_even_where_their_texts_are_not(two: Files) -> None:
    two.warn("acctP", "first", "2026-07-13T11:59:00Z").warn("acctP", "second", "2026-07-13T11:59:00.5Z")
    assert ids(two.service().context(None)) == ["second", "first"]


def test_one_event_that_cannot_be_decoded_hides_all_in_a_document_and_itself_on_a_page(
    two: Files,
) -> None:  # CX24
    with_four_events(two).tell("UPDATE policy_events SET payload_json = ? WHERE id = 'p2'", "{}")
    document = two.service().context(None)
    assert document["events"] == []
    assert brief(sources_of(document)["codex-policy-events"]) == (
        *("unavailable", "read_error", None, None, "policy-store"),
    )
    assert brief(sources_of(document)["codex-quota"])[0] == "available"
    assert brief(sources_of(document)["codex-budget"])[0] == "available"
    assert ids(two.service().events("replay", ZERO, 20, None)) == ["p1", "p4"]


def test_an_event_that_lacks_a_time_is_left_out_and_its_source_is_available(two: Files) -> None:  # CX25
    with_four_events(two)
    payload = {"kind": "reset", "version": 1, "primary_trigger_label": "5h limit", "previous_reset_at": NOW}
    row = "UPDATE policy_events SET event_kind = 'reset', rule_kind = 'reset_transition', payload_json = ?"
    two.tell(f"{row} WHERE id = 'p4'", json.dumps(payload))
    document = two.service().context(None)
    assert ids(document) == ["p2", "p1"]
    assert brief(sources_of(document)["codex-policy-events"]) == (
        *("available", None, 420_000, False, "policy-store"),
    )


# one bad source


@pytest.mark.parametrize("spoil", ["garbage", "newer", "older", "empty", "folder"])
def test_a_store_that_cannot_be_read_leaves_claude_whole(nothing: Files, spoil: str) -> None:  # CX28
    nothing.make_cache(status(claude()))
    whole = profiles_of(nothing.service().context(None))["claude"]
    spoil_store(nothing, spoil)
    document = nothing.service().context(None)
    assert profiles_of(document) == {"claude": whole}
    assert reasons(document)["codex-quota"] == "read_error"
    assert reasons(document)["codex-policy-events"] == "read_error"
    assert reasons(document)["claude-grants"] == "missing"


@pytest.mark.parametrize("pages", [0, 1, 2, 5, 9])
def test_a_store_of_which_only_the_beginning_is_left_makes_no_call_fail(two: Files, pages: int) -> None:
    with_four_events(two).make_cache(status(claude()))
    os.truncate(two.store, 4096 * pages + 100)
    document = two.service().context(None)
    assert reasons(document)["codex-policy-events"] == "read_error"
    assert "claude" in profiles_of(document)
    assert refusal(two.service(), "latest") == "read_error"


def spoil_store(files: Files, how: str) -> None:
    files.store.parent.mkdir()
    if how == "folder":
        files.store.mkdir()
    elif how in ("garbage", "empty"):
        files.store.write_bytes(b"\x07" * 9000 if how == "garbage" else b"")
    else:
        versions = "CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY)"
        run(files.store, f"{versions}; INSERT INTO schema_migrations VALUES ({99 if how == 'newer' else 8})")


@pytest.mark.parametrize("spoil", ["not json", "[]", "version", "folder", "missing"])
def test_a_cache_that_cannot_be_read_leaves_codex_whole(two: Files, spoil: str) -> None:  # CX29
    if spoil == "folder":
        two.cache.mkdir(parents=True)
    elif spoil == "version":
        two.make_cache(status(claude()))
        run(two.cache, "UPDATE meta SET value = '2'")
    elif spoil != "missing":
        two.make_cache(spoil)
    document = two.service().context(None)
    assert list(profiles_of(document)) == ["codex"]
    assert brief(sources_of(document)["codex-quota"])[0] == "available"
    assert brief(sources_of(document)["codex-budget"])[0] == "available"
    assert reasons(document)["claude-quota"] == "read_error"


def test_without_the_table_of_events_quotas_are_still_shown(two: Files) -> None:  # CX33
    document = two.tell("ALTER TABLE policy_events RENAME TO gone").service().context(None)
    sources = sources_of(document)
    assert brief(sources["codex-policy-events"]) == ("unavailable", "read_error", None, None, "policy-store")
    assert [brief(sources[f"codex-{kind}"])[0] for kind in ("quota", "budget")] == ["available", "available"]


def test_history_that_cannot_be_read_spoils_only_the_budget(two: Files) -> None:
    two.tell(
        "UPDATE observed_windows SET used_percent = 'x' WHERE observation_id LIKE ?", f"%{at(-64 * MINUTE)}"
    )
    document = two.service().context(None)
    sources = sources_of(document)
    assert brief(sources["codex-quota"])[0] == "available"
    assert brief(sources["codex-budget"]) == ("unavailable", "read_error", 240_000, False, "budget-current")
    assert profiles_of(document)["codex"]["budgets"][0]["reasons"][0] == "history_unavailable"


# what an observation tells


def observed(files: Files, *windows: Json, snapshot: str = "{}", minutes: int = 0) -> Json:
    """The document of a profile whose account was observed once."""
    files.make_cache().make_store("acctP").profile("personal", "acctP")
    return files.observe("acctP", at(-minutes * MINUTE), *windows, snapshot=snapshot).service().context(None)


FIVE_HOURS = ("5h limit", 20, at(2 * HOUR), 18_000_000)


def test_reset_credits_are_counted_and_nothing_else_of_them_is_told(nothing: Files) -> None:  # CX30
    several = [
        {"id": "CANARY", "status": "available", "expiresAt": at(72 * HOUR)},
        {"title": "CANARY", "status": "available", "expiresAt": "2026-07-14T14:00:00+02:00"},
        {"status": "redeemed", "expiresAt": at(HOUR)},
    ]
    document = observed(nothing, FIVE_HOURS, snapshot=json.dumps({"resetCredits": several}))
    assert profiles_of(document)["codex"]["grants"] == {
        "availableCount": 2,
        "earliestExpiryAt": at(24 * HOUR),
    }
    assert brief(sources_of(document)["codex-grants"]) == ("available", None, 0, False, "provider-api")


def test_grant_lines_of_an_observation_are_told(nothing: Files) -> None:  # CX31
    lines = [{"label": "Reset grants", "value": 1}, {"label": "Grant expiry", "value": at(HOUR)}]
    document = observed(nothing, FIVE_HOURS, snapshot=json.dumps({"lines": lines}))
    assert profiles_of(document)["codex"]["grants"] == {"availableCount": 1, "earliestExpiryAt": at(HOUR)}


@pytest.mark.parametrize("snapshot", ["{}", "", "CANARY", "[]", '{"lines": 7}', '{"resetCredits": [7]}'])
def test_a_snapshot_that_tells_nothing_of_grants_leaves_them_missing(
    nothing: Files, snapshot: str
) -> None:  # CX32
    document = observed(nothing, FIVE_HOURS, snapshot=snapshot)
    assert profiles_of(document)["codex"]["grants"] == {"availableCount": 0}
    assert brief(sources_of(document)["codex-grants"]) == (
        "unavailable",
        "missing",
        None,
        None,
        "provider-api",
    )


@pytest.mark.parametrize(
    ("window", "reason", "values"),
    [
        (("5h limit", None, at(2 * HOUR), 18_000_000), "used_percent_missing", (None, None, None)),
        (("5h limit", 101, at(2 * HOUR), 18_000_000), "used_percent_invalid", (None, None, None)),
        (("5h limit", 20, "", 18_000_000), "reset_time_missing", (20, 80, None)),
        (("5h limit", 20, at(2 * HOUR), None), "period_duration_missing", (20, 80, at(2 * HOUR))),
    ],
)
def test_a_window_with_a_value_missing_says_so_and_nothing_of_history(
    nothing: Files, window: Json, reason: str, values: Json
) -> None:  # CX34
    profile = profiles_of(observed(nothing, window))["codex"]
    (shown,) = profile["windows"]
    assert (shown["usedPercent"], shown["remainingPercentPoints"], shown["resetAt"]) == values
    assert profile["budgets"] == [
        {"key": "primary.five_hour", "risk": "unknown", "confidence": "none", "reasons": [reason]}
    ]


@pytest.mark.parametrize(("hours", "confidence"), [(24, "medium"), (25, "low")])
def test_history_of_24_hours_is_looked_at(nothing: Files, hours: int, confidence: str) -> None:
    week = (at(84 * HOUR), 168 * HOUR // 1_000_000)
    nothing.make_store("acctP").profile("personal", "acctP")
    nothing.observe("acctP", at(0), ("Weekly limit", 40, *week))
    nothing.observe("acctP", at(-hours * HOUR), ("Weekly limit", 30, *week))
    (found,) = profiles_of(nothing.service().context(None))["codex"]["budgets"]
    assert found["confidence"] == confidence


def test_an_observation_without_a_known_label_is_no_quota(nothing: Files) -> None:  # CX35
    assert observed(nothing, ("Credits left", 20, at(HOUR), None))["providers"] == []


def test_windows_are_listed_by_their_keys(nothing: Files) -> None:  # CX36
    labels = ("Weekly limit", "5h limit", "Spark 5h", "Review weekly")
    profile = profiles_of(observed(nothing, *((label, *FIVE_HOURS[1:]) for label in labels)))["codex"]
    keys = ["primary.five_hour", "primary.weekly", "review.weekly", "spark.five_hour"]
    assert [window["key"] for window in profile["windows"]] == keys
    assert [found["key"] for found in profile["budgets"]] == keys


def test_an_observation_of_the_future_is_new_and_not_judged(nothing: Files) -> None:  # CX37
    document = observed(nothing, FIVE_HOURS, minutes=-2)
    assert brief(sources_of(document)["codex-quota"]) == ("available", None, 0, False, "provider-api")
    (found,) = profiles_of(document)["codex"]["budgets"]
    assert found["risk"] == "unknown"
    assert "observation_in_future" in found["reasons"]


@pytest.mark.parametrize("text", ["", "yesterday", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_no_time_of_an_observation_makes_a_call_fail(two: Files, text: str) -> None:
    two.tell(
        "UPDATE limit_observations SET observed_at = ?, id = 'o' || rowid WHERE account_ref = 'acctW'", text
    )
    two.tell("UPDATE observed_windows SET observation_id = 'o5' WHERE label = 'Weekly limit'")
    document = two.service().context("work")
    assert profiles_of(document)["codex"]["windows"][0]["usedPercent"] == 91


# the whole


def parity(files: Files) -> ScribaService:
    files.make_cache().make_store("PRIVATE_ACCOUNT").profile("default", "PRIVATE_ACCOUNT")
    window = ("5h limit", 81, "2026-07-12T13:00:00Z", 18_000_000)
    files.observe("PRIVATE_ACCOUNT", "2026-07-12T08:00:00Z", window, snapshot='{"plan": "PRIVATE_PLAN"}')
    files.warn("PRIVATE_ACCOUNT", "parity-event", "2026-07-12T08:01:00Z")
    return files.service(Profiles(), "2026-07-12T09:00:00Z")


def test_the_golden_documents_come_out_byte_for_byte(nothing: Files) -> None:  # CX38, 8.5
    if not SPEC.exists():
        pytest.skip("the specification is not at hand")
    golden = SPEC.read_text(encoding="utf-8").split("### 8.5")[1].split("```json\n")
    context, page = (block.split("\n```")[0] for block in golden[1:3])
    service = parity(nothing)
    assert writing.compact(service.context(None)).decode() == context
    assert writing.compact(service.events("replay", ZERO, 20, None)).decode() == page


def test_two_calls_give_the_same_bytes(two: Files) -> None:  # CX39
    service = with_four_events(two).make_cache(status(claude())).service()
    assert writing.compact(service.context(None)) == writing.compact(service.context(None))


def test_reading_changes_no_file(two: Files) -> None:  # CX41
    service = with_four_events(two).make_cache(status(claude())).service()
    files = (two.cache, two.store)
    before = [(digest(file), file.stat().st_mtime_ns) for file in files]
    service.context(None)
    service.context("work")
    for mode, cursor in (("replay", ZERO), ("latest", ""), ("capture", "")):
        service.events(mode, cursor, 20, None)
    assert [(digest(file), file.stat().st_mtime_ns) for file in files] == before
    assert sorted(os.listdir(two.store.parent)) == ["server.sqlite"]


def test_files_that_are_missing_are_not_made(nothing: Files) -> None:
    service = nothing.service()
    service.context(None)
    with pytest.raises(PageUnavailable):
        service.events("latest", "", 20, None)
    assert list(nothing.cache.parent.parent.iterdir()) == []


def test_each_call_opens_files_of_its_own_and_closes_them(two: Files) -> None:
    opened: list[sqlite3.Connection] = []

    def noting(open_file: Any) -> Any:
        def open_and_note(path: str) -> sqlite3.Connection:
            opened.append(open_file(path))
            return opened[-1]

        return open_and_note

    rules = RULES._replace(open_cache=noting(opening.open_cache), open_store=noting(opening.open_store))
    service = two.make_cache(status(claude())).service(rules=rules)
    for call, files in (
        (lambda: service.context(None), 2),
        (lambda: service.events("latest", "", 20, None), 1),
        (lambda: refusal(service, "replay", "v1.0000000000000005"), 1),
    ):
        opened.clear()
        call()
        assert len(opened) == files
        for connection in opened:
            with pytest.raises(sqlite3.ProgrammingError, match="closed"):
                connection.execute("SELECT 1")


def test_what_is_written_between_two_calls_is_seen_by_the_second(two: Files) -> None:
    service = two.service()
    assert ids(service.context(None)) == []
    two.warn("acctP", "new", at(0))
    assert ids(service.context(None)) == ["new"]


def test_several_threads_may_ask_at_once(two: Files) -> None:  # MC12
    service = with_four_events(two).make_cache(status(claude())).service()
    alone = writing.compact(service.context(None))
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda _: writing.compact(service.context(None)), range(8)))
    assert together == [alone] * 8


def test_a_service_is_what_surfaces_ask(two: Files) -> None:
    service: Service = two.service()
    assert service.context("")["schemaVersion"] == "scriba.context.v1"


# pages


def refusal(
    service: ScribaService, mode: str, cursor: str = "", limit: int = 20, profile: str | None = None
) -> str:
    with pytest.raises(PageUnavailable) as raised:
        service.events(mode, cursor, limit, profile)
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None
    return raised.value.code


def test_a_page_has_the_events_of_its_profile_alone(two: Files) -> None:  # EV01, EV04, 2.10
    service = with_four_events(two).service()
    page = service.events("replay", ZERO, 2, "personal")
    assert (ids(page), page["cursor"]) == (
        ["p1", "p2"],
        {"next": "v1.0000000000000002", "highWater": "v1.0000000000000004"},
    )
    for profile, found in (("personal", ["p1", "p2", "p4"]), ("work", ["w3"])):
        latest = service.events("latest", "", 20, profile)
        assert ids(latest) == found
        assert {event["profileId"] for event in latest["events"]} == {profile}


def test_what_is_wrong_with_a_request_is_told_before_its_profile_and_that_before_any_data(
    nothing: Files,
) -> None:
    service = nothing.service()
    assert refusal(service, "bad", limit=0, profile="nope") == "invalid_limit"  # EV25
    assert refusal(service, "bad", profile="nope") == "invalid_mode"
    assert refusal(service, "latest", ZERO, profile="nope") == "invalid_cursor"
    assert refusal(service, "replay", "", profile="nope") == "invalid_cursor"
    with pytest.raises(ProfileUnavailable):  # EV21
        service.events("replay", ZERO, 20, "nope")


def test_an_account_that_was_never_observed_has_no_pages(nothing: Files) -> None:  # EV22
    nothing.make_store("acctP").profile("personal", "acctP")
    for mode, cursor in (("replay", ZERO), ("latest", ""), ("capture", "")):
        assert refusal(nothing.service(), mode, cursor) == "events_unavailable"


def test_a_store_that_cannot_be_opened_is_a_read_error_unless_codex_is_cached(
    nothing: Files,
) -> None:  # EV23, EV24
    assert refusal(nothing.service(), "latest") == "read_error"
    nothing.make_cache(status(claude()))
    assert refusal(nothing.service(), "latest") == "read_error"
    run(nothing.cache, "UPDATE snapshots SET json = ?", json.dumps(status(codex(99))))
    assert refusal(nothing.service(), "latest") == "events_unavailable"


def test_a_store_that_fails_when_it_is_asked_is_a_read_error_whatever_is_cached(two: Files) -> None:
    two.make_cache(status(codex(99), generated_at=at(-MINUTE))).tell("DROP TABLE profiles")
    assert refusal(two.service(), "latest") == "read_error"
    two.tell("ALTER TABLE policy_event_replay RENAME TO gone")
    assert refusal(two.service(LEGACY), "latest") == "events_unavailable"  # the cache is newer than the store
    run(two.cache, "DELETE FROM snapshots")
    assert refusal(two.service(LEGACY), "latest") == "read_error"


def test_a_cache_is_not_even_opened_for_the_page_of_a_profile(two: Files) -> None:
    def open_file(path: str) -> sqlite3.Connection:
        raise AssertionError(path)

    page = (
        with_four_events(two)
        .service(rules=RULES._replace(open_cache=open_file))
        .events("latest", "", 1, None)
    )
    assert ids(page) == ["p4"]


def test_an_account_that_is_mapped_anew_changes_the_next_page(two: Files) -> None:  # EV27
    service = with_four_events(two).service()
    first = service.events("replay", ZERO, 1, None)
    two.tell("DELETE FROM profile_accounts").tell(
        "INSERT INTO profile_accounts VALUES ('personal', 'codex', 'acctW', 1)"
    )
    assert ids(service.events("replay", first["cursor"]["next"], 20, None)) == ["w3"]


# privacy


def test_nothing_private_leaves_the_service(two: Files) -> None:  # CX40
    with closing(sqlite3.connect(two.store)) as connection, connection:
        connection.execute("UPDATE limit_observations SET snapshot_json = ?", ('{"CANARY": "CANARY"}',))
        connection.execute("UPDATE accounts SET account_ref = 'CANARY' WHERE account_ref = 'acctP'")
        for table in ("limit_observations", "profile_accounts"):
            connection.execute(f"UPDATE {table} SET account_ref = 'CANARY' WHERE account_ref = 'acctP'")
    payload = {"kind": "limit_warning", "version": 1, "label": "5h limit", "account_email": "CANARY"}
    two.warn("CANARY", "e1", at(0), json.dumps(payload)).make_cache(status(claude(plan="CANARY")))
    service = two.service()
    page, document = service.events("replay", ZERO, 20, None), service.context(None)
    assert ids(page) == ids(document) == ["e1"]
    for told in (document, page):
        assert "CANARY" not in json.dumps(told)
        assert str(two.store.parent.parent) not in json.dumps(told)


def test_a_text_that_cannot_be_read_is_told_in_no_exception(two: Files) -> None:
    two.tell("UPDATE profile_accounts SET account_ref = CAST(x'43414E415259FF' AS TEXT)")
    service = two.service()
    assert reasons(service.context(None))["codex-policy-events"] == "read_error"
    assert refusal(service, "latest") == "read_error"
