"""A service that answers, raises or waits as a test wants, and notes what it was asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Json = Any

DOCUMENT: Json = {
    "schemaVersion": "scriba.context.v1",
    "sources": [],
    "events": [],
    "aged": 5.0,
    "text": "<é\u2028",
}
PAGE: Json = {"schemaVersion": "scriba.events.v1", "events": [], "cursor": {"next": "b", "highWater": "a"}}


class FakeService:
    """Satisfies `Service`; `act` is called before every answer."""

    def __init__(self, act: Callable[[], object] = lambda: None) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self._act = act

    def context(self, profile: str | None) -> Json:
        self.asked.append(("context", profile))
        self._act()
        return DOCUMENT

    def events(self, mode: str, cursor: str, limit: int, profile: str | None) -> Json:
        self.asked.append(("events", mode, cursor, limit, profile))
        self._act()
        return PAGE

    def replay(self, cursor: str, limit: int, most: int, profile: str | None) -> list[Json]:
        return [self.events("replay", cursor, limit, profile)]


def raising(problem: BaseException) -> Callable[[], None]:
    """What raises this."""

    def act() -> None:
        raise problem

    return act
