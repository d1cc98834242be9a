"""Where cases run: in this process (`inline`) or in worker processes (`workers`)."""

from __future__ import annotations

from typing import Protocol

from evalkit.errors import EvalkitError
from evalkit.model import CaseResult


class Work(Protocol):
    """What the engine runs: one case a call. It never raises, and can be pickled.

    Where it has `ahead(index)`, that is told of each case before the case in front of it is run.
    """

    def __call__(self, index: int) -> CaseResult:
        """Run the case with this index."""
        ...

    def seconds(self, index: int) -> float:
        """The deadline of that case in seconds; a second later its process is ended."""
        ...

    def end(self) -> None:
        """Let go of what cases have left for others in this process: it has none to run any more."""
        ...


class TimeUp(EvalkitError):
    """The whole run is out of time: what was yielded is all there is (report: `stopReason: time`)."""


class WorkersLost(EvalkitError):
    """Worker processes die before they run anything (report: `stopReason: worker-lost`)."""
