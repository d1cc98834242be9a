"""What every command but `run` does with what goes wrong: say it on standard error, give the exit code."""

from __future__ import annotations

from collections.abc import Callable

from evalkit.commands import _output
from evalkit.errors import HarnessError, SuiteError, UsageError


def enter(command: Callable[[list[str]], int], words: list[str]) -> int:
    """Run a command and give its exit code."""
    try:
        return command(words)
    except UsageError as problem:
        _output.say(f"evalkit: {problem}")
        return 2
    except SuiteError as problem:
        _output.diagnose(problem.mistakes)
        return 2
    except HarnessError as problem:
        _output.say(f"evalkit: {problem}")
        return 3
