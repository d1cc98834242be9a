"""One playing of a case: a fresh World and subject, the ways into it, and what steps have left behind."""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from typing import Final

from evalkit import drivers
from evalkit.errors import CapabilityMissing, CaseError
from evalkit.frozen import freeze, thaw
from evalkit.literals import LiteralError, Scope, evaluate
from evalkit.model import Call, Case, Json, Observation, OpenSubject, Session, Step
from evalkit.values import ABSENT, fault_in, find
from evalkit.world import FakeWorld

IN_MEMORY: Final = frozenset({"fixtures", "clock", "source-log"})
"""What every in-memory target provides beside its surfaces."""

MOST_SEEN: Final = 1024

_SURFACE_OF: Final[Mapping[str, str]] = {"http": "http", "sse": "http", "cli": "cli"}


class Stage:
    """The World and the subject of one playing; `close` lets go of everything that was opened."""

    def __init__(self, case: Case, world: FakeWorld, open_subject: OpenSubject) -> None:
        """Build the subject. Whatever the contract raises goes through."""
        self.world = world
        self.earlier: dict[str, Observation] = {}
        self.secrets: Mapping[str, str] = case.secrets
        self._case = case
        self._captured: dict[str, Json] = {}
        self._sessions: dict[str, Session] = {}
        self._subject = open_subject(world)

    def require(self, words: tuple[str, ...]) -> None:
        """Raise CapabilityMissing for the first word that this target does not offer."""
        offered = IN_MEMORY | self._subject.surfaces.keys()
        for word in words:
            if word not in offered:
                raise CapabilityMissing(f"the case requires `{word}`, which the target does not offer")

    def filled(self, step: Step) -> tuple[Call, Mapping[str, Json]]:
        """The call and the expectations with what earlier steps captured."""
        if not step.dynamic:
            return step.call, step.expect
        secrets = dict(self.secrets)
        scope = Scope(self._look_up, f"steps.{step.id}", secrets)
        try:
            words = freeze(evaluate(dict(step.call.words), scope))
            expect = evaluate(dict(step.expect), scope)
        except LiteralError as problem:
            raise CaseError("capture-missing", problem.message) from None
        self.secrets = secrets
        return Call(step.call.operation, words), expect

    def send(self, call: Call, over: str) -> Observation:
        """Ask once. Raises CapabilityMissing where there is no such way in, CaseError for what is no JSON."""
        if call.operation == "world":
            self.world.change(call.words)
            return self._observation({}, ())
        answer = self._session(over, call.operation).send(call)
        for root, value in answer.roots.items():
            if not _seen_before(value) and (fault := fault_in(value, (root,))):
                raise CaseError("not-json", f"the contract's answer is not JSON: {fault}")
        roots = _copied(answer.roots) if len(self._case.steps) > 1 else answer.roots
        return self._observation(roots, answer.raw)

    def keep(self, step: Step, observation: Observation) -> None:
        """Remember an observation and take from it what the step captures."""
        self.earlier[step.id] = observation
        for name, path in step.capture.items():
            value = find(observation.roots, path)
            if value is ABSENT:
                message = f"step `{step.id}` captures `{name}` from `{path}`, which leads nowhere"
                raise CaseError("capture-missing", message)
            self._captured[f"steps.{step.id}.{name}"] = value

    def snapshot(self) -> Mapping[str, Json]:
        """What each source holds now. Raises CapabilityMissing where the contract cannot say."""
        if self._subject.snapshot is None:
            raise CapabilityMissing("the contract gives no snapshot of its sources")
        return {name: thaw(value) for name, value in self._subject.snapshot().items()}

    def close(self) -> None:
        """Close the sessions, then the subject."""
        for session in self._sessions.values():
            session.close()
        self._subject.close()

    def _session(self, over: str, operation: str) -> Session:
        driver = drivers.find(over)
        if driver is None or over not in self._subject.surfaces:
            raise CapabilityMissing(f"the target offers no way in called `{over}`")
        if operation not in driver.OPERATIONS:
            raise CapabilityMissing(f"`{operation}` cannot be asked over `{over}`")
        if over not in self._sessions:
            self._sessions[over] = driver.open(self._subject.surfaces[over])
        return self._sessions[over]

    def _observation(self, roots: Mapping[str, Json], raw: tuple[bytes, ...]) -> Observation:
        log = self.world.log
        sources = {name: {"calls": calls} for name, calls in log.calls.items()}
        return Observation({**roots, "sources": sources, "effects": list(log.effects)}, raw)

    def _look_up(self, name: str) -> Json:
        found = self._captured.get(name, ABSENT)
        if found is ABSENT:
            found = find(self._case.bindings, name)
        if found is ABSENT:
            raise LookupError(f"`{name}` has no value here")
        return found


_SEEN: Final[dict[bytes, None]] = {}


def _seen_before(value: Json) -> bool:
    """Whether the same value was found to be JSON before: a manifest comes back thousands of times."""
    try:
        key = marshal.dumps(value)
    except ValueError:
        return False
    if key in _SEEN:
        return True
    if fault_in(value) is None and len(_SEEN) < MOST_SEEN:
        _SEEN[key] = None
    return False


def _copied(roots: Mapping[str, Json]) -> Mapping[str, Json]:
    """What a contract cannot change later: it may give the same object in answer to the next step."""
    try:
        return marshal.loads(marshal.dumps(dict(roots)))  # type: ignore[no-any-return]  # noqa: S302  our own bytes
    except ValueError:
        return thaw(roots)  # type: ignore[no-any-return]


def way_in(call: Call, over: str) -> str:
    """The surface that a call goes to: `http`, `sse` and `cli` have one of their own."""
    return _SURFACE_OF.get(call.operation, over)
