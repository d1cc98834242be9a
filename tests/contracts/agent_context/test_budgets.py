"""Tests for `budgets`: whole results stay within 20,000 characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evalkit.contracts.agent_context.budgets import fit
from evalkit.contracts.agent_context.javascript import stringify, utf16_length
from evalkit.model import Json

if TYPE_CHECKING:
    from tests.contracts.agent_context.conftest import Open


def _bare(items: list[Json]) -> Json:
    return items


def _pages(count: int, path: int) -> Json:
    """Navigation records whose items have a title and a summary of full length."""
    page = {"label": "l" * 160, "section": "s" * 400, "path": "p" * path}
    return [{"id": f"n{index:02}", **page} for index in range(count)]


@pytest.mark.parametrize(("length", "kept"), [(19_996, 1), (19_997, 0)])
def test_the_budget_is_20000_characters_exactly(length: int, kept: int) -> None:
    # ["…"] is four characters more than the text within.
    assert len(fit(["x" * length], _bare)) == kept


def test_the_budget_counts_utf16_units() -> None:
    assert len(fit(["😀" * 9_998], _bare)) == 1
    assert len(fit(["😀" * 9_999], _bare)) == 0


def test_the_budget_counts_escaped_text() -> None:
    assert len(fit(["\n" * 9_998], _bare)) == 1
    assert len(fit(["\n" * 9_999], _bare)) == 0


def test_the_budget_counts_the_envelope() -> None:
    def enveloped(items: list[Json]) -> Json:
        return {"items": items, "note": "n" * 100}

    # {"items":["…"],"note":"…"} is 24 characters and the note more than the text within.
    assert len(fit(["x" * 19_876], enveloped)["items"]) == 1
    assert len(fit(["x" * 19_877], enveloped)["items"]) == 0


def test_leading_items_are_kept_as_many_as_fit() -> None:
    assert fit(["x" * 6_000] * 4, _bare) == ["x" * 6_000] * 3


def test_what_fits_is_left_alone() -> None:
    assert fit([], _bare) == []
    assert fit([1, 2], _bare) == [1, 2]


def test_a_page_stops_at_the_budget_and_the_next_one_goes_on(opened: Open) -> None:
    contract = opened({"navigation": _pages(25, 300)})
    seen: list[str] = []
    cursor: int | None = 0
    while cursor is not None:
        page = contract.output("list_context", {"scope": "navigation", "limit": 25, "cursor": cursor})
        assert utf16_length(stringify(page)) <= 20_000
        assert page["items"]
        assert page["truncated"] is (page["nextCursor"] is not None)
        seen += [item["ref"] for item in page["items"]]
        cursor = page["nextCursor"]
    assert seen == [f"navigation:n{index:02}" for index in range(25)]


def test_a_page_whose_array_alone_would_fit_is_cut_too(opened: Open) -> None:
    # Each item is 796 characters with its comma: 25 of them 19,901 with the brackets, 20,005 with the rest.
    contract = opened({"navigation": _pages(25, 222)})
    page = contract.output("list_context", {"scope": "navigation", "limit": 25})
    assert utf16_length(stringify(page["items"][0])) == 795
    assert len(page["items"]) == 24
    assert (page["nextCursor"], page["truncated"]) == (24, True)


def test_a_search_stops_at_the_budget(opened: Open) -> None:
    contract = opened({"navigation": _pages(25, 300)})
    output = contract.output("search_context", {"query": "lll", "limit": 25})
    assert utf16_length(stringify(output)) <= 20_000
    assert len(output["items"]) < output["total"] == 25
    assert output["truncated"] is True
