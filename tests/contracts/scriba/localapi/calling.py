"""Calls the app in memory, one step at a time and without an event loop."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple

from evalkit.contracts.scriba.localapi.nouns import App, Pairs

CODES = (
    *("method_not_allowed", "not_found", "request_body_not_allowed", "context_unavailable"),
    *("cursor_disagreement", "invalid_cursor", "cursor_future", "cursor_expired", "events_unavailable"),
    *("read_error", "stream_limit_reached", "invalid_profile", "profile_unavailable"),
)
OPENING = b": connected\n\n"
HEARTBEAT = b": heartbeat\n\n"


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class _Pause:
    def __await__(self) -> Generator[None, None, None]:
        yield


class Exchange:
    """One request; the app goes on only when the next piece of its body is asked for."""

    def __init__(self, app: App, target: str, *headers: tuple[str, str], method: str = "GET") -> None:
        self.sent: list[dict[str, Any]] = []
        self._read = 1
        path, _, query = target.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": _raw(headers),
        }
        self._run = app(scope, self._receive, self._send).__await__()
        self._step()

    @property
    def status(self) -> int:
        status: int = self.sent[0]["status"]
        return status

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self.sent[0]["headers"]}

    def next(self) -> bytes:
        """The next piece of the body; nothing after the last."""
        while len(self.sent) <= self._read:
            if not self._step():
                return b""
        self._read += 1
        body: bytes = self.sent[self._read - 1].get("body", b"")
        return body

    def rest(self) -> list[bytes]:
        """All pieces to the end."""
        while self._step():
            pass
        pieces = [message.get("body", b"") for message in self.sent[self._read :]]
        self._read = len(self.sent)
        return [piece for piece in pieces if piece]

    def hang_up(self) -> None:
        self._run.close()

    def _step(self) -> bool:
        try:
            next(self._run)
        except StopIteration:
            return False
        return True

    async def _receive(self) -> Any:
        raise AssertionError("nobody asks for a body")

    async def _send(self, message: Any) -> None:
        self.sent.append(message)
        await _Pause()


def ask(app: App, target: str, *headers: tuple[str, str], method: str = "GET") -> Answer:
    """A whole answer."""
    exchange = Exchange(app, target, *headers, method=method)
    body = b"".join(exchange.rest())
    return Answer(exchange.status, exchange.headers, body)


def code_of(answer: Answer) -> str:
    """The code of an error, whose body is nothing else."""
    for code in CODES:
        if answer.body == b'{"error":{"code":"%s"}}\n' % code.encode():
            assert answer.headers["content-type"] == "application/json"
            return code
    raise AssertionError(answer)


def _raw(headers: tuple[tuple[str, str], ...]) -> Pairs:
    return tuple((name.encode(), value.encode()) for name, value in headers)
