"""One stream of events: what was missed, then whatever comes, until its client is gone (spec 6.6)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from .nouns import Attend, Client, Json, Limits, Receive
from .rules import ApiRules

PATIENCE: Final = 20.0
"""Seconds that an imagined client reads: one heartbeat long."""


class Stream(NamedTuple):
    """A stream and who reads it. `write` sends bytes to the client; `page` reads what follows a cursor."""

    rules: ApiRules
    limits: Limits
    client: Client
    write: Callable[[bytes], Awaitable[None]]
    page: Callable[[str], Awaitable[Json | Exception]]


class Slots:
    """How many streams are open in the whole server."""

    def __init__(self) -> None:
        """None is."""
        self.taken = 0


def imagined(seconds: float = PATIENCE) -> Attend:
    """Clients in memory: waiting takes them no time, and they leave after so many seconds of it."""
    return lambda receive: _Imagined(receive, seconds)


async def follow(stream: Stream, before: str, page: Json) -> None:
    """Send the stream whose first page, asked for at `before`, is this; return when it has to end."""
    await stream.write(stream.rules.opening)
    beat_at = stream.client.now() + stream.limits.heartbeat_seconds
    while stream.client.is_here():
        cursor = await _send_events(stream, page)
        if stream.rules.is_drained(page):
            cursor, beat_at = await _wait(stream, cursor, beat_at)
        elif not stream.rules.has_progressed(before, page):
            return
        else:
            await stream.client.pause(0)  # what was read ahead comes without a wait in which it could leave
        if not stream.client.is_here():
            return
        before, page = cursor, await stream.page(cursor)
        if isinstance(page, Exception):
            if frame := stream.rules.last_frame(stream.rules.events_code(page)):
                await stream.write(frame)
            return


async def _send_events(stream: Stream, page: Json) -> str:
    """Send what a page shows, which may be nothing, and give where to continue."""
    cursor: str = page["cursor"]["next"]
    for event in page["events"]:
        await stream.write(stream.rules.event_frame(cursor, stream.rules.compact(event)))
    return cursor


async def _wait(stream: Stream, cursor: str, beat_at: float) -> tuple[str, float]:
    """Let the time until the next poll pass, with the heartbeats in it; a poll goes before a heartbeat."""
    client, limits = stream.client, stream.limits
    poll_at = client.now() + limits.poll_seconds
    while client.is_here() and (now := client.now()) < poll_at:
        if now >= beat_at:
            frame, cursor = stream.rules.heartbeat(cursor)
            await stream.write(frame)
            beat_at = now + limits.heartbeat_seconds
        await client.pause(min(poll_at, beat_at) - now)
    return cursor, beat_at


class _Imagined:
    """A client for whom waiting takes no time: so a stream in memory says the same in every run, and ends."""

    def __init__(self, receive: Receive, seconds: float) -> None:
        self._now, self._until = 0.0, seconds

    def is_here(self) -> bool:
        return self._now < self._until

    def now(self) -> float:
        return self._now

    async def pause(self, seconds: float) -> None:
        self._now += seconds
