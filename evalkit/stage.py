"""One playing of a case: a fresh World and subject, the ways into it, and what steps have left behind."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Final

from evalkit import drivers
from evalkit.errors import CapabilityMissing, CaseError
from evalkit.frozen import freeze, thaw
from evalkit.literals import LiteralError, Scope, evaluate
from evalkit.model import IN_MEMORY, Call, Case, Json, Observation, OpenSubject, Session, Step, Subject
from evalkit.sharing import Lent, Shared
from evalkit.values import ABSENT, dotted, fault_in, find, quick_json
from evalkit.world import FakeWorld

MOST_SEEN: Final = 512
LONGEST_SEEN: Final = 64 * 1024
"""Manifests that are known again: how many, and bytes of each; together at most 32 MiB, and their copies."""

_SURFACE_OF: Final[Mapping[str, str]] = {"http": "http", "sse": "http", "cli": "cli"}
_OF_MCP: Final = frozenset({"rpc", "resource", "prompt", "complete", "session"})


class Stage:
    """The World and the subject of one playing; `close` lets go of everything that was opened.

    `moved` says that a step has changed the World. `notes` tell what a reader of the result should know;
    `ended` is how a server that other cases share ended in the course of this one, where it did.
    """

    def __init__(
        self, case: Case, world: FakeWorld, open_subject: OpenSubject, shared: Shared | None = None
    ) -> None:
        """Build the subject. Whatever the contract raises goes through."""
        self.world, self._shared = world, shared
        self.moved, self.ended = False, ""
        self.notes: list[str] = []
        self.earlier: dict[str, Observation] = {}
        self._case = case
        self._captured: dict[str, Json] = {}
        self._sessions: dict[str, Session] = {}
        self._subject = open_subject(world)
        if not isinstance(self._subject, Subject):
            raise TypeError(f"open_subject gave a {type(self._subject).__name__}, not a Subject")

    @property
    def lacks(self) -> bool:
        """Whether this target provides less than one in memory, so that a case may need what is not there."""
        return not self._subject.provides >= IN_MEMORY

    def require(self, words: Iterable[str]) -> None:
        """Raise CapabilityMissing for the first word that this target does not offer."""
        offered = self._subject.provides | self._subject.surfaces.keys()
        for word in words:
            if word not in offered:
                raise CapabilityMissing(f"the case requires `{word}`, which the target does not offer")

    def filled(self, step: Step) -> tuple[Call, Mapping[str, Json]]:
        """The call and the expectations with what earlier steps captured."""
        if not step.dynamic:
            return step.call, step.expect
        scope = Scope(self._look_up)
        try:
            words = freeze(evaluate(dict(step.call.words), scope))
            expect = evaluate(dict(step.expect), scope, ("expect",))
        except LiteralError as problem:
            where = f"step `{step.id}`, {dotted(problem.path)}"
            raise CaseError("capture-missing", f"{where} cannot be filled in: {problem.message}") from None
        return Call(step.call.operation, words), expect

    def send(self, call: Call, over: str) -> Observation:
        """Ask once. Raises CapabilityMissing where there is no such way in, CaseError for what is no JSON."""
        if call.operation == "world":
            self.moved = True
            self.world.change(call.words)
            self._subject.moved(call.words)
            return self._observation({})
        answer = self._session(over, call.operation).send(call)
        roots = dict(answer.roots)
        if "manifest" in roots:
            roots["manifest"] = _known(roots["manifest"])
        # What came over a wire was JSON there, or it would not have been read; plain calls give anything.
        for root, value in roots.items() if over == "direct" else ():
            if fault := _fault_in(root, value, roots):
                raise CaseError("not-json", f"the contract's answer is not JSON: {fault}")
        return self._observation(roots, answer.raw, answer.noise)

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
        held = dict(self._subject.snapshot())
        if fault := fault_in(held, ("sources",)):
            raise CaseError("not-json", f"the contract's snapshot is not JSON: {fault}")
        return copied(held)

    def close(self) -> list[Observation]:
        """Close the sessions, then the subject; what came to them since their last answers."""
        last: list[Observation | None] = []
        with ExitStack() as opened:
            opened.callback(self._subject.close)
            for session in self._sessions.values():
                opened.callback(partial(_end, session, last))
        lent = [one for one in self._sessions.values() if isinstance(one, Lent)]
        self.notes += [one.note for one in lent if one.note]
        self.ended = next((one.ended for one in lent if one.ended), "")
        return [one for one in last if one is not None]

    def _session(self, over: str, operation: str) -> Session:
        driver = drivers.find(over) if over in self._subject.surfaces else None
        if driver is None:
            raise CapabilityMissing(f"the target offers no way in called `{over}`")
        if operation not in driver.OPERATIONS:
            raise CapabilityMissing(f"`{operation}` cannot be asked over `{over}`")
        if over not in self._sessions:
            begin = partial(driver.open, self._subject.surfaces[over])
            session = begin() if self._shared is None else self._shared.lent(self._case, over, begin)
            self._sessions[over] = session
        return self._sessions[over]

    def _observation(
        self, roots: Mapping[str, Json], raw: tuple[bytes, ...] = (), noise: tuple[str, ...] = ()
    ) -> Observation:
        self._subject.catch_up()
        log = self.world.log
        sources = {name: {"calls": calls} for name, calls in log.calls.items()}
        return Observation({**roots, "sources": sources, "effects": list(log.effects)}, raw, noise)

    def _look_up(self, name: str) -> Json:
        found = self._captured.get(name, ABSENT)
        if found is ABSENT:
            found = find(self._case.bindings, name)
        if found is ABSENT:
            raise LookupError(f"`{name}` has no value here")
        return found


_SEEN: Final[dict[bytes, Json]] = {}
_OURS: Final[set[int]] = set()
"""Manifests that are known to be JSON, by their bytes: copies of our own, and what `id` says of these."""


def _end(session: Session, last: list[Observation | None]) -> None:
    last.append(session.close())


def known_as(manifest: Json) -> bytes:
    """A short name for a manifest of `send`: the same for the same one, which comes back very often."""
    return b"%d" % id(manifest) if id(manifest) in _OURS else quick_json(manifest)


def _known(manifest: Json) -> Json:
    """Our own copy of a manifest that was found to be JSON, or the manifest itself where there is none."""
    try:
        key = marshal.dumps(manifest)
    except ValueError:
        return manifest
    if key not in _SEEN:
        if len(_SEEN) >= MOST_SEEN or len(key) > LONGEST_SEEN or fault_in(manifest):
            return manifest
        _SEEN[key] = marshal.loads(key)  # noqa: S302  our own bytes
        _OURS.add(id(_SEEN[key]))
    return _SEEN[key]


def _fault_in(root: str, value: Json, roots: Mapping[str, Json]) -> str | None:
    """Why a root is not JSON."""
    result = roots.get("toolResult")
    if root == "output" and isinstance(result, dict) and result.get("structuredContent") is value:
        return None
    return None if id(value) in _OURS else fault_in(value, (root,))


def copied(roots: Mapping[str, Json]) -> Mapping[str, Json]:
    """What a contract cannot change later: it may give the same object in answer to the next call."""
    ours = {root: value for root, value in roots.items() if id(value) in _OURS}
    others = {root: value for root, value in roots.items() if root not in ours}
    try:
        return {**marshal.loads(marshal.dumps(others)), **ours}  # noqa: S302  our own bytes
    except ValueError:
        return {**thaw(others), **ours}


def way_in(call: Call, over: str) -> str:
    """The surface that a call goes to: `http`, `sse` and `cli` have one of their own.

    What plain calls cannot say goes over `mcp` in their place.
    """
    if over == "direct" and call.operation in _OF_MCP:
        return "mcp"
    return _SURFACE_OF.get(call.operation, over)
