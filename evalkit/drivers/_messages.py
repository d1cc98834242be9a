"""Reads the JSON-RPC messages of an answer, and finds the one that answers our request, by its id."""

from __future__ import annotations

from collections.abc import Callable
from json import JSONDecodeError
from typing import NamedTuple

from evalkit.drivers._answers import in_words, read_json
from evalkit.drivers._events import EventStream
from evalkit.drivers._exchange import Headers, Response, body_of, check_size, header
from evalkit.model import Json
from evalkit.values import ABSENT, same


class Answer(NamedTuple):
    """What came back from one message. `message` is the answer with our id, or ABSENT.

    Over standard streams `status` is 0, and there are no headers.

    `fault` says what in it was no JSON, or cut short. `last_id` and `retry` (milliseconds) belong to an
    event stream that can be taken up again.
    """

    status: int
    headers: Headers
    body: bytes
    message: Json = ABSENT
    fault: str = ""
    last_id: str | None = None
    retry: int = 0

    def in_words(self) -> str:
        """The answer in one line, for a message."""
        return in_words(self.status, self.headers, self.body)


def read_answer(response: Response, wanted: Json, hear: Callable[[Json], None]) -> Answer:
    """Read until the answer to the request `wanted` is there, an event stream no further than that.

    `wanted` is ABSENT where the message has no id. Every other message is given to `hear` as it comes.
    """
    kind = header(response.headers, b"content-type").lower()
    if kind.startswith("text/event-stream"):
        return _streamed(response, wanted, hear)
    body = body_of(response)
    head = (response.status, response.headers, body)
    try:
        value = read_json(body) if body else ABSENT
    except ValueError as problem:
        means_json = kind.startswith("application/json")
        return Answer(*head, fault=f"the body is no JSON: {in_short(problem)}" if means_json else "")
    if is_answer(value, wanted):
        return Answer(*head, value)
    if isinstance(value, dict) and "method" in value:
        hear(value)
    return Answer(*head)


def is_answer(message: Json, wanted: Json) -> bool:
    """Whether a message is the answer to a request: with its id, or an error that knows no id."""
    if not isinstance(message, dict) or "method" in message:
        return False
    if message.get("id") is None and isinstance(message.get("error"), dict) and "jsonrpc" in message:
        return True
    answers = "result" in message or "error" in message
    return answers and wanted is not ABSENT and same(message.get("id", ABSENT), wanted)


def breach_of(message: Json) -> str:
    """What makes an answer with our id none of JSON-RPC 2.0; empty where nothing does."""
    if message.get("jsonrpc") != "2.0":
        return "an answer that is not marked as JSON-RPC 2.0"
    if "result" in message and "error" in message:
        return "an answer that is a result and an error at once"
    return ""


def _streamed(response: Response, wanted: Json, hear: Callable[[Json], None]) -> Answer:
    stream, pieces, size = EventStream(), [], 0
    message, fault = ABSENT, ""
    try:
        for chunk in response.chunks:
            size += len(chunk)
            check_size(size)
            pieces.append(chunk)
            for event in stream.feed(chunk):
                if event.name != "message" or not event.data:
                    continue
                try:
                    value = read_json(event.data)
                except ValueError as problem:
                    fault = fault or f"an event is no JSON: {in_short(problem)}"
                    continue
                if message is ABSENT and is_answer(value, wanted):
                    message = value
                else:
                    hear(value)
            if message is not ABSENT:
                break
    finally:
        response.chunks.close()
    if message is ABSENT and not fault and stream.cut_short:
        fault = "the event stream ends in the middle of an event"
    head = (response.status, response.headers, b"".join(pieces))
    return Answer(*head, message, fault, stream.last_id, stream.retry)


def in_short(problem: ValueError) -> str:
    """Why, without the text itself, which may hold half a secret."""
    if isinstance(problem, UnicodeDecodeError):
        return f"byte {problem.start} is no UTF-8"
    where = f" at character {problem.pos}" if isinstance(problem, JSONDecodeError) else ""
    return f"{getattr(problem, 'msg', problem)}{where}"
