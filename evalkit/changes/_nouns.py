"""One change, and how much it asks of those who use what changed."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from evalkit.model import Json

Level: TypeAlias = Literal["breaking", "risky", "addition"]

LEVELS: Final[tuple[Level, ...]] = ("breaking", "risky", "addition")
"""From the worst: a client that worked may fail; it may behave otherwise; it need not notice."""


class Change(NamedTuple):
    """One change, at a path of the manifest or report; `...` stands where there is nothing to show."""

    level: Level
    code: str
    path: str
    message: str
    old: Json = ...
    new: Json = ...
