"""What a run shows of its progress on standard error."""

from __future__ import annotations

import io
import os
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import pytest

from evalkit.commands._progress import Progress

ROOT = Path(__file__).parents[2]
TERMINAL = {"TERM": "xterm-256color"}


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


MARK = "\x1e"


class Terminal:
    """A pseudo-terminal: what is written to `stream`, and what a user would have been sent."""

    def __init__(self) -> None:
        self._master, slave = os.openpty()
        self.stream = os.fdopen(slave, "w", encoding="utf-8")

    def shown(self) -> str:
        """All that has been written by now: the kernel delivers late, so a mark is sent behind it."""
        self.stream.write(MARK)
        self.stream.flush()
        seen = b""
        while not seen.endswith(MARK.encode()):
            assert select.select([self._master], [], [], 10)[0], "nothing came"
            seen += os.read(self._master, 1_000_000)
        return seen.decode().removesuffix(MARK)

    def close(self) -> None:
        self.stream.close()
        os.close(self._master)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", TERMINAL["TERM"])
    monkeypatch.delenv("NO_COLOR", raising=False)
    opened = Terminal()
    yield opened
    opened.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


# ── lines ────────────────────────────────────────────────────────────────────────────────────────


def test_a_log_gets_one_line_a_suite(clock: Clock) -> None:
    log = io.StringIO()
    with Progress({"a": 2, "b": 1}, log, {}, clock) as progress:
        progress.case_done("a", "one", "pass")
        progress.case_done("b", "two", "error")
        assert log.getvalue() == "b: 1 done (0 pass, 0 fail, 1 error, 0 skip)\n"
        progress.case_done("a", "three", "fail")
    assert log.getvalue().splitlines()[1:] == ["a: 2 done (1 pass, 1 fail, 0 error, 0 skip)"]


def test_a_log_gets_a_heartbeat_every_thirty_seconds(clock: Clock) -> None:
    log = io.StringIO()
    with Progress({"a": 3}, log, {}, clock) as progress:
        progress.case_done("a", "one", "fail")
        for _ in range(61):
            clock.now += 1
            progress.tick([("two", 4.0), ("three[x=1]", clock.now - 100)])
    assert log.getvalue().splitlines() == [
        "1 of 3 done, 1 failed   running for 30 s: three[x=1]",
        "1 of 3 done, 1 failed   running for 60 s: three[x=1]",
        "a: 1 of 3 done (0 pass, 1 fail, 0 error, 0 skip)",
    ]


def test_a_case_that_is_done_runs_no_longer(clock: Clock) -> None:
    log = io.StringIO()
    progress = Progress({"a": 2}, log, {}, clock)
    progress.tick([("one", 9.0)])
    clock.now += 30
    progress.case_done("a", "one", "pass")
    assert log.getvalue() == "1 of 2 done, 0 failed\n"


def test_suites_that_were_not_finished_say_so_once(clock: Clock) -> None:
    log = io.StringIO()
    progress = Progress({"a": 2, "none": 0}, log, {}, clock)
    progress.close()
    progress.close()
    assert log.getvalue().splitlines() == [
        "a: 0 of 2 done (0 pass, 0 fail, 0 error, 0 skip)",
        "none: 0 done (0 pass, 0 fail, 0 error, 0 skip)",
    ]


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_none_gets_no_colour_and_no_cursor_movement(
    environ: dict[str, str], terminal: Terminal, clock: Clock
) -> None:
    with Progress({"a": 1}, terminal.stream, TERMINAL | environ, clock) as progress:
        progress.case_done("a", "one", "pass")
    assert terminal.shown() == "a: 1 done (1 pass, 0 fail, 0 error, 0 skip)\r\n"


def test_names_that_a_terminal_would_act_on_are_escaped(clock: Clock) -> None:
    log = io.StringIO()
    with Progress({"a\x1b[31m": 1}, log, {}, clock) as progress:
        clock.now += 30
        progress.tick([("b\nc", 1.0)])
    assert log.getvalue().splitlines() == [
        "0 of 1 done, 0 failed   running for 1 s: b\\u000ac",
        "a\\u001b[31m: 0 of 1 done (0 pass, 0 fail, 0 error, 0 skip)",
    ]


def test_what_the_stream_cannot_encode_is_escaped(clock: Clock) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="latin-1")
    with Progress({"é値": 0}, stream, {}, clock):
        pass
    assert raw.getvalue().startswith("é\\u5024: 0 done".encode("latin-1"))


# ── the bar ──────────────────────────────────────────────────────────────────────────────────────


def test_a_terminal_shows_done_failed_and_the_longest_running_case(terminal: Terminal, clock: Clock) -> None:
    with Progress({"a": 4}, terminal.stream, TERMINAL, clock) as progress:
        terminal.shown()
        progress.case_done("a", "one", "pass")
        clock.now += 1
        progress.case_done("a", "two", "error")
        assert "2 of 4 done, 1 failed" in terminal.shown()
        clock.now += 1
        progress.tick([("short", 1.0), ("long[profile=summary]", 12.4)])
        assert "2 of 4 done, 1 failed   running for 12 s: long[profile=summary]" in terminal.shown()


def test_the_bar_is_gone_and_the_cursor_back_at_the_end(terminal: Terminal, clock: Clock) -> None:
    with Progress({"a": 4}, terminal.stream, TERMINAL, clock):
        assert "\x1b[?25l" in terminal.shown()
    end = terminal.shown()
    assert "\x1b[?25h" in end
    assert end.endswith("\x1b[2K"), "the line is erased"


def test_the_bar_is_drawn_at_most_ten_times_a_second(terminal: Terminal, clock: Clock) -> None:
    with Progress({"a": 10_000}, terminal.stream, TERMINAL, clock) as progress:
        terminal.shown()
        for number in range(20):
            progress.case_done("a", str(number), "pass")
        assert terminal.shown() == ""


def test_no_thread_is_started_and_the_standard_streams_are_left_alone(
    terminal: Terminal, clock: Clock
) -> None:
    before = threading.active_count(), sys.stdout, sys.stderr
    with Progress({"a": 1}, terminal.stream, TERMINAL, clock) as progress:
        progress.case_done("a", "one", "pass")
        assert (threading.active_count(), sys.stdout, sys.stderr) == before


def test_rich_is_imported_on_a_terminal_only() -> None:
    code = (
        "import sys\n"
        "from evalkit.commands._progress import Progress\n"
        "with Progress({'a': 1}, sys.stderr) as progress: progress.case_done('a', 'b', 'pass')\n"
        "print('rich' in sys.modules)\n"
    )
    shown = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert shown.stdout == "False\n", "nothing of the progress, and no rich"
    assert shown.stderr == "a: 1 done (1 pass, 0 fail, 0 error, 0 skip)\n"


# ── streams that fail ────────────────────────────────────────────────────────────────────────────


def closed_stream() -> TextIO:
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("make", [closed_stream, lambda: None], ids=["closed", "none"])
def test_a_stream_that_is_not_there_stops_no_run(make: Callable[[], TextIO | None], clock: Clock) -> None:
    with Progress({"a": 1}, make(), TERMINAL, clock) as progress:
        progress.case_done("a", "one", "pass")


def test_a_broken_pipe_stops_no_run(clock: Clock) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb", buffering=0, closefd=False) as raw:
        stream = io.TextIOWrapper(raw, write_through=True)
        with Progress({"a": 1}, stream, {}, clock) as progress:
            progress.case_done("a", "one", "pass")
        stream.detach()
    os.close(writer)


def test_a_terminal_that_hangs_up_stops_no_run(clock: Clock) -> None:
    class HungUp(io.StringIO):
        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> int:
            raise BrokenPipeError(32, "the terminal is gone")

    with Progress({"a": 1}, HungUp(), TERMINAL, clock) as progress:
        clock.now += 1
        progress.case_done("a", "one", "pass")
