"""Carries MCP messages as lines over standard streams, and never takes anything else there for an answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Final

from evalkit.drivers._answers import SHOWN, read_json, strict_json
from evalkit.drivers._channel import Heard, Sent, Standing
from evalkit.drivers._eras import Era, Handshake
from evalkit.drivers._exchange import LARGEST, Headers
from evalkit.drivers._messages import Answer, breach_of, in_short, is_answer
from evalkit.drivers._piped import Called, Ended, Pipe, Piped
from evalkit.errors import CapabilityMissing, CaseError
from evalkit.model import Json
from evalkit.surfaces import Command, Messages
from evalkit.values import ABSENT, encode, quick_json

PROBING: Final = 3.0
"""Seconds within which a server tells whether it knows the revision without a handshake."""

FENCED: Final = 5.0
"""Seconds that are waited for what a message that awaits no answer may bring all the same."""

STRAGGLING: Final = 0.1
"""Seconds in which it still may come once a ping that was sent behind it is answered."""

MOST_STRAYS: Final = 100
"""Lines that were no messages of which one step is told."""

_PROBE: Final = "server/discover"
_FIRST: Final = "initialize"
_FENCES: Final = 900_000_000
_NOBODY: Final = object()
"""Stands for the awaited id where none is awaited."""


class Lines:
    """A Channel over the standard streams of a program, or to a function that stands for one."""

    has_headers = False

    def __init__(self, via: Messages | Command) -> None:
        """Start nothing yet."""
        self._pipe: Pipe = Piped(via) if isinstance(via, Command) else Called(via)
        self._spoke = self._replies = False
        self._start_over()
        self.begin_step(Heard({}))

    def begin_step(self, heard: Heard) -> None:
        """Hear for another step."""
        self._heard = heard
        self._came: list[bytes] = []
        self._strays: list[str] = []
        self._size = 0
        self._batched = False

    def take_raw(self) -> tuple[bytes, ...]:
        """The lines, and behind them what came on standard error."""
        taken, self._came = [*self._came, *self._pipe.take_errors()], []
        return tuple(taken)

    def keep(self, body: bytes) -> None:
        """Add more to what came back."""
        self._came.append(body)

    def ask(self, sent: Sent) -> Answer:
        """Send a request and read until its answer is there."""
        probing = sent.method == _PROBE and not self._spoke
        self._replies = isinstance(sent.era, Handshake)
        self._put(quick_json(sent.body), sent.body["id"])
        try:
            message = self._awaited(sent.body["id"], PROBING if probing else self._patience())
        except Ended as end:
            code = "connection-failed" if self._spoke or sent.method != _FIRST else "not-started"
            if probing:  # it knows handshakes only, and takes anything else amiss
                self._restart()
                code = "protocol"
            raise CaseError(code, f"before it answered `{sent.method}` the server {end}") from None
        if message is ABSENT:
            if probing:
                self._passed.add(_named(sent.body["id"]))
            raise self._unanswered(sent.method, probing=probing)
        if breach := breach_of(message):
            raise CaseError("protocol", f"`{sent.method}` got {breach}")
        return Answer(0, (), b"", message)

    def tell(self, sent: Sent) -> None:
        """Send a notification."""
        self._put(quick_json(sent.body))

    def send(self, body: bytes, said: Mapping[str, str], wanted: Json, within: Headers = ()) -> Answer:
        """Send a line as it is. Behind what is no request goes a ping, which tells when both were read."""
        self._replies = True
        sent = strict_json(body)
        self._batched = isinstance(sent, list)
        if isinstance(sent, list):
            self._pass(one.get("id", ABSENT) for one in sent if isinstance(one, dict))
        asks = isinstance(sent, dict) and "method" in sent and wanted is not ABSENT and wanted is not None
        self._put(body, wanted)
        try:
            message = self._awaited(wanted, self._patience()) if asks else self._unawaited(wanted)
        except Ended as end:
            raise CaseError("connection-failed", f"before it answered the server {end}") from None
        if asks and message is ABSENT:
            raise self._unanswered("the message")
        return Answer(0, (), b"", message)

    def get(self, path: str, said: Mapping[str, str]) -> Answer:
        """Nothing has a path here."""
        raise CapabilityMissing(f"over standard streams there is no document at {path}")

    def leave(self, era: Era, said: Mapping[str, str]) -> None:
        """End the program: the session is its life."""
        self._restart()

    def rest(self) -> Standing:
        """Hear what has come already. What is owed gets a moment; who owes it longer serves no other case."""
        ends = monotonic() + STRAGGLING
        with suppress(Ended):
            while self._owed() and (line := self._pipe.next(ends)) is not None:
                self._sort(line, _NOBODY)
        for line in self._pipe.here():
            self._sort(line, _NOBODY)
        owes, ended = self._owed(), self._pipe.lost()
        self._asked &= self._passed
        self._answered &= self._passed
        return Standing(not owes and not ended, ended)

    def lost(self) -> str:
        """How the program ended by itself."""
        return self._pipe.lost()

    def process(self) -> dict[str, Json]:
        """How it ended, its standard error, and in `stdout` the lines that were no messages."""
        process = self._pipe.process()
        return {**process, "stdout": self._strays} if process else {}

    def close(self) -> None:
        """End the program; lines that still come are heard."""
        self._restart()

    def _owed(self) -> bool:
        """Whether an answer is still to come; one to a probe that was passed over never is."""
        return bool(self._asked - self._answered - self._passed)

    def _start_over(self) -> None:
        """Know nothing of the program: none runs."""
        self._asked: set[bytes] = set()
        self._answered: set[bytes] = set()
        self._passed: set[bytes] = set()
        self._lines = 0
        self._spoke = self._replies = False

    def _restart(self) -> None:
        self._replies = False
        for line in self._pipe.close():
            if self._size + len(line) <= LARGEST:
                self._sort(line, _NOBODY)
        self._start_over()

    def _put(self, body: bytes, wanted: Json = ABSENT) -> None:
        """Send a line, once what had come before is sorted: it cannot be an answer to this."""
        for line in self._pipe.here():
            self._sort(line, _NOBODY)
        if wanted is not ABSENT:
            self._asked.add(_named(wanted))
            self._answered.discard(_named(wanted))
        self._pipe.put(body)

    def _pass(self, idents: Iterable[Json]) -> None:
        """Know these ids as ones that were asked with, and whose answers nobody awaits."""
        passed = {encode(ident).encode() for ident in idents if ident is not ABSENT}
        self._asked |= passed
        self._passed |= passed

    def _patience(self) -> float:
        return self._pipe.call if self._spoke else self._pipe.start

    def _awaited(self, wanted: Json, patience: float, fence: bytes = b"") -> Json:
        """The answer, or ABSENT where none comes in time. Where a fence is answered, little time is left."""
        ends = monotonic() + patience
        while (line := self._pipe.next(ends)) is not None:
            message = self._sort(line, wanted)
            if message is not ABSENT:
                return message
            if fence in self._answered:
                ends, fence = min(ends, monotonic() + STRAGGLING), b""
        return ABSENT

    def _unawaited(self, wanted: Json) -> Json:
        """The answer to what need not be answered, or ABSENT."""
        if self._pipe.immediate:
            return self._awaited(wanted, self._pipe.call)
        number = _FENCES + self._lines
        fence = _named(number)
        self._asked.add(fence)
        self._pipe.put(quick_json({"jsonrpc": "2.0", "id": number, "method": "ping"}))
        return self._awaited(wanted, min(FENCED, self._patience()), fence)

    def _unanswered(self, what: str, *, probing: bool = False) -> CaseError:
        if probing or self._pipe.immediate:
            return CaseError("protocol", f"`{what}` got no answer")
        told = f"`{what}` got no answer within {self._patience():g} s{self._pipe.told()}"
        return CaseError("timeout", told)

    def _sort(self, line: bytes, wanted: Json) -> Json:
        """The message of a line that is the awaited answer; any other is heard or noted, and gives ABSENT."""
        self._keep(line)
        try:
            value = read_json(line)
        except ValueError as problem:
            if wanted is not _NOBODY and is_answer(_leniently(line), wanted):
                told = f"line {self._lines} is the answer, but it is no JSON: {in_short(problem)}"
                raise CaseError("not-json", told) from None
            self._stray(line, "is no JSON")
            return ABSENT
        if wanted is not _NOBODY and is_answer(value, wanted):
            self._spoke = True
            self._answered.add(_named(value.get("id") if wanted is ABSENT else wanted))
            return value
        if self._batched and isinstance(value, list) and value and all(map(_is_message, value)):
            self._batched = False
            return value
        if not _is_message(value):
            self._stray(line, "is JSON, but no JSON-RPC message")
        elif isinstance(value.get("method"), str):
            self._hear(value)
        else:
            self._hear_answer(line, value)
        return ABSENT

    def _hear(self, message: dict[str, Json]) -> None:
        self._spoke = True
        self._heard.messages.append(message)
        if "id" in message and self._replies:
            self._pipe.put(quick_json(self._heard.reply_to(message)))

    def _hear_answer(self, line: bytes, message: dict[str, Json]) -> None:
        """Pass over an answer that was no longer awaited; one that nobody asked for is noise."""
        wanted = _named(message.get("id"))
        if not message.keys() & {"result", "error"}:
            self._stray(line, "is JSON, but no JSON-RPC message")
        elif wanted in self._answered:
            self._note(line, "answers a request for the second time")
        elif wanted not in self._asked:
            self._note(line, "answers a request that nobody has made")
        else:
            self._spoke = True
            self._answered.add(wanted)

    def _keep(self, line: bytes) -> None:
        self._lines += 1
        self._size += len(line)
        if self._size > LARGEST:
            raise CaseError("protocol", f"the server wrote more than {LARGEST} bytes in one step")
        self._came.append(line)

    def _stray(self, line: bytes, what: str) -> None:
        """Note a line that is no message at all."""
        self._note(line, what)
        if len(self._strays) < MOST_STRAYS:
            text = line.decode(errors="replace")
            self._strays.append(text if len(text) <= SHOWN else f"({len(line)} bytes)")

    def _note(self, line: bytes, what: str) -> None:
        """Note a line as noise: whole, or by its size, since half a secret could not be found."""
        text = line.decode(errors="replace")
        shown = encode(text) if len(text) <= SHOWN else f"{len(line)} bytes"
        self._heard.note(f"line {self._lines} of standard output {what}: {shown}")


def _is_message(value: Json) -> bool:
    return isinstance(value, dict) and value.get("jsonrpc") == "2.0"


def _named(id_: Json) -> bytes:
    """An id as JSON."""
    return b"%d" % id_ if type(id_) is int else encode(id_).encode()


def _leniently(line: bytes) -> Json:
    """A line as lax readers take it."""
    try:
        return json.loads(line.decode(errors="replace"))
    except (ValueError, RecursionError):
        return ABSENT
