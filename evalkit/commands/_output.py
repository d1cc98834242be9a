"""Where output goes: a closed pipe is no traceback, a full disk is said, diagnostics go to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from evalkit.errors import HarnessError, Mistake
from evalkit.model import Json, Report

_SHOWN = 20


def to_stdout(text: str) -> None:
    """Write text as UTF-8 to standard output. A reader that has gone away is no fault of ours."""
    try:
        sys.stdout.flush()
        _write_all(sys.stdout.fileno(), text.encode("utf-8", "backslashreplace"))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as problem:
        raise HarnessError(f"standard output could not be written: {problem.strerror}") from None


def to_file(path: str, text: str) -> None:
    """Write text to a file. Raises HarnessError where that is impossible, and leaves no half a file."""
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except OSError as problem:
        raise HarnessError(f"{path} could not be written: {problem.strerror}") from None


def say(text: str) -> None:
    """One line for a person, on standard error."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        return


def refusal(message: str, mistakes: Sequence[Mistake] = ()) -> Report:
    """The report of a run that was refused before anything ran."""
    errors: list[Json] = [dict(mistake._asdict()) for mistake in mistakes]
    kind = {"kind": "evalkit-report", "reportVersion": 1, "passed": False}
    return {**kind, "error": message, "errors": errors}


def diagnose(mistakes: Sequence[Mistake]) -> None:
    """Show mistakes to a person: place, what was found and wanted, the line itself, the remedy."""
    for mistake in mistakes[:_SHOWN]:
        place = f"{mistake.file}:{mistake.line}:{mistake.column}" if mistake.line else mistake.file
        say(f"{place}: error[{mistake.code}]: {mistake.message}")
        if mistake.excerpt:
            number = str(mistake.line)
            lead = "".join("\t" if one == "\t" else " " for one in mistake.excerpt[: mistake.column - 1])
            say(f"  {number} | {mistake.excerpt}\n  {' ' * len(number)} | {lead}^")
        say(f"  remedy: {mistake.remedy}")
    more = f", {len(mistakes) - _SHOWN} of them not shown" if len(mistakes) > _SHOWN else ""
    say(f"{len(mistakes)} mistake{'s' * (len(mistakes) != 1)}{more}")


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
