"""What carries the messages of a conversation, whatever it is, and what one step hears over it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

from evalkit.drivers._asked import NOT_FOUND, result_for
from evalkit.drivers._eras import Era
from evalkit.drivers._exchange import Headers
from evalkit.drivers._messages import Answer
from evalkit.model import Json
from evalkit.values import ABSENT

MOST_NOISE: Final = 10
"""Pieces of noise of one step that are told one by one; of the others only how many there are."""


class Heard:
    """What one step hears beside its answers: `messages` unasked, and noise.

    `client` is what the step answers when the server asks something.
    """

    def __init__(self, client: Mapping[str, Json]) -> None:
        """Begin with nothing."""
        self.client = client
        self.messages: list[Json] = []
        self._noise: list[str] = []
        self._more = 0

    def note(self, noise: str) -> None:
        """Note one piece of noise, in words."""
        if len(self._noise) < MOST_NOISE:
            self._noise.append(noise)
        else:
            self._more += 1

    def take_noise(self) -> tuple[str, ...]:
        """What came that belongs to no protocol, each piece in words, since this was last asked."""
        taken = (*self._noise, *([f"{self._more} more like these"] if self._more else ()))
        self._noise, self._more = [], 0
        return taken

    def reply_to(self, message: Mapping[str, Json]) -> dict[str, Json]:
        """The answer to what the server asks."""
        result = result_for(message["method"], self.client)
        said = {"error": NOT_FOUND} if result is ABSENT else {"result": result}
        return {"jsonrpc": "2.0", "id": message["id"], **said}


class Standing(NamedTuple):
    """How a channel stands once a case is over: whether it is fit for another one.

    `ended` tells how the other side ended by itself, where it did.
    """

    fit: bool
    ended: str = ""


class Sent(NamedTuple):
    """A message on its way: `body` is all of it; the rest is what headers repeat, where there are such.

    `params` are those that the era has not dressed yet; `said` are the headers of the step, and `marks`
    those that repeat arguments.
    """

    body: dict[str, Json]
    era: Era
    method: str
    params: Mapping[str, Json] = {}
    said: Mapping[str, str] = {}
    marks: Headers = ()


class Channel(Protocol):
    """One way to one server. `has_headers` says whether a message has any beside it."""

    has_headers: bool

    def begin_step(self, heard: Heard) -> None:
        """Hear for another step."""

    def take_raw(self) -> tuple[bytes, ...]:
        """All that came back since this was last asked, an answer that broke off as far as it came."""

    def ask(self, sent: Sent) -> Answer:
        """The answer to one request. Raises CaseError where what came back holds none."""

    def tell(self, sent: Sent) -> None:
        """Send a notification; what is answered is no matter."""

    def send(self, body: bytes, said: Mapping[str, str], wanted: Json, within: Headers = ()) -> Answer:
        """Send one message as it is, and read until the answer to the id `wanted` is there.

        `within` are the headers of the session to which it belongs, where it is sent within one.
        `wanted` is ABSENT where none is awaited. The answer is without a message where none comes.
        """

    def get(self, path: str, said: Mapping[str, str]) -> Answer:
        """The document at a path, as an answer without a message; its body is not among what came back."""

    def keep(self, body: bytes) -> None:
        """Add the body of a document that is none to what came back."""

    def leave(self, era: Era, said: Mapping[str, str]) -> None:
        """End the session, but not the channel."""

    def rest(self) -> Standing:
        """Hear what has come already, and say whether the next case can go on from here."""

    def lost(self) -> str:
        """How the other side ended by itself since then; empty where it did not."""

    def process(self) -> dict[str, Json]:
        """How the program that was closed ended; empty where none was started."""

    def close(self) -> None:
        """Let go of what was opened; what comes meanwhile is heard."""
