"""Vices that only a suite can know of, since a contract decides: each with its twin in order."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from tests.vices.server import Server, failed, reading, schema, structured, text

Json = Any


class Promise(NamedTuple):
    """`wrong` and `right` are what the tool `ask` does; the words of the case, and the codes of a breach."""

    wrong: Callable[[Json], Json]
    right: Callable[[Json], Json]
    words: str
    found: frozenset[str]


def _page(total: int, truncated: bool, count: int) -> Callable[[Json], Json]:
    page = {"items": [*range(count)], "total": total, "truncated": truncated}
    return lambda args: structured(page)


_GUESTS: Final = itertools.count(1)

_TWICE: Final = (
    "steps: [{id: one, operation: tool, tool: ask, expect: {present: [output]}}, "
    "{id: two, operation: tool, tool: ask, expect: {sameAs: {output: steps.one.output}}}]"
)

PROMISES: Final = {
    "an unknown record is null": Promise(
        lambda args: text("null"),
        lambda args: failed("there is no such record"),
        "operation: tool, tool: ask, args: {id: 404}, expect: {isError: true}",
        frozenset({"error-expected"}),
    ),
    "an unknown record is an empty object": Promise(
        lambda args: structured({}),
        lambda args: failed("there is no such record"),
        "operation: tool, tool: ask, args: {id: 404}, expect: {isError: true}",
        frozenset({"error-expected"}),
    ),
    "an error is told as prose": Promise(
        lambda args: text("Error: the upstream is down"),
        lambda args: failed("the upstream is down"),
        "operation: tool, tool: ask, expect: {isError: true}",
        frozenset({"error-expected"}),
    ),
    "the total is what was returned": Promise(
        _page(2, truncated=False, count=2),
        _page(6, truncated=True, count=2),
        "operation: tool, tool: ask, args: {limit: 2}, expect: {equals: {output.total: 6}}",
        frozenset({"value-differs"}),
    ),
    "the limit is ignored": Promise(
        _page(10, truncated=False, count=10),
        _page(10, truncated=True, count=3),
        "operation: tool, tool: ask, args: {limit: 3}, expect: {maxItems: {output.items: 3}}",
        frozenset({"too-many-items"}),
    ),
    "a banner stands before the answer": Promise(
        lambda args: structured({"sum": 0}, 'WARNING: the index is stale\n{"sum": 0}'),
        lambda args: structured({"sum": 0}),
        "operation: tool, tool: ask, expect: {contentParity: true}",
        frozenset({"content-not-json"}),
    ),
    "an integer is rounded in one of two places": Promise(
        lambda args: structured({"id": 2**53}, '{"id": 9007199254740993}'),
        lambda args: structured({"id": 2**53 + 1}),
        "operation: tool, tool: ask, expect: {contentParity: true}",
        frozenset({"content-differs"}),
    ),
    "a second call changes what is read": Promise(
        lambda args: structured({"guests": next(_GUESTS)}),
        lambda args: structured({"guests": 1}),
        _TWICE,
        frozenset({"not-the-same"}),
    ),
    "an error shows where the program lies": Promise(
        lambda args: failed("cannot open /srv/" + "app/secrets.json"),
        lambda args: failed("cannot open the store"),
        "operation: tool, tool: ask, expect: {isError: true, excludes: [/srv/]}",
        frozenset({"text-found"}),
    ),
}


def asking(answer: Callable[[Json], Json]) -> Callable[[Server], None]:
    """The server with one more tool, `ask`, which takes what it is given."""

    def change(server: Server) -> None:
        server.add({**reading("ask", {**schema(), "additionalProperties": True})}, answer)

    return change


CHANGES: Final = {
    f"{name}, {way}": asking(getattr(promise, way))
    for name, promise in PROMISES.items()
    for way in ("wrong", "right")
}
