"""Tests for `envelopes`: closed requests, notifications and responses (spec B.4, portos-cases j-*)."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.boundary.envelopes import classify
from evalkit.contracts.agent_context.boundary.nouns import Envelope
from evalkit.contracts.agent_context.vocabulary import Json

PING: Json = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
NOTE: Json = {"jsonrpc": "2.0", "method": "ping"}
ANSWER: Json = {"jsonrpc": "2.0", "id": 1}


@pytest.mark.parametrize("number", ["", "x", "é" * 200, "😀" * 100, 0, -1, 1.5, 1e300, 2**63, 10**308])
def test_a_request_has_a_text_or_a_finite_number_as_id(number: Json) -> None:
    assert classify({**PING, "id": number}) == Envelope("request", number, "ping", None)


@pytest.mark.parametrize(
    "number",
    [None, True, False, {}, [], "x" * 201, "😀" * 101, float("inf"), -float("inf"), 10**400, -(10**400)],
)
def test_nothing_else_is_an_id(number: Json) -> None:
    assert classify({**PING, "id": number}) is None
    assert classify({**ANSWER, "id": number, "result": {}}) is None


def test_a_request_without_an_id_is_a_notification() -> None:
    assert classify(NOTE) == Envelope("notification", None, "ping", None)
    assert classify({**NOTE, "params": {"a": 1}}) == Envelope("notification", None, "ping", {"a": 1})


@pytest.mark.parametrize("more", [{"result": {}}, {"error": {}}, {"result": None}, {"result": 1, "error": 2}])
def test_a_response_says_what_came_of_it(more: Json) -> None:
    assert classify({**ANSWER, **more}) == Envelope("response")


@pytest.mark.parametrize("method", ["x", "m" * 120, "😀" * 60])
def test_a_method_has_up_to_120_characters(method: str) -> None:
    assert classify({**PING, "method": method}) == Envelope("request", 1, method, None)


@pytest.mark.parametrize("method", ["", "m" * 121, "😀" * 61, None, 1, ["ping"], {}])
def test_a_method_of_another_length_or_kind_is_none(method: Json) -> None:
    assert classify({**PING, "method": method}) is None
    assert classify({**NOTE, "method": method}) is None


def test_params_are_an_object() -> None:
    assert classify({**PING, "params": {}}) == Envelope("request", 1, "ping", {})


@pytest.mark.parametrize("params", [None, [], [1], "x", 1, True])
def test_params_are_nothing_else(params: Json) -> None:
    assert classify({**PING, "params": params}) is None
    assert classify({**NOTE, "params": params}) is None


@pytest.mark.parametrize(
    "message",
    [
        ...,
        None,
        1,
        "ping",
        [],
        [PING],
        {},
        ANSWER,
        {**PING, "extra": 1},
        {**PING, "result": {}},
        {**NOTE, "extra": 1},
        {**ANSWER, "result": {}, "extra": 1},
        {"jsonrpc": "2.0", "result": {}},
        {"id": 1, "method": "ping"},
        {**PING, "jsonrpc": "1.0"},
        {**PING, "jsonrpc": 2.0},
        {**PING, "jsonrpc": None},
        {**PING, "__proto__": {}},
    ],
)
def test_the_envelopes_are_closed(message: Json) -> None:
    assert classify(message) is None
