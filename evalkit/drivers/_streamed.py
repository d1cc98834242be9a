"""Reads an event stream until there are so many events, the time is over, or the server ends it."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Final, Literal, NamedTuple, TypeAlias

from evalkit.drivers._answers import strict_json
from evalkit.drivers._events import Event, EventStream
from evalkit.drivers._exchange import NothingMore, Response, check_size, header
from evalkit.model import Json
from evalkit.values import ABSENT

Ending: TypeAlias = Literal["server", "events", "within"]

_ALL: Final = 1 << 62
_FOREVER: Final = float("inf")


class Streamed(NamedTuple):
    """The root `events`, the comments among them, and what ended the reading."""

    events: list[Json]
    comments: list[str]
    ended: Ending


def read_events(response: Response, until: Mapping[str, Json], begun: float) -> Streamed:
    """Read a stream that was asked for at `begun` (`monotonic`). What is no event stream has no events.

    Events beyond those that `until` asks for are in the body only: whether they have come is chance.
    """
    streams = header(response.headers, b"content-type").lower().startswith("text/event-stream")
    wanted = int(until.get("events", _ALL)) if streams else _ALL
    ends = begun + until.get("within", _FOREVER)
    stream, events = EventStream(), list[Json]()
    ended: Ending = "events"
    size = 0
    try:
        while len(events) < wanted:
            piece = next(response.chunks)
            check_size(size := size + len(piece))
            events += [_told(event) for event in (stream.feed(piece) if streams else ())]
            if len(events) < wanted and monotonic() > ends:
                raise NothingMore
    except StopIteration:
        ended = "server"
    except NothingMore:
        ended = "within"
    finally:
        response.chunks.close()
    comments = [comment.decode(errors="replace") for comment in stream.comments]
    return Streamed(events[:wanted], comments, ended)


def _told(event: Event) -> Json:
    told: dict[str, Json] = {} if event.id is None else {"id": event.id}
    told |= {"event": event.name, "data": event.data.decode(errors="replace")}
    value = strict_json(event.data)
    return told if value is ABSENT else {**told, "json": value}
