"""Twins whose answers leave out, repeat or hide something, or do not fit."""

from __future__ import annotations

import json
from collections.abc import Callable

from evalkit.contracts.agent_context import budgets
from evalkit.contracts.agent_context.budgets import fit
from evalkit.contracts.agent_context.outputs import is_valid
from evalkit.contracts.agent_context.pagination import list_page, search_page, window
from evalkit.contracts.agent_context.results import failure, success
from evalkit.contracts.agent_context.scopes import ScopeNotEnabled
from evalkit.contracts.agent_context.vocabulary import Json
from tests.twins.twin import altered, twin

Build = Callable[[list[Json]], Json]


def _searched(change: Callable[[Json], dict[str, Json]]) -> Callable[..., Json]:
    """Search results of which something is changed."""

    def page(*parts: Json) -> Json:
        result = search_page(*parts)
        return {**result, **change(result)}

    return page


def _listed(change: Callable[[Json, int], dict[str, Json]]) -> Callable[..., Json]:
    """Pages of a list of which something is changed, by the page and its cursor."""

    def page(items: list[Json], total: int, cursor: int, *rest: Json) -> Json:
        result = list_page(items, total, cursor, *rest)
        return {**result, **change(result, cursor)}

    return page


PAGE_TWINS = (
    *(
        twin(
            f"{most} items where nothing is said",
            "page-default-10",
            "search-limit-default",
            window=altered(window, DEFAULT_RESULTS=most),
        )
        for most in (9, 11, 25)
    ),
    twin(
        "limit ignored",
        "page-26",
        "page-limit-one",
        "search-limit[fewer]",
        window=lambda args: (int(args.get("cursor", 0)), 10),
    ),
    twin(
        "one item too many",
        "page-default-10",
        "page-26",
        "search-limit[fewer]",
        window=lambda args: (window(args)[0], window(args)[1] + 1),
    ),
    twin(
        "cursor ignored",
        "page-last",
        "page-at-total",
        "page-past-end",
        window=lambda args: (0, window(args)[1]),
    ),
    twin(
        "the cursor counts pages",
        "page-middle",
        "page-last",
        window=lambda args: (window(args)[0] * window(args)[1], window(args)[1]),
    ),
    twin(
        "the cursor counts from 1",
        "page-last",
        "page-middle",
        window=lambda args: (max(0, window(args)[0] - 1), window(args)[1]),
    ),
    twin(
        "a whole number with a point breaks a page",
        "limit-float-int",
        window=lambda args: (args.get("cursor", 0), args.get("limit", 10)),
    ),
    twin(
        "total counts the page",
        "search-limit-default",
        "cap-search-total",
        search_page=_searched(lambda page: {"total": len(page["items"])}),
    ),
    twin(
        "search truncation lost",
        "search-limit[fewer]",
        "budget-search",
        "cap-search-beyond",
        search_page=_searched(lambda page: {"truncated": False}),
    ),
    twin(
        "search truncation told of what is shown only",
        "cap-search-beyond",
        "cap-search-some-scope",
        search_page=_searched(lambda page: {"truncated": len(page["items"]) < page["total"]}),
    ),
    twin(
        "search always truncated",
        "search-limit[exactly]",
        "search-limit[more]",
        "search-nothing",
        search_page=_searched(lambda page: {"truncated": True}),
    ),
    twin(
        "a search does not tell that a source holds more",
        "cap-search-beyond",
        "cap-search-total",
        search_page=_searched(lambda page: {"sourceTruncated": False}),
    ),
    twin(
        "a search takes what it shows for all of a source",
        "budget-search",
        "search-limit-default",
        search_page=_searched(lambda page: {"sourceTruncated": page["truncated"]}),
    ),
    twin(
        "a search is always fresh",
        "stale-multi",
        "stale-any-place",
        search_page=_searched(lambda page: {"sourceStatus": "fresh"}),
    ),
    twin(
        "search results ranked",
        "search-order-requested",
        "search-source-order",
        search_page=_searched(
            lambda page: {"items": sorted(page["items"], key=lambda item: str(item["title"]))}
        ),
    ),
    twin(
        "a list counts the page",
        "page-26",
        "page-last",
        list_page=_listed(lambda page, cursor: {"total": len(page["items"])}),
    ),
    twin(
        "list truncation lost",
        "page-26",
        "page-default-10",
        "cap-1001",
        list_page=_listed(lambda page, cursor: {"truncated": False}),
    ),
    twin(
        "list truncation told of what is left only",
        "cap-1001",
        "cap-brain-across-types",
        list_page=_listed(lambda page, cursor: {"truncated": page["nextCursor"] is not None}),
    ),
    twin(
        "a list always truncated",
        "page-exact-25",
        "page-at-total",
        "page-empty",
        list_page=_listed(lambda page, cursor: {"truncated": True}),
    ),
    twin(
        "every later page truncated",
        "page-last",
        "page-at-total",
        list_page=_listed(lambda page, cursor: {"truncated": len(page["items"]) < page["total"]}),
    ),
    twin(
        "a list does not tell that its source holds more",
        "cap-1001",
        "cap-brain-across-types",
        list_page=_listed(lambda page, cursor: {"sourceTruncated": False}),
    ),
    twin(
        "a list takes a page for all of its source",
        "page-default-10",
        "budget-stops-page",
        list_page=_listed(lambda page, cursor: {"sourceTruncated": page["truncated"]}),
    ),
    twin(
        "a list is always fresh",
        "stale-list",
        "stale-each",
        list_page=_listed(lambda page, cursor: {"sourceStatus": "fresh"}),
    ),
    twin(
        "cursor relative",
        "page-middle",
        "page-walk-complete",
        list_page=_listed(lambda page, cursor: {"nextCursor": page["nextCursor"] and len(page["items"])}),
    ),
    twin(
        "a cursor behind the last page",
        "page-exact-25",
        "page-last",
        "page-at-total",
        "page-walk-complete",
        list_page=_listed(lambda page, cursor: {"nextCursor": cursor + len(page["items"])}),
    ),
    twin(
        "no cursor",
        "page-26",
        "page-default-10",
        list_page=_listed(lambda page, cursor: {"nextCursor": None}),
    ),
    twin(
        "the cursor skips an item",
        "page-26",
        "page-middle",
        list_page=_listed(lambda page, cursor: {"nextCursor": page["nextCursor"] and page["nextCursor"] + 1}),
    ),
    twin(
        "the cursor takes every page for a full one",
        "budget-stops-page",
        "budget-envelope",
        list_page=_listed(lambda page, cursor: {"nextCursor": page["nextCursor"] and cursor + 25}),
    ),
    twin(
        "a page says more than it may",
        "list-ref-hash",
        list_page=_listed(lambda page, cursor: {"cursor": cursor}),
    ),
    twin(
        "items of a page in another order",
        "page-walk-complete",
        "budget-walk-progress",
        list_page=_listed(lambda page, cursor: {"items": page["items"][::-1]}),
    ),
)


def _measured(measure: Callable[[Json], int], most: int = 20_000) -> Callable[[list[Json], Build], Json]:
    """A budget that measures something else."""

    def fitting(items: list[Json], build: Build) -> Json:
        while items and measure(build(items)) > most:
            items = items[:-1]
        return build(items)

    return fitting


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _from_the_front(items: list[Json], build: Build) -> Json:
    while items and not budgets._is_within(build(items)):
        items = items[1:]
    return build(items)


def _all_or_nothing(items: list[Json], build: Build) -> Json:
    return build(items if budgets._is_within(build(items)) else [])


BUDGET_TWINS = (
    twin(
        "budget off",
        "budget-stops-page",
        "budget-envelope",
        "budget-search",
        "budget-utf16",
        fit=lambda items, build: build(items),
    ),
    twin(
        "envelope not counted",
        "budget-envelope",
        "budget-walk-progress",
        "budget-search",
        fit=_measured(lambda result: len(_text(result["items"]))),
    ),
    twin("the budget counts code points", "budget-utf16", fit=_measured(lambda result: len(_text(result)))),
    twin(
        "the budget counts bytes", "budget-utf16", fit=_measured(lambda result: len(_text(result).encode()))
    ),
    twin(
        "the budget counts escaped characters",
        "budget-utf16",
        fit=_measured(lambda result: len(json.dumps(result, separators=(",", ":")))),
    ),
    twin(
        "the budget ends a character too late",
        "budget-exact[beyond]",
        fit=_measured(lambda result: len(_text(result)), 20_001),
    ),
    twin(
        "the budget ends a character too soon",
        "budget-exact[within]",
        fit=_measured(lambda result: len(_text(result)), 19_999),
    ),
    twin(
        "a budget of half the size",
        "budget-stops-page",
        fit=_measured(lambda result: len(_text(result)), 10_000),
    ),
    twin("the budget takes items from the front", "budget-walk-progress", fit=_from_the_front),
    twin(
        "a page that does not fit is empty", "budget-stops-page", "budget-walk-progress", fit=_all_or_nothing
    ),
    twin(
        "a page of one item is empty",
        "page-limit-one",
        "budget-walk-progress",
        fit=lambda items, build: fit(items if len(items) > 1 else [], build),
    ),
)


def _scope_told_apart(problem: Exception) -> str:
    off = isinstance(problem, ScopeNotEnabled)
    return "Scope not enabled." if off else "Context source unavailable for this request."


RESULT_TWINS = (
    twin("outputs unchecked", "bad-long-id", "bad-brain-type-81", output_is_valid=lambda tool, output: True),
    twin("no output is right", "prof-metadata", output_is_valid=lambda tool, output: False),
    twin(
        "items unchecked",
        "bad-long-id",
        output_is_valid=lambda tool, output: is_valid(
            tool, {**output, "items": []} if "items" in output else output
        ),
    ),
    twin(
        "text and structure differ",
        "list-ref-hash",
        "prof-metadata",
        success=lambda output: {**success(output), "content": [{"type": "text", "text": "{}"}]},
    ),
    twin(
        "the text is no JSON",
        "list-ref-hash",
        success=lambda output: {**success(output), "content": [{"type": "text", "text": str(output)}]},
    ),
    twin(
        "the text is left out",
        "list-no-error-flag",
        success=lambda output: {**success(output), "content": []},
    ),
    twin(
        "the text stands twice",
        "list-no-error-flag",
        success=lambda output: {**success(output), "content": success(output)["content"] * 2},
    ),
    twin("no structure", "list-ref-hash", success=lambda output: {"content": success(output)["content"]}),
    twin(
        "a success says that it is no error",
        "list-no-error-flag",
        success=lambda output: {**success(output), "isError": False},
    ),
    twin(
        "a success says that it is an error",
        "list-ref-hash",
        success=lambda output: {**success(output), "isError": True},
    ),
    twin(
        "a refusal looks like a success",
        "off-list",
        "unknown-tool",
        "err-workspaces",
        failure=lambda text: {"content": failure(text)["content"]},
    ),
    twin(
        "a refusal carries data",
        "off-list",
        "unknown-tool",
        "err-workspaces",
        failure=lambda text: {**failure(text), "structuredContent": {"items": []}},
    ),
    twin(
        "a refusal says nothing",
        "off-list",
        "unknown-tool",
        "err-workspaces",
        failure=lambda text: {"isError": True, "content": []},
    ),
    twin(
        "every refusal says the same",
        "unknown-tool",
        "in-many",
        "nav-scope-off",
        failure=lambda text: failure("No."),
    ),
    twin("what was thrown is shown", "err-message-hidden", "err-workspaces", unavailable=str),
    twin(
        "what was thrown is shown behind the text",
        "err-message-hidden",
        unavailable=lambda problem: f"Context source unavailable for this request. {problem}",
    ),
    twin(
        "the kind of what was thrown is shown",
        "err-message-hidden",
        unavailable=lambda problem: type(problem).__name__,
    ),
    twin(
        "a scope that is off told apart from a source that fails",
        "scope-off-list",
        "scope-off-search",
        unavailable=_scope_told_apart,
    ),
)

TWINS = (*PAGE_TWINS, *BUDGET_TWINS, *RESULT_TWINS)
