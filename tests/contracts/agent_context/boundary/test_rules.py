"""Tests for `boundary.rules`: each rule can be broken alone, and its promise then no longer holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import pytest

from evalkit.contracts.agent_context.boundary import (
    bodies,
    contents,
    envelopes,
    negotiation,
    parameters,
    peers,
    sharing,
)
from evalkit.contracts.agent_context.boundary.nouns import Announced, Envelope
from evalkit.contracts.agent_context.boundary.policy import BOUNDARY
from evalkit.contracts.agent_context.boundary.rules import BoundaryRules
from evalkit.contracts.agent_context.exchange import Head
from evalkit.contracts.agent_context.vocabulary import Json
from tests.contracts.agent_context.boundary.calling import MCP, USUAL, Stage, request, stage

CALL: Final = request("tools/call", {"name": "x"})
NOTE: Final = {key: value for key, value in CALL.items() if key != "id"}


class Twin(NamedTuple):
    """What is broken, where it shows, and what is seen there with the rule whole and with it broken."""

    broken: Mapping[str, Json]
    look: Callable[[Stage], Json]
    whole: Json
    lost: Json


def status(
    message: Json = CALL, path: str = MCP, peer: str = "127.0.0.1", body: Sequence[bytes] = (), **headers: str
) -> Callable[[Stage], int]:
    """The status with which a message, or the pieces of a body, is answered."""
    named = {**USUAL, **{name.replace("_", "-"): value for name, value in headers.items()}}

    def look(staged: Stage) -> int:
        return staged.ask("POST", path, named, body or json.dumps(message).encode(), peer).status

    return look


def executed(message: Json) -> Callable[[Stage], int]:
    """How often the contract was called for a message."""

    def look(staged: Stage) -> int:
        staged.post(message)
        return len(staged.notes.calls)

    return look


def header(name: str) -> Callable[[Stage], str | None]:
    """A header of the answer to a page of this machine."""

    def look(staged: Stage) -> str | None:
        return staged.post(request("ping"), origin="http://localhost").headers.get(name)

    return look


def revision(staged: Stage) -> Json:
    """What is agreed on where the client offers what nobody speaks."""
    client = {"name": "c", "version": "1"}
    hello = {"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": client}
    return staged.result("initialize", hello)["protocolVersion"]


def methods(staged: Stage) -> str | None:
    """What a preflight is told of methods."""
    return staged.ask("OPTIONS", MCP).headers.get("access-control-allow-methods")


def first_of_a_batch(message: Json) -> Envelope | None:
    return envelopes.classify(message[0] if isinstance(message, list) and message else message)


def note_as_request(message: Json) -> Envelope | None:
    envelope = envelopes.classify(message)
    return envelope and envelope._replace(kind="request")


def null_let_in(origin: str, is_loopback: Callable[[str], bool]) -> bool:
    return origin == "null" or BOUNDARY.is_loopback_origin(origin, is_loopback)


def with_session(head: Head) -> tuple[tuple[str, str], ...]:
    return (*sharing.sharing_headers(head), ("mcp-session-id", "s1"))


def nothing_announced(method: str, headers: Mapping[str, str]) -> Announced | None:
    return None


def read_anyhow(body: Announced, raw: bytes, limit: int, parse: Callable[[str], Json]) -> Json:
    return contents.read_content(body._replace(length=None), raw, limit, parse)


LAX: Final = {"application/json": json.loads}

TWINS: Final[Mapping[str, Twin]] = {
    "case matters": Twin({"normalise": str}, status(path="/API/agent-context/mcp"), 200, 404),
    "a forwarded header is trusted": Twin(
        {"caller": lambda head: head.headers.get("x-forwarded-for", head.peer)},
        status(peer="192.0.2.10", x_forwarded_for="127.0.0.1"),
        403,
        200,
    ),
    "only one loopback address": Twin(
        {"is_loopback": lambda address: address in ("127.0.0.1", "::1", "localhost")},
        status(peer="127.9.9.9"),
        200,
        403,
    ),
    "the origin is not checked": Twin(
        {"is_loopback_origin": lambda *_: True}, status(origin="https://evil.example"), 403, 200
    ),
    "the origin null is let in": Twin({"is_loopback_origin": null_let_in}, status(origin="null"), 403, 200),
    "no limit": Twin({"max_body": 1 << 40}, status(content_length=str(1 << 30)), 413, 400),
    "no body is seen": Twin({"announced": nothing_announced}, status(), 200, 400),
    "any announced body is read": Twin(
        {"check_announced": lambda *_: None}, status(content_length=str(1 << 30)), 413, 400
    ),
    "the limit is counted wrongly": Twin(
        {"read_body": lambda receive, limit: bodies.collect(receive, 2)}, status(body=[b"{", b"}}"]), 400, 413
    ),
    "a short body is taken": Twin({"read_content": read_anyhow}, status(content_length="500"), 400, 200),
    "a number that is none is read": Twin(
        {"parsers": LAX},
        status(body=[json.dumps({**CALL, "params": {"a": float("nan")}}).encode()]),
        400,
        200,
    ),
    "any Accept will do": Twin({"accepts": bool}, status(accept="*/*"), 406, 200),
    "any revision will do": Twin(
        {"is_supported_version": lambda _: True}, status(mcp_protocol_version="1900-01-01"), 400, 200
    ),
    "the revision is echoed": Twin({"negotiate_version": str}, revision, "2025-11-25", "1999-01-01"),
    "a batch is taken": Twin({"classify": first_of_a_batch}, status([CALL]), 400, 200),
    "a notification is carried out": Twin({"classify": note_as_request}, executed(NOTE), 0, 1),
    "arguments may be anything": Twin(
        {"params_of": {**parameters.PARAMS, "tools/call": bool}},
        executed(request("tools/call", {"name": "x", "arguments": []})),
        0,
        1,
    ),
    "a session is begun": Twin({"sharing_headers": with_session}, header("mcp-session-id"), None, "s1"),
    "nobody may read": Twin(
        {"sharing_headers": lambda _: ()}, header("access-control-allow-origin"), "http://localhost", None
    ),
    "a preflight is told nothing": Twin(
        {"preflight_headers": lambda _: ()}, methods, "GET,HEAD,PUT,PATCH,POST,DELETE", None
    ),
}


@pytest.mark.parametrize("name", TWINS)
def test_a_rule_that_is_broken_is_seen(name: str) -> None:
    twin = TWINS[name]
    assert twin.look(stage()) == twin.whole
    assert twin.look(stage(rules=BOUNDARY._replace(**twin.broken))) == twin.lost


def test_every_rule_can_be_broken_alone() -> None:
    assert {rule for twin in TWINS.values() for rule in twin.broken} == set(BoundaryRules._fields)


def test_the_rules_that_ship_are_the_defaults() -> None:
    assert BoundaryRules() == BOUNDARY
    assert BOUNDARY.caller is peers.caller
    assert BOUNDARY.accepts is negotiation.accepts
