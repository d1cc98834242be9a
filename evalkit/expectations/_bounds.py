"""Bounds as `range` and `count` write them: `{min, max}`, both included, one of them optional."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evalkit.expectations._paths import pairs
from evalkit.model import Json, Path


def bounds(number: Json) -> Json:
    """The schema of bounds whose ends are such numbers."""
    return {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": False,
        "properties": {"min": number, "max": number},
    }


def upside_down(wanted: Json) -> Iterator[tuple[Path, str]]:
    """Where `min` is larger than `max`, so that nothing could hold."""
    for _, value, at in pairs(wanted):
        if isinstance(value, dict) and not _ordered(value):
            yield at, f"min {value['min']} is larger than max {value['max']}, so nothing could hold"


def fits(number: float, limits: Mapping[str, Json]) -> bool:
    """Whether a number lies within the bounds."""
    return ("min" not in limits or number >= limits["min"]) and (
        "max" not in limits or number <= limits["max"]
    )


def outside(limits: Mapping[str, Json]) -> str:
    """The bounds in words, for 'is not …'."""
    if limits.get("min", ...) == limits.get("max"):
        return str(limits["min"])
    words = {"min": "at least", "max": "at most"}
    return " and ".join(f"{words[end]} {limits[end]}" for end in words if end in limits)


def _ordered(limits: Mapping[str, Json]) -> bool:
    return "min" not in limits or "max" not in limits or limits["min"] <= limits["max"]
