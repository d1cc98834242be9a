"""Programs that are started before they are needed."""

from __future__ import annotations

import sys

from evalkit.drivers import _early, end_early, start_early
from evalkit.drivers._child import Child
from evalkit.surfaces import Command

WAITS = Command((sys.executable, "-c", "import sys; sys.stdin.read()"), {"MARK": "early"})


def test_what_was_started_early_is_what_is_used_then() -> None:
    for _ in range(3):
        start_early(WAITS)
    early = [process for _, process in _early._waiting]
    assert len(early) == 2
    children = [Child(WAITS) for _ in range(3)]
    try:
        for child in children:
            child.start()
        assert [child._process in early for child in children] == [True, True, False]
    finally:
        for child in children:
            child.end()
    assert [child.code for child in children] == [0, 0, 0]


def test_another_command_is_started_anew_and_what_nobody_needed_is_ended() -> None:
    start_early(WAITS)
    other = Child(WAITS._replace(env={"MARK": "other"}))
    other.start()
    ((_, waiting),) = _early._waiting
    assert other._process is not waiting
    other.end()
    end_early()
    assert (waiting.returncode, _early._waiting) == (0, [])


def test_what_cannot_be_started_is_told_to_who_needs_it() -> None:
    start_early(Command(("/no/such/program",)))
