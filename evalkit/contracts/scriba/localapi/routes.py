"""Which requests are taken, and what each refusal is called on the wire (spec 6.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from ..nouns import PageUnavailable, ProfileUnavailable
from .nouns import Head, Json, Pairs

ROUTES: Final[Mapping[str, str]] = {
    "/v1/health": "health",
    "/v1/context": "context",
    "/v1/events": "events",
}

STATUSES: Final[Mapping[str, int]] = {
    "method_not_allowed": 405,
    "not_found": 404,
    "request_body_not_allowed": 400,
    "context_unavailable": 503,
    "cursor_disagreement": 400,
    "invalid_cursor": 400,
    "cursor_future": 400,
    "cursor_expired": 410,
    "events_unavailable": 503,
    "read_error": 503,
    "stream_limit_reached": 503,
    "invalid_profile": 400,
    "profile_unavailable": 404,
}
"""Every code that an error can have, and its status."""

HEALTH: Final[Json] = {
    "schemaVersion": "scriba.local.health.v1",
    "status": "ok",
    "contextVersion": "scriba.context.v1",
    "eventVersion": "scriba.events.v1",
}

JSON_HEADERS: Final[Pairs] = ((b"content-type", b"application/json"),)

_PAGE_CODES: Final = ("invalid_cursor", "cursor_future", "cursor_expired", "events_unavailable", "read_error")
_MORE_HEADERS: Final[Mapping[str, Pairs]] = {
    "method_not_allowed": ((b"allow", b"GET"),),
    # The body is not waited for, so no next request can be found behind it.
    "request_body_not_allowed": ((b"connection", b"close"),),
}


def route_of(path: str) -> str | None:
    """`health`, `context` or `events`; None for a path that leads nowhere."""
    return ROUTES.get(path)


def check_method(head: Head) -> str | None:
    """The code to refuse with, where it is not GET; HEAD is not."""
    return None if head.method == "GET" else "method_not_allowed"


def check_body(head: Head) -> str | None:
    """The code to refuse with, where a body is announced; it is never read."""
    for name, value in head.headers:
        if name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0")):
            return "request_body_not_allowed"
    return None


GUARDS: Final[tuple[Callable[[Head], str | None], ...]] = (check_method, check_body)
"""What a request on a known path passes, in order."""


def context_code(problem: Exception) -> str:
    """What the failure of a context read is called."""
    return "profile_unavailable" if isinstance(problem, ProfileUnavailable) else "context_unavailable"


def events_code(problem: Exception) -> str:
    """What the failure of an event page is called; one that has no name of its own is unavailable."""
    if isinstance(problem, ProfileUnavailable):
        return "profile_unavailable"
    if isinstance(problem, PageUnavailable) and problem.code in _PAGE_CODES:
        return problem.code
    return "events_unavailable"


def error_body(code: str) -> bytes:
    """The whole of an error."""
    return b'{"error":{"code":"%s"}}\n' % code.encode()


def error_headers(code: str) -> Pairs:
    """The headers of an error, without its length."""
    return (*JSON_HEADERS, *_MORE_HEADERS.get(code, ()))
