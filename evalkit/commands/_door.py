"""What every command does with what goes wrong: say it on standard error, give the exit code."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Protocol

from evalkit.commands import _output
from evalkit.commands._signals import Interrupted
from evalkit.errors import HarnessError, Mistake, SuiteError, UsageError


class Refuse(Protocol):
    """What a command that judges does besides: its report of a run that did not take place."""

    def __call__(self, code: int, message: str, mistakes: Sequence[Mistake]) -> None: ...


def enter(command: Callable[[list[str]], int], words: list[str], refuse: Refuse | None = None) -> int:
    """Run a command and give its exit code. A fault of evalkit itself is 3, never Python's own 1."""
    ending = _Ending(refuse)
    with ending:
        ending.code = command(words)
    return ending.code


def refuse(message: str) -> int:
    """The exit code of a command line that names no command."""

    def raise_it(words: list[str]) -> int:
        raise UsageError(message)

    return enter(raise_it, [], functools.partial(_output.refuse, ()))


class _Ending:
    """Turns what a command raises into an exit code; `SystemExit` goes through."""

    def __init__(self, refuse: Refuse | None) -> None:
        self.code = 3
        self._refuse = refuse

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if problem is None or isinstance(problem, SystemExit):
            return False
        self.code, message, mistakes = _told(problem)
        if mistakes:
            _output.diagnose(mistakes)
        else:
            _output.say(f"evalkit: {message}")
        if self._refuse:
            self._refuse(self.code, message, mistakes)
        return True


def _told(problem: BaseException) -> tuple[int, str, Sequence[Mistake]]:
    """The exit code, what happened in a line, and where."""
    if isinstance(problem, UsageError):
        return 2, str(problem), ()
    if isinstance(problem, SuiteError):
        return 2, _output.amount(problem.mistakes), problem.mistakes
    if isinstance(problem, HarnessError):
        return 3, str(problem), ()
    if isinstance(problem, (Interrupted, KeyboardInterrupt)):
        code = problem.code if isinstance(problem, Interrupted) else 130
        return code, "interrupted before anything was run", ()
    _output.say("".join(traceback.format_exception(problem)))
    return 3, f"a fault of evalkit itself: {type(problem).__name__}: {problem}", ()
