"""Case x contract -> CaseResult; the only place where an exception becomes a result."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import PurePath
from typing import Final, NamedTuple, Protocol, TypeAlias

from evalkit import contracts, expectations
from evalkit.deadline import deadline
from evalkit.errors import CapabilityMissing, CaseError, HarnessError, NotHermetic, what_came
from evalkit.guard import watching
from evalkit.leaks import leaks_in
from evalkit.model import (
    LEAK,
    Call,
    Case,
    CaseResult,
    Evidence,
    Finding,
    Json,
    Observation,
    OpenSubject,
    Rerun,
    Snapshots,
    Step,
    SuiteFacts,
    Target,
)
from evalkit.needs import needs_of_case, needs_of_words, reads_manifest, unfilled
from evalkit.schemas import compile_schema
from evalkit.sharing import Shared, shared_of
from evalkit.spellings import mask
from evalkit.stage import Stage, copied, way_in
from evalkit.telling import written
from evalkit.world import CaseFolder, FakeWorld

OPENING_SECONDS: Final = 30.0
"""How long importing a contract may take."""


class Watched(Protocol):
    """What one case did that it must not (`evalkit.guard`)."""

    @property
    def refusals(self) -> Sequence[str]: ...
    @property
    def printed(self) -> str: ...


Watching: TypeAlias = Callable[[Callable[[], str | None]], contextlib.AbstractContextManager[Watched]]
"""What stands guard while a case runs; it is given what tells the case's own folder."""


@cache
def open_contract(name: str) -> OpenSubject:
    """Import a contract, once a process. Raises HarnessError where it cannot be imported in time."""
    located = contracts.locate(name)
    try:
        with deadline(OPENING_SECONDS), contextlib.redirect_stdout(sys.stderr):
            return contracts.opener(located)
    except (Exception, SystemExit) as problem:  # noqa: BLE001  whatever a stranger's import raises
        raise HarnessError(f"the contract {name!r} could not be imported: {_told(problem)}") from None


def run_live(
    case: Case, target: Target, facts: SuiteFacts, today: str = "", contract: str = ""
) -> CaseResult:
    """Play one case against a live target: what a contract must not do in memory is its own affair there."""
    from evalkit.live import begin, is_started, open_live  # start-up: a run in memory needs none of it

    begin(case, target)
    shared = shared_of(target, started=is_started(target)) if target.share else None
    return run_case(case, open_live(target, contract), facts, today, _unwatched, shared)


def run_case(
    case: Case,
    open_subject: OpenSubject,
    facts: SuiteFacts,
    today: str = "",
    watch: Watching = watching,
    shared: Shared | None = None,
) -> CaseResult:
    """Play one case and judge it. `today` (an ISO date) decides whether a dated skip still holds.

    `shared` are the sessions that it may go on from, where its target shares them.
    """
    note = ""
    if case.skip is not None:
        if case.skip.until is None or today <= case.skip.until:
            return CaseResult(skip=("declared", case.skip.reason))
        note = f"its skip ended on {case.skip.until}: {case.skip.reason}"
    started = time.perf_counter()
    result = _as_expected(case, _Play(case, open_subject, facts, watch, shared).result())
    notes = "; ".join(filter(None, (note, result.note)))
    return result._replace(note=notes, milliseconds=(time.perf_counter() - started) * 1000)


def _as_expected(case: Case, result: CaseResult) -> CaseResult:
    """Hold a result against `expectedFailure`: exactly these codes are a skip, anything else a failure."""
    expected = case.expected_failure
    if expected is None or result.status in ("error", "skip") or result.leaked:
        return result
    codes = sorted({finding.code for finding in result.findings})
    if codes == sorted(set(expected.codes)):
        return result._replace(findings=(), skip=("expected-failure", expected.reason))
    message = f"the case was expected to fail with exactly {', '.join(expected.codes)}"
    finding = Finding("unexpected-outcome", message, "", list(expected.codes), codes, (), "expectedFailure")
    return result._replace(findings=(*result.findings, finding))


class _Unwatched(NamedTuple):
    """Nothing is watched."""

    refusals: tuple[str, ...] = ()
    printed: str = ""


def _unwatched(folder: Callable[[], str | None]) -> contextlib.AbstractContextManager[Watched]:
    return contextlib.nullcontext(_Unwatched())


class _Play:
    """What the playing of one case has come to so far."""

    def __init__(
        self,
        case: Case,
        open_subject: OpenSubject,
        facts: SuiteFacts,
        watch: Watching,
        shared: Shared | None,
    ) -> None:
        """Begin with nothing found."""
        self.case, self.open_subject, self.facts, self.watch = case, open_subject, facts, watch
        self.shared, self.notes = shared, list[str]()
        self.findings: list[Finding] = []
        self.error: tuple[str, str] | None = None
        self.missing = ""
        self.revealed: set[str] = set()
        self.last: tuple[Call, str] | None = None
        self.at = 0
        self.came: tuple[bytes, ...] = ()
        self.folder = CaseFolder()

    def result(self) -> CaseResult:
        """Play, and turn whatever happens into facts."""
        try:
            with self.watch(lambda: self.folder.path) as watched:
                self._guarded()
        finally:
            self.folder.remove()
        if watched.refusals:
            self.error = ("not-hermetic", str(NotHermetic("; ".join(dict.fromkeys(watched.refusals)))))
        elif watched.printed and self.error is None:
            text = mask(watched.printed, self.case.secrets)[:200]
            self.error = ("printed", f"the contract wrote to standard output: {text!r}")
        return self._facts()

    def _guarded(self) -> None:
        try:
            with deadline(self.case.timeout):
                self._play()
        except CapabilityMissing as problem:
            self.missing = str(problem)
        except CaseError as problem:
            self.error = (problem.code, str(problem))
        except BaseException as problem:  # the one place: see the first line
            if isinstance(problem, KeyboardInterrupt) or type(problem).__module__.startswith("evalkit."):
                raise  # Ctrl-C, and what the harness itself is interrupted by
            self.error = ("contract-raised", _told(problem))
        if self.came:
            self._seek_secrets(Observation({}, self.came), self.at)

    def _facts(self) -> CaseResult:
        call, over = self.last or (None, "")
        judged = bool(self.findings) or self.error is not None
        return CaseResult(
            findings=tuple(self.findings),
            error=self.error,
            skip=("capability", self.missing) if self.missing and not judged else None,
            tool=str(call.words.get("tool", call.operation)) if call else "",
            over=over,
            call=written(call, self.case.secrets) if call else "",
            revealed=len(self.revealed),
            note="; ".join(filter(None, (self.missing if judged else "", *self.notes))),
        )

    def _stage(self, shared: Shared | None = None) -> Stage:
        world = FakeWorld(self.case.fixture, self.case.settings, self.folder)
        try:
            return Stage(self.case, world, self.open_subject, shared)
        except (CapabilityMissing, CaseError):
            raise
        except (Exception, SystemExit) as problem:  # noqa: BLE001  told apart from a call that raised
            raise CaseError("subject-failed", f"the contract could not be built: {_told(problem)}") from None

    def _play(self) -> None:
        stage = self._stage(self.shared)
        self.notes = stage.notes
        with _closing(stage, self._look_over):
            stage.require(self.case.requires)
            if stage.lacks:
                stage.require(needs_of_case(self.case))
            for index, step in enumerate(self.case.steps):
                self._step(stage, index, step)

    def _step(self, stage: Stage, index: int, step: Step) -> None:
        call, expect = stage.filled(step)
        if step.dynamic:
            _check_shapes(expect)
            stage.require(needs_of_words(expect) if stage.lacks else ())
        over = way_in(call, step.over or "direct")
        call = self._listing(call, stage, index)
        self.last, self.at = (call, "" if call.operation == "world" else over), index
        extras = {word: asks(expect[word]) for word in expect if (asks := _extras_of(word))}
        needs_snapshots = any(Snapshots in extra for extra in extras.values())
        kept = stage.snapshot() if needs_snapshots else {}
        asked = dict(stage.world.log.calls)
        observation = self._sent(stage, call, over)
        if len(self.case.steps) > 1 or extras:
            observation = observation._replace(roots=copied(observation.roots))
        calls = {name: count - asked.get(name, 0) for name, count in stage.world.log.calls.items()}
        evidence = Evidence(call, observation, over, stage.earlier, self.facts, calls)
        if needs_snapshots:
            evidence = evidence._replace(snapshots=Snapshots(kept, stage.snapshot()))
        self._look_over(observation)
        for word, wanted in expect.items():
            held = self._with_reruns(evidence, extras[word], index) if word in extras else evidence
            self._judge(word, wanted, held, index)
        stage.keep(step, observation)

    def _listing(self, call: Call, stage: Stage, index: int) -> Call:
        """The call of a tool with what is wanted of the manifest: nothing where nobody looks at it.

        What a server told once in a session does, unless the World has moved, or is in this process.
        """
        if call.operation != "tool":
            return call
        if not reads_manifest(self.case.steps[index:]):
            return call._replace(listing="none")
        return call._replace(listing="kept") if stage.lacks and not stage.moved else call

    def _sent(self, stage: Stage, call: Call, over: str) -> Observation:
        """What came back; where an exchange breaks, or is broken off, what came by then is kept."""
        try:
            return stage.send(call, over)
        except BaseException as problem:
            self.came = what_came(problem)
            raise

    def _judge(self, word: str, wanted: Json, evidence: Evidence, index: int) -> None:
        """What a word finds. One that cannot be asked here makes a skip where no other finds a thing."""
        if missing := unfilled(word, wanted, evidence):
            self.missing = self.missing or missing
            return
        try:
            found = list(expectations.find(word).findings(evidence, wanted))
        except CapabilityMissing as problem:
            self.missing = self.missing or str(problem)
            return
        except Exception as problem:  # noqa: BLE001  a fault of the expectation is named as such
            raise CaseError("check-failed", f"`{word}` could not judge: {_told(problem)}") from None
        self.findings += [one._replace(expectation=word, step=index) for one in found]

    def _with_reruns(self, evidence: Evidence, extras: tuple[object, ...], index: int) -> Evidence:
        reruns = tuple(
            tuple(self._again(index, extra.over) for _ in range(extra.times))
            for extra in extras
            if isinstance(extra, Rerun)
        )
        return evidence._replace(reruns=reruns) if reruns else evidence

    def _again(self, upto: int, over: str | None) -> Observation:
        """The step's observation in a new playing of the case up to it, the step itself over `over`."""
        stage = self._stage()
        with _closing(stage, self._look_over):
            for index, step in enumerate(self.case.steps[: upto + 1]):
                call = self._listing(stage.filled(step)[0], stage, index)
                way = over if over and index == upto else step.over or "direct"
                observation = self._sent(stage, call, way_in(call, way))
                observation = observation._replace(roots=copied(observation.roots))
                stage.keep(step, observation)
            self._look_over(observation)
        return observation

    def _look_over(self, observation: Observation) -> None:
        """Find what must not come back with any answer, whatever is expected of it."""
        self._seek_secrets(observation, self.at)
        self.findings += [Finding("noise", told, step=self.at) for told in observation.noise]

    def _seek_secrets(self, observation: Observation, index: int) -> None:
        for hit in leaks_in(observation, self.case.secrets) if self.case.secrets else ():
            if hit.name in self.case.may_reveal:
                self.revealed.add(hit.name)
                continue
            message = f"the secret {hit.name} came back ({hit.spelling})"
            placeholder = f"<secret {hit.name}>"
            finding = Finding(LEAK, message, hit.path, ..., placeholder, step=index, severity="critical")
            if finding not in self.findings:
                self.findings.append(finding)


@contextlib.contextmanager
def _closing(stage: Stage, look_over: Callable[[Observation], None]) -> Iterator[None]:
    """Close a stage at the end; what broke before is told, not what its closing then makes of that."""
    beneath: tuple[type[Exception], ...] = ()
    try:
        yield
    except Exception as problem:
        beneath = () if isinstance(problem, CapabilityMissing) else (Exception,)
        raise
    finally:
        with contextlib.suppress(*beneath):
            for left in stage.close():
                look_over(left)
            if stage.ended:
                raise CaseError("connection-failed", f"after its last answer the server {stage.ended}")


def _check_shapes(expect: Mapping[str, Json]) -> None:
    """What a dynamic step expects has its shape only now, so the loader could not see it."""
    for word, wanted in expect.items():
        for violation in compile_schema(expectations.find(word).SCHEMA).violations(wanted):
            raise CaseError("check-failed", f"`{word}` cannot be asked like this: {violation.message}")


@cache
def _extras_of(word: str) -> Callable[[Json], tuple[object, ...]] | None:
    return getattr(expectations.find(word), "extras", None)


def _told(problem: BaseException) -> str:
    """An exception in one line, with the file's bare name and the line where it was raised."""
    where, frame = "", problem.__traceback__
    while frame is not None:
        where = f" ({PurePath(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno})"
        frame = frame.tb_next
    try:
        text = str(problem)
    except Exception:  # noqa: BLE001  a stranger's exception may not even tell itself
        text = "it cannot be told as text"
    return f"{type(problem).__name__}: {text}{where}"
