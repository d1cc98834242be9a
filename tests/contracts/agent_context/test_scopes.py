"""Tests for `scopes`: who may look where."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.scopes import choose_scopes, is_enabled, is_open, scope_of
from evalkit.contracts.agent_context.vocabulary import Settings


def test_only_enabled_and_valid_settings_open_the_contract() -> None:
    assert is_open(Settings(enabled=True))
    assert not is_open(Settings())
    assert not is_open(Settings(enabled=True, valid=False))


def test_a_search_looks_where_it_asks_to_or_where_it_may() -> None:
    assert choose_scopes(["brain", "navigation"], ("navigation", "brain")) == ("brain", "navigation")
    assert choose_scopes(None, ("navigation", "brain")) == ("navigation", "brain")


def test_a_scope_is_enabled_if_it_is_configured() -> None:
    assert is_enabled("brain", ("navigation", "brain"))
    assert not is_enabled("brain", ("navigation",))
    assert not is_enabled("vault", ("navigation", "brain"))


@pytest.mark.parametrize(
    ("ref", "scope"), [("brain:ideas:x", "brain"), (":x", ""), ("brain", "brain"), ("BRAIN:x", "BRAIN")]
)
def test_a_reference_names_its_scope_before_the_first_colon(ref: str, scope: str) -> None:
    assert scope_of(ref) == scope
