"""Tests of evalkit.engine.messages: what is sent comes back the same, however it is cut on its way."""

from __future__ import annotations

import pytest

from evalkit.engine import messages
from evalkit.model import CaseResult, Finding


class Text(str):
    """Text as a contract may have its own."""

    __slots__ = ()


class Frozen(dict[str, int]):
    """What pickle can write but not read back: it refuses to be filled."""

    def __setitem__(self, key: str, value: int) -> None:
        raise TypeError("frozen")


RESULTS = {
    "a pass": CaseResult(tool="search", over="direct", call="search {}", milliseconds=1.5),
    "an error": CaseResult(error=("timeout", "no answer")),
    "a skip": CaseResult(skip=("declared", "later"), revealed=2),
    "half a character": CaseResult(note="\ud83d"),
    "text of its own kind": CaseResult(note=Text("x")),
    "a finding": CaseResult(
        findings=(Finding("c", "m", expected=..., actual={"a": [2**70, None]}, at=(0, "a")),)
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_comes_back_as_it_was(name: str) -> None:
    buffer = bytearray(messages.frame(RESULTS[name]))
    (body,) = messages.frames(buffer)
    assert messages.result(body) == RESULTS[name]
    assert buffer == b""


def test_frames_are_whole_however_they_arrive() -> None:
    sent = [CaseResult(note="x" * size) for size in (0, 1, 1000)]
    stream = messages.HELLO + b"".join(messages.frame(each) for each in sent)
    buffer = bytearray()
    bodies: list[bytes] = []
    for number in stream:
        buffer.append(number)
        bodies += messages.frames(buffer)
    assert bodies[0] == b""
    assert [messages.result(body) for body in bodies[1:]] == sent


def test_a_span_says_which_positions() -> None:
    data = messages.span(3, 2**40)
    assert len(data) == messages.SPAN
    assert messages.positions(data) == range(3, 2**40)


@pytest.mark.parametrize("value", [lambda: None, Frozen(a=1)], ids=["not to be written", "not to be read"])
def test_what_cannot_be_sent_is_an_error_that_says_so(value: object) -> None:
    buffer = bytearray(messages.frame(CaseResult(findings=(Finding("c", "m", actual=value),))))
    (body,) = messages.frames(buffer)
    error = messages.result(body).error
    assert error is not None
    assert error[0] == "check-failed"
    assert "could not leave its worker process" in error[1]
