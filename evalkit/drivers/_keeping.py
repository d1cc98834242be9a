"""Keeps what has come back of an exchange beside whatever breaks it: a fault, or a deadline."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from evalkit.errors import keep_what_came


class keeping:  # noqa: N801 - it reads as a verb: `with keeping(what):`
    """A block of which `what` tells the bytes that have come; they go along with what is raised there."""

    __slots__ = ("_what",)

    def __init__(self, what: Callable[[], tuple[bytes, ...]]) -> None:
        """Take what tells."""
        self._what = what

    def __enter__(self) -> None:
        """Nothing has come yet."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Keep, where something is raised."""
        if error is not None:
            keep_what_came(error, self._what())
