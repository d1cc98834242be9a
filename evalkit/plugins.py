"""What a module of each plug-in folder offers: a word of `expect:`, a way in, a format of reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from evalkit.model import Evidence, Finding, Json, Observation, Report, Session


class Expectation(Protocol):
    """A module of `expectations/`: one word of `expect:`.

    `SCHEMA` is the JSON Schema of what a suite may write after the word.
    `CODES` explains each finding code that the word can give, in one sentence.
    Where present: `OPERATIONS` (what it can be asked of; else all but `world`), `paths(wanted)` (what it
    reads), `check(wanted)` (what does not compile), `conflicts(expect)` (what cannot hold beside it),
    `extras(wanted)` (what the runner gathers first), `needs(wanted)` (capabilities of a live target) and
    `READS_MANIFEST` (True: it looks at the manifest beside a tool's answer, whatever its paths are).
    """

    SCHEMA: Json
    CODES: Mapping[str, str]

    def findings(self, evidence: Evidence, wanted: Json) -> Iterator[Finding]:
        """Yield what does not hold; silence is success. Raise CapabilityMissing where it cannot be asked."""


class Rest(NamedTuple):
    """How a session stands once a case is over: what came since its last answer, and whether it can go on.

    `ended` tells how the other side ended by itself, where it did.
    """

    came: Observation | None
    fit: bool
    ended: str = ""


@runtime_checkable
class Lasting(Protocol):
    """A Session that may serve further cases, as long as each of them finds it as it was left."""

    def rest(self) -> Rest:
        """Say how it stands; a case is over."""

    def lost(self) -> str:
        """How the other side ended since then; empty where it did not. Another case is to begin."""


class Driver(Protocol):
    """A module of `drivers/`: one word of `over:`. `OPERATIONS` names the operations that it can send."""

    OPERATIONS: frozenset[str]

    def open(self, surface: object) -> Session:
        """Open the surface of this name."""


class Reporter(Protocol):
    """A module of `reporters/`: one format."""

    def render(self, report: Report) -> str:
        """The report in this format, with a final newline."""
