"""The World of one in-memory case: fixture, settings, a standing clock, fixed identifiers, a log."""

from __future__ import annotations

import os
import uuid
from typing import Final

from evalkit.frozen import freeze, thaw
from evalkit.model import Json
from evalkit.values import fault_in, merge_patch

START: Final = 1_767_225_600.0
"""When every World begins: 2026-01-01T00:00:00Z, in seconds since the Unix epoch."""


class Log:
    """What the fakes were asked and what was written."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.calls: dict[str, int] = {}
        self.effects: list[Json] = []

    def declare(self, *sources: str) -> None:
        """Name sources, so that one that is never asked counts 0."""
        for source in sources:
            self.calls.setdefault(_named(source), 0)

    def read(self, source: str) -> None:
        """Note that a source was asked once."""
        self.calls[_named(source)] = self.calls.get(source, 0) + 1

    def wrote(self, effect: Json) -> None:
        """Note one effect, as JSON; it is copied. Raises TypeError for what is no JSON."""
        if fault := fault_in(effect):
            raise TypeError(f"an effect is noted as JSON: {fault}")
        self.effects.append(thaw(effect))


def _named(source: str) -> str:
    if not isinstance(source, str):
        raise TypeError(f"a source is named by a text, not by {source!r}")
    return source


class CaseFolder:
    """The one place on disk where a case may write; made when first asked for."""

    def __init__(self) -> None:
        """Begin with none."""
        self.path: str | None = None
        self._rooms = 0

    def room(self) -> str:
        """A new empty folder in it, for one World."""
        if self.path is None:
            base = os.environ.get("TMPDIR") or os.environ.get("TEMP") or "/tmp"  # noqa: S108  mode 0700 below
            self.path = os.path.join(os.path.realpath(base), f"evalkit-{os.getpid()}-{uuid.uuid4().hex}")
            os.mkdir(self.path, 0o700)
        self._rooms += 1
        room = os.path.join(self.path, str(self._rooms))
        os.mkdir(room, 0o700)
        return room

    def remove(self) -> None:
        """Remove it with all that is in it."""
        if self.path is not None:
            from shutil import rmtree  # start-up: few cases write

            rmtree(self.path, ignore_errors=True)


class FakeWorld:
    """Satisfies `model.World`; `change` is what a `world` step does."""

    def __init__(self, fixture: Json, settings: Json, case_folder: CaseFolder) -> None:
        """Take data that is deeply immutable already."""
        self.fixture = fixture
        self.settings = settings
        self.log = Log()
        self._seconds = START
        self._ids = 0
        self._case_folder = case_folder
        self._folder: str | None = None

    def now(self) -> float:
        """Seconds since the Unix epoch, the same until a step advances it."""
        return self._seconds

    def next_id(self) -> str:
        """A UUID (version 8 in form) that is the same in every run."""
        self._ids += 1
        return str(uuid.UUID(int=(8 << 76) | (2 << 62) | self._ids))

    def folder(self) -> str:
        """This World's own empty folder."""
        self._folder = self._folder or self._case_folder.room()
        return self._folder

    def change(self, words: Json) -> None:
        """Apply a `world` step: a JSON Merge Patch of the fixture, new settings, seconds to advance."""
        if "patch" in words:
            self.fixture = freeze(merge_patch(self.fixture, words["patch"]))
        if "settings" in words:
            self.settings = freeze(words["settings"])
        self._seconds += words.get("advance", 0)
