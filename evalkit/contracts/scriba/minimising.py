"""Lets of a stored policy event only what may be public out, or refuses the row (spec 4)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, NoReturn, TypeAlias

from . import times, windows
from .ledger_nouns import EventRow
from .nouns import Json

Show: TypeAlias = Callable[[EventRow], Json | None]
"""The public event of a row; None where it lacks a time. Raises Undecodable."""


class Undecodable(Exception):
    """A row that does not pass the decode gate; why is not told, for it would be private."""


@lru_cache(maxsize=1024)  # every context and every stream shows the same rows; nobody changes what it shows
def public_event(row: EventRow, profile_id: str) -> Json | None:
    """An event `scriba.event.v1` (spec 1.7), or None where the row is sound but lacks a time that must be.

    Raises Undecodable for a row that does not pass the decode gate (spec 4.1).
    """
    kind = _KINDS.get(row.event_kind)
    if kind is None or row.rule_kind != kind.public or row.payload_version != 1:
        raise Undecodable
    payload = _payload(row)
    data = kind.data(payload, row.provider_id)
    detected_at = _time(row.detected_at)
    if data is None or detected_at is None:
        return None
    return {
        "schemaVersion": "scriba.event.v1",
        "id": row.id,
        "providerId": row.provider_id,
        "profileId": profile_id,
        "kind": kind.public,
        "detectedAt": detected_at,
        "data": data,
    }


def all_or_nothing(rows: Sequence[EventRow], show: Show) -> list[Json]:
    """What a context shows: one row that cannot be decoded hides all, and Undecodable goes on (spec 4.2)."""
    return [event for row in rows if (event := show(row)) is not None]


def only_sound(rows: Sequence[EventRow], show: Show) -> list[Json]:
    """What a page shows: a row that cannot be decoded is passed over (spec 4.2)."""
    events = []
    for row in rows:
        try:
            event = show(row)
        except Undecodable:
            continue
        if event is not None:
            events.append(event)
    return events


def _remaining_checkpoint(payload: Json, provider: str) -> Json:
    reset_at = _time(payload.get("reset_at"))
    return {
        "windowKey": _window_key(provider, payload.get("label")),
        "checkpointPercent": _whole(payload.get("threshold_remaining")),
        "usedPercent": _number(payload.get("used_percent")),
        "remainingPercentPoints": _number(payload.get("remaining_percent")),
        **({"resetAt": reset_at} if reset_at else {}),
    }


def _reset_transition(payload: Json, provider: str) -> Json | None:
    key = _window_key(provider, payload.get("primary_trigger_label"))
    previous, current = _time(payload.get("previous_reset_at")), _time(payload.get("current_reset_at"))
    if previous is None or current is None:
        return None
    kind = _text(payload.get("reset_kind"))
    return {"windowKey": key, "resetKind": kind, "previousResetAt": previous, "resetAt": current}


def _grant_available(payload: Json, _provider: str) -> Json:
    expires_at = _time(payload.get("expires_at"))
    return {
        "availableCount": _whole(payload.get("available_count")),
        **({"earliestExpiryAt": expires_at} if expires_at else {}),
    }


def _grant_expiry_checkpoint(payload: Json, _provider: str) -> Json | None:
    expires_at = _time(payload.get("expires_at"))
    if expires_at is None:
        return None
    return {"checkpointDays": _whole(payload.get("threshold_days")), "expiresAt": expires_at}


class _Kind(NamedTuple):
    public: str
    data: Callable[[Json, str], Json | None]


_KINDS: Final[Mapping[str, _Kind]] = {
    "limit_warning": _Kind("remaining_checkpoint", _remaining_checkpoint),
    "reset": _Kind("reset_transition", _reset_transition),
    "reset_grant": _Kind("grant_available", _grant_available),
    "reset_grant_warning": _Kind("grant_expiry_checkpoint", _grant_expiry_checkpoint),
}


def _payload(row: EventRow) -> Json:
    try:
        payload = _DECODER.decode(row.payload_json)
    except (ValueError, RecursionError):
        raise Undecodable from None
    if not isinstance(payload, dict) or payload.get("kind") != row.event_kind:
        raise Undecodable
    # true and 1.0 equal one as well, but the literal 1 alone is an int.
    version = payload.get("version")
    if type(version) is not int or version != 1:
        raise Undecodable
    return payload


def _integer(literal: str) -> int | float:
    # Python refuses to read thousands of digits as an int, and a row is not undecodable for that.
    return int(literal) if len(literal) < 20 else float(literal)


def _no_number(_literal: str) -> NoReturn:
    raise ValueError("NaN and the infinities are no JSON")


_DECODER: Final = json.JSONDecoder(parse_int=_integer, parse_constant=_no_number)


def _window_key(provider: str, label: Json) -> str:
    key = windows.key_of(provider, _text(label))
    if key is None:
        raise Undecodable
    return key


def _text(value: Json) -> str:
    """As Go reads it: no string is an empty one, and half a surrogate pair is U+FFFD."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _time(value: Json) -> str | None:
    instant = times.parse_in_utc(value) if isinstance(value, str) else None
    return None if instant is None else times.format(instant)


def _number(value: Json) -> int | float:
    """What is absent or no number is 0, and what is too great for one as well."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return 0
    return value


def _whole(value: Json) -> int:
    number = math.trunc(_number(value))
    return number if -(2**63) <= number < 2**63 else 0
