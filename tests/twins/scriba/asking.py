"""Twins of the local API that take, give and refuse requests wrongly (spec 6.4, 6.5)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from evalkit.contracts.scriba import writing
from evalkit.contracts.scriba.localapi.nouns import Head, Refusal
from evalkit.contracts.scriba.localapi.routes import (
    GUARDS,
    HEALTH,
    JSON_HEADERS,
    ROUTES,
    STATUSES,
    check_body,
    check_method,
    context_code,
    error_body,
    error_headers,
    events_code,
    route_of,
)
from evalkit.contracts.scriba.localapi.selectors import cursor_of, profile_of
from tests.twins.twin import Twin, twin_of


def _asked(name: str, *promised_by: str, **change: Any) -> Twin:
    return twin_of("api", name, *promised_by, **change)


def _query(head: Head) -> Mapping[str, list[str]]:
    return parse_qs(head.query.decode())


def _first_profile(head: Head) -> str | None:
    return _query(head).get("profile", [None])[0]


def _stripped_profile(head: Head) -> str | None:
    return (_first_profile(head) or "").strip() or None


def _trusting_cursor(head: Head) -> str | None:
    return _query(head).get("cursor", [None])[0]


def _stripped_cursor(head: Head) -> str | None:
    return (_any_cursor(head) or "").strip() or None


def _any_cursor(head: Head) -> str | None:
    """The header before the query, without a look at either."""
    in_header = [value.decode() for name, value in head.headers if name == b"last-event-id"]
    return next(iter(in_header), None) or _trusting_cursor(head)


def _slugs_alone(head: Head) -> str | None:
    profile = profile_of(head)
    if profile is not None and not profile.islower():
        raise Refusal("invalid_profile")
    return profile


def _get_or_head(head: Head) -> str | None:
    return None if head.method == "HEAD" else check_method(head)


TWINS = (
    _asked(
        "a final slash makes no other path", "HT04[slash]", route_of=lambda path: route_of(path.rstrip("/"))
    ),
    _asked("the case of a path is of no matter", "HT04[case]", route_of=lambda path: route_of(path.lower())),
    _asked(
        "what stands below a path is that path",
        "HT04[below]",
        route_of=lambda path: next((name for start, name in ROUTES.items() if path.startswith(start)), None),
    ),
    _asked("whatever is no route is health", "HT04", route_of=lambda path: ROUTES.get(path, "health")),
    _asked("every method is GET", "HT02", "HT02-head", guards=(check_body,)),
    _asked("HEAD is allowed", "HT02-head", guards=(_get_or_head, check_body)),
    _asked("bodies are taken", "HT03", guards=(check_method,)),
    _asked("the body is judged before the method", "HT02-first", guards=GUARDS[::-1]),
    _asked(
        "every length is a body",
        "HT03-none",
        guards=(
            check_method,
            lambda head: "request_body_not_allowed" if dict(head.headers).get(b"content-length") else None,
        ),
    ),
    _asked("the first of several profiles counts", "HT06", profile_of=_first_profile),
    _asked("a profile is stripped", "HT06", "profile-padded-http", profile_of=_stripped_profile),
    _asked(
        "the profile is not looked at",
        "HT05[work]",
        "HT05[escaped]",
        "HT05[others]",
        profile_of=lambda head: None,
    ),
    _asked(
        "a profile has to be a slug",
        "HT07[route=context,profile=UPPER]",
        "HT07[route=events,profile=UPPER]",
        profile_of=_slugs_alone,
    ),
    _asked(
        "the header's cursor goes before the query's",
        "HT09-disagree",
        "HT10[header-twice]",
        "HT10[query-twice]",
        cursor_of=_any_cursor,
    ),
    _asked("a cursor is stripped, and empty it is none", "HT10", cursor_of=_stripped_cursor),
    _asked("the header's cursor is not looked at", "HT09[header]", "HT18", cursor_of=_trusting_cursor),
    _asked("the cursor is not looked at", "HT09", "HT11", "HT12", cursor_of=lambda head: None),
    _asked("JSON has spaces", "HT01", "HT05", compact=lambda value: json.dumps(value).encode()),
    _asked("JSON is in alphabetical order", "HT01", "HT05", compact=writing.alphabetical),
    _asked("health says more", "HT01", health={**HEALTH, "uptime": 1}),
    _asked("health says that it is up", "HT08", health={**HEALTH, "status": "up"}),
    _asked(
        "JSON is plain text",
        "HT01",
        "HT05",
        json_headers=((b"content-type", b"text/plain"),),
    ),
    _asked("410 as 400", "HT13", "HT18-expired", statuses={**STATUSES, "cursor_expired": 400}),
    _asked("an unknown profile is a bad request", "HT07", statuses={**STATUSES, "profile_unavailable": 400}),
    _asked(
        "whatever fails is a fault of the server",
        "HT02",
        "HT04",
        "HT11",
        statuses=dict.fromkeys(STATUSES, 500),
    ),
    _asked(
        "a context never says that a profile is not there",
        "HT07[route=context,profile=unknown]",
        "HT07[route=context,profile=UPPER]",
        "HT07[route=context,profile=old]",
        context_code=lambda problem: "context_unavailable",
    ),
    _asked(
        "whatever fails with events has one name",
        "HT12",
        "HT13",
        "HT23",
        events_code=lambda problem: "events_unavailable",
    ),
    _asked(
        "events that are not there cannot be read", "HT14[empty]", events_code=lambda problem: "read_error"
    ),
    _asked(
        "a refused method is not told which is allowed",
        "HT02",
        "HT02-head",
        error_headers=lambda code: JSON_HEADERS,
    ),
    _asked(
        "an error is not told to be JSON",
        "HT04",
        "HT06",
        error_headers=lambda code: error_headers(code)[1:],
    ),
    _asked(
        "an error says more than its code",
        "HT23",
        "HT14",
        error_body=lambda code: error_body(code).replace(b"}}", b',"message":"sqlite3: no such table"}}'),
    ),
    _asked("an error has no newline", "HT23", error_body=lambda code: error_body(code).strip()),
    _asked(
        "a problem of the context is no problem",
        "HT07[route=context,profile=unknown]",
        "HT07[route=context,profile=UPPER]",
        "HT07[route=context,profile=old]",
        context_code=lambda problem: (
            "not_found" if context_code(problem) == "profile_unavailable" else "read_error"
        ),
    ),
    _asked(
        "a cursor of another form is one of the future",
        "EV20",
        "HT11",
        events_code=lambda problem: events_code(problem).replace("invalid_cursor", "cursor_future"),
    ),
    _asked(
        "the profile is read before the cursor",
        "HT10[before-profile]",
        cursor_of=lambda head: (profile_of(head) and None) or cursor_of(head),
    ),
)
