"""Tests for `candidates`: windows, when cached values were seen, whose data are taken (spec 2.3-2.5)."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.contracts.scriba import windows
from evalkit.contracts.scriba.budget_nouns import WindowReading
from evalkit.contracts.scriba.candidates import (
    Candidate,
    cached_windows,
    choose_by_profile,
    choose_newest,
    grants_provenance,
    quota_provenance,
    sight,
    stored_windows,
)
from evalkit.contracts.scriba.grants import Grants
from evalkit.contracts.scriba.nouns import Instant
from evalkit.contracts.scriba.snapshots import Line, Provenance, SnapshotProvider
from evalkit.contracts.scriba.sources import Sighting
from evalkit.contracts.scriba.store.observations import StoredWindow
from tests.contracts.scriba.small_files import instant

WEEK = 7 * 24 * 3_600_000
FALLBACK = Instant(1)
T10, T20, T30 = "2026-07-13T10:00:00Z", "2026-07-13T10:20:00Z", "2026-07-13T10:30:00Z"


def own(fetched_at: str, **more: Any) -> Provenance:
    return Provenance("provider-api", "claude", fetched_at, False, "")._replace(**more)


CACHED = Provenance("cache", "claude", T30, True, "")
NOISE = Provenance("local-log", "claude", T30, True, "")


@pytest.mark.parametrize(
    ("items", "seen"),
    [
        ([], Sighting(FALLBACK)),
        # the provider's own time replaces the fallback even if it is earlier, then only later ones count
        ([own(T10)], Sighting(instant(T10))),
        ([own(T20), own(T10)], Sighting(instant(T20))),
        ([own(T10), own(T20)], Sighting(instant(T20))),
        # an error makes stale and its time is not used
        ([own(T10, error="x")], Sighting(FALLBACK, True)),
        ([own(T10), own(T20, error="x")], Sighting(instant(T10), True)),
        # a stale one makes stale and its time is used
        ([own(T10, stale=True)], Sighting(instant(T10), True)),
        # a stale cache makes stale, its time is not used; a fresh one says nothing
        ([own(T10), CACHED], Sighting(instant(T10), True)),
        ([CACHED], Sighting(FALLBACK, True)),
        ([CACHED._replace(stale=False)], Sighting(FALLBACK)),
        # what comes from elsewhere, or is another provider's, says nothing
        ([NOISE], Sighting(FALLBACK)),
        (
            [own(T10, provider_id="codex", error="x"), CACHED._replace(provider_id="codex")],
            Sighting(FALLBACK),
        ),
        ([own(T10, provider_id="")], Sighting(instant(T10))),
        ([CACHED._replace(provider_id="")], Sighting(FALLBACK, True)),
        # a time that is none
        ([own("yesterday")], Sighting(FALLBACK)),
        ([own("", stale=True)], Sighting(FALLBACK, True)),
        # the case of spec 2.10
        ([own(T10), own(T20, error="x"), CACHED], Sighting(instant(T10), True)),
    ],
)
def test_when_cached_values_were_seen(items: list[Provenance], seen: Sighting) -> None:
    assert sight("claude", FALLBACK, items) == seen


def test_a_time_keeps_the_offset_it_was_told_in_and_is_compared_as_a_moment() -> None:
    later = "2026-07-13T12:01:00+02:00"
    assert sight("claude", FALLBACK, [own(T10), own(later)]) == Sighting(instant(later))
    assert instant(later).offset == 120
    assert sight("claude", FALLBACK, [own(T10), own("2026-07-13T11:59:00+02:00")]) == Sighting(instant(T10))


def line(label: str, kind: str = "progress", **more: Any) -> Line:
    return Line(kind, label, None, 20.0, T10, None, ())._replace(**more)


def windows_of(provider: str, *lines: Line) -> list[WindowReading]:
    return cached_windows(provider, lines, windows.key_of, windows.fallback_period_ms)


def test_only_progress_lines_with_a_known_label_are_windows() -> None:
    lines = line("Weekly limit"), line("5h limit", "amount"), line("Credits left"), line("Spark 5h")
    assert windows_of("claude", *lines) == [
        WindowReading("primary.weekly", "Weekly limit", 20.0, instant(T10), WEEK)
    ]


def test_a_window_without_a_period_lasts_as_long_as_is_usual_with_claude() -> None:
    assert [window.period_ms for window in windows_of("claude", line("5h limit"), line("Sonnet"))] == [
        18_000_000,
        WEEK,
    ]
    assert windows_of("codex", line("Weekly limit"))[0].period_ms is None
    assert windows_of("claude", line("5h limit", period_ms=7))[0].period_ms == 7


@pytest.mark.parametrize("text", ["", "tomorrow"])
def test_a_reset_that_is_no_time_is_missing(text: str) -> None:
    assert windows_of("claude", line("Weekly limit", resets_at=text))[0].reset_at is None


def test_the_reset_of_a_cached_window_keeps_its_offset_and_that_of_a_stored_one_does_not() -> None:
    text = "2026-07-13T12:00:00+02:00"
    assert windows_of("claude", line("Weekly limit", resets_at=text))[0].reset_at == instant(text)
    stored = [StoredWindow("Weekly limit", 20.0, text, WEEK)]
    readings = stored_windows("codex", stored, windows.key_of, windows.fallback_period_ms)
    assert readings == [WindowReading("primary.weekly", "Weekly limit", 20.0, instant(T10), WEEK)]


def test_stored_rows_with_an_unknown_label_are_no_windows() -> None:
    stored = [StoredWindow("Credits left", 20.0, "", None), StoredWindow("Sonnet", 20.0, "", None)]
    assert stored_windows("codex", stored, windows.key_of, windows.fallback_period_ms) == []


def test_provenance_is_asked_of_the_provider_first_and_then_of_the_lines_that_matter() -> None:
    first, quota, grant, other = (own(text) for text in ("1", "2", "3", "4"))
    provider = SnapshotProvider(
        "claude",
        (
            line("Reset grants", "amount", provenance=(grant,)),
            line("Weekly limit", provenance=(quota,)),
            line("Weekly limit", "amount", provenance=(other,)),
            line("Something", provenance=(other,)),
        ),
        (first,),
    )
    assert quota_provenance(provider, windows.key_of) == [first, quota]
    assert grants_provenance(provider) == [first, grant]


def candidate(text: str | None) -> Candidate:
    seen = Sighting(None if text is None else instant(text))
    return Candidate("codex", "provider-api", "", (), seen, Grants(), False, seen)


STORED, SAME, NEWER, TIMELESS = candidate(T10), candidate(T10), candidate(T20), candidate(None)


def test_with_a_profile_the_cache_never_counts() -> None:
    assert choose_by_profile(STORED, NEWER) is STORED
    assert choose_by_profile(None, NEWER) is None


def test_without_profiles_the_newer_one_counts_and_the_store_where_both_are_as_new() -> None:
    assert choose_newest(STORED, NEWER) is NEWER
    assert choose_newest(NEWER, STORED) is NEWER
    assert choose_newest(STORED, SAME) is STORED
    assert choose_newest(None, SAME) is SAME
    assert choose_newest(STORED, None) is STORED
    assert choose_newest(None, None) is None
    assert choose_newest(TIMELESS, SAME) is SAME
