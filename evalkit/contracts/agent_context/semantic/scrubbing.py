"""Takes secrets out of everything that a semantic tool tells (spec C.6)."""

from __future__ import annotations

from collections.abc import Callable

from .nouns import Json


def scrubbed(normalised: Json, scrub: Callable[[Json], Json]) -> Json:
    """A normalised result with `scrub` applied to every text of its error and result; keys stay.

    The other members are the contract's and the caller's own words: the request id must come back as it went.
    """
    return {
        key: _scrubbed(member, scrub) if key in ("error", "result") else member
        for key, member in normalised.items()
    }


def _scrubbed(value: Json, scrub: Callable[[Json], Json]) -> Json:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, dict):
        return {key: _scrubbed(member, scrub) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_scrubbed(member, scrub) for member in value]
    return value
