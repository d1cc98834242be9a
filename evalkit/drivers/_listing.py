"""Reads every page of `tools/list`, keeps what was read where a page breaks, and never reads for ever."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from evalkit.errors import CaseError
from evalkit.model import Json

MOST_PAGES: Final = 500

NO_PAGE: Final = frozenset({"protocol", "not-json"})
"""The errors of a case in which something came back, but no page."""

NOTHING: Final = frozenset({"timeout", "connection-failed"})
"""Those in which nothing came back; a deadline of the case itself is none that could be caught."""


def read_tools(
    ask: Callable[[str, dict[str, Json]], Json], breaks: frozenset[str] = NO_PAGE
) -> tuple[list[Json], str]:
    """The tools of all pages in their order, and why there might be more; empty where that was all.

    `breaks` are the errors of a case that end the reading; any other goes through.
    """
    tools: list[Json] = []
    params: dict[str, Json] = {}
    cursors: set[str] = set()
    for page in range(1, MOST_PAGES + 1):
        try:
            message = ask("tools/list", params)
        except CaseError as problem:
            if problem.code not in breaks:
                raise
            return tools, f"page {page} did not come: {problem}"
        result = message.get("result")
        if not isinstance(result, dict) or not isinstance(result.get("tools"), list):
            return tools, f"page {page} {_what(message)}"
        cursor = result.get("nextCursor")
        if isinstance(cursor, str) and cursor in cursors:
            tools += [tool for tool in result["tools"] if tool not in tools]
            return tools, f"page {page} names a cursor for the second time, so the pages never end"
        tools += result["tools"]
        if cursor is None:
            return tools, ""
        if not isinstance(cursor, str):
            return tools, f"page {page} has a `nextCursor` that is no text"
        cursors.add(cursor)
        params = {"cursor": cursor}
    return tools, f"after {MOST_PAGES} pages there are still more"


def _what(message: Json) -> str:
    error = message.get("error")
    if isinstance(error, dict):
        return f"is the error {error.get('code')}"
    return "holds no array of tools"
