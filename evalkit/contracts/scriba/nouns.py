"""The values that pass between reading, projecting and showing (spec 1, 2, 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

Json: TypeAlias = Any

Mode: TypeAlias = Literal["replay", "latest", "capture"]

DEFAULT_EVENTS: Final = 20
MAX_EVENTS: Final = 100


class Instant(NamedTuple):
    """A moment: whole nanoseconds since the Unix epoch, and the offset that its text had, in minutes."""

    nanoseconds: int
    offset: int = 0


class Profiles(NamedTuple):
    """What the configuration says of profiles. Without `enabled` only one fixed id is known (spec 2.2)."""

    enabled: tuple[str, ...] = ("default",)
    default: str = "default"


class Paths(NamedTuple):
    """Where the two databases are: the folder of `scriba.sqlite`, and the server's file."""

    cache_dir: str
    state_path: str


class ProfileUnavailable(Exception):
    """The profile that was asked for is not one that can be shown; its text is for the command line."""

    def __init__(self) -> None:
        super().__init__("profile unavailable: profile_unavailable")


class PageUnavailable(Exception):
    """An event page cannot be given; `code` is one of spec 5.2."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(f"event page unavailable: {code}")


class StoreUnreadable(Exception):
    """A database that cannot be read; why stays here, and never reaches a surface."""


class Service(Protocol):
    """What every surface asks, and all that it may ask. Each call opens the files anew, to read only."""

    def context(self, profile: str | None) -> Json:
        """The document `scriba.context.v1`. Raises ProfileUnavailable, and nothing because of data."""
        ...

    def events(self, mode: str, cursor: str, limit: int, profile: str | None) -> Json:
        """A page `scriba.events.v1`. Raises PageUnavailable, ProfileUnavailable, in the order of spec 5.2."""
        ...

    def replay(self, cursor: str, limit: int, most: int, profile: str | None) -> list[Json]:
        """The pages after a cursor, read in one go: at least one, and no more where one leads nowhere new.

        Raises as `events` does, for the first of them.
        """
        ...


Clock: TypeAlias = Callable[[], Instant]
