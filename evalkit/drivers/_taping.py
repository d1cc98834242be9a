"""Writes what a channel exchanges, and answers from what was written: with nothing that was not recorded.

An exchange is `{kind, key, sent, answer | error, heard, noise}`. Its key leaves out what differs from run to
run: ids, `_meta`, who we are, credentials.
"""

from __future__ import annotations

import json
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Mapping
from typing import Final

from evalkit.drivers._channel import Channel, Heard, Sent, Standing
from evalkit.drivers._eras import Era
from evalkit.drivers._exchange import Headers
from evalkit.drivers._messages import Answer
from evalkit.errors import CaseError
from evalkit.model import Json
from evalkit.surfaces import Recording
from evalkit.values import ABSENT, quick_json

_PRIVATE: Final = frozenset({"authorization", "cookie", "proxy-authorization"})
_STANDING: Final = frozenset({"id", "jsonrpc"})


class Taped:
    """A Channel that tells what goes over it."""

    def __init__(self, channel: Channel, tape: Callable[[Mapping[str, Json]], None]) -> None:
        """Take the channel, and what is told."""
        self._channel, self._tape = channel, tape
        self._heard = Heard({})
        self.has_headers = channel.has_headers
        self.begin_step, self.take_raw, self.keep = self._begun, channel.take_raw, channel.keep
        self.tell, self.leave, self.rest = channel.tell, channel.leave, channel.rest
        self.lost, self.process, self.close = channel.lost, channel.process, channel.close

    def ask(self, sent: Sent) -> Answer:
        """Ask, and tell."""
        return self._told("ask", key_of_ask(sent), sent.body, lambda: self._channel.ask(sent))

    def send(self, body: bytes, said: Mapping[str, str], wanted: Json, within: Headers = ()) -> Answer:
        """Send, and tell."""
        text = body.decode(errors="replace")
        send = lambda: self._channel.send(body, said, wanted, within)  # noqa: E731
        return self._told("send", key_of_text(body, said), text, send)

    def get(self, path: str, said: Mapping[str, str]) -> Answer:
        """Get, and tell."""
        return self._told("get", path, path, lambda: self._channel.get(path, said))

    def _begun(self, heard: Heard) -> None:
        self._heard = heard
        self._channel.begin_step(heard)

    def _told(self, kind: str, key: str, sent: Json, exchange: Callable[[], Answer]) -> Answer:
        before = len(self._heard.messages)
        told: dict[str, Json] = {"kind": kind, "key": key, "sent": sent}
        try:
            answer = exchange()
        except CaseError as problem:
            self._tape({**told, "error": [problem.code, str(problem)], **self._beside(before)})
            raise
        self._tape({**told, "answer": _written(answer), **self._beside(before)})
        return answer

    def _beside(self, before: int) -> dict[str, Json]:
        heard = self._heard.messages[before:]
        return {"heard": heard} if heard else {}


class Replayed:
    """A Channel that answers from a recording."""

    def __init__(self, recording: Recording) -> None:
        """Take the recording."""
        self._recording = recording
        self._heard = Heard({})
        self._raw: list[bytes] = []
        self.has_headers = recording.has_headers

    def begin_step(self, heard: Heard) -> None:
        """Hear for another step."""
        self._heard, self._raw = heard, []

    def take_raw(self) -> tuple[bytes, ...]:
        """What came back, as far as it was recorded."""
        taken, self._raw = tuple(self._raw), []
        return taken

    def keep(self, body: bytes) -> None:
        """Add more to what came back."""
        self._raw.append(body)

    def ask(self, sent: Sent) -> Answer:
        """The recorded answer, with the id of this request."""
        answer = self._found("ask", key_of_ask(sent))
        if isinstance(answer.message, dict) and "id" in answer.message:
            return answer._replace(message={**answer.message, "id": sent.body["id"]})
        return answer

    def tell(self, sent: Sent) -> None:
        """Nothing comes of it."""

    def send(self, body: bytes, said: Mapping[str, str], wanted: Json, within: Headers = ()) -> Answer:
        """The recorded answer."""
        return self._found("send", key_of_text(body, said))

    def get(self, path: str, said: Mapping[str, str]) -> Answer:
        """The recorded document."""
        return self._found("get", path)

    def leave(self, era: Era, said: Mapping[str, str]) -> None:
        """A session of a recording has no end."""
        self._recording.begin()

    def rest(self) -> Standing:
        """The next case begins anew."""
        return Standing(fit=False)

    def lost(self) -> str:
        """A recording never is."""
        return ""

    def process(self) -> dict[str, Json]:
        """There is none."""
        return {}

    def close(self) -> None:
        """Let the next session begin at the beginning."""
        self._recording.begin()

    def _found(self, kind: str, key: str) -> Answer:
        exchange = self._recording.take(kind, key)
        self._heard.messages += exchange.get("heard", [])
        if "error" in exchange:
            raise CaseError(*exchange["error"])
        answer = _read(exchange["answer"])
        self._raw += [answer.body] if answer.body else []
        if answer.message is not ABSENT and not answer.body:
            self._raw.append(quick_json(answer.message))
        return answer


def key_of_ask(sent: Sent) -> str:
    """The method, what is asked of it, and the headers of the step."""
    params = {} if sent.method == "initialize" else sent.params
    plain = {name: value for name, value in params.items() if name != "_meta"}
    return _key([sent.method, plain, _public(sent.said)])


def key_of_text(body: bytes, said: Mapping[str, str]) -> str:
    """The message without its id and `_meta`, and the headers of the step."""
    try:
        message = json.loads(body)
    except ValueError:
        message = body.decode(errors="replace")
    if isinstance(message, dict):
        params = message.get("params")
        plain = (
            {name: value for name, value in params.items() if name != "_meta"}
            if isinstance(params, dict)
            else params
        )
        message = {
            **{name: value for name, value in message.items() if name not in _STANDING},
            "params": plain,
        }
    return _key([message, _public(said)])


def _public(said: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in said.items() if name.lower() not in _PRIVATE}


def _key(parts: Json) -> str:
    return json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def _written(answer: Answer) -> dict[str, Json]:
    """An answer as JSON; a body is text where it is UTF-8, else base64."""
    written: dict[str, Json] = {}
    if answer.status:
        written["status"] = answer.status
        written["headers"] = [
            [name.decode("latin-1"), value.decode("latin-1")] for name, value in answer.headers
        ]
    if answer.body:
        try:
            written["body"] = answer.body.decode()
        except UnicodeDecodeError:
            written["bytes"] = b2a_base64(answer.body, newline=False).decode()
    if answer.message is not ABSENT:
        written["message"] = answer.message
    return {**written, "fault": answer.fault} if answer.fault else written


def _read(written: Mapping[str, Json]) -> Answer:
    headers = [
        (name.encode("latin-1"), value.encode("latin-1")) for name, value in written.get("headers", ())
    ]
    body = a2b_base64(written["bytes"]) if "bytes" in written else written.get("body", "").encode()
    return Answer(
        written.get("status", 0),
        tuple(headers),
        body,
        written.get("message", ABSENT),
        written.get("fault", ""),
    )
