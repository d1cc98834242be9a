"""Twins of semantic tools that write too much or nothing, or take and give more than they may."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType, SimpleNamespace
from typing import Any, cast

from evalkit.contracts.agent_context.semantic.adapters import (
    bounds,
    brain,
    calendar,
    catalog,
    feeds,
    goals,
    health,
    journal,
    local_time,
    weather,
)
from evalkit.contracts.agent_context.semantic.nouns import Adapter
from tests.twins.agent_context.working import asked, idle, nothing, twice, working
from tests.twins.twin import altered

WRITTEN = {
    "brain.capture": "s-capture",
    "health.log.drink": "s-drink",
    "health.log.nicotine": "s-nicotine",
    "health.log.weight": "s-range-edges[weight]",
    "health.log.workout": "s-workout",
    "goals.update-progress": "s-goal-progress",
    "goals.log-note": "s-goal-note",
    "feeds.mark-read": "s-mark-read",
    "journal.append": "s-journal",
}
"""The tools that write, and a case that each is watched by."""

WRITE_TWINS = (
    *(working(f"{tool} writes nothing", tool, idle(tool), case) for tool, case in WRITTEN.items()),
    working("a note written twice", "brain.capture", twice("brain.capture"), "s-capture"),
    working("a passage written twice", "journal.append", twice("journal.append"), "s-journal", "i-replay"),
)

_LIMITED: Mapping[str, tuple[str, Adapter, int, int]] = {
    "recent": ("brain.recent", brain.recent, 5, 10),
    "search": ("brain.search", brain.search, 5, 10),
    "goals": ("goals.list", goals.list_goals, 10, 20),
    "feeds": ("feeds.digest", feeds.digest, 5, 10),
    "calendar": ("calendar.today", calendar.today, 10, 20),
    "catalog": ("catalog.search", catalog.search, 5, 20),
}
"""By the rows of `s-limit-clamp`: the tool, its work, its usual number of rows and the most."""

LIMIT_TWINS = (
    *(
        working(
            f"{tool} tells one row fewer than is usual",
            tool,
            altered(adapter, _SHOWN=usual - 1),
            f"s-limit-clamp[{row}]",
        )
        for row, (tool, adapter, usual, _) in _LIMITED.items()
    ),
    *(
        working(
            f"{tool} tells one row more than it may",
            tool,
            altered(adapter, _MOST=most + 1),
            f"s-limit-clamp[{row}]",
        )
        for row, (tool, adapter, _, most) in _LIMITED.items()
    ),
    working(
        "a limit ignored",
        "brain.recent",
        asked("brain.recent", lambda args: {"limit": 0}),
        "s-limit-odd[one]",
        "s-recent",
    ),
    working(
        "a limit of nothing is one row",
        "brain.recent",
        asked("brain.recent", lambda args: {"limit": max(1, args.get("limit", 5))}),
        "s-limit-odd[zero]",
        "s-limit-odd[negative]",
    ),
    working(
        "a limit of less than nothing counts from the other end",
        "brain.recent",
        altered(brain.recent, limit=lambda args, usual, most: min(args.get("limit") or usual, most)),
        "s-limit-odd[negative]",
    ),
)


def _but_for(argument: str, check: Callable[..., str | None]) -> Callable[..., str | None]:
    """The same check, which lets one argument through."""
    return lambda name, *rest: None if name == argument else check(name, *rest)


def _unranged(adapter: Adapter, argument: str) -> Adapter:
    """The same work without a look at the range of one argument."""
    known = cast("FunctionType", adapter).__globals__
    checks = [check for check in (bounds.not_positive, bounds.outside) if check.__name__ in known]
    return altered(adapter, **{check.__name__: _but_for(argument, check) for check in checks})


def _from_zero(name: str, value: float | None, most: float, unit: str = "") -> str | None:
    """A check that takes nothing for an amount."""
    return bounds.outside(name, value, 0, most)


def _inside(name: str, value: float | None, *most: Any) -> str | None:
    """A check that takes neither the last number that can be nor 0."""
    return f"{name} is {value}" if value in (0, *most) else None


_RANGES: Mapping[str, tuple[str, Adapter, str]] = {
    "weight": ("health.log.weight", health.log_weight, "weight"),
    "abv": ("health.log.drink", health.log_drink, "abv"),
    "drinks": ("health.log.drink", health.log_drink, "count"),
    "ounces": ("health.log.drink", health.log_drink, "oz"),
    "nicotine": ("health.log.nicotine", health.log_nicotine, "count"),
    "milligrams": ("health.log.nicotine", health.log_nicotine, "mgPerUnit"),
    "workout": ("health.log.workout", health.log_workout, "durationMinutes"),
    "note": ("goals.log-note", goals.log_note, "durationMinutes"),
    "progress": ("goals.update-progress", goals.update_progress, "progress"),
    "latitude": ("weather.now", weather.now, "lat"),
    "longitude": ("weather.now", weather.now, "lon"),
}
"""By the rows of `s-range`: the tool, its work, and the number that must lie within its range."""

_ANY_DAY = SimpleNamespace(today=local_time.today, no_day=nothing)

_DAYS: Mapping[str, tuple[str, Adapter]] = {
    "day-of-log": ("journal.append", altered(journal.append, no_day=nothing)),
    "day-read": ("journal.read", altered(journal.read, no_day=nothing)),
    "day-of-weight": ("health.log.weight", altered(health.log_weight, local_time=_ANY_DAY)),
    "day-of-workout": ("health.log.workout", altered(health.log_workout, local_time=_ANY_DAY)),
}
"""By the rows of `s-range`: tools that take any text for a day."""

_BLANKS: Mapping[str, tuple[str, Adapter, str]] = {
    "search": ("brain.search", brain.search, "query"),
    "catalog": ("catalog.search", catalog.search, "query"),
    "capture": ("brain.capture", brain.capture, "text"),
    "journal": ("journal.append", journal.append, "text"),
    "goal": ("goals.update-progress", goals.update_progress, "goalQuery"),
    "noted-goal": ("goals.log-note", goals.log_note, "goalQuery"),
    "note": ("goals.log-note", goals.log_note, "note"),
    "item": ("feeds.mark-read", feeds.mark_read, "query"),
    "workout": ("health.log.workout", health.log_workout, "type"),
}
"""By the rows of `s-search-blank`: the tool, its work, and the text that must say something."""

RANGE_TWINS = (
    *(
        working(f"{tool} takes any {argument}", tool, _unranged(adapter, argument), f"s-range[{row}]")
        for row, (tool, adapter, argument) in _RANGES.items()
    ),
    working(
        "a kilogram is a pound",
        "health.log.weight",
        altered(health.log_weight, _POUNDS_IN_KILOGRAM=1),
        "s-range[kilograms]",
    ),
    *(
        working(f"{tool} takes any day", tool, adapter, f"s-range[{row}]")
        for row, (tool, adapter) in _DAYS.items()
    ),
    *(
        working(
            f"{tool} takes an amount of nothing",
            tool,
            altered(adapter, not_positive=_from_zero),
            *(f"s-range[{row}]" for row in rows),
        )
        for tool, adapter, rows in (
            ("health.log.weight", health.log_weight, ("weight",)),
            ("health.log.drink", health.log_drink, ("drinks", "ounces")),
            ("health.log.nicotine", health.log_nicotine, ("nicotine",)),
            ("health.log.workout", health.log_workout, ("workout",)),
            ("goals.log-note", goals.log_note, ("note",)),
        )
    ),
    *(
        working(
            f"{tool} stops short of its range",
            tool,
            altered(adapter, **{check: _inside}),
            f"s-range-edges[{row}]",
        )
        for row, tool, adapter, check in (
            ("weight", "health.log.weight", health.log_weight, "not_positive"),
            ("drink", "health.log.drink", health.log_drink, "outside"),
            ("nicotine", "health.log.nicotine", health.log_nicotine, "outside"),
            ("workout", "health.log.workout", health.log_workout, "not_positive"),
            ("progress", "goals.update-progress", goals.update_progress, "outside"),
        )
    ),
    *(
        working(
            f"{tool} takes a blank {argument}",
            tool,
            altered(adapter, blank=_but_for(argument, bounds.blank)),
            f"s-search-blank[{row}]",
        )
        for row, (tool, adapter, argument) in _BLANKS.items()
    ),
)

TWINS = (*WRITE_TWINS, *LIMIT_TWINS, *RANGE_TWINS)
