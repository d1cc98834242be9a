"""Tests for `refusals`: what the gate answers, to the byte."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.access import refusals
from tests.contracts.agent_context.access.asking import told


def test_the_codes_and_texts_are_those_of_the_specification() -> None:
    cross, missing = refusals.cross_origin(1.5), refusals.unauthenticated("/api/x", 1.5)
    assert (cross.status, told(cross)) == (
        403,
        {"error": "Cross-origin request rejected", "code": "CROSS_ORIGIN_BLOCKED", "timestamp": 1500},
    )
    assert (missing.status, told(missing)) == (
        401,
        {"error": "Authentication required", "code": "AUTH_REQUIRED", "timestamp": 1500},
    )


@pytest.mark.parametrize("path", ["/data/x.png", "/data"])
def test_data_gets_plain_text(path: str) -> None:
    assert refusals.unauthenticated(path, 0) == (
        401,
        (("content-type", "text/plain; charset=utf-8"),),
        b"Authentication required",
    )


def test_too_many_failures_are_a_429() -> None:
    reply = refusals.rate_limited(2)
    assert (reply.status, told(reply)["code"]) == (429, "AUTH_RATE_LIMITED")


def test_no_refusal_asks_a_browser_for_a_password() -> None:
    replies = (refusals.cross_origin(0), refusals.unauthenticated("/api/x", 0), refusals.rate_limited(0))
    assert all(name != "www-authenticate" for reply in replies for name, _ in reply.headers)
