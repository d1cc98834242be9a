"""Tests for `adapters.brain`: the notes of the inbox."""

from __future__ import annotations

import pytest

from evalkit.model import Json
from tests.contracts.agent_context.semantic.adapters.sem import Tools, sem


def inbox(*texts: str) -> Json:
    return sem(
        brainInbox=[
            {"id": f"n{number}", "capturedAt": "2026-01-01T00:00:00Z", "capturedText": text}
            for number, text in enumerate(texts)
        ]
    )


def test_a_captured_note_is_appended_trimmed_and_named_by_its_row() -> None:
    tools = Tools()
    assert tools.done("brain.capture", text="  Mend the gate\n") == {"id": "inbox-4"}
    row = {"id": "inbox-4", "capturedAt": "2026-01-02T03:04:05.000Z", "capturedText": "Mend the gate"}
    assert tools.effects == [{"collection": "brainInbox", "change": "append", "row": row}]
    assert tools.rows("brainInbox")[3] == row


def test_the_first_note_of_an_empty_inbox_and_the_next_have_names_of_their_own() -> None:
    tools = Tools({})
    assert [tools.done("brain.capture", text=text)["id"] for text in ("a", "a")] == ["inbox-1", "inbox-2"]


@pytest.mark.parametrize("text", ["", "  ", "\n\u00a0\ufeff"])
def test_a_blank_note_is_refused(text: str) -> None:
    assert Tools().refusal("brain.capture", text=text) == "text must not be empty"


def test_search_finds_a_piece_of_the_text_in_any_case_the_latest_first() -> None:
    assert Tools().done("brain.search", query=" PAINT ") == {
        "count": 2,
        "hits": [
            {"id": "inbox-2", "date": "2026-01-01", "text": "Call the painter"},
            {"id": "inbox-1", "date": "2025-12-30", "text": "Buy green paint"},
        ],
    }


def test_search_takes_the_query_literally() -> None:
    assert Tools().done("brain.search", query="p.int") == {"count": 0, "hits": []}


@pytest.mark.parametrize("query", ["", " "])
def test_a_blank_query_is_refused(query: str) -> None:
    assert Tools().refusal("brain.search", query=query) == "query must not be empty"


def test_search_looks_at_the_last_200_notes() -> None:
    tools = Tools(inbox("needle too old", "needle", *["hay"] * 199))
    assert [hit["id"] for hit in tools.done("brain.search", query="needle")["hits"]] == ["n1"]


@pytest.mark.parametrize(
    ("limit", "count"),
    [({}, 5), ({"limit": 0}, 5), ({"limit": -3}, 5), ({"limit": 1}, 1), ({"limit": 99}, 10)],
)
@pytest.mark.parametrize(("tool", "rows"), [("brain.search", "hits"), ("brain.recent", "items")])
def test_five_notes_are_shown_and_ten_at_most(tool: str, rows: str, limit: Json, count: int) -> None:
    args = {"query": "note", **limit} if tool == "brain.search" else limit
    given = Tools(inbox(*(f"note {number}" for number in range(12)))).done(tool, **args)
    assert given["count"] == len(given[rows]) == count
    assert given[rows][0]["text"] == "note 11"


def test_recent_lists_the_latest_first() -> None:
    assert Tools().done("brain.recent", limit=2) == {
        "count": 2,
        "items": [
            {"date": "2026-01-01", "text": "Water the fern"},
            {"date": "2026-01-01", "text": "Call the painter"},
        ],
    }


def test_a_note_is_dated_by_the_clock_of_its_owner() -> None:
    tools = Tools(timezone="Asia/Tokyo")  # nine hours ahead
    assert [item["date"] for item in tools.done("brain.recent")["items"]] == [
        "2026-01-02",
        "2026-01-01",
        "2025-12-30",
    ]


def test_the_summary_tells_how_many_there_are_and_not_how_many_are_shown() -> None:
    tools = Tools(inbox(*["note"] * 12))
    assert tools.call("brain.search", query="note", limit=2)["summary"] == '12 notes with "note".'
