"""Tests for `pagination` and `inspection`: what is shown, and honesty about what is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evalkit.contracts.agent_context.inspection import UnreadableRecord, inspect
from evalkit.contracts.agent_context.pagination import list_page, search_page
from evalkit.model import Json

if TYPE_CHECKING:
    from tests.contracts.agent_context.conftest import Open


def _workspaces(count: int) -> Json:
    return {"workspaces": [{"appId": f"app-{index}", "taskCount": index} for index in range(count)]}


@pytest.mark.parametrize(
    ("rows", "args", "shown", "total", "next_cursor", "truncated", "source_truncated"),
    [
        (11, {}, 10, 11, 10, True, False),
        (10, {}, 10, 10, None, False, False),
        (25, {"limit": 25}, 25, 25, None, False, False),
        (26, {"limit": 25}, 25, 26, 25, True, False),
        (26, {"cursor": 25, "limit": 25}, 1, 26, None, False, False),
        (3, {"cursor": 3}, 0, 3, None, False, False),
        (3, {"cursor": 9}, 0, 3, None, False, False),
        (3, {"cursor": 2**53 - 1}, 0, 3, None, False, False),
        (3, {"limit": 25.0, "cursor": 1.0}, 2, 3, None, False, False),
        (0, {}, 0, 0, None, False, False),
        (1000, {"cursor": 990, "limit": 25}, 10, 1000, None, False, False),
        (1001, {"cursor": 990, "limit": 25}, 10, 1000, None, True, True),
        (1001, {}, 10, 1000, 10, True, True),
    ],
)
def test_a_page_says_what_it_left_out(
    opened: Open,
    rows: int,
    args: Json,
    shown: int,
    total: int,
    next_cursor: int | None,
    truncated: bool,
    source_truncated: bool,
) -> None:
    output = opened(_workspaces(rows)).output("list_context", {"scope": "workspaces", **args})
    assert len(output.pop("items")) == shown
    assert output == {
        "total": total,
        "nextCursor": next_cursor,
        "truncated": truncated,
        "sourceTruncated": source_truncated,
        "sourceStatus": "fresh",
    }


def test_following_the_cursor_shows_every_row_once_in_order(opened: Open) -> None:
    contract = opened(_workspaces(60))
    seen: list[str] = []
    cursor: int | None = 0
    while cursor is not None:
        page = contract.output("list_context", {"scope": "workspaces", "cursor": cursor, "limit": 7})
        seen += [item["summary"] for item in page["items"]]
        cursor = page["nextCursor"]
    assert seen == [f"Active workspace with {index} task(s)." for index in range(60)]


def test_brain_types_share_one_cap_in_their_order(opened: Open) -> None:
    fixture = {"brain": {kind: [{"id": index} for index in range(600)] for kind in ("ideas", "people")}}
    output = opened(fixture).output("list_context", {"scope": "brain", "cursor": 995})
    assert [item["kind"] for item in output["items"]] == ["people"] * 5
    assert (output["total"], output["sourceTruncated"]) == (1000, True)


def test_nothing_found_is_not_claimed_of_rows_that_were_not_looked_at(opened: Open) -> None:
    fixture = {
        "brain": {"ideas": [{"id": index} for index in range(1000)], "people": [{"id": 1, "name": "zz"}]}
    }
    output = opened(fixture).output("search_context", {"query": "zz", "scopes": ["brain"]})
    assert (output["total"], output["truncated"], output["sourceTruncated"]) == (0, True, True)


def test_a_search_is_truncated_if_any_source_is(opened: Open) -> None:
    contract = opened({**_workspaces(1001), "brain": {"ideas": [{"id": 1}]}})
    output = contract.output("search_context", {"query": "zz", "scopes": ["workspaces", "brain"]})
    assert (output["sourceTruncated"], output["truncated"]) == (True, True)


def test_a_search_counts_all_matches_and_shows_the_first_ones(opened: Open) -> None:
    contract = opened(_workspaces(30))
    output = contract.output("search_context", {"query": "app", "limit": 4, "scopes": ["workspaces"]})
    assert [item["summary"][22] for item in output["items"]] == ["0", "1", "2", "3"]
    assert (output["total"], output["truncated"], output["sourceTruncated"]) == (30, True, False)


def test_a_search_that_shows_all_is_not_truncated() -> None:
    assert search_page([1, 2], 2, False, "fresh")["truncated"] is False
    assert search_page([1, 2], 2, True, "fresh")["truncated"] is True


def test_a_page_cut_short_goes_on_where_it_stopped() -> None:
    page = list_page(["one"], 5, 2, False, "fresh")
    assert (page["nextCursor"], page["truncated"]) == (3, True)


def test_a_source_of_exactly_1000_rows_is_not_truncated() -> None:
    rows = [("", {"appId": index}) for index in range(1001)]
    assert inspect("workspaces", rows[:1000]).truncated is False
    assert inspect("workspaces", rows).truncated is True
    assert inspect("workspaces", rows).rows == rows[:1000]


@pytest.mark.parametrize(
    "record", [None, 5, "text", [], {"aliases": 5}, {"keywords": {}}, {"aliases": "home"}]
)
def test_a_page_record_that_cannot_be_read_is_refused(record: Json) -> None:
    with pytest.raises(UnreadableRecord):
        inspect("navigation", [("", {"id": "fine"}), ("", record)])


@pytest.mark.parametrize("record", [{}, {"aliases": None}, {"aliases": ""}, {"aliases": [], "keywords": [1]}])
def test_absent_word_lists_are_fine(record: Json) -> None:
    assert inspect("navigation", [("", record)]).rows == [("", record)]
