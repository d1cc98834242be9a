"""A time limit around contract code, kept by the interval timer of the process."""

from __future__ import annotations

# `signal` wraps this module in conversions to enums that take ten times as long, twice a case.
import _signal as signal  # type: ignore[import-not-found]
from time import monotonic
from types import CodeType, FrameType, TracebackType
from typing import Final

from evalkit.errors import OutOfTime

AGAIN: Final = 0.2
"""Seconds after which a deadline that was swallowed rings again, and again."""

_HAS_TIMER: Final = hasattr(signal, "setitimer")
_SOONEST: Final = 1e-6
_LONGEST: Final = 1e8
_SLACK: Final = 1e-3


class Ring(BaseException):
    """What a deadline raises inside its block: no `except Exception` catches it."""

    def __init__(self, owner: deadline) -> None:
        """Name the deadline that was passed."""
        self.owner = owner
        super().__init__(f"past the deadline of {owner.seconds:g} s")


class deadline:  # noqa: N801 - it reads as a verb: `with deadline(10):`
    """Raise `OutOfTime` from a block that runs longer than `seconds`, even if it swallows what interrupts it.

    It may stand inside another deadline, and puts back the timer and the handler that it found.
    It does nothing outside the main thread and where there is no interval timer (Windows), and nothing
    against code that never comes back to Python: there the engine ends the process.
    Beside the guard it is the inner one, so that it cannot interrupt the guard's exit:
    `with watching(folder) as watch, deadline(seconds):`.
    """

    __slots__ = ("_armed", "_found", "_handler", "_outer", "_started", "ends", "rang", "seconds")

    def __init__(self, seconds: float) -> None:
        """Take the limit in seconds."""
        self.seconds = seconds
        self.rang = False
        self._armed = False

    def __enter__(self) -> None:
        """Start the timer; the deadline of an outer block still holds."""
        global _innermost
        if not _HAS_TIMER:
            return
        try:
            self._handler = signal.signal(signal.SIGALRM, _ring)
        except ValueError:  # not the main thread
            return
        seconds = min(max(self.seconds, _SOONEST), _LONGEST)
        self._started = monotonic()
        self.ends = self._started + seconds
        self._outer = _innermost
        _innermost = self
        self._armed = True
        self._found = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
        if 0 < self._found[0] < seconds:
            signal.setitimer(signal.ITIMER_REAL, self._found[0], AGAIN)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the timer; raise `OutOfTime` where it rang, whatever the block made of that."""
        global _innermost
        if not self._armed:
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        _innermost = self._outer
        signal.signal(signal.SIGALRM, self._handler)
        if self._found[0]:
            left = self._found[0] - (monotonic() - self._started)
            signal.setitimer(signal.ITIMER_REAL, max(left, _SOONEST), self._found[1])
        if not self.rang or isinstance(error, KeyboardInterrupt):
            return
        if not isinstance(error, Ring) or error.owner is self:
            raise OutOfTime(self.seconds) from None


_innermost: deadline | None = None
_NEVER_INTERRUPTED: Final[frozenset[CodeType]] = frozenset(
    (deadline.__init__.__code__, deadline.__enter__.__code__, deadline.__exit__.__code__)
)


def _ring(_number: int, frame: FrameType | None) -> None:
    """Raise for the outermost deadline that is over, but not within a deadline's own entry or exit."""
    if frame is not None and frame.f_code in _NEVER_INTERRUPTED:
        return
    now = monotonic() + _SLACK
    over: deadline | None = None
    each = _innermost
    while each is not None:
        if each.ends <= now:
            over = each
        each = each._outer
    if over is not None:
        over.rang = True
        raise Ring(over)
