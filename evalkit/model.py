"""The nouns of evalkit, in the order in which a run meets them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

Json: TypeAlias = Any
Path: TypeAlias = tuple[str | int, ...]
Severity: TypeAlias = Literal["critical", "high", "medium", "low"]
Status: TypeAlias = Literal["pass", "fail", "error", "skip"]
SkipKind: TypeAlias = Literal["declared", "capability", "expected-failure"]

SEVERITIES: Final[tuple[Severity, ...]] = ("critical", "high", "medium", "low")
LEAK: Final = "secret-leaked"
STATUSES: Final[tuple[Status, ...]] = ("pass", "fail", "error", "skip")


class Call(NamedTuple):
    """What is asked of a subject: an operation and the words beside it (`tool`, `args`, `headers` …).

    `listing` says whether the manifest is wanted beside the answer of a tool, and whether one will do that
    was read before in the same session.
    """

    operation: str
    words: Mapping[str, Json]
    listing: Literal["none", "kept", "anew"] = "anew"


class Step(NamedTuple):
    """One call, what must hold of its answer, and what later steps take from it.

    `place` is where it stands in its document; `expect` holds what the suite's defaults say too.
    `dynamic` says that `${{ steps.… }}` has to be filled in before the call.
    """

    id: str
    call: Call
    expect: Mapping[str, Json]
    place: Path
    over: str | None = None
    capture: Mapping[str, str] = {}
    dynamic: bool = False


class Skip(NamedTuple):
    """A case that a suite declares skipped; `until` is an ISO date after which it runs again."""

    reason: str
    until: str | None = None


class ExpectedFailure(NamedTuple):
    """The finding codes with which a case is known to fail; other codes, or a pass, are a failure."""

    reason: str
    codes: tuple[str, ...]


class Case(NamedTuple):
    """One promise, ready to run: every matrix row, `use`, literal and default is filled in.

    `secrets` maps a placeholder (`fixtures.NAME.path`) to the text that must not come back.
    `document` is the index of its file in the suite, `place` where the case stands there.
    `bindings` holds `matrix`, `env` and `target` names for the dynamic steps, where there are such.
    `fresh` says that it shares nothing with other cases, though its target may be shared.
    """

    suite: str
    id: str
    title: str
    severity: Severity
    source: str
    tags: tuple[str, ...]
    fixture_name: str
    fixture: Json
    settings: Json
    steps: tuple[Step, ...]
    timeout: float
    document: int
    place: Path
    requires: tuple[str, ...] = ()
    skip: Skip | None = None
    expected_failure: ExpectedFailure | None = None
    may_reveal: tuple[str, ...] = ()
    secrets: Mapping[str, str] = {}
    bindings: Mapping[str, Json] = {}
    fresh: bool = False


class GateRules(NamedTuple):
    """What a suite asks of its own run. None means that no line is written for it."""

    max_failures: int | None = None
    max_skips: int | None = None
    min_executed: int = 1
    severity: Mapping[Severity, int] = {}


class ToolUse(NamedTuple):
    """A call of a tool somewhere in the suite, and whether it expects to be refused."""

    tool: str
    refused: bool


class SuiteFacts(NamedTuple):
    """What an expectation may know of the whole suite: the tools that its unskipped cases call."""

    tool_uses: tuple[ToolUse, ...] = ()


class SourceFile(Protocol):
    """A file of a suite: its name as reports write it, and where its parts stand (counted from 1)."""

    @property
    def file(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def data(self) -> Json: ...

    def place(self, path: Path, *, key: bool = False) -> tuple[int, int]:
        """Line and column of the node at a path, or of its key, or of its nearest ancestor."""

    def excerpt(self, line: int) -> str:
        """The text of a line."""


class Target(NamedTuple):
    """A live server, as reports call it: `url` takes MCP messages, unless `via` says how it is reached.

    `tape` is a file that gets what is exchanged with it, for a recording.
    `share` says that the cases of a worker are asked of one process or session. `headers` go with every
    request to it. `secrets` are pairs of a placeholder and a text that must not come back in any case.
    """

    url: str
    provides: frozenset[str] = frozenset()
    manifest: str | None = None
    worlds: str | None = None
    via: object = None
    share: bool = False
    headers: tuple[tuple[str, str], ...] = ()
    secrets: tuple[tuple[str, str], ...] = ()
    tape: str = ""


class Suite(NamedTuple):
    """A suite that has been found free of mistakes.

    `origins`: where each fixture is written, then what it uses. `contract` may be empty beside a `target`.
    """

    name: str
    version: int
    contract: str
    path: str
    gate: GateRules
    cases: tuple[Case, ...]
    facts: SuiteFacts
    documents: tuple[SourceFile, ...]
    origins: Mapping[str, tuple[tuple[int, Path], ...]]
    target: Target | None = None


class SourceLog(Protocol):
    """What the fakes were asked and what was written, as the suite's `sources` and `effects` show it."""

    def declare(self, *sources: str) -> None:
        """Name sources, so that one that is never asked counts 0."""

    def read(self, source: str) -> None:
        """Note that a source was asked once."""

    def wrote(self, effect: Json) -> None:
        """Note one effect, as JSON."""


class World(Protocol):
    """What stands in for every source of a contract; `world` steps move it while a case runs.

    `fixture` and `settings` (unchecked; None where there are none) are deeply immutable JSON.
    """

    fixture: Json
    settings: Json

    def now(self) -> float:
        """The only time that a contract may know, in seconds since the Unix epoch; it stands still."""

    @property
    def log(self) -> SourceLog:
        """Where fakes note what they were asked."""

    def next_id(self) -> str:
        """A fresh identifier, the same in every run (a UUID in form)."""

    def folder(self) -> str:
        """The case's own empty folder, made on first use and removed with the case."""


class DirectSurface(Protocol):
    """The way in called `direct`: plain Python calls."""

    def manifest(self) -> Json:
        """The contract's own description of itself; a mapping with `tools` at least."""

    def call_tool(self, name: str, args: Json) -> Json:
        """A tool result as MCP shapes it; `args` may be None, `headers` and `meta` of a step are keywords."""


IN_MEMORY: Final = frozenset({"fixtures", "clock", "source-log"})
"""What every in-memory target provides beside its surfaces."""


class Subject(NamedTuple):
    """What is under test: `surfaces` maps a way in (`direct`, `mcp`, `http`, `cli`) to what its driver opens.

    `snapshot` says what each source holds now, for `unchanged`; without it nothing can be said.
    `provides` names what it can do beside its surfaces.
    `moved` is told the words of each `world` step; `catch_up` brings the World's log up to date before it
    is looked at. Both are for subjects that are not in this process.
    """

    surfaces: Mapping[str, object]
    snapshot: Callable[[], Mapping[str, Json]] | None = None
    close: Callable[[], None] = lambda: None
    provides: frozenset[str] = IN_MEMORY
    moved: Callable[[Mapping[str, Json]], None] = lambda _words: None
    catch_up: Callable[[], None] = lambda: None


OpenSubject: TypeAlias = Callable[[World], Subject]


class Observation(NamedTuple):
    """What came back: paths start at `roots`, `raw` is the bytes, `noise` tells what no protocol allows."""

    roots: Mapping[str, Json]
    raw: tuple[bytes, ...] = ()
    noise: tuple[str, ...] = ()


class Rerun(NamedTuple):
    """Extra runs that a word asks for: the same step on a fresh World, over `over` or as before."""

    times: int
    over: str | None = None


class Snapshots(NamedTuple):
    """What each source held before and after the step."""

    before: Mapping[str, Json]
    after: Mapping[str, Json]


class Evidence(NamedTuple):
    """What an expectation judges. It holds everything: a judgement reads no clock, file or network.

    `over` is the way in that was taken; `source_calls` counts what this step alone asked of each source.
    `reruns` holds one tuple of observations for each Rerun that the word asked for, in its order.
    """

    call: Call
    observation: Observation
    over: str
    earlier: Mapping[str, Observation]
    suite: SuiteFacts
    source_calls: Mapping[str, int]
    reruns: tuple[tuple[Observation, ...], ...] = ()
    snapshots: Snapshots | None = None


class Finding(NamedTuple):
    """One thing that does not hold; `...` stands where there is nothing to show.

    `at` leads from the wanted value to the part that broke. The runner fills in `expectation` and `step`.
    """

    code: str
    message: str
    path: str = ""
    expected: Json = ...
    actual: Json = ...
    at: Path = ()
    expectation: str = ""
    step: int = 0
    severity: Severity | None = None


class CaseResult(NamedTuple):
    """What became of one case: facts only, from which `status` is computed."""

    findings: tuple[Finding, ...] = ()
    error: tuple[str, str] | None = None
    skip: tuple[SkipKind, str] | None = None
    tool: str = ""
    over: str = ""
    call: str = ""
    revealed: int = 0
    note: str = ""
    milliseconds: float = 0.0

    @property
    def leaked(self) -> bool:
        """Whether a secret came back, which no threshold forgives."""
        return any(finding.code == LEAK for finding in self.findings)

    @property
    def status(self) -> Status:
        """`error` only where nothing leaked: a leak is an answer that can be judged."""
        if self.skip is not None:
            return "skip"
        if self.error is not None and not self.leaked:
            return "error"
        return "fail" if self.findings else "pass"


Report: TypeAlias = Mapping[str, Json]
"""The one JSON report, from which alone every reporter renders; `evalkit schema report` is its shape."""


class Session(Protocol):
    """An open surface: sends calls, gives observations, until it is closed."""

    def send(self, call: Call) -> Observation:
        """Ask once. Whatever the subject raises goes through."""

    def close(self) -> Observation | None:
        """Let go of what was opened; what came since the last answer, where anything can."""
