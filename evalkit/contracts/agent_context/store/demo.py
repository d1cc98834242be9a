"""Invented sample data for every collection and scope, written as a fixture is, for trying the server out."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from . import Json


def demo(today: date) -> Json:
    """Sample data in the shape of `fixture.schema.json`; what has a date has one round this day."""
    return {
        "navigation": _NAVIGATION,
        "workspaces": _WORKSPACES,
        "brain": _BRAIN,
        "identity": _IDENTITY,
        "semantic": {
            "brainInbox": _inbox(today),
            "goals": _GOALS,
            "journal": _journal(today),
            "calendar": _calendar(today),
            "health": _health(today),
            "feeds": _feeds(today),
            "catalog": _CATALOG,
            "clock": {"timezone": "UTC"},
            "weather": {"lat": 40.0, "lon": -100.0, "temperatureF": 41, "weatherCode": 2},
            "processes": _PROCESSES,
            "agents": _agents(today),
        },
    }


def _inbox(today: date) -> Json:
    notes = (
        (5, "Ask the library whether the map room can be booked on Sundays"),
        (3, "Idea: a timer for tea that knows the kind of tea"),
        (2, "The bicycle needs a new chain before spring"),
        (1, "Read about how lighthouses were lit before electricity"),
        (0, "Buy seeds: radish, dill, marigold"),
    )
    return [
        {"id": f"inbox-{number}", "capturedAt": f"{_before(today, days)}T08:30:00Z", "capturedText": text}
        for number, (days, text) in enumerate(notes, start=1)
    ]


def _journal(today: date) -> Json:
    days = (
        (1, ("Sorted the seed drawer.", "Long walk along the canal, saw two herons.")),
        (0, ("Slept well. Baked bread before breakfast.",)),
    )
    return [
        {"date": _before(today, ago), "segments": [{"text": text} for text in texts]} for ago, texts in days
    ]


def _calendar(today: date) -> Json:
    return [
        {"title": "Market day", "startTime": _before(today, 0), "allDay": True},
        {
            "title": "Choir practice",
            "startTime": f"{_before(today, 0)}T18:00:00Z",
            "location": "Old school, room 2",
        },
        {"title": "Dentist", "startTime": f"{_before(today, -1)}T09:15:00Z", "location": "Mill Street"},
        {"title": "Repair café", "startTime": f"{_before(today, -4)}T14:00:00Z"},
        {"title": "Grandmother's birthday", "startTime": _before(today, -9), "allDay": True},
    ]


def _health(today: date) -> Json:
    return [
        {"kind": "weight", "date": _before(today, 1), "weight": 151.5, "unit": "lb"},
        {"kind": "drink", "date": _before(today, 1), "name": "wine", "count": 1, "oz": 5, "abv": 13},
        {
            "kind": "workout",
            "date": _before(today, 0),
            "type": "running",
            "durationMinutes": 35,
            "intensity": "moderate",
        },
        {"kind": "weight", "date": _before(today, 0), "weight": 151, "unit": "lb"},
    ]


def _feeds(today: date) -> Json:
    entries = (
        ("Garden Letter", 4, "Ten plants that forgive being forgotten", True),
        ("Night Sky", 2, "Where to look for Jupiter this month", False),
        ("Garden Letter", 1, "Pruning in winter, and when not to", False),
        ("Small Machines", 1, "A loom made of a bicycle", False),
        ("Night Sky", 0, "Why stars twinkle and planets do not", False),
    )
    return [
        {"feed": feed, "title": title, "date": f"{_before(today, days)}T06:00:00Z", "read": read}
        for feed, days, title, read in entries
    ]


def _agents(today: date) -> Json:
    begun = f"{_before(today, 1)}T22:40:00Z"
    return [
        {
            "taskId": "task-7",
            "agentId": "agent-a",
            "description": "Add a page that lists the seeds by sowing month",
            "phase": "implementing",
            "app": "Seed Box",
            "startedAt": begun,
        },
        {
            "taskId": "task-8",
            "agentId": "agent-b",
            "description": "Find out why the tea timer rings twice",
            "phase": "exploring",
            "app": "Tea Timer",
            "startedAt": begun,
        },
        {
            "taskId": "task-6",
            "agentId": "agent-c",
            "description": "Translate the labels of the star map",
            "phase": "done",
            "app": "Star Map",
            "startedAt": begun,
            "status": "completed",
        },
    ]


def _before(today: date, days: int) -> str:
    return (today - timedelta(days=days)).isoformat()


_NAVIGATION: Final[Json] = [
    {
        "id": "nav.home",
        "path": "/",
        "label": "Home",
        "section": "General",
        "aliases": ["start", "dashboard"],
        "keywords": ["overview"],
    },
    {
        "id": "nav.goals",
        "path": "/goals",
        "label": "Goals",
        "section": "Planning",
        "aliases": ["targets"],
        "keywords": ["progress"],
    },
    {
        "id": "nav.journal",
        "path": "/journal",
        "label": "Daily log",
        "section": "Planning",
        "aliases": ["journal", "diary"],
        "keywords": ["writing"],
    },
    {
        "id": "nav.feeds",
        "path": "/feeds",
        "label": "Feeds",
        "section": "Reading",
        "aliases": ["news"],
        "keywords": ["unread"],
    },
]

_WORKSPACES: Final[Json] = [
    {"appId": "seed-box", "appName": "Seed Box", "taskCount": 3},
    {"appId": "tea-timer", "appName": "Tea Timer", "taskCount": 1},
    {"appId": "star-map", "appName": "Star Map", "taskCount": 0},
]

_BRAIN: Final[Json] = {
    "projects": [
        {"id": "project-1", "name": "Seed Box", "nextAction": "Print the labels for the spring drawer"},
        {"id": "project-2", "name": "Tea Timer", "nextAction": "Measure how long the bell rings"},
    ],
    "ideas": [
        {"id": "idea-1", "title": "Balcony herbarium", "oneLiner": "Press one leaf a week for a year"},
        {"id": "idea-2", "title": "Star cards", "oneLiner": "A card game about constellations"},
    ],
    "people": [{"id": "person-1", "name": "Wilma Fernleaf", "context": "Runs the seed swap"}],
}

_IDENTITY: Final[Json] = {
    "values": {"label": "What matters", "present": True},
    "voice": {"label": "How I write", "present": True},
    "history": {"label": "Where I come from", "present": False},
}

_GOALS: Final[Json] = [
    {
        "title": "Run ten kilometres without stopping",
        "horizon": "1-year",
        "category": "health",
        "progress": 40,
        "urgency": 0.6,
    },
    {
        "title": "Grow a meal from the balcony",
        "horizon": "1-year",
        "category": "home",
        "progress": 15,
        "urgency": 0.8,
    },
    {
        "title": "Learn twenty constellations",
        "horizon": "3-year",
        "category": "learning",
        "progress": 55,
        "urgency": 0.3,
    },
]

_CATALOG: Final[Json] = [
    {
        "id": "character-1",
        "name": "Captain Thistle",
        "type": "character",
        "description": "Keeps the lighthouse at Gull Point and talks to the lamp.",
        "refsCount": 3,
    },
    {
        "id": "place-1",
        "name": "Gull Point",
        "type": "place",
        "description": "A rock with one lighthouse, two goats and no trees.",
        "refsCount": 4,
    },
    {
        "id": "object-1",
        "name": "The brass lamp",
        "type": "object",
        "description": "Burns without oil on nights when a ship is lost.",
        "refsCount": 2,
    },
    {
        "id": "scene-1",
        "name": "The night of the fog",
        "type": "scene",
        "description": "Captain Thistle rows out although the lamp has gone dark.",
    },
]

_PROCESSES: Final[Json] = [
    {"name": "web-server", "status": "online", "restarts": 0},
    {"name": "feed-reader", "status": "online", "restarts": 2},
    {"name": "backup", "status": "errored", "restarts": 5},
    {"name": "star-map", "status": "stopped", "restarts": 0, "desktop": True},
]
