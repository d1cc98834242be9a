"""Gives the JSON Schemas of all that is shown, as published and in one piece (spec 1, 5.1, 6.4, 7.4)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from .nouns import Json

Name: TypeAlias = Literal["context", "event", "events", "local-health", "local-error"]


@cache
def schema(name: Name) -> Json:
    """A schema as published; `context` and `events` refer to `event` by its name. Not to be changed."""
    return msgspec.json.decode((_FOLDER / f"{name}.schema.json").read_bytes())


@cache
def output_schema(name: Literal["context", "events"]) -> Json:
    """A schema with the event's inside of it, so that it can be used with nothing else at hand (spec 7.4)."""
    event = schema("event")
    bare = {word: value for word, value in event.items() if word not in ("$schema", "$id", "$defs")}
    outer = _with_event_inside(schema(name))
    return outer | {"$defs": outer["$defs"] | event["$defs"] | {"event": bare}}


_FOLDER: Final = Path(__file__).parent / "schemas"


def _with_event_inside(part: Json) -> Json:
    if isinstance(part, list):
        return [_with_event_inside(item) for item in part]
    if not isinstance(part, dict):
        return part
    if part == {"$ref": "event.schema.json"}:
        return {"$ref": "#/$defs/event"}
    return {word: _with_event_inside(value) for word, value in part.items()}
