"""Tests for `settings`: what is not exactly right closes the contract."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.settings import read_settings
from evalkit.contracts.agent_context.vocabulary import Settings
from evalkit.model import Json

FAILED_CLOSED = Settings(
    enabled=False, valid=False, profile="metadata", scopes=("navigation", "workspaces"), read_portos=False
)


@pytest.mark.parametrize("document", [None, {}, {"agentContext": None}, {"other": 1}, [], "x", 5])
def test_an_absent_slice_is_valid_and_disabled(document: Json) -> None:
    assert read_settings(document) == Settings(
        enabled=False, valid=True, profile="metadata", scopes=("navigation", "workspaces")
    )


def test_enabled_alone_takes_every_default() -> None:
    assert read_settings({"agentContext": {"enabled": True}}) == Settings(
        enabled=True, valid=True, profile="metadata", scopes=("navigation", "workspaces")
    )


def test_everything_that_is_said_is_taken_in_the_order_said() -> None:
    slice_ = {
        "enabled": True,
        "profile": "summary",
        "scopes": ["identity", "navigation"],
        "actions": {"writePortos": True},
    }
    assert read_settings({"agentContext": slice_}) == Settings(
        enabled=True, profile="summary", scopes=("identity", "navigation"), write_portos=True
    )


@pytest.mark.parametrize(
    "slice_",
    [
        {"x": 1},
        {"scopes": ["brain", "brain"]},
        {"scopes": []},
        {"scopes": ["vault"]},
        {"scopes": "brain"},
        {"scopes": {"brain": True}},
        {"scopes": [["brain"]]},
        {"scopes": None},
        {"enabled": "true"},
        {"enabled": 1},
        {"enabled": None},
        {"profile": "full"},
        {"profile": ["summary"]},
        {"profile": None},
        {"actions": {"readPortos": "yes"}},
        {"actions": {"readPortos": 1}},
        {"actions": {"shell": True}},
        {"actions": []},
        {"actions": None},
    ],
)
def test_one_wrong_thing_discards_the_whole_slice(slice_: Json) -> None:
    good = {"enabled": True, "profile": "summary", "scopes": ["brain"], "actions": {"readPortos": True}}
    assert read_settings({"agentContext": {**good, **slice_}}) == FAILED_CLOSED


@pytest.mark.parametrize("slice_", [[], "on", True, False, 0, "", [1]])
def test_a_slice_that_is_no_object_is_discarded(slice_: Json) -> None:
    assert read_settings({"agentContext": slice_}) == FAILED_CLOSED
