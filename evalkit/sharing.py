"""What cases of one process share of a live target: sessions, for as long as each case leaves them fit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeGuard

from evalkit.errors import CaseError
from evalkit.model import Call, Case, Observation, Session, Step, Target
from evalkit.plugins import Lasting, Rest

_FIT: Final = Rest(None, fit=True)


class Shared:
    """The sessions with one target, by way in."""

    def __init__(self, *, started: bool) -> None:
        """Begin with none. `started` says that the target is a program, which bare messages would disturb."""
        self._started = started
        self._open: dict[str, Session] = {}

    def lent(self, case: Case, over: str, begin: Callable[[], Session]) -> Session:
        """A session for one case: the shared one, which is begun where there is none; else one of its own."""
        if not is_sharable(case, over, started=self._started):
            return begin()
        return Lent(self, over, begin)

    def fit(self, over: str) -> tuple[Session | None, str]:
        """The session as an earlier case left it, and how it ended since then where it did."""
        session = self._open.get(over)
        if session is None or not (lost := _lost(session)):
            return session, ""
        self.drop(over)
        return None, lost

    def keep(self, over: str, session: Session) -> None:
        """Keep a session for the cases to come."""
        self._open[over] = session

    def drop(self, over: str) -> Observation | None:
        """End a session; the next case begins another one."""
        session = self._open.pop(over, None)
        return session.close() if session is not None else None

    def end(self) -> None:
        """End all sessions; what comes then belongs to no case."""
        for over in [*self._open]:
            with suppress(CaseError):
                self.drop(over)


class Lent:
    """A Session that belongs to one case for a while.

    `note` tells what became of it before this case, `ended` how its server ended in the course of it.
    A server that is found to have ended by the first call is started anew, and asked once more: it may
    have been ending before, and only where the call ends it again is the call to blame.
    """

    def __init__(self, shared: Shared, over: str, begin: Callable[[], Session]) -> None:
        """Begin a session where there is none that is fit."""
        self._shared, self._over, self._whole = shared, over, True
        self.ended = ""
        self._begin = begin
        session, lost = shared.fit(over)
        self.note = _ANEW.format(lost) if lost else ""
        self._may_be_ending = session is not None
        self._session = begin() if session is None else session
        shared.keep(over, self._session)

    def send(self, call: Call) -> Observation:
        """Ask once. An exchange that breaks, or is broken off, leaves no session for another case."""
        self._whole = False
        try:
            observation = self._session.send(call)
        except CaseError:
            if not self._may_be_ending or not (lost := _lost(self._session)):
                raise
            self._start_anew(lost)
            observation = self._session.send(call)
        self._whole, self._may_be_ending = True, False
        return observation

    def close(self) -> Observation | None:
        """Leave the session to the next case where it is fit for one, else end it; what came meanwhile."""
        if not self._whole:
            return self._shared.drop(self._over)
        self._whole = False
        try:
            rest = self._session.rest() if _lasts(self._session) else _FIT
            self._whole = rest.fit
        finally:
            after = None if self._whole else self._shared.drop(self._over)
        self.ended = rest.ended
        return _joined(rest.came, after)

    def _start_anew(self, lost: str) -> None:
        self._shared.drop(self._over)
        self.note, self._may_be_ending = _ANEW.format(lost), False
        self._session = self._begin()
        self._shared.keep(self._over, self._session)


_ANEW: Final = "the server of the cases before this one {}; it was started anew"


def _lost(session: Session) -> str:
    """How the server of a session has ended; empty where it has not."""
    return session.lost() if _lasts(session) else ""


def _lasts(session: Session) -> TypeGuard[Lasting]:
    """Whether it is Lasting. Of each kind of session this is asked once: a look at a protocol is slow."""
    kind = type(session)
    if kind not in _LASTING:
        _LASTING[kind] = isinstance(session, Lasting)
    return _LASTING[kind]


_LASTING: Final[dict[type, bool]] = {}


def is_sharable(case: Case, over: str, *, started: bool) -> bool:
    """Whether a case can go on from what others left: it says nothing with which a session has to begin.

    That are a fixture, settings, `fresh`, and of a step over MCP `client`, `headers`, and, to a program that
    was `started`, a message without `session: true`.
    """
    if case.fresh or case.fixture is not None or case.settings is not None:
        return False
    return over == "http" or (over == "mcp" and all(_is_plain(step, started=started) for step in case.steps))


_APART: Final = frozenset({"http", "sse", "cli", "world", "session"})


def _is_plain(step: Step, *, started: bool) -> bool:
    operation, words = step.call.operation, step.call.words
    if operation in _APART:
        return True
    if operation == "rpc" and not words.get("session"):
        return not started and "client" not in words
    return words.keys().isdisjoint(("client", "headers"))


def _joined(one: Observation | None, other: Observation | None) -> Observation | None:
    if one is None or other is None:
        return one or other
    return Observation({}, one.raw + other.raw, one.noise + other.noise)


_SHARED: Final[dict[Target, Shared]] = {}


def shared_of(target: Target, *, started: bool) -> Shared:
    """What this process shares of a target."""
    if target not in _SHARED:
        _SHARED[target] = Shared(started=started)
    return _SHARED[target]


def end_shared() -> None:
    """End everything that this process shares, if it shares anything."""
    while _SHARED:
        _SHARED.popitem()[1].end()
