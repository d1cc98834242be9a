"""Tests for `rules`: each rule of the gate can be replaced, and its replacement is what decides."""

from __future__ import annotations

from evalkit.contracts.agent_context.access.policy import ACCESS
from tests.contracts.agent_context.access.asking import Gate, basic, bearer, cookie, head, outcome


def test_a_bearer_that_outruns_the_cookie_can_be_told() -> None:
    headers = {**cookie("wrong"), **bearer()}
    broken = ACCESS._replace(presented_token=lambda sent: sent["authorization"].removeprefix("Bearer "))
    assert outcome(Gate().ask(head(headers=headers))) == (401, "AUTH_REQUIRED")
    assert outcome(Gate(rules=broken).ask(head(headers=headers))) == (True, True, "session")


def test_a_gate_that_knows_no_exemption_can_be_told() -> None:
    broken = ACCESS._replace(is_exempt=lambda path: False)
    assert outcome(Gate(rules=broken).ask(head("/api/auth/status"))) == (401, "AUTH_REQUIRED")


def test_a_gate_with_no_decision_lets_nobody_in() -> None:
    broken = ACCESS._replace(gate=())
    assert outcome(Gate(settings={}, rules=broken).ask(head(headers=basic()))) == (401, "AUTH_REQUIRED")
