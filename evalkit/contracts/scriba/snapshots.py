"""What is read out of the JSON of a snapshot: measured lines, where they came from, and reset credits."""

from __future__ import annotations

import json
from math import inf, isfinite
from typing import Final, NamedTuple, NoReturn

from .nouns import Json

_LARGEST: Final = 2**63 - 1


class Provenance(NamedTuple):
    """Where a value came from; texts are '' where they are absent."""

    kind: str
    provider_id: str
    fetched_at: str
    stale: bool
    error: str


class Line(NamedTuple):
    """One metric line; `used` in percent, `period_ms` in milliseconds, `value` is any JSON."""

    type: str
    label: str
    value: Json
    used: float | None
    resets_at: str
    period_ms: int | None
    provenance: tuple[Provenance, ...]


class SnapshotProvider(NamedTuple):
    """One provider of a status snapshot."""

    provider_id: str
    lines: tuple[Line, ...]
    provenance: tuple[Provenance, ...]


class Status(NamedTuple):
    """A status snapshot (spec 9.2)."""

    generated_at: str
    providers: tuple[SnapshotProvider, ...]


class Credit(NamedTuple):
    """One reset credit of an observation (spec 2.9); its id and title are not even read."""

    status: str
    expires_at: str


class GrantNotes(NamedTuple):
    """All of an observation's snapshot that is read."""

    lines: tuple[Line, ...]
    credits: tuple[Credit, ...]


def decode_status(text: str) -> Status:
    """The status snapshot (spec 9.2). Raises ValueError for any other JSON."""
    root = _object(text)
    providers = tuple(
        SnapshotProvider(_text(item, "providerId"), _lines(item), _provenance(item))
        for item in _items(root, "providers")
    )
    return Status(_text(root, "generatedAt"), providers)


def decode_grant_notes(text: str) -> GrantNotes:
    """Lines and credits of an observation's snapshot (spec 2.9). Raises ValueError for any other JSON."""
    root = _object(text)
    notes = (Credit(_text(item, "status"), _text(item, "expiresAt")) for item in _items(root, "resetCredits"))
    return GrantNotes(_lines(root), tuple(notes))


def _object(text: str) -> Json:
    try:
        root = _DECODER.decode(text)
    except RecursionError:
        raise ValueError("the JSON is too deep") from None
    if not isinstance(root, dict):
        raise ValueError("the JSON is no object")
    return root


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant)


def _lines(owner: Json) -> tuple[Line, ...]:
    return tuple(
        Line(
            _text(item, "type"),
            _text(item, "label"),
            item.get("value"),
            _number(item, "used"),
            _text(item, "resetsAt"),
            _whole(item, "periodDurationMs"),
            _provenance(item),
        )
        for item in _items(owner, "lines")
    )


def _provenance(owner: Json) -> tuple[Provenance, ...]:
    return tuple(
        Provenance(
            _text(item, "kind"),
            _text(item, "providerId"),
            _text(item, "fetchedAt"),
            _flag(item, "stale"),
            _text(item, "error"),
        )
        for item in _items(owner, "provenance")
    )


def _items(owner: Json, name: str) -> list[Json]:
    """The objects of a list; null stands for nothing, of the list as of an object in it."""
    items = owner.get(name)
    if items is None:
        return []
    if not isinstance(items, list) or not all(item is None or isinstance(item, dict) for item in items):
        raise ValueError(f"{name} is no list of objects")
    return [item or {} for item in items]


def _text(owner: Json, name: str) -> str:
    value = owner.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} is no text")
    return value or ""


def _flag(owner: Json, name: str) -> bool:
    value = owner.get(name)
    if value is not None and not isinstance(value, bool):
        raise ValueError(f"{name} is no truth value")
    return value is True


def _number(owner: Json, name: str) -> float | None:
    value = owner.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} is no number")
    try:
        number = float(value)
    except OverflowError:
        number = inf
    if not isfinite(number):
        raise ValueError(f"{name} is too great")
    return number


def _whole(owner: Json, name: str) -> int | None:
    value = owner.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _LARGEST:
        raise ValueError(f"{name} is no whole number")
    return value
