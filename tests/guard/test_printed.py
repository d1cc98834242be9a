"""Tests of evalkit.guard.printed: what a case writes to standard output is seen and goes nowhere."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from evalkit.guard import watching
from evalkit.guard.printed import LIMIT


def printed(case: Callable[[], object]) -> str:
    with watching(lambda: None) as watch:
        case()
    return watch.printed


def replace_stdout() -> None:
    """What many programs do to get UTF-8 on their standard output."""
    assert isinstance(sys.stdout, io.TextIOWrapper)
    sys.stdout = io.TextIOWrapper(sys.stdout.detach(), "utf-8", line_buffering=True)
    print("text")


def print_after_closing() -> None:
    sys.stdout.close()
    print("text")


WAYS: dict[str, tuple[str, Callable[[], object]]] = {
    "nothing": ("", lambda: None),
    "print": ("text\n", lambda: print("text")),
    "write": ("text", lambda: sys.stdout.write("text")),
    "bytes": ("text", lambda: sys.stdout.buffer.write(b"text")),
    "views of wide bytes": ("text", lambda: sys.stdout.buffer.write(memoryview(b"text").cast("H"))),
    "bytes that are no text": ("\\xff", lambda: sys.stdout.buffer.write(b"\xff")),
    "half a character": ("\\ud83d", lambda: sys.stdout.write("\ud83d")),
    "after closing": ("text\n", print_after_closing),
    "after replacing": ("text\n", replace_stdout),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_case_writes_is_seen_and_raises_nothing(way: str, capfd: pytest.CaptureFixture[str]) -> None:
    expected, case = WAYS[way]
    found = sys.stdout
    assert printed(case) == expected
    assert sys.stdout is found
    assert printed(lambda: print("the next case")) == "the next case\n"
    assert capfd.readouterr().out == ""


def test_what_is_kept_of_it_is_bounded() -> None:
    assert printed(lambda: print("x" * (10 * LIMIT))) == "x" * LIMIT


def test_a_case_within_a_case_keeps_its_output_apart() -> None:
    with watching(lambda: None) as outer:
        print("outer")
        assert printed(lambda: print("inner")) == "inner\n"
        print("outer again")
    assert outer.printed == "outer\nouter again\n"


def in_a_worker(case: str) -> str:
    """What is seen of a case, written as Python code, in a process that took its standard output over."""
    code = f"""
import os, sys
from evalkit.guard import printed, watching
printed.take_over()
with watching(lambda: None) as watch:
    {case}
with watching(lambda: None) as after:
    pass
print(repr((watch.printed, after.printed)), file=sys.stderr)
"""
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    ended = subprocess.run(
        [sys.executable, "-c", code], env=buffered, capture_output=True, text=True, check=True
    )
    assert ended.stdout == ""
    return ended.stderr.strip()


@pytest.mark.parametrize(
    ("case", "seen"),
    [
        ("os.write(1, b'text')", ("text", "")),
        ("sys.__stdout__.write('text')", ("text", "")),
        ("print('one'); os.write(1, b'two')", ("one\ntwo", "")),
        ("os.close(1)", ("(standard output was closed)", "")),
        ("print(repr(sys.stdin.read()), os.read(0, 1))", ("'' b''\n", "")),
    ],
)
def test_in_a_worker_what_goes_past_sys_stdout_is_seen_and_input_is_empty(
    case: str, seen: tuple[str, str]
) -> None:
    assert in_a_worker(case) == repr(seen)


@pytest.mark.skipif(sys.platform != "linux", reason="only there can a file be kept from growing")
def test_a_worker_that_writes_for_ever_meets_an_end() -> None:
    endless = "exec('while True:\\n try: os.write(1, bytes([120]) * 65536)\\n except OSError: break')"
    assert in_a_worker(endless) == repr(("x" * LIMIT, ""))
