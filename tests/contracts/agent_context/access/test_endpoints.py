"""Tests for `endpoints`: logging in and out, and what is said of who asks."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.access.endpoints import AccessEndpoints
from evalkit.contracts.agent_context.access.nouns import Identity
from evalkit.contracts.agent_context.access.policy import ACCESS
from evalkit.contracts.agent_context.exchange import Head, Reply
from evalkit.model import Json
from tests.contracts.agent_context.access.asking import (
    AUTH,
    BROKEN,
    NOW,
    OFF,
    OTHER_TOKEN,
    PASSWORD,
    TOKEN,
    WRONG,
    Gate,
    basic,
    bearer,
    cookie,
    head,
    outcome,
    told,
)

LOGIN, LOGOUT = "/api/auth/login", "/api/auth/logout"
STATUS, WHOAMI, HEALTH = "/api/auth/status", "/api/auth/whoami", "/api/system/health"
IN_30_DAYS = NOW + 30 * 24 * 3600


def ask(gate: Gate, asked: Head, body: Json = ...) -> Reply | None:
    """Through the gate, then to the endpoints."""
    admitted = gate.ask(asked)
    if isinstance(admitted, Reply):
        return admitted
    endpoints = AccessEndpoints(gate.rules, gate.state, gate.now)
    return endpoints.answer(asked, body, admitted, gate.settings)


def log_in(gate: Gate, body: Json, peer: str = "127.0.0.1") -> Reply:
    reply = ask(gate, head(LOGIN, peer=peer), body)
    assert reply is not None
    return reply


def test_the_password_opens_a_session_in_a_cookie_and_in_the_body() -> None:
    gate = Gate()
    reply = log_in(gate, {"password": PASSWORD})
    assert reply.status == 200
    assert told(reply) == {
        "authenticated": True,
        "token": OTHER_TOKEN,
        "expiresAt": int(IN_30_DAYS) * 1000,
    }
    cookies = [value for name, value in reply.headers if name == "set-cookie"]
    assert cookies == [f"portos_auth={OTHER_TOKEN}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"]
    assert ("cache-control", "no-store") in reply.headers
    assert outcome(gate.ask(head(headers=bearer(OTHER_TOKEN)))) == (True, True, "session")
    assert outcome(gate.ask(head(headers={"cookie": cookies[0].split(";")[0]}))) == (True, True, "session")


def test_a_session_is_kept_hashed_and_ends_after_thirty_days() -> None:
    gate = Gate()
    log_in(gate, {"password": PASSWORD})
    assert gate.sessions.expiry(OTHER_TOKEN) is None
    assert gate.sessions.expiry(ACCESS.hash_token(OTHER_TOKEN)) == IN_30_DAYS
    gate.time = IN_30_DAYS - 1
    assert outcome(gate.ask(head(headers=bearer(OTHER_TOKEN)))) == (True, True, "session")
    gate.time = IN_30_DAYS
    assert outcome(gate.ask(head(headers=bearer(OTHER_TOKEN)))) == (401, "AUTH_REQUIRED")


def test_each_login_opens_a_session_of_its_own() -> None:
    gate = Gate()
    first, second = log_in(gate, {"password": PASSWORD}), log_in(gate, {"password": PASSWORD})
    assert told(first)["token"] != told(second)["token"]
    assert outcome(gate.ask(head(headers=bearer(told(first)["token"])))) == (True, True, "session")


def test_a_wrong_password_opens_nothing_and_is_not_told() -> None:
    gate = Gate()
    reply = log_in(gate, {"password": WRONG})
    assert (reply.status, told(reply)["code"]) == (401, "AUTH_INVALID")
    assert "set-cookie" not in dict(reply.headers)
    assert WRONG not in repr(reply)
    assert gate.sessions.expiry(ACCESS.hash_token(OTHER_TOKEN)) is None


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (..., ""),
        (None, ""),
        ([], ""),
        (PASSWORD, ""),
        ({}, "password"),
        ({"password": None}, "password"),
        ({"password": ""}, "password"),
        ({"password": 5}, "password"),
        ({"password": [PASSWORD]}, "password"),
        ({"password": "a" * 1025}, "password"),
        ({"password": PASSWORD, "x": 1}, ""),
        ({PASSWORD: ""}, "password"),
    ],
)
def test_a_body_of_another_shape_is_no_attempt(body: Json, path: str) -> None:
    gate = Gate()
    for _ in range(11):
        reply = log_in(gate, body)
    assert (reply.status, told(reply)["code"]) == (400, "VALIDATION_ERROR")
    (detail,) = told(reply)["context"]["details"]
    assert detail["path"] == path
    assert detail["message"]
    assert PASSWORD not in repr(reply)
    assert "aaaa" not in repr(reply)


def test_ten_wrong_passwords_from_one_peer_make_it_wait() -> None:
    gate = Gate()
    for _ in range(10):
        assert log_in(gate, {"password": WRONG}).status == 401
    for word in (WRONG, PASSWORD):
        reply = log_in(gate, {"password": word})
        assert (reply.status, told(reply)["code"]) == (429, "AUTH_RATE_LIMITED")
    assert log_in(gate, {"password": PASSWORD}, peer="192.0.2.7").status == 200
    gate.time = NOW + 60
    assert log_in(gate, {"password": PASSWORD}).status == 200


def test_waiting_is_not_prolonged_by_asking() -> None:
    gate = Gate()
    for _ in range(10):
        log_in(gate, {"password": WRONG})
    gate.time = NOW + 59
    log_in(gate, {"password": WRONG})
    gate.time = NOW + 60
    assert log_in(gate, {"password": PASSWORD}).status == 200


def test_guesses_by_basic_and_by_login_are_counted_together() -> None:
    gate = Gate()
    for _ in range(5):
        gate.ask(head(headers=basic(f"any:{WRONG}")))
        log_in(gate, {"password": WRONG})
    assert log_in(gate, {"password": PASSWORD}).status == 429


def test_a_right_password_does_not_wipe_the_wrong_ones_out() -> None:
    gate = Gate()
    for _ in range(9):
        log_in(gate, {"password": WRONG})
    log_in(gate, {"password": PASSWORD})
    log_in(gate, {"password": WRONG})
    assert log_in(gate, {"password": WRONG}).status == 429


def test_without_a_password_there_is_no_login() -> None:
    gate = Gate(OFF)
    reply = log_in(gate, {"password": PASSWORD})
    assert (reply.status, told(reply)["code"]) == (400, "AUTH_DISABLED")


def test_damaged_settings_take_no_password() -> None:
    gate = Gate(BROKEN)
    for _ in range(11):
        assert log_in(gate, {"password": PASSWORD}).status == 401


@pytest.mark.parametrize("credential", [bearer(), cookie()])
def test_logging_out_ends_the_session_and_takes_the_cookie_away(credential: dict[str, str]) -> None:
    gate = Gate()
    reply = ask(gate, head(LOGOUT, credential))
    assert reply is not None
    assert (reply.status, told(reply)) == (200, {"authenticated": False})
    assert dict(reply.headers)["set-cookie"].startswith("portos_auth=; ")
    assert "Max-Age=0" in dict(reply.headers)["set-cookie"]
    assert outcome(gate.ask(head(headers=bearer()))) == (401, "AUTH_REQUIRED")


@pytest.mark.parametrize("settings", [OFF, BROKEN, {"secrets": {"auth": AUTH}}])
def test_logging_out_without_a_session_is_no_error(settings: Json) -> None:
    gate = Gate(settings)
    for headers in ({}, bearer("wrong"), {"cookie": "portos_auth=%E0"}):
        reply = ask(gate, head(LOGOUT, headers))
        assert reply is not None
        assert reply.status == 200
    assert gate.sessions.expiry(ACCESS.hash_token(TOKEN)) == NOW + 3600


@pytest.mark.parametrize(
    ("settings", "headers", "expected"),
    [
        (OFF, {}, (False, False, None)),
        ({"secrets": {"auth": AUTH}}, {}, (True, False, None)),
        ({"secrets": {"auth": AUTH}}, bearer(), (True, True, "session")),
        ({"secrets": {"auth": AUTH}}, basic(), (True, True, "basic")),
        (BROKEN, bearer(), (True, False, None)),
    ],
)
def test_status_and_whoami_say_what_the_gate_knows(
    settings: Json, headers: dict[str, str], expected: tuple[bool, bool, str | None]
) -> None:
    gate = Gate(settings)
    enabled, authenticated, method = expected
    status = ask(gate, head(STATUS, headers, method="GET"))
    whoami = ask(gate, head(WHOAMI, headers, method="GET"))
    assert told(status) == {"enabled": enabled, "authenticated": authenticated}
    assert told(whoami) == {"enabled": enabled, "authenticated": authenticated, "method": method}
    assert status is not None
    assert ("cache-control", "no-store") in status.headers


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_health_needs_no_credential(method: str) -> None:
    reply = ask(Gate(), head(HEALTH, method=method))
    assert reply is not None
    assert (reply.status, told(reply)) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", LOGIN),
        ("GET", LOGOUT),
        ("POST", STATUS),
        ("DELETE", WHOAMI),
        ("POST", HEALTH),
        ("POST", f"{LOGIN}/x"),
        ("POST", "/api/agent-context/mcp"),
        ("GET", "/"),
    ],
)
def test_what_is_asked_of_somebody_else_is_not_answered(method: str, path: str) -> None:
    endpoints = AccessEndpoints(ACCESS, Gate().state, lambda: NOW)
    assert endpoints.answer(head(path, method=method), ..., Identity(), OFF) is None
