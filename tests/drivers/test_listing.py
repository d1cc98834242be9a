"""Every page is read, what was read is kept, and no server keeps us reading for ever."""

from __future__ import annotations

import pytest

from evalkit.drivers._listing import MOST_PAGES, read_tools
from evalkit.errors import CaseError, OutOfTime
from evalkit.model import Json


class Pages:
    """Answers `tools/list` by the cursor; counts what it was asked."""

    def __init__(self, pages: dict[Json, Json]) -> None:
        self.pages = pages
        self.asked: list[Json] = []

    def __call__(self, method: str, params: dict[str, Json]) -> Json:
        assert method == "tools/list"
        self.asked.append(params)
        page = self.pages[params.get("cursor")]
        if isinstance(page, Exception):
            raise page
        return page


def page(*tools: Json, **more: Json) -> Json:
    return {"result": {"tools": list(tools), **more}}


def test_all_pages_are_read_in_their_order() -> None:
    pages = Pages(
        {None: page(1, 2, nextCursor=""), "": page(3, nextCursor="b"), "b": page(4, nextCursor=None)}
    )
    assert read_tools(pages) == ([1, 2, 3, 4], "")
    assert pages.asked == [{}, {"cursor": ""}, {"cursor": "b"}]


@pytest.mark.parametrize(
    ("second", "tools", "told"),
    [
        ({"error": {"code": -32603}}, [1], "page 2 is the error -32603"),
        ({"result": {}}, [1], "page 2 holds no array of tools"),
        ({"result": {"tools": {}}}, [1], "page 2 holds no array of tools"),
        ({"result": []}, [1], "page 2 holds no array of tools"),
        (page(2, nextCursor=7), [1, 2], "page 2 has a `nextCursor` that is no text"),
        (page(2, nextCursor="a"), [1, 2], "page 2 names a cursor for the second time"),
        (CaseError("protocol", "status 502"), [1], "page 2 did not come: status 502"),
    ],
)
def test_a_page_that_breaks_ends_the_listing_and_keeps_what_was_read(
    second: Json, tools: list[Json], told: str
) -> None:
    pages = Pages({None: page(1, nextCursor="a"), "a": second})
    found, fault = read_tools(pages)
    assert found == tools
    assert told in fault
    assert len(pages.asked) == 2


def test_a_first_page_that_breaks_says_so_too() -> None:
    assert read_tools(Pages({None: {"error": {"code": -32601}}})) == ([], "page 1 is the error -32601")


def test_pages_that_never_end_are_read_so_far_and_no_further() -> None:
    asked: list[Json] = []

    def endless(_method: str, params: dict[str, Json]) -> Json:
        asked.append(params)
        return page("tool", nextCursor=str(len(asked)))

    tools, fault = read_tools(endless)
    assert len(tools) == len(asked) == MOST_PAGES
    assert str(MOST_PAGES) in fault


@pytest.mark.parametrize("problem", [OutOfTime(1), CaseError("connection-failed", "gone")])
def test_what_cannot_be_waited_for_goes_through(problem: CaseError) -> None:
    with pytest.raises(type(problem)):
        read_tools(Pages({None: page(1, nextCursor="a"), "a": problem}))
