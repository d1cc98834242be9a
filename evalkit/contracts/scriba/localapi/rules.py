"""The rules of the local API as one value, each replaceable on its own (spec 6.4-6.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from .. import writing
from . import frames, routes, selectors
from .nouns import Head, Json, Pairs


class ApiRules(NamedTuple):
    """Every rule; `app` and `streaming` know their order."""

    # which requests are taken
    route_of: Callable[[str], str | None] = routes.route_of
    guards: tuple[Callable[[Head], str | None], ...] = routes.GUARDS
    profile_of: Callable[[Head], str | None] = selectors.profile_of
    cursor_of: Callable[[Head], str | None] = selectors.cursor_of
    is_admitted: Callable[[int, int], bool] = frames.is_admitted

    # how they are answered
    compact: Callable[[Json], bytes] = writing.compact
    health: Json = routes.HEALTH
    json_headers: Pairs = routes.JSON_HEADERS

    # how they are refused
    statuses: Mapping[str, int] = routes.STATUSES
    context_code: Callable[[Exception], str] = routes.context_code
    events_code: Callable[[Exception], str] = routes.events_code
    error_headers: Callable[[str], Pairs] = routes.error_headers
    error_body: Callable[[str], bytes] = routes.error_body

    # what a stream says
    stream_headers: Pairs = frames.STREAM_HEADERS
    opening: bytes = frames.OPENING
    event_frame: Callable[[str, bytes], bytes] = frames.event_frame
    heartbeat: Callable[[str], tuple[bytes, str]] = frames.heartbeat
    last_frame: Callable[[str], bytes] = frames.last_frame

    # where it goes on
    page_rows: int = frames.PAGE_ROWS
    first_request: Callable[[str | None], tuple[str, str]] = frames.first_request
    is_drained: Callable[[Json], bool] = frames.is_drained
    has_progressed: Callable[[str, Json], bool] = frames.has_progressed


API: Final = ApiRules()
