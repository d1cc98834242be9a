"""A service over a list, in place of the one that reads databases: a test says what its ledger holds."""

from __future__ import annotations

import re
import threading

from evalkit.contracts.scriba.nouns import Json, PageUnavailable, ProfileUnavailable

PROFILES = ("personal", "work")


def cursor(number: int) -> str:
    return f"v1.{number:016x}"


class TinyLedger:
    """Rows of one account are its events; a row without one is skipped, as those of other accounts are."""

    def __init__(self, *events: str | None) -> None:
        self.rows: list[tuple[int, Json]] = []
        self.high = 0
        self.floor = 0
        self.asked: list[tuple[str, str, int, str | None]] = []
        self.contexts = 0
        self.failure: Exception | None = None
        self._writing = threading.Lock()
        for event in events:
            self.add(event)

    def add(self, event: str | None, size: int = 0) -> None:
        with self._writing:
            shown = None if event is None else {"id": event, "data": "x" * size} if size else {"id": event}
            self.rows.append((self.high + 1, shown))
            self.high += 1

    def context(self, profile: str | None) -> Json:
        self.contexts += 1
        self._fail_or_check(profile)
        return {"schemaVersion": "scriba.context.v1", "profile": profile or "personal"}

    def events(self, mode: str, after: str, limit: int, profile: str | None) -> Json:
        self.asked.append((mode, after, limit, profile))
        if mode == "replay" and not re.fullmatch(r"v1\.[0-7][0-9a-f]{15}", after):
            raise PageUnavailable("invalid_cursor")
        self._fail_or_check(profile)
        with self._writing:
            return self._page(mode, after, limit)

    def replay(self, cursor: str, limit: int, most: int, profile: str | None) -> list[Json]:
        return [self.events("replay", cursor, limit, profile)]

    def _fail_or_check(self, profile: str | None) -> None:
        if self.failure is not None:
            raise self.failure
        if profile is not None and profile not in PROFILES:
            raise ProfileUnavailable

    def _page(self, mode: str, after: str, limit: int) -> Json:
        since = self.high if mode == "capture" else int(after[3:], 16)
        if since > self.high:
            raise PageUnavailable("cursor_future")
        if since < self.floor:
            raise PageUnavailable("cursor_expired")
        scanned = [row for row in self.rows[since : since + limit] if row[0] > since]
        return {
            "schemaVersion": "scriba.events.v1",
            "events": [event for _, event in scanned if event is not None],
            "cursor": {
                "next": cursor(scanned[-1][0] if scanned else self.high),
                "highWater": cursor(self.high),
            },
        }
