"""Tests for `adapters.journal`: one entry a day, made of segments."""

from __future__ import annotations

import pytest

from tests.contracts.agent_context.semantic.adapters.sem import Tools, sem


def test_a_segment_is_added_to_the_entry_of_today() -> None:
    tools = Tools()
    assert tools.done("journal.append", text=" Made tea. ") == {"date": "2026-01-02", "segments": 2}
    (effect,) = tools.effects
    assert (effect["collection"], effect["change"]) == ("journal", "replace")
    assert effect["row"] == {
        "date": "2026-01-02",
        "segments": [
            {"at": "2026-01-02T01:00:00Z", "text": "Woke early."},
            {"at": "2026-01-02T03:04:05.000Z", "text": "Made tea."},
        ],
    }


def test_the_first_segment_of_a_day_begins_its_entry() -> None:
    tools = Tools()
    assert tools.done("journal.append", text="Rain.", date="2025-12-31") == {
        "date": "2025-12-31",
        "segments": 1,
    }
    row = {"date": "2025-12-31", "segments": [{"at": "2026-01-02T03:04:05.000Z", "text": "Rain."}]}
    assert tools.effects == [{"collection": "journal", "change": "append", "row": row}]
    assert tools.done("journal.append", text="Snow.", date="2025-12-31")["segments"] == 2


def test_what_was_appended_can_be_read() -> None:
    tools = Tools()
    tools.done("journal.append", text="Made tea.")
    wanted = {"date": "2026-01-02", "content": "Woke early.\n\nMade tea.", "segments": 2}
    assert tools.done("journal.read") == wanted
    assert tools.done("journal.read", date="2026-01-02") == wanted


def test_a_day_without_a_segment_is_empty() -> None:
    assert Tools().done("journal.read", date="2025-12-31") == {"date": "2025-12-31", "empty": True}
    bare = sem(journal=[{"date": "2026-01-02", "segments": []}])
    assert Tools(bare).done("journal.read") == {"date": "2026-01-02", "empty": True}


def test_today_is_the_day_of_the_owner() -> None:
    tools = Tools(timezone="America/New_York")  # five hours behind
    assert tools.done("journal.read") == {"date": "2026-01-01", "empty": True}
    assert tools.done("journal.append", text="Late.")["date"] == "2026-01-01"


def test_a_blank_segment_is_refused() -> None:
    assert Tools().refusal("journal.append", text=" \n") == "text must not be empty"


@pytest.mark.parametrize("tool", ["journal.append", "journal.read"])
@pytest.mark.parametrize(
    ("date", "text"),
    [
        ("today", "date must be written YYYY-MM-DD"),
        ("", "date must be written YYYY-MM-DD"),
        ("2026-02-30", "date must be a day that exists: 2026-02-30 does not"),
    ],
)
def test_a_date_has_to_be_a_day_of_the_calendar(tool: str, date: str, text: str) -> None:
    assert Tools().refusal(tool, text="a", date=date) == text
