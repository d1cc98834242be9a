"""Tests for `policy`: who is let in, in which order it is decided, and what is never said."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from evalkit.contracts.agent_context.access import policy
from evalkit.contracts.agent_context.access.nouns import Identity
from evalkit.contracts.agent_context.access.passwords import Cost, hash_password
from evalkit.contracts.agent_context.access.policy import ACCESS
from evalkit.contracts.agent_context.exchange import Reply
from evalkit.model import Json
from tests.contracts.agent_context.access.asking import (
    AUTH,
    BROKEN,
    EVIL,
    MCP,
    NOW,
    OFF,
    ON,
    PASSWORD,
    SALT,
    TOKEN,
    WRONG,
    Gate,
    basic,
    bearer,
    cookie,
    head,
    outcome,
)

NOBODY = (False, False, None)
SESSION = (True, True, "session")
BASIC = (True, True, "basic")
REFUSED = (401, "AUTH_REQUIRED")
MANIFEST = "/api/agent-context/manifest"


class Counted:
    """The real check of a password, counted."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, password: str, password_hash: str, salt: str) -> bool:
        self.calls += 1
        return ACCESS.is_password(password, password_hash, salt)


@pytest.mark.parametrize("settings", [None, OFF, {"secrets": {"auth": {**AUTH, "enabled": False}}}])
def test_without_a_password_everybody_passes_and_is_nobody(settings: Json) -> None:
    gate = Gate(settings)
    assert outcome(gate.ask(head())) == NOBODY
    assert outcome(gate.ask(head(headers=bearer()))) == NOBODY
    assert outcome(gate.ask(head(headers={"origin": EVIL}))) == NOBODY


@pytest.mark.parametrize("path", [MCP, MANIFEST, "/api/cos/tools/call", "/api/nothing", "/sdapi/x"])
def test_h_auth_none_without_a_credential_nobody_passes(path: str) -> None:
    assert outcome(Gate().ask(head(path))) == REFUSED


@pytest.mark.parametrize("value", [f"Bearer {TOKEN}", f"bearer {TOKEN}", f"  Bearer   {TOKEN}  "])
def test_h_auth_bearer_passes(value: str) -> None:
    assert outcome(Gate().ask(head(headers={"authorization": value}))) == SESSION


def test_h_auth_cookie_passes() -> None:
    assert outcome(Gate().ask(head(headers=cookie()))) == SESSION


@pytest.mark.parametrize("user", ["any:", "üser:", ":"])
def test_h_auth_basic_passes_with_a_colon_and_more_than_ascii(user: str) -> None:
    assert outcome(Gate().ask(head(headers=basic(user + PASSWORD)))) == BASIC


@pytest.mark.parametrize(
    "headers",
    [
        bearer("wrong"),
        bearer(TOKEN.upper()),
        bearer(ACCESS.hash_token(TOKEN)),
        cookie("wrong"),
        basic(f"any:{WRONG}"),
        basic(f"{PASSWORD}:"),
        basic(f"any:{AUTH['passwordHash']}"),
        bearer(PASSWORD),
        basic(f"any:{TOKEN}"),
        {"authorization": "Basic !!!"},
        {"authorization": TOKEN},
        {"x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1"},
    ],
)
def test_h_auth_bad_does_not_pass(headers: dict[str, str]) -> None:
    assert outcome(Gate().ask(head(headers=headers))) == REFUSED


def test_h_auth_bad_an_ended_session_does_not_pass() -> None:
    gate = Gate()
    gate.time = NOW + 3599.9
    assert outcome(gate.ask(head(headers=bearer()))) == SESSION
    gate.time = NOW + 3600
    assert outcome(gate.ask(head(headers=bearer()))) == REFUSED


def test_h_auth_cookie_shadow_a_wrong_cookie_beats_a_good_bearer() -> None:
    assert outcome(Gate().ask(head(headers={**cookie("wrong"), **bearer()}))) == REFUSED


def test_h_auth_cookie_shadow_a_malformed_cookie_is_none() -> None:
    assert outcome(Gate().ask(head(headers={**cookie("%E0"), **bearer()}))) == SESSION


def test_a_wrong_token_does_not_hide_the_password() -> None:
    assert outcome(Gate().ask(head(headers={**cookie("wrong"), **basic()}))) == BASIC


@pytest.mark.parametrize("path", [MCP, "/api/auth/status", "/api/auth/login", "/", "/data/x"])
@pytest.mark.parametrize("credential", [bearer, cookie, basic, dict])
def test_h_auth_csrf_first_another_site_is_refused_whatever_it_asks_and_brings(
    path: str, credential: Callable[[], dict[str, str]]
) -> None:
    asked = head(path, {**credential(), "origin": EVIL})
    assert outcome(Gate().ask(asked)) == (403, "CROSS_ORIGIN_BLOCKED")


def test_a_page_at_another_port_of_this_machine_passes() -> None:
    asked = head(headers={**bearer(), "origin": "http://localhost:3000"})
    assert outcome(Gate().ask(asked)) == SESSION


@pytest.mark.parametrize("path", ["/api/auth/status", "/api/auth/whoami", "/api/system/health", "/", "/x.js"])
def test_h_auth_exempt_passes_and_knows_who_comes(path: str) -> None:
    gate = Gate()
    assert outcome(gate.ask(head(path))) == (True, False, None)
    assert outcome(gate.ask(head(path, bearer("wrong")))) == (True, False, None)
    assert outcome(gate.ask(head(path, bearer()))) == SESSION
    assert outcome(gate.ask(head(path, basic()))) == BASIC


def test_data_is_refused_in_plain_text() -> None:
    answer = Gate().ask(head("/data/x.png"))
    assert isinstance(answer, Reply)
    assert (answer.status, answer.body) == (401, b"Authentication required")
    assert outcome(Gate().ask(head("/data/x.png", bearer()))) == SESSION


@pytest.mark.parametrize(
    "settings",
    [
        "{ broken",
        [],
        ...,
        BROKEN,
        {"secrets": {"auth": {**AUTH, "passwordHash": "zz"}}},
        {"secrets": {"auth": {**AUTH, "passwordHash": f"scrypt:1073741824:8:1:{'ab' * 64}"}}},
    ],
)
def test_h_corrupt_settings_let_nobody_in(settings: Json) -> None:
    gate = Gate(settings)
    for headers in ({}, bearer(), cookie(), basic(), basic("any:"), basic("any:zz")):
        assert outcome(gate.ask(head(headers=headers))) == REFUSED
    assert outcome(gate.ask(head("/api/auth/status", bearer()))) == (True, False, None)


def test_a_password_is_not_tried_where_the_settings_are_damaged() -> None:
    counted = Counted()
    gate = Gate(BROKEN, ACCESS._replace(is_password=counted))
    for _ in range(20):
        assert outcome(gate.ask(head(headers=basic()))) == REFUSED
    assert counted.calls == 0


def test_a_right_password_is_hashed_once_a_minute() -> None:
    counted = Counted()
    gate = Gate(rules=ACCESS._replace(is_password=counted))
    for later in (0.0, 1.0, 59.9):
        gate.time = NOW + later
        assert outcome(gate.ask(head(headers=basic()))) == BASIC
    assert counted.calls == 1
    gate.time = NOW + 60
    assert outcome(gate.ask(head(headers=basic()))) == BASIC
    assert counted.calls == 2


def test_a_wrong_password_is_hashed_each_time() -> None:
    counted = Counted()
    gate = Gate(rules=ACCESS._replace(is_password=counted))
    gate.ask(head(headers=basic()))
    for _ in range(3):
        assert outcome(gate.ask(head(headers=basic(f"any:{WRONG}")))) == REFUSED
    assert counted.calls == 4


def test_many_threads_try_one_password_at_a_time_and_no_more_than_ten_wrong_ones() -> None:
    counted, inside, most = Counted(), [0], [0]

    def check(password: str, password_hash: str, salt: str) -> bool:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        right = counted(password, password_hash, salt)
        inside[0] -= 1
        return right

    gate = Gate(rules=ACCESS._replace(is_password=check))
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(gate.ask, [head(headers=basic(f"any:{WRONG}"))] * 100))
    assert (counted.calls, most) == (10, [1])
    assert sorted(map(outcome, answers)) == [REFUSED] * 10 + [(429, "AUTH_RATE_LIMITED")] * 90


def test_a_changed_password_is_asked_for_at_once() -> None:
    gate = Gate()
    assert outcome(gate.ask(head(headers=basic()))) == BASIC
    changed = {**AUTH, "passwordHash": hash_password(WRONG, SALT, Cost(2, 1, 1))}
    gate.settings = {"secrets": {"auth": changed}}
    assert outcome(gate.ask(head(headers=basic()))) == REFUSED
    assert outcome(gate.ask(head(headers=basic(f"any:{WRONG}")))) == BASIC


def test_guesses_do_not_go_round_the_throttle_by_basic() -> None:
    gate = Gate()
    gate.ask(head(headers=basic()))
    for _ in range(10):
        assert outcome(gate.ask(head(headers=basic(f"any:{WRONG}")))) == REFUSED
    limited = (429, "AUTH_RATE_LIMITED")
    assert outcome(gate.ask(head(headers=basic(f"any:{WRONG}")))) == limited
    assert outcome(gate.ask(head(headers=basic()))) == limited
    assert outcome(gate.ask(head(headers=bearer()))) == SESSION
    assert outcome(gate.ask(head("/api/auth/status", basic()))) == (True, False, None)
    assert outcome(gate.ask(head(headers=basic(), peer="192.0.2.7"))) == BASIC
    gate.time = NOW + 60
    assert outcome(gate.ask(head(headers=basic()))) == BASIC


def test_the_throttle_looks_at_the_connection_and_at_no_header() -> None:
    gate = Gate()
    for number in range(10):
        forwarded = {"x-forwarded-for": f"192.0.2.{number}", "forwarded": f"for=192.0.2.{number}"}
        gate.ask(head(headers={**basic(f"any:{WRONG}"), **forwarded}))
    asked = head(headers={**basic(), "x-forwarded-for": "192.0.2.99"})
    assert outcome(gate.ask(asked)) == (429, "AUTH_RATE_LIMITED")


def test_a_wrong_token_is_no_failure_of_a_password() -> None:
    gate = Gate()
    for _ in range(20):
        gate.ask(head(headers=bearer("wrong")))
    assert outcome(gate.ask(head(headers=basic()))) == BASIC


def test_the_head_alone_decides_and_the_time_is_asked_once() -> None:
    times = iter((NOW,))
    gate = Gate()
    asked = head(headers=bearer())
    assert policy.admit(ACCESS, gate.state, asked, ON, times.__next__) == Identity(True, True, "session")


@pytest.mark.parametrize("headers", [bearer(), cookie(), basic(), basic(f"any:{WRONG}")])
def test_no_refusal_says_what_was_shown(headers: dict[str, str]) -> None:
    for settings, origin in ((BROKEN, ""), (ON, EVIL)):
        answer = Gate(settings).ask(head(headers={**headers, "origin": origin}))
        assert isinstance(answer, Reply)
        for secret in (TOKEN, PASSWORD, WRONG, *headers.values()):
            assert secret not in repr(answer)
