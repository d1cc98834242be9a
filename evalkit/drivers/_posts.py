"""Carries MCP messages as POSTs of Streamable HTTP, and reads their answers from bodies and event streams."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from evalkit.drivers._answers import raw_of
from evalkit.drivers._channel import Heard, Sent, Standing
from evalkit.drivers._eras import OFFER, Era, Handshake
from evalkit.drivers._exchange import (
    Headers,
    Request,
    Response,
    Tapped,
    body_of,
    header,
    headers_of,
    target_of,
)
from evalkit.drivers._messages import Answer, breach_of, read_answer
from evalkit.drivers._transports import open_transport
from evalkit.errors import CaseError
from evalkit.model import Json
from evalkit.surfaces import McpSurface
from evalkit.values import ABSENT, quick_json

RESUMES: Final = 3
"""How often an event stream that ends without our answer is taken up again."""

LONGEST_WAIT: Final = 5.0
"""Seconds that a server may ask to wait before its stream is taken up again."""


class Posts:
    """A Channel over HTTP."""

    has_headers = True

    def __init__(self, surface: McpSurface) -> None:
        """Open the transport; nothing is sent yet."""
        self._transport = open_transport(surface.via)
        self._target = target_of(surface.path)
        self._whole = True
        self.begin_step(Heard({}))

    def begin_step(self, heard: Heard) -> None:
        """Hear for another step."""
        self._heard = heard
        self._came: list[tuple[Headers, list[bytes]]] = []

    def take_raw(self) -> tuple[bytes, ...]:
        """The heads and bodies of all answers."""
        taken, self._came = self._came, []
        return tuple(one for headers, body in taken for one in raw_of(headers, b"".join(body)))

    def keep(self, body: bytes) -> None:
        """Add the body of a document that is none to what came back."""
        self._came.append(((), [body]))

    def ask(self, sent: Sent) -> Answer:
        """POST a request; an event stream that ends too soon is taken up again."""
        headers = headers_of((*sent.era.headers(sent.method, sent.params), *sent.marks), sent.said)
        wanted, two_way = sent.body["id"], isinstance(sent.era, Handshake)
        answer = self._post(quick_json(sent.body), headers, wanted, replies=two_way)
        for _ in range(RESUMES if two_way else 0):
            if answer.message is not ABSENT or answer.fault or answer.last_id is None:
                break
            answer = self._taken_up(answer, headers, wanted)
        _check(sent.method, answer)
        return answer

    def tell(self, sent: Sent) -> None:
        """POST a notification."""
        headers = headers_of(sent.era.headers(sent.method, {}), sent.said)
        self._read(self._sent(Request("POST", self._target, headers, quick_json(sent.body))))

    def send(self, body: bytes, said: Mapping[str, str], wanted: Json, within: Headers = ()) -> Answer:
        """POST a message with the headers of a client, or of a session."""
        return self._post(body, headers_of(within or OFFER, said), wanted, replies=True)

    def get(self, path: str, said: Mapping[str, str]) -> Answer:
        """GET the document at another path of the surface.

        Of one that came only its head is kept: the step keeps the body, or shows it as its manifest.
        """
        headers = headers_of(((b"accept", b"application/json"),), said)
        response = self._sent(Request("GET", target_of(path), headers))
        answer = Answer(response.status, response.headers, body_of(response))
        self._came[-1] = (response.headers, [])
        return answer

    def leave(self, era: Era, said: Mapping[str, str]) -> None:
        """DELETE the session where the server gave one, unless it still owes an answer."""
        if isinstance(era, Handshake) and era.session and self._whole:
            headers = headers_of(era.headers("", {})[len(OFFER) :], said)
            with suppress(CaseError):
                self._read(self._sent(Request("DELETE", self._target, headers)))

    def rest(self) -> Standing:
        """Every answer that was read to its end leaves nothing behind."""
        return Standing(self._whole)

    def lost(self) -> str:
        """Nothing ends between two requests."""
        return ""

    def process(self) -> dict[str, Json]:
        """Nothing was started."""
        return {}

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def _post(self, body: bytes, headers: Headers, wanted: Json, *, replies: bool) -> Answer:
        """Send one message, and read until the answer to the id `wanted` is there."""
        self._whole = False
        response = self._sent(Request("POST", self._target, headers, body))

        def hear(message: Json) -> None:
            self._heard.messages.append(message)
            if replies and isinstance(message, dict) and "method" in message and "id" in message:
                self._reply(message, headers)

        answer = read_answer(response, wanted, hear)
        self._whole = True
        return answer

    def _taken_up(self, answer: Answer, headers: Headers, wanted: int) -> Answer:
        """What comes further in an event stream that ended, after the wait that the server asked for."""
        self._whole = False
        time.sleep(min(answer.retry / 1000, LONGEST_WAIT))
        again = (b"last-event-id", (answer.last_id or "").encode())
        kept = tuple(one for one in headers if one[0] != b"content-type")
        response = self._sent(Request("GET", self._target, (*kept, again)))
        further = read_answer(response, wanted, self._heard.messages.append)
        self._whole = True
        return further

    def _reply(self, message: Mapping[str, Json], headers: Headers) -> None:
        """Answer what the server asked, with the headers under which it asked."""
        body = quick_json(self._heard.reply_to(message))
        self._read(self._sent(Request("POST", self._target, headers, body)))

    def _sent(self, request: Request) -> Response:
        """The answer to a request, of which everything that is read is kept for `raw`."""
        response = self._transport.send(request)
        chunks = Tapped(response.chunks)
        self._came.append((response.headers, chunks.pieces))
        return response._replace(chunks=chunks)

    def _read(self, response: Response) -> None:
        """Read an answer that is no message; an event stream is none, and is hung up."""
        if not header(response.headers, b"content-type").lower().startswith("text/event-stream"):
            body_of(response)
        response.chunks.close()


def _check(method: str, answer: Answer) -> None:
    if answer.fault:
        raise CaseError("not-json", f"`{method}` got status {answer.status} and no answer: {answer.fault}")
    if answer.message is ABSENT:
        raise CaseError("protocol", f"`{method}` got no JSON-RPC answer, but {answer.in_words()}")
    breach = breach_of(answer.message)
    if not breach and "result" in answer.message and not 200 <= answer.status < 300:
        breach = "a result under a status that says that there is none"
    if breach:
        raise CaseError("protocol", f"`{method}` got {breach}: {answer.in_words()}")
    kind = header(answer.headers, b"content-type").lower()
    if not kind.startswith(("application/json", "text/event-stream")):
        told = f"`{method}` got an answer of {kind or 'no content type'}, not of JSON or an event stream"
        raise CaseError("protocol", told)
