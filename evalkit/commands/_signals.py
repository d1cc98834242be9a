"""Ctrl-C and SIGTERM: they interrupt what waits, and never what writes."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Final, Self

_WATCHED: Final = (signal.SIGINT, signal.SIGTERM)


class Interrupted(BaseException):
    """A signal arrived; `code` is the exit code for it."""

    def __init__(self, code: int) -> None:
        """128 and the signal's number."""
        self.code = code
        super().__init__(f"signal {code - 128}")


class Signals:
    """Notes the first signal of a run: `code` is the exit code for it, 0 while there was none."""

    def __init__(self) -> None:
        """Watch nothing yet."""
        self.code = 0
        self._act: Callable[[], None] | None = None

    def __enter__(self) -> Self:
        """Take the signals over."""
        self._before = {number: signal.signal(number, self._note) for number in _WATCHED}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Put back what was found, unless a signal came: then further ones find nobody to disturb."""
        if not self.code:
            for number, handler in self._before.items():
                signal.signal(number, handler)

    def interrupting(self) -> contextlib.AbstractContextManager[None]:
        """A block in which a signal raises Interrupted, at once where one came before."""
        return self.calling(self._interrupt)

    @contextlib.contextmanager
    def calling(self, act: Callable[[], None]) -> Iterator[None]:
        """A block in which the first signal calls this, at once where one came before."""
        self._act = act
        try:
            if self.code:
                act()
            yield
        finally:
            self._act = None

    def _interrupt(self) -> None:
        raise Interrupted(self.code)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.code = self.code or 128 + number
        act, self._act = self._act, None
        if act is not None:
            act()
