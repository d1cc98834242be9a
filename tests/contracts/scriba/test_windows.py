"""Tests for `windows`: the table of labels, the periods, and the order (spec 1.4, 1.8)."""

from __future__ import annotations

from typing import Final

import pytest

from evalkit.contracts.scriba.budget_nouns import WindowReading
from evalkit.contracts.scriba.documents import schema
from evalkit.contracts.scriba.windows import fallback_period_ms, in_order, key_of

_FIVE_HOURS: Final = 18_000_000
_WEEK: Final = 604_800_000

_TABLE: Final = [
    ("codex", "5h limit", "primary.five_hour", None),
    ("codex", "Weekly limit", "primary.weekly", None),
    ("codex", "Spark 5h", "spark.five_hour", None),
    ("codex", "Spark weekly", "spark.weekly", None),
    ("codex", "Review 5h", "review.five_hour", None),
    ("codex", "Review weekly", "review.weekly", None),
    ("claude", "5h limit", "primary.five_hour", _FIVE_HOURS),
    ("claude", "Weekly limit", "primary.weekly", _WEEK),
    ("claude", "OAuth Apps", "oauth_apps.weekly", _WEEK),
    ("claude", "Sonnet", "sonnet.weekly", _WEEK),
    ("claude", "Claude Design", "design.weekly", _WEEK),
    ("claude", "Claude Routines", "routines.weekly", _WEEK),
    ("claude", "Extra Claude window", "extra.current", _WEEK),
]


@pytest.mark.parametrize(("provider", "label", "key", "period"), _TABLE)
def test_a_label_names_a_window_of_its_provider(
    provider: str, label: str, key: str, period: int | None
) -> None:
    assert key_of(provider, label) == key
    assert key_of(f" {provider.upper()}\t", f"\n {label.swapcase()} ") == key
    assert fallback_period_ms(provider, key) == period


@pytest.mark.parametrize(
    ("provider", "label"),
    [
        ("claude", "Spark 5h"),
        ("codex", "Sonnet"),
        ("codex", "Credits left"),
        ("codex", "5h  limit"),
        ("codex", "five_hour"),
        ("codex", ""),
        ("", "5h limit"),
        ("other", "5h limit"),
    ],
)
def test_any_other_label_names_none(provider: str, label: str) -> None:
    assert key_of(provider, label) is None


def test_the_keys_are_those_of_the_schema() -> None:
    assert {key for _, _, key, _ in _TABLE} == set(schema("event")["$defs"]["windowKey"]["enum"])


def test_no_period_is_known_of_a_window_that_there_is_not() -> None:
    assert fallback_period_ms("claude", "spark.weekly") is None
    assert fallback_period_ms("other", "primary.weekly") is None


def test_windows_stand_by_key_and_then_by_label() -> None:
    names = [
        ("spark.weekly", "a"),
        ("primary.weekly", "b"),
        ("primary.weekly", "B"),
        ("primary.five_hour", "z"),
    ]
    readings = [WindowReading(key, label, None, None, None) for key, label in names]
    assert [(reading.key, reading.label) for reading in in_order(readings)] == [
        ("primary.five_hour", "z"),
        ("primary.weekly", "B"),
        ("primary.weekly", "b"),
        ("spark.weekly", "a"),
    ]
