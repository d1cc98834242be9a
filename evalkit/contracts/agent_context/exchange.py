"""One HTTP exchange as values: the head of a request, and the reply (spec B.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from .vocabulary import Json
from .writing import encode

JSON_TYPE: Final = ("content-type", "application/json; charset=utf-8")


class Head(NamedTuple):
    """A request before its body is read.

    `path` is normalised (see `boundary.paths`): whatever looks at a path looks at this one.
    `headers` has lower-case names; several of one name are joined with `, ` (cookies with `; `).
    `peer` is the address of the other end of the connection; empty where there is none.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    peer: str


class Reply(NamedTuple):
    """What is answered: header names in lower case; the length is added where the reply is sent."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


def json_reply(value: Json, status: int = 200, *headers: tuple[str, str]) -> Reply:
    """A reply with a JSON body."""
    return Reply(status, (JSON_TYPE, *headers), encode(value))


def error_reply(status: int, code: str, text: str, now: float, context: Json = None) -> Reply:
    """The one shape of an error (spec B.1); `now` is in seconds, the timestamp in whole milliseconds."""
    told = {"error": text, "code": code, "timestamp": int(now * 1000)}
    return json_reply(told if context is None else {**told, "context": context}, status)
