"""What is logged says what happened, and nothing of what was asked or stored."""

from __future__ import annotations

import logging
import os
import sys

import pytest

from evalkit.contracts.agent_context.server.diagnosis import Seldom, Terse, note_answer, say, show

Told = pytest.CaptureFixture[str]


def record(message: object, *args: object) -> logging.LogRecord:
    return logging.LogRecord("uvicorn.error", logging.ERROR, __file__, 1, message, args, sys.exc_info())


def test_an_exception_is_told_by_its_kind_and_place_alone(capfd: Told) -> None:
    try:
        raise ValueError("a private text")
    except ValueError:
        Terse(Seldom()).emit(record("Exception in ASGI application\n"))
    told = capfd.readouterr().err
    assert told.startswith("agent-context: Exception in ASGI application: ValueError at test_diagnosis.py:")
    assert "private" not in told


@pytest.mark.parametrize(
    ("message", "args"),
    [
        ("it returned '%s'", ("a private text",)),
        ("Task exception was never retrieved\nfuture: ValueError('a private text')", ()),
        (ValueError("a private text"), ()),
    ],
)
def test_arguments_and_further_lines_are_left_out(message: object, args: tuple[str], capfd: Told) -> None:
    Terse(Seldom()).emit(record(message, *args))
    told = capfd.readouterr().err
    assert told.count("\n") == 1
    assert "private" not in told


def test_a_line_is_said_once_a_second_and_then_how_often_it_would_have_been() -> None:
    told: list[str] = []
    now = 0.0
    seldom = Seldom(told.append, lambda: now)
    for line in ("one", "one", "two", "one"):
        seldom.note(line)
    assert told == ["one", "two"]
    now = 1.0
    seldom.note("one")
    assert told[2:] == ["one (3 times by now)"]
    now = 2.0
    seldom.note("one")
    assert told[3:] == ["one"]


def test_what_was_counted_and_not_said_is_told_at_the_end() -> None:
    told: list[str] = []
    seldom = Seldom(told.append, lambda: 0.0)
    for line in ("one", "one", "two", "one", "three", "three"):
        seldom.note(line)
    seldom.end()
    assert told == ["one", "two", "three", "one (2 times by now)", "three"]


def test_only_answers_from_400_on_are_told() -> None:
    told: list[str] = []
    for status in (200, 202, 304, 399, 400, 431, 500, 599):
        note_answer(Seldom(told.append), status)
    assert told == [
        "answered 400 Bad Request",
        "answered 431 Request Header Fields Too Large",
        "answered 500 Internal Server Error",
        "answered 599",
    ]


def test_a_line_acts_on_no_terminal(capfd: Told) -> None:
    say("red \x1b[31m\nsecond")
    assert capfd.readouterr().err == "agent-context: red \\u001b[31m\\u000asecond\n"


def test_a_line_that_nobody_reads_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with open(reading, "rb") as end, open(writing, "w", encoding="utf-8") as full:
        try:
            while True:
                os.write(writing, b"x" * 4096)
        except BlockingIOError:
            os.set_blocking(writing, True)
        monkeypatch.setattr(sys, "stderr", full)
        say("this would wait for ever")
        assert end.read(1) == b"x"


def test_closed_streams_are_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(sys, "stdout", None)
    say("nobody hears")
    show("nobody sees")


def test_a_reader_that_has_gone_away_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as broken:
        monkeypatch.setattr(sys, "stdout", broken)
        show("nobody sees")
