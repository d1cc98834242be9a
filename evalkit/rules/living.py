"""Rules of a server's life over standard streams: it ends with its input, and leaves nothing behind.

That nothing but messages comes on standard output is no rule: whatever else comes is noise in any case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.errors import CapabilityMissing
from evalkit.model import Evidence, Json
from evalkit.rules import Fault, Rule
from evalkit.values import ABSENT

SESSION: Final = frozenset({"session"})
LOUD: Final = 64 * 1024
"""Bytes on standard error of one short session that nobody reads any more."""

_STDIO: Final = "2025-11-25, basic/transports, stdio"
_SHUTDOWN: Final = "2025-11-25, basic/lifecycle, Shutdown"


def _exit_on_eof(evidence: Evidence) -> Iterator[Fault]:
    ended = _process(evidence).get("endedBy")
    if ended == "term":
        yield Fault(
            "the server did not end when its input was closed; SIGTERM ended it",
            "process.endedBy",
            "eof",
            ended,
        )


def _exit_on_term(evidence: Evidence) -> Iterator[Fault]:
    ended = _process(evidence).get("endedBy")
    if ended == "kill":
        message = "the server, or a process that it started, was still there after SIGTERM; SIGKILL ended it"
        yield Fault(message, "process.endedBy", "eof", ended)


def _exit_code(evidence: Evidence) -> Iterator[Fault]:
    process = _process(evidence)
    if process.get("endedBy") == "eof" and process.get("exitCode") != 0:
        message = "the server ended with an error when its input was closed"
        yield Fault(message, "process.exitCode", 0, process.get("exitCode", ABSENT))


def _stderr_volume(evidence: Evidence) -> Iterator[Fault]:
    text = _process(evidence).get("stderr", "")
    if len(text.encode(errors="replace")) > LOUD:
        message = f"beginning and ending a session wrote more than {LOUD} bytes to standard error"
        yield Fault(message, "process.stderr", actual=len(text))


def _process(evidence: Evidence) -> Mapping[str, Json]:
    """How the process of the session ended. Raises CapabilityMissing where none was started for it."""
    process = evidence.observation.roots.get("process")
    if not isinstance(process, dict):
        raise CapabilityMissing("the server is no process that was started for this case")
    return process


RULES: Final = (
    Rule(
        "exit-on-eof",
        "low",
        "The server ends by itself when its standard input is closed.",
        _SHUTDOWN,
        "breaks: it waits until SIGTERM\nkeeps:  it ends when it reads the end of its input",
        SESSION,
        _exit_on_eof,
    ),
    Rule(
        "exit-on-term",
        "high",
        "The server and all that it started end with its input or with SIGTERM.",
        _SHUTDOWN,
        "breaks: only SIGKILL ends it, or a child of it lives on\nkeeps:  nothing is left",
        SESSION,
        _exit_on_term,
    ),
    Rule(
        "exit-code-zero",
        "low",
        "A server that ends with its input ends without an error.",
        _SHUTDOWN,
        "breaks: exit code 1 and a traceback\nkeeps:  exit code 0",
        SESSION,
        _exit_code,
    ),
    Rule(
        "stderr-quiet",
        "low",
        "A short session writes no more than 64 KiB to standard error.",
        _STDIO,
        "breaks: a log line for every timer\nkeeps:  a line that it has started",
        SESSION,
        _stderr_volume,
    ),
)
