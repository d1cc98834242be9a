"""Where output goes: a closed pipe is no traceback, a full disk is said, diagnostics go to stderr."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from evalkit import reporters
from evalkit.errors import HarnessError, Mistake
from evalkit.gate import EXITS
from evalkit.model import Json, Report

_SHOWN: Final = 5
_STDOUT: Final = 1
_STDERR: Final = 2

_own = _STDOUT
"""The number of the file that is standard output."""


def keep_stdout() -> None:
    """From now on only `to_stdout` reaches standard output; what contracts print there, C code too, is noise.

    The noise goes to standard error. A stream that was closed when we started stays silent.
    """
    global _own
    if _own != _STDOUT:
        return
    for number in range(3):
        _hold(number)
    _own = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)


def to_stdout(text: str) -> None:
    """Write text as UTF-8 to standard output. A reader that has gone away is no fault of ours."""
    if sys.stdout is None:
        raise HarnessError("standard output is closed")
    try:
        _write_all(_own, text.encode("utf-8", "backslashreplace"))
    except BrokenPipeError:
        return
    except OSError as problem:
        raise HarnessError(f"standard output could not be written: {problem.strerror}") from None


def is_terminal() -> bool:
    """Whether a person reads standard output."""
    return sys.stdout is not None and os.isatty(_own)


def to_file(path: str, text: str) -> None:
    """Write text to a file. Raises HarnessError where that is impossible, and leaves no half a file."""
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except OSError as problem:
        if os.path.isfile(path):
            with contextlib.suppress(OSError):
                os.unlink(path)
        raise HarnessError(f"{path} could not be written: {problem.strerror}") from None


def say(text: str) -> None:
    """Lines for a person, on standard error; what a terminal would act on is escaped."""
    _to_stderr("\n".join(map(_plain, text.splitlines())) + "\n")


def coloured(spans: Iterable[tuple[str, str]]) -> str:
    """The text of (style, text) pieces for a terminal that shows colours and was not told to leave them."""
    if os.name == "nt" or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return "".join(text for _, text in spans)
    # Start-up: rich is needed on a terminal only.
    from rich.color import ColorSystem
    from rich.style import Style

    return "".join(
        Style.parse(style).render(text, color_system=ColorSystem.STANDARD) if style else text
        for style, text in spans
    )


def show(report: Report, name: str) -> None:
    """Write the report to standard output; `auto` is the readable form for a person, else JSON."""
    if name in ("auto", "text") and is_terminal():
        from evalkit.reporters import text  # start-up: needed on a terminal only

        to_stdout(coloured(text.spans(report)))
        return
    to_stdout(reporters.find("json" if name == "auto" else name).render(report))


def refuse(argv: Sequence[str], code: int, message: str, mistakes: Sequence[Mistake]) -> None:
    """Write the report of a run that did not take place, as argv wants it; a person has read it already.

    Argv may make no sense, so its --format is sought by hand.
    """
    told = [word for flag, word in itertools.pairwise(argv) if flag == "--format"]
    told += [word.removeprefix("--format=") for word in argv if word.startswith("--format=")]
    name = next((word for word in told if word in reporters.FORMATS), "auto")
    if name in ("auto", "text") and is_terminal():
        return
    try:
        show(_refusal(code, message, mistakes), name)
    except HarnessError as problem:
        say(f"evalkit: {problem}")


def amount(mistakes: Sequence[Mistake]) -> str:
    """How many there are."""
    return f"{len(mistakes)} mistake{'s' * (len(mistakes) != 1)} in the suites; nothing was run"


def diagnose(mistakes: Sequence[Mistake]) -> None:
    """Show mistakes to a person: place, what was found and wanted, the line itself, the remedy."""
    from evalkit.reporters import text  # start-up: a run without mistakes may do without it

    more = f" (the first {_SHOWN} are shown)" if len(mistakes) > _SHOWN else ""
    shown = _refusal(2, amount(mistakes) + more, mistakes[:_SHOWN])
    on_terminal = sys.stderr is not None and os.isatty(_STDERR)
    _to_stderr(coloured(text.spans(shown)) if on_terminal else text.render(shown))


def _refusal(code: int, message: str, mistakes: Sequence[Mistake]) -> Report:
    errors: list[Json] = [dict(mistake._asdict()) for mistake in mistakes]
    kind = {"kind": "evalkit-report", "reportVersion": 1, "passed": False}
    told = {} if code == 2 else {"exit": {"code": code, "name": EXITS[code]}}
    return {**kind, **told, "error": message, "errors": errors}


def _to_stderr(text: str) -> None:
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        return


def _plain(line: str) -> str:
    return "".join(mark if mark.isprintable() else f"\\u{ord(mark):04x}" for mark in line)


def _hold(number: int) -> None:
    """Keep a closed number from being given to the next file that is opened."""
    try:
        os.fstat(number)
    except OSError:
        os.open(os.devnull, os.O_RDWR)


def _write_all(number: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(number, view) :]
        except BlockingIOError:
            import select  # only where whoever started us made the file non-blocking

            select.select([], [number], [])
