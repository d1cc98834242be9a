"""What can go wrong in the harness itself, and how a run ends because of it.

EvalkitError
├── UsageError            exit 2   flags that make no sense
├── SuiteError            exit 2   suites that do not load: every mistake, with its place
├── HarnessError          exit 3   a target that cannot be built, an output that cannot be written
└── CaseError             one case is `error`; the others go on
    ├── OutOfTime         … it ran past its deadline
    ├── NotHermetic       … it touched what the guard refuses
    └── CapabilityMissing … the target lacks what the case needs: `skip`, not `error`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

CASE_ERRORS: Final[Mapping[str, str]] = {
    "contract-raised": "The contract raised an exception instead of answering.",
    "contract-exited": "The contract ended its process (a crash, a kill); the others ran in a new one.",
    "not-json": "The contract answered with what JSON cannot say: a set, a date, NaN, a key of no text.",
    "printed": "The contract wrote to standard output, which belongs to the one JSON report.",
    "timeout": "The case ran past its deadline (`timeout`, 10 s unless stated).",
    "not-hermetic": "An in-memory case reached for the network, a foreign file or a process.",
    "subject-failed": "The contract could not be built from its World.",
    "not-started": "The live target's program could not be started, or ended before its first answer.",
    "connection-failed": "The live target broke off, or nobody answered there any more.",
    "protocol": "The exchange broke HTTP or MCP: half an answer, none with our id, an error page.",
    "not-recorded": "The target is a recording, and it holds no answer to this that would be certain.",
    "unsendable": "The step asks for a request that cannot be sent: two bodies, a line break in a header.",
    "capture-missing": "A `capture` path led nowhere, so the steps that need its value could not run.",
    "check-failed": "An expectation could not judge what came back: its own fault, never a pass.",
}


class EvalkitError(Exception):
    """The root of what evalkit raises on purpose."""


class UsageError(EvalkitError):
    """Flags or arguments that make no sense together; the message says what to write instead."""


class Mistake(NamedTuple):
    """One mistake in what a user wrote. `line` and `column` count from 1; 0 means the file as a whole."""

    code: str
    message: str
    remedy: str
    file: str
    line: int
    column: int
    excerpt: str = ""


class SuiteError(EvalkitError):
    """Suites that do not load; carries every mistake that was found."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        """Take at least one mistake."""
        self.mistakes = tuple(mistakes)
        first = self.mistakes[0]
        super().__init__(f"{first.file}:{first.line}:{first.column}: {first.message}")


class HarnessError(EvalkitError):
    """The run as a whole could not be made, for a reason outside its cases."""


class CaseError(EvalkitError):
    """One case has no answer to judge. `code` is a key of CASE_ERRORS."""

    def __init__(self, code: str, message: str) -> None:
        """Keep the code beside the text, for the report's `errorCode`."""
        self.code = code
        super().__init__(message)


class OutOfTime(CaseError):
    """The case ran past its deadline."""

    def __init__(self, seconds: float) -> None:
        """Name the limit in seconds."""
        super().__init__("timeout", f"no answer within {seconds:g} s")


class NotHermetic(CaseError):
    """The guard refused something; `what` says what, in words for the contract's author."""

    def __init__(self, what: str) -> None:
        """Name what was refused."""
        super().__init__("not-hermetic", what)


class CapabilityMissing(EvalkitError):
    """The target does not offer what the case needs; the case becomes `skip` of kind `capability`."""


def keep_what_came(problem: BaseException, came: tuple[bytes, ...]) -> None:
    """Keep beside whatever broke an exchange what had come back by then: it is still searched for secrets."""
    vars(problem)["came"] = came


def what_came(problem: BaseException) -> tuple[bytes, ...]:
    """What was kept beside it, if anything was."""
    came: tuple[bytes, ...] = vars(problem).get("came", ())
    return came


def nearest(word: str, known: Iterable[str]) -> str:
    """A remedy that names the nearest known word, or all of them when there are few."""
    from difflib import get_close_matches  # start-up: only a slip asks

    words = sorted(known)
    near = get_close_matches(word, words, 1, 0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    return f"write one of {', '.join(words[:40])}" if words else "there is none to choose from"
