"""Tests for `proofs`: a right password is right for a minute, under the configuration it was right under."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.access.nouns import Configuration
from evalkit.contracts.agent_context.access.proofs import is_proven, prove
from tests.contracts.agent_context.access.asking import NOW, PASSWORD, WRONG

THIS = Configuration(True, "ab" * 64, "cd" * 16)


def test_nothing_is_proven_without_a_proof() -> None:
    assert not is_proven(None, THIS, PASSWORD, NOW)


@pytest.mark.parametrize(
    ("later", "expected"), [(0, True), (59.9, True), (60, False), (3600, False), (-0.1, False)]
)
def test_a_proof_holds_for_a_minute(later: float, expected: bool) -> None:
    assert is_proven(prove(THIS, PASSWORD, NOW), THIS, PASSWORD, NOW + later) is expected


def test_a_proof_is_of_one_password() -> None:
    assert not is_proven(prove(THIS, PASSWORD, NOW), THIS, WRONG, NOW)


@pytest.mark.parametrize(
    "other", [THIS._replace(salt="ee" * 16), THIS._replace(password_hash="cd" * 64), Configuration()]
)
def test_a_proof_ends_when_the_settings_change(other: Configuration) -> None:
    assert not is_proven(prove(THIS, PASSWORD, NOW), other, PASSWORD, NOW)


def test_a_proof_does_not_hold_the_password() -> None:
    assert PASSWORD not in repr(prove(THIS, PASSWORD, NOW))
    assert PASSWORD.encode() not in prove(THIS, PASSWORD, NOW).digest
