"""The five tools: in which order each asks the sources and applies the rules (spec A.8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from .rules import Request, Rules
from .scopes import ScopeNotEnabled
from .vocabulary import Json, Row


def answer(rules: Rules, request: Request) -> Json:
    """The structured result of a request that has passed the gate, checked against what its tool promises.

    Raises whatever keeps the answer from being given.
    """
    if request.tool is None:
        raise LookupError(request.name)
    output = _ANSWERS[request.tool.name](rules, request)
    if not rules.output_is_valid(request.tool.name, output):
        raise ValueError("the output is not what the tool promises")
    return output


def _search(rules: Rules, request: Request) -> Json:
    matches = rules.matcher(rules.trim(request.args["query"]))
    scopes = rules.choose_scopes(request.args.get("scopes"), request.settings.scopes)
    _require(rules, request, scopes)
    found: list[tuple[str, Row]] = []
    statuses: list[Json] = []
    truncated = False
    for scope in scopes:
        reading = rules.read(request.sources, scope)
        seen = rules.inspect(scope, reading.rows)
        found += [(scope, row) for row in seen.rows if matches(rules.search_text(scope, *row))]
        truncated = truncated or seen.truncated
        statuses.append(reading.status)
    status = rules.freshness(statuses)
    items = [_item(rules, request, scope, row) for scope, row in found[: rules.window(request.args)[1]]]
    return rules.fit(items, lambda shown: rules.search_page(shown, len(found), truncated, status))


def _list(rules: Rules, request: Request) -> Json:
    scope = request.args["scope"]
    _require(rules, request, (scope,))
    reading = rules.read(request.sources, scope)
    seen = rules.inspect(scope, reading.rows)
    status = rules.freshness([reading.status])
    cursor, limit = rules.window(request.args)
    items = [_item(rules, request, scope, row) for row in seen.rows[cursor : cursor + limit]]
    return rules.fit(
        items, lambda shown: rules.list_page(shown, len(seen.rows), cursor, seen.truncated, status)
    )


def _get(rules: Rules, request: Request) -> Json:
    wanted = rules.trim(request.args["ref"])
    scope = rules.scope_of(wanted)
    if not rules.is_enabled(scope, request.settings.scopes):
        return {"item": None, "sourceTruncated": False, "sourceStatus": rules.freshness([])}
    reading = rules.read(request.sources, scope)
    seen = rules.inspect(scope, reading.rows)
    found = next((row for row in seen.rows if rules.is_same(_reference(rules, scope, row), wanted)), None)
    return {
        "item": None if found is None else _item(rules, request, scope, found),
        "sourceTruncated": seen.truncated,
        "sourceStatus": rules.freshness([reading.status]),
    }


def _resolve(rules: Rules, request: Request) -> Json:
    reading = rules.read(request.sources, "navigation")
    seen = rules.inspect("navigation", reading.rows)
    found = rules.resolve(rules.trim(request.args["query"]), seen.rows)
    return {
        "match": None if found is None else _item(rules, request, "navigation", found),
        "sourceStatus": rules.freshness([reading.status]),
    }


def _profile(rules: Rules, request: Request) -> Json:
    return rules.compose_profile(request.settings, rules.limits, rules.exclusions)


def _require(rules: Rules, request: Request, scopes: tuple[str, ...]) -> None:
    for scope in scopes:
        if not rules.is_enabled(scope, request.settings.scopes):
            raise ScopeNotEnabled(scope)


def _item(rules: Rules, request: Request, scope: str, row: Row) -> Json:
    name, record = row
    shown = rules.project(scope, name, record, request.settings.profile, rules.redact)
    return {"ref": _reference(rules, scope, row), "scope": scope, **shown}


def _reference(rules: Rules, scope: str, row: Row) -> str:
    name, record = row
    return rules.reference(scope, name, record, rules.redact)


_ANSWERS: Final[Mapping[str, Callable[[Rules, Request], Json]]] = {
    "search_context": _search,
    "get_context": _get,
    "list_context": _list,
    "resolve_navigation": _resolve,
    "context_profile": _profile,
}
