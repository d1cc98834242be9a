"""Tests of evalkit.engine.inline: cases in this process, as they are asked for."""

from __future__ import annotations

from evalkit.engine.inline import run_here
from evalkit.model import CaseResult


class Noted:
    """Work that says which case it was, and remembers what it ran."""

    def __init__(self) -> None:
        self.ran: list[int] = []

    def __call__(self, index: int) -> CaseResult:
        self.ran.append(index)
        return CaseResult(note=str(index))

    def seconds(self, index: int) -> float:
        return 10.0

    def end(self) -> None:
        self.ran.append(-1)


def test_cases_run_in_the_order_asked_and_only_when_asked_for() -> None:
    work = Noted()
    results = run_here(work, [2, 0, 1])
    assert next(results) == (2, CaseResult(note="2"))
    assert work.ran == [2]
    assert [index for index, _ in results] == [0, 1]


def test_what_cases_left_for_others_is_let_go_of_at_the_end_whatever_ends_it() -> None:
    work = Noted()
    assert [index for index, _ in run_here(work, [1])] == [1]
    assert work.ran == [1, -1]
    results = run_here(work, [1, 2])
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert work.ran == [1, -1, 1, -1]
