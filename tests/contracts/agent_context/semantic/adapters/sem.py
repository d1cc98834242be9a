"""The fixture `sem`, in which it is 2026-01-02T03:04:05Z, and its adapters to be called one by one."""

from __future__ import annotations

from typing import Final

from evalkit.contracts.agent_context.semantic.adapters import ADAPTERS
from evalkit.contracts.agent_context.semantic.nouns import Moment
from evalkit.contracts.agent_context.store.memory import FixtureStore
from evalkit.frozen import freeze
from evalkit.model import Json

NOW: Final = 1_767_323_045.0
"""1,767,225,600 is the first second of 2026; a day, 3 hours, 4 minutes and 5 seconds later."""


def sem(**collections: Json) -> Json:
    """The fixture, with other rows in the collections that are named."""
    return {"semantic": {**_SEM, **collections}}


class Tools:
    """The adapters over one store, whose effects are kept in `effects`."""

    def __init__(self, fixture: Json = ..., timezone: str = "UTC") -> None:
        self.fixture: Json = freeze(sem() if fixture is ... else fixture)
        self.effects: list[Json] = []
        self.reads: list[str] = []
        self.store = FixtureStore(lambda: self.fixture, self.reads.append, self.effects.append)
        self.moment = Moment(NOW, timezone)

    def call(self, tool: str, **args: Json) -> Json:
        """What the adapter gives."""
        with self.store.transaction() as ledger:
            return ADAPTERS[tool](ledger, args, self.moment)

    def done(self, tool: str, **args: Json) -> Json:
        """What it gives beyond `ok` and a summary, which must be there."""
        given = self.call(tool, **args)
        assert given.pop("ok") is True, given
        assert given.pop("summary")
        return given

    def refusal(self, tool: str, **args: Json) -> str:
        """The text of a refusal, which must give nothing else and change nothing."""
        before = self.store.snapshot()
        given = self.call(tool, **args)
        assert given == {"ok": False, "summary": given["summary"]}
        assert (self.effects, self.store.snapshot()) == ([], before)
        text: str = given["summary"]
        return text

    def rows(self, collection: str) -> Json:
        """What a collection holds now."""
        return self.store.snapshot()[collection]


_SEM: Final[Json] = {
    "brainInbox": [
        {"id": "inbox-1", "capturedAt": "2025-12-30T10:00:00Z", "capturedText": "Buy green paint"},
        {"id": "inbox-2", "capturedAt": "2026-01-01T09:00:00Z", "capturedText": "Call the painter"},
        {"id": "inbox-3", "capturedAt": "2026-01-01T23:30:00Z", "capturedText": "Water the fern"},
    ],
    "goals": [
        {"title": "Read more books", "horizon": "1-year", "category": "mind", "progress": 10, "urgency": 0.2},
        {"title": "Run a marathon", "horizon": "5-year", "category": "health", "urgency": 0.9, "secret": "x"},
    ],
    "journal": [{"date": "2026-01-02", "segments": [{"at": "2026-01-02T01:00:00Z", "text": "Woke early."}]}],
    "calendar": [
        {"title": "Lunch", "startTime": "2026-01-02T12:30:00Z", "location": "Canteen"},
        {"title": "Concert", "startTime": "2026-01-05T19:00:00Z"},
    ],
    "health": [{"kind": "weight", "date": "2026-01-01", "weight": 180, "unit": "lb"}],
    "feeds": [
        {"feed": "Star News", "title": "A comet is near", "date": "2026-01-01T06:00:00Z"},
        {"feed": "Garden Post", "title": "Frost is near", "date": "2026-01-02T00:30:00Z"},
    ],
    "catalog": [
        {"id": "c1", "name": "Mira", "type": "character", "description": "Keeps the lamp.", "refsCount": 2},
        {"id": "p1", "name": "Lamp Hill", "type": "place"},
    ],
    "clock": {"timezone": "UTC"},
    "weather": {"lat": 40.5, "lon": -100, "temperatureF": 33.8, "weatherCode": 71},
    "processes": [
        {"name": "web", "status": "online", "restarts": 1},
        {"name": "worker", "status": "errored", "restarts": 7, "pid": 12},
        {"name": "viewer", "status": "stopped", "desktop": True},
    ],
    "agents": [
        {
            "taskId": "t1",
            "agentId": "a1",
            "description": "Sort the shelf",
            "phase": "implementing",
            "app": "Shelf",
            "startedAt": "2026-01-02T03:00:00Z",
            "branch": "private",
        }
    ],
}
