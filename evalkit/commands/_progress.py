"""How far a run is, on standard error: a bar on a terminal, elsewhere a line a suite and a heartbeat."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Final, Protocol, Self, TextIO, cast

from evalkit.model import STATUSES, Status

_HEARTBEAT: Final = 30.0
_REDRAW: Final = 0.1


class Progress:
    """Counts cases and shows it. What cannot be written is left out: a closed stream stops no run.

    Nothing is drawn but while one of its methods runs: there is no thread, so workers can be forked.
    """

    def __init__(
        self,
        totals: Mapping[str, int],
        stream: TextIO | None,
        environ: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with how many cases each suite will run; `clock` gives seconds."""
        self._tally = _Tally(totals)
        out = _Stream(stream)
        drawn = out.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
        self._view: _View = (_Bar if drawn else _Lines)(self._tally, out, clock)

    def case_done(self, suite: str, id: str, status: Status) -> None:
        """Count a case."""
        self._tally.counts[suite][status] += 1
        if self._tally.longest is not None and self._tally.longest[0] == id:
            self._tally.longest = None
        self._view.advance(suite)

    def tick(self, running: Sequence[tuple[str, float]]) -> None:
        """Name the cases that run now, with seconds; to be called about once a second."""
        self._tally.longest = max(running, key=lambda entry: entry[1], default=None)
        self._view.beat()

    def close(self) -> None:
        """Take the bar away, or say which suites were not finished."""
        self._view.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Tally:
    """What has been counted, for every view alike."""

    def __init__(self, totals: Mapping[str, int]) -> None:
        self.totals = totals
        self.counts: Mapping[str, Counter[Status]] = {suite: Counter() for suite in totals}
        self.longest: tuple[str, float] | None = None

    def sentence(self) -> str:
        done = sum(counts.total() for counts in self.counts.values())
        failed = sum(counts["fail"] + counts["error"] for counts in self.counts.values())
        text = f"{done} of {sum(self.totals.values())} done, {failed} failed"
        if self.longest is not None:
            text += f"   running for {self.longest[1]:.0f} s: {_plain(self.longest[0])}"
        return text

    def finished(self, suite: str) -> bool:
        return self.counts[suite].total() >= self.totals[suite]

    def line(self, suite: str) -> str:
        counts = self.counts[suite]
        of_all = "" if self.finished(suite) else f" of {self.totals[suite]}"
        words = ", ".join(f"{counts[status]} {status}" for status in STATUSES)
        return f"{_plain(suite)}: {counts.total()}{of_all} done ({words})"


class _View(Protocol):
    def advance(self, suite: str) -> None: ...

    def beat(self) -> None: ...

    def close(self) -> None: ...


class _Lines:
    """For logs: whole lines only."""

    def __init__(self, tally: _Tally, out: _Stream, clock: Callable[[], float]) -> None:
        self._tally, self._out, self._clock = tally, out, clock
        self._waiting = dict.fromkeys(tally.totals)
        self._last = clock()

    def advance(self, suite: str) -> None:
        if suite in self._waiting and self._tally.finished(suite):
            del self._waiting[suite]
            self._say(self._tally.line(suite))
        self.beat()

    def beat(self) -> None:
        if self._clock() - self._last >= _HEARTBEAT:
            self._say(self._tally.sentence())

    def close(self) -> None:
        for suite in self._waiting:
            self._say(self._tally.line(suite))
        self._waiting = {}

    def _say(self, line: str) -> None:
        self._last = self._clock()
        self._out.write(f"{line}\n")
        self._out.flush()


class _Bar:
    """For a terminal: one line, drawn over and over, and gone at the end."""

    def __init__(self, tally: _Tally, out: _Stream, clock: Callable[[], float]) -> None:
        # Start-up: rich is needed on a terminal only.
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress
        from rich.table import Column

        self._tally, self._clock, self._drawn = tally, clock, clock()
        column = Column(no_wrap=True, overflow="ellipsis", ratio=1)
        self._bar = RichProgress(
            BarColumn(bar_width=20),
            TextColumn("{task.description}", markup=False, table_column=column),
            console=Console(file=cast("TextIO", out), force_terminal=True),
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            expand=True,
        )
        self._task = self._bar.add_task(tally.sentence(), total=sum(tally.totals.values()))
        self._bar.start()

    def advance(self, suite: str) -> None:
        self.beat()

    def beat(self) -> None:
        now = self._clock()
        if now - self._drawn >= _REDRAW:
            self._drawn = now
            done = sum(counts.total() for counts in self._tally.counts.values())
            self._bar.update(self._task, completed=done, description=self._tally.sentence(), refresh=True)

    def close(self) -> None:
        self._bar.stop()


class _Stream:
    """A text stream that falls silent at the first fault, and writes escapes for what it cannot encode."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self.encoding = getattr(stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        safe = text.encode(self.encoding, "backslashreplace").decode(self.encoding)
        self._attempt(lambda stream: stream.write(safe))
        return len(text)

    def flush(self) -> None:
        self._attempt(lambda stream: stream.flush())

    def isatty(self) -> bool:
        try:
            return self._stream is not None and self._stream.isatty()
        except ValueError:
            return False

    def _attempt(self, act: Callable[[TextIO], object]) -> None:
        if self._stream is None:
            return
        try:
            act(self._stream)
        except (OSError, ValueError):
            self._stream = None


def _plain(text: str) -> str:
    return "".join(mark if mark.isprintable() else f"\\u{ord(mark):04x}" for mark in text)
