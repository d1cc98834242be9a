"""The command ended with this exit code, or with one of these.

expect:
  exitCode: 0
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._wire import is_one_of, none_there, one_or_several
from evalkit.model import Evidence, Finding, Json
from evalkit.values import ABSENT, find

OPERATIONS: Final = frozenset({"cli"})
SCHEMA: Final[Json] = one_or_several(
    {"type": "integer"}, "The exit code, or those that are allowed; a signal n that ended the command is -n."
)
CODES: Final[Mapping[str, str]] = {
    "exit-code-differs": "The command ended with another exit code than the suite wants.",
    "process-missing": "No command ran to its end, so there is no exit code to judge.",
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding where the exit code is none of the wanted ones."""
    code = find(evidence.observation.roots, "process.exitCode")
    if code is ABSENT:
        yield none_there("process-missing", "process.exitCode")
    elif not is_one_of(code, wanted):
        message = "the exit code is another one than is wanted"
        yield Finding("exit-code-differs", message, "process.exitCode", wanted, code)
