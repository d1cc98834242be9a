"""Reads the settings document out of a file that may be edited at any time (spec A.2, B.2)."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from ..vocabulary import Json

MOST_BYTES: Final = 1 << 20
"""A longer settings file counts as damaged."""

_SETTLED: Final = 2_000_000_000
"""Nanoseconds: a file changed more lately may change again without its times showing it."""


class SettingsFile:
    """The whole document as it is now, each time this is called; it never raises.

    A file that was never there gives `{}`. What cannot be read as one JSON object gives a text that is not
    empty (where there is one: what the file holds): whoever gets that must refuse (spec B.2). A file that
    was there and is gone counts as that too, so that no way of saving it opens the gate for a moment.
    """

    def __init__(self, path: Path) -> None:
        """Read nothing yet."""
        self._path = path
        self._kept: _Kept | None = None
        self._was_there = False

    def __call__(self) -> Json:
        """One document; what is returned is shared, and not to be changed."""
        kept = self._kept
        try:
            if kept is not None and kept.stamp == _stamp(os.stat(self._path)):
                return kept.document
            kept = _read(self._path)
        except FileNotFoundError:
            return "the settings file is gone" if self._was_there else {}
        except (OSError, ValueError) as problem:
            self._was_there = True
            return f"the settings file cannot be read: {type(problem).__name__}"
        self._was_there = True
        self._kept = kept if _is_settled(kept.stamp) else None
        return kept.document


def with_password(settings: Callable[[], Json], stored: Json) -> Callable[[], Json]:
    """The same settings with another `secrets.auth`; a damaged document stays damaged."""

    def merged() -> Json:
        document = settings()
        if not isinstance(document, dict):
            return document
        secrets = document.get("secrets")
        kept = secrets if isinstance(secrets, dict) else {}
        return {**document, "secrets": {**kept, "auth": stored}}

    return merged


def open_without_waiting(path: str, flags: int) -> int:
    """An opener for `open`: a pipe that nobody writes to is opened at once, too."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


class _Stamp(NamedTuple):
    """What changes when a file does."""

    device: int
    number: int
    size: int
    modified: int
    changed: int


class _Kept(NamedTuple):
    stamp: _Stamp
    document: Json


def _read(path: Path) -> _Kept:
    """The stamp is taken before the text, so that a change in between shows next time."""
    with open(path, "rb", opener=open_without_waiting) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            return _Kept(_stamp(found), "the settings file is no regular file")
        text = file.read(MOST_BYTES + 1)
    return _Kept(_stamp(found), _document(text))


def _document(text: bytes) -> Json:
    """The object that a text says, or the text itself."""
    if len(text) > MOST_BYTES:
        return "the settings file is too long"
    try:
        document = json.loads(text.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        document = None
    return document if isinstance(document, dict) else text.decode("utf-8", "replace") or "nothing"


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def _stamp(found: os.stat_result) -> _Stamp:
    return _Stamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _is_settled(stamp: _Stamp) -> bool:
    return time.time_ns() - max(stamp.modified, stamp.changed) > _SETTLED
