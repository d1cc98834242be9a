"""A program that is started and ended: never by halves, never for ever, and without its keeper too."""

from __future__ import annotations

import signal
import subprocess
from time import monotonic
from typing import Any

import pytest

from evalkit.deadline import deadline
from evalkit.drivers import _child, _keeper
from evalkit.drivers._child import Child, environment
from evalkit.errors import OutOfTime
from evalkit.surfaces import Command
from tests.drivers import vices

pytestmark = pytest.mark.slow


def test_what_it_writes_without_end_is_read_no_further_than_to_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_child, "LARGEST", 1 << 20)
    child = Child(Command(("sh", "-c", "trap '' TERM; while :; do echo xxxxxxxxxxxxxxxx; done")))
    child.start()
    with deadline(30):
        while len(child.output) <= 1 << 20:
            child.move(monotonic() + 1)
    child.end()
    assert len(child.output) <= (1 << 20) + _child.PART
    assert child.code == -9


def test_a_deadline_while_it_starts_leaves_it_to_be_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    real = _child._started

    def slow(command: Command) -> Any:
        process = real(command)
        signal.pause()  # until the deadline rings
        return process

    monkeypatch.setattr(_child, "_started", slow)
    child = Child(Command(vices.argv("silent")))
    with pytest.raises(OutOfTime), deadline(0.2):
        child.start()
    assert child.code is None
    child.end()
    assert child.code == 0


def test_a_deadline_while_it_is_ended_does_not_leave_it(monkeypatch: pytest.MonkeyPatch) -> None:
    child = Child(Command(("sh", "-c", "trap '' TERM; echo up; while :; do sleep 1; done")))
    child.start()
    with deadline(30):
        while not child.output:
            child.move(monotonic() + 1)
    with pytest.raises(OutOfTime), deadline(0.05):
        child.end()
    assert child.over
    assert child.code == -9


def test_ending_it_twice_or_before_it_was_started_is_nothing() -> None:
    child = Child(Command(vices.argv("silent")))
    child.end()
    assert child.code is None
    child.start()
    child.end()
    child.end()
    assert child.code == 0


def test_without_a_shell_to_keep_it_it_runs_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_keeper, "_SHELL", "/nowhere/sh")
    monkeypatch.setattr(_keeper, "_pipes", {})
    child = Child(Command(vices.argv("silent")))
    child.start()
    child.end()
    assert child.code == 0
    assert _keeper._pipes == {}


def test_the_keeper_ends_by_itself_where_nothing_is_left_to_end() -> None:
    script = ["/bin/sh", "-c", _keeper._SCRIPT]
    said = b"keep 999999991\nkeep 999999992\ndrop 999999991\ndrop 999999992\n"
    assert subprocess.run(script, input=said, timeout=10, check=False).returncode == 0
    assert subprocess.run(script, input=b"keep 999999991\n", timeout=10, check=False).returncode == 0


def test_little_of_our_environment_is_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALKIT_TEST_SECRET", "not for others")
    monkeypatch.setenv("HOME", "/home/me")
    found = environment({"A": "1", "PATH": "/bin"})
    assert (found["A"], found["PATH"], found["HOME"]) == ("1", "/bin", "/home/me")
    assert set(found) <= {"A", *_child.INHERITED}
