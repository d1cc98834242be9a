"""Checks and reads the arguments of the tools, as their input schemas promise (spec 7.2, 7.3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from ..nouns import DEFAULT_EVENTS, MAX_EVENTS, Json

Check: TypeAlias = Callable[[Json], bool]

PROFILE_PATTERN: Final = "^[a-z0-9]+(?:-[a-z0-9]+)*$"
PROFILE_CHARS: Final = 32
CURSOR_PATTERN: Final = r"^v1\.[0-7][0-9a-f]{15}$"
CURSOR_CHARS: Final = 19
MODES: Final = ("latest", "replay")

_PROFILE: Final = re.compile(PROFILE_PATTERN[1:-1])
_CURSOR: Final = re.compile(CURSOR_PATTERN[1:-1])


class PageAsked(NamedTuple):
    """What `scriba_list_events` asks the service for."""

    mode: str
    cursor: str
    limit: int


def context_problem(arguments: Json) -> str:
    """Why the arguments of `scriba_get_context` are refused; empty where they are not. Names no value."""
    return _misfit(arguments, _CONTEXT)


def events_problem(arguments: Json) -> str:
    """The same for `scriba_list_events`: a cursor belongs to a replay, and a replay to a cursor."""
    if misfit := _misfit(arguments, _EVENTS):
        return misfit
    if ("cursor" in arguments) is not (arguments.get("mode") == "replay"):
        return 'a cursor goes with mode "replay", and with no other'
    return ""


def profile_of(arguments: Json) -> str | None:
    """The profile, where one is named."""
    profile: str | None = arguments.get("profile")
    return profile


def page_of(arguments: Json) -> PageAsked:
    """The page, with the newest 20 events as what is meant where nothing is said."""
    return PageAsked(
        arguments.get("mode", "latest"),
        arguments.get("cursor", ""),
        int(arguments.get("limit", DEFAULT_EVENTS)),
    )


def _misfit(arguments: Json, checks: Mapping[str, Check]) -> str:
    if not arguments.keys() <= checks.keys():
        return f"no other arguments than {', '.join(checks)} are known"
    wrong = next((name for name, value in arguments.items() if not checks[name](value)), "")
    return wrong and f"{wrong} does not match its schema"


def _is_profile(value: Json) -> bool:
    return isinstance(value, str) and len(value) <= PROFILE_CHARS and _PROFILE.fullmatch(value) is not None


def _is_mode(value: Json) -> bool:
    return isinstance(value, str) and value in MODES


def _is_cursor(value: Json) -> bool:
    return isinstance(value, str) and _CURSOR.fullmatch(value) is not None


def _is_limit(value: Json) -> bool:
    """JSON Schema calls 5.0 an integer, and `true` none."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and 1 <= value <= MAX_EVENTS and value == int(value)


_CONTEXT: Final[Mapping[str, Check]] = {"profile": _is_profile}
_EVENTS: Final[Mapping[str, Check]] = {
    "profile": _is_profile,
    "mode": _is_mode,
    "cursor": _is_cursor,
    "limit": _is_limit,
}
