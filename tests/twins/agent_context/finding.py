"""Twins of semantic tools that find, change or tell the wrong thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

from evalkit.contracts.agent_context.semantic.adapters import (
    ADAPTERS,
    agents,
    brain,
    calendar,
    catalog,
    closest,
    feeds,
    goals,
    health,
    journal,
    local_time,
    processes,
    time,
    weather,
)
from evalkit.contracts.agent_context.semantic.nouns import Json, Moment
from evalkit.contracts.agent_context.store import Ledger, StoredRow
from tests.twins.agent_context.working import asked, nothing, telling, working
from tests.twins.twin import altered


def _lowered(table: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """Presets of which one is another."""
    return {**table, kind: (1, 1) if isinstance(table[kind], tuple) else 2}


_DRINKS, _NICOTINE = health._DRINKS, health._NICOTINE

HEALTH_TWINS = (
    *(
        working(
            f"{kind} of another size",
            "health.log.drink",
            altered(health.log_drink, _DRINKS=_lowered(_DRINKS, kind)),
            f"s-drink[{kind}]",
        )
        for kind in _DRINKS
    ),
    *(
        working(
            f"{kind} of another strength",
            "health.log.nicotine",
            altered(health.log_nicotine, _NICOTINE=_lowered(_NICOTINE, kind)),
            f"s-nicotine[{kind}]",
        )
        for kind in _NICOTINE
    ),
    working(
        "an unknown drink is a beer",
        "health.log.drink",
        asked("health.log.drink", lambda args: {"oz": 12, "abv": 5}),
        "s-unknown-product[drink]",
        "s-drink[wine]",
    ),
    working(
        "an unknown product is a pouch",
        "health.log.nicotine",
        asked("health.log.nicotine", lambda args: {"mgPerUnit": 6}),
        "s-unknown-product[nicotine]",
        "s-nicotine[vape]",
    ),
    working(
        "the sum of the day lists it",
        "health.today",
        telling("health.today", lambda answer: {"items": []}),
        "s-health-today",
    ),
    working(
        "the sum of the day is that of any day",
        "health.today",
        altered(health.today, local_time=SimpleNamespace(today=lambda moment: "2026-01-01")),
        "s-health-today",
    ),
    working(
        "a workout is always today's",
        "health.log.workout",
        asked("health.log.workout", lambda args: {"date": "2026-01-01"}),
        "s-workout",
    ),
)

BRAIN_TWINS = (
    working(
        "a search minds the case",
        "brain.search",
        telling("brain.search", lambda answer: {"hits": answer["hits"][1:], "count": answer["count"] - 1}),
        "s-search",
    ),
    working(
        "a search finds the oldest first",
        "brain.search",
        telling("brain.search", lambda answer: {"hits": answer["hits"][::-1]}),
        "s-search",
    ),
    working(
        "a search looks at 201 notes",
        "brain.search",
        altered(brain.search, _SEARCHED=201),
        "s-search-last-200",
    ),
    working(
        "a search looks at 199 notes",
        "brain.search",
        altered(brain.search, _SEARCHED=199),
        "s-search-last-200",
    ),
    working(
        "a search that finds nothing has failed",
        "brain.search",
        telling("brain.search", lambda answer: {"ok": bool(answer["hits"])}),
        "s-search-none",
    ),
    working(
        "a search writes down what was looked for",
        "brain.search",
        lambda ledger, args, moment: (
            ADAPTERS["brain.capture"](ledger, {"text": args["query"]}, moment)
            and brain.search(ledger, args, moment)
        ),
        "s-search",
    ),
    working(
        "the oldest notes come first",
        "brain.recent",
        telling("brain.recent", lambda answer: {"items": answer["items"][::-1]}),
        "s-recent",
    ),
    working(
        "recent notes by their whole record",
        "brain.recent",
        telling("brain.recent", lambda answer: {"items": [{**item, "id": "n"} for item in answer["items"]]}),
        "s-recent",
    ),
    working(
        "a captured note not trimmed",
        "brain.capture",
        altered(brain.capture, trim=lambda text: text),
        "s-capture",
    ),
    working(
        "every captured note called the same",
        "brain.capture",
        telling("brain.capture", lambda answer: {"id": "inbox-1"}),
        "s-capture",
    ),
    working(
        "a captured note without its time",
        "brain.capture",
        altered(brain.capture, stamp=lambda moment: "1970-01-01T00:00:00.000Z"),
        "s-capture",
    ),
)


def _noting_anew(ledger: Ledger, args: Json, moment: Moment) -> Json:
    def rows(collection: str) -> list[StoredRow]:
        return [row._replace(body={**row.body, "notes": []}) for row in ledger.rows(collection)]

    return goals.log_note(cast("Ledger", SimpleNamespace(rows=rows, replace=ledger.replace)), args, moment)


GOAL_TWINS = (
    working(
        "the least urgent goal comes first",
        "goals.list",
        telling("goals.list", lambda answer: {"goals": answer["goals"][::-1]}),
        "s-goals",
    ),
    working(
        "goals told by their whole record",
        "goals.list",
        altered(goals.list_goals, _shown=lambda goal: goal),
        "s-goals",
    ),
    working(
        "progress that was there not told",
        "goals.update-progress",
        telling("goals.update-progress", lambda answer: {"previous": answer["current"]}),
        "s-goal-progress",
    ),
    working(
        "no goal fits, so the first is meant",
        "goals.update-progress",
        altered(goals.update_progress, _meant=lambda ledger, query: ledger.rows("goals")),
        "s-goal-miss[progress]",
        "s-goal-likeliest",
    ),
    working(
        "no goal fits, so the note is for the first",
        "goals.log-note",
        altered(goals.log_note, _meant=lambda ledger, query: ledger.rows("goals")),
        "s-goal-miss[note]",
    ),
    working(
        "the most urgent goal is the likeliest",
        "goals.update-progress",
        altered(
            goals.update_progress,
            _meant=altered(
                goals._meant,
                closest=altered(closest.closest, _distance=lambda needle, text: 0),
            ),
        ),
        "s-goal-likeliest",
    ),
    working(
        "a goal's name is its query",
        "goals.update-progress",
        altered(
            goals.update_progress,
            _meant=lambda ledger, query: [row for row in ledger.rows("goals") if row.body["title"] == query],
        ),
        "s-goal-likeliest",
        "s-goal-progress",
    ),
    working(
        "a note takes the place of those before",
        "goals.log-note",
        _noting_anew,
        "s-goal-note",
    ),
    working(
        "a note without its minutes",
        "goals.log-note",
        lambda ledger, args, moment: goals.log_note(
            ledger, {name: said for name, said in args.items() if name != "durationMinutes"}, moment
        ),
        "s-goal-note",
    ),
)


def _by_row(ledger: Ledger, moment: Moment) -> Sequence[StoredRow]:
    """Unread items as they stand, whatever their date."""
    return [row for row in ledger.rows("feeds") if not row.body.get("read", False)][::-1]


def _read_or_not(ledger: Ledger, moment: Moment) -> Sequence[StoredRow]:
    return ledger.rows("feeds")


LOG_TWINS = (
    working("the unread in no order", "feeds.digest", altered(feeds.digest, _unread=_by_row), "s-feeds"),
    working(
        "what was read told as unread", "feeds.digest", altered(feeds.digest, _unread=_read_or_not), "s-feeds"
    ),
    working(
        "the unread not counted",
        "feeds.digest",
        telling("feeds.digest", lambda answer: {"totalUnread": 0}),
        "s-feeds",
    ),
    working(
        "what was read marked again",
        "feeds.mark-read",
        altered(feeds.mark_read, _unread=_read_or_not),
        "s-mark-read-noargs[read]",
        "s-mark-read[feed]",
        "s-mark-read[everything]",
    ),
    working(
        "all marked where nothing is asked",
        "feeds.mark-read",
        asked("feeds.mark-read", lambda args: {} if "query" in args else {"all": True}),
        "s-mark-read-noargs[nothing]",
        "s-mark-read-noargs[not-all]",
        "s-mark-read-noargs[feed-alone]",
    ),
    working(
        "all marked whether it is said or denied",
        "feeds.mark-read",
        asked("feeds.mark-read", lambda args: {"all": True} if "all" in args else {}),
        "s-mark-read-noargs[not-all]",
    ),
    working(
        "all of a feed marked once it is named",
        "feeds.mark-read",
        asked("feeds.mark-read", lambda args: {"all": True} if "feedQuery" in args else {}),
        "s-mark-read-noargs[feed-alone]",
    ),
    working(
        "all marked whatever the feed",
        "feeds.mark-read",
        altered(feeds.mark_read, _fitting=lambda rows, query, feed: rows, _no_feed=nothing),
        "s-mark-read[feed]",
        "s-mark-read-noargs[no-feed]",
        "s-mark-read-noargs[no-item]",
        "s-mark-read[one]",
    ),
    working(
        "the items of a feed that is not there marked",
        "feeds.mark-read",
        altered(feeds.mark_read, _no_feed=nothing),
        "s-mark-read-noargs[no-feed]",
    ),
    working(
        "the log of another day read",
        "journal.read",
        altered(journal.read, _entry=lambda ledger, day: next(iter(ledger.rows("journal")), None)),
        "s-journal",
    ),
    working(
        "a log that is empty has failed",
        "journal.read",
        telling("journal.read", lambda answer: {"ok": "empty" not in answer}),
        "s-journal",
    ),
    working(
        "the passages of a log run together",
        "journal.read",
        telling("journal.read", lambda answer: {"content": answer.get("content", "").replace("\n\n", "")}),
        "s-journal",
    ),
    working(
        "every passage begins a log",
        "journal.append",
        altered(journal.append, _entry=nothing),
        "s-journal",
    ),
    working(
        "every passage goes to the log of today",
        "journal.append",
        asked("journal.append", lambda args: {"date": "2026-01-01"}),
        "s-journal",
        "s-range[day-of-log]",
    ),
)

_CALENDAR = calendar._events

TIME_TWINS = (
    working(
        "the time of another zone",
        "time.now",
        lambda ledger, args, moment: time.now(ledger, args, moment._replace(timezone="UTC")),
        "s-time-zone",
    ),
    working(
        "the clock stands still",
        "time.now",
        lambda ledger, args, moment: time.now(ledger, args, moment._replace(seconds=0)),
        "s-content-parity",
        "s-time-zone",
    ),
    working(
        "the time in UTC not told",
        "time.now",
        telling("time.now", lambda answer: {"iso": answer["date"]}),
        "s-content-parity",
    ),
    working(
        "today's events in no order",
        "calendar.today",
        telling("calendar.today", lambda answer: {"events": answer["events"][::-1]}),
        "s-calendar-today",
    ),
    working(
        "events of every day told as today's",
        "calendar.today",
        altered(
            calendar.today,
            _events=lambda ledger, moment: [
                event._replace(start=local_time.local(moment)) for event in _CALENDAR(ledger, moment)
            ],
        ),
        "s-calendar-today",
    ),
    working(
        "a whole day told as midnight",
        "calendar.today",
        telling(
            "calendar.today",
            lambda answer: {"events": [{**event, "time": "00:00"} for event in answer["events"]]},
        ),
        "s-calendar-today",
    ),
    working(
        "events told by their whole record",
        "calendar.today",
        altered(calendar.today, _shown=lambda event: event.row),
        "s-calendar-today",
    ),
    working(
        "what is past comes next",
        "calendar.next",
        lambda ledger, args, moment: calendar.next_event(
            ledger, args, moment._replace(seconds=moment.seconds - 86_400)
        ),
        "s-calendar-next",
    ),
    working(
        "what is far off comes next",
        "calendar.next",
        altered(calendar.next_event, _HORIZON_SECONDS=31 * 86_400),
        "s-calendar-horizon",
    ),
    working(
        "what comes in a month is too far off",
        "calendar.next",
        altered(calendar.next_event, _HORIZON_SECONDS=29 * 86_400),
        "s-calendar-horizon",
    ),
)

LOOKING_TWINS = (
    working(
        "the weather is always that of home",
        "weather.now",
        lambda ledger, args, moment: weather.now(ledger, {}, moment),
        "s-weather[elsewhere]",
        "s-range[latitude]",
        "s-range[longitude]",
    ),
    working(
        "the weather in figures alone",
        "weather.now",
        altered(weather.now, _CONDITIONS={}),
        "s-weather",
    ),
    working(
        "a process that is closed is not well",
        "system.processes.status",
        altered(processes.status, _is_closed=lambda process: False),
        "s-processes",
    ),
    working(
        "a process that has failed is closed",
        "system.processes.status",
        altered(processes.status, _is_closed=lambda process: process["status"] != "online"),
        "s-processes",
    ),
    working(
        "agents that are done told as at work",
        "cos.agents.status",
        lambda ledger, args, moment: agents.status(
            cast("Ledger", SimpleNamespace(rows=_at_work(ledger))), args, moment
        ),
        "s-agents",
    ),
    working(
        "agents at work since ever",
        "cos.agents.status",
        lambda ledger, args, moment: agents.status(ledger, args, moment._replace(seconds=0)),
        "s-agents",
    ),
    working(
        "entries that speak of it come first",
        "catalog.search",
        telling("catalog.search", lambda answer: {"results": answer["results"][::-1]}),
        "s-catalog",
    ),
    working(
        "entries found by name alone",
        "catalog.search",
        altered(catalog.search, _description=lambda row: ""),
        "s-catalog",
    ),
    working(
        "entries of any type found",
        "catalog.search",
        altered(catalog.search, _is_type=lambda row, kind: True),
        "s-catalog-type",
    ),
    working(
        "a description told whole",
        "catalog.search",
        altered(catalog.search, _shown=altered(catalog._shown, _SNIPPET_CHARS=400)),
        "s-catalog-type",
    ),
)


def _at_work(ledger: Ledger) -> Callable[[str], list[StoredRow]]:
    """Agents that are all said to be at work."""
    return lambda collection: [
        row._replace(body={**row.body, "status": "running"}) for row in ledger.rows(collection)
    ]


TWINS = (
    *HEALTH_TWINS,
    *BRAIN_TWINS,
    *GOAL_TWINS,
    *LOG_TWINS,
    *TIME_TWINS,
    *LOOKING_TWINS,
)
