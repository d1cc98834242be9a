"""Tests for `configuration`: off unless all is there, and shut where anything is damaged."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.access.configuration import read_configuration
from evalkit.contracts.agent_context.access.nouns import Configuration
from evalkit.model import Json

HASH, SALT = "ab" * 64, "cd" * 16
WHOLE = {"enabled": True, "passwordHash": HASH, "salt": SALT}


def auth(**changes: Json) -> Json:
    return {"secrets": {"auth": {**WHOLE, **changes}}}


def without(key: str) -> Json:
    return {"secrets": {"auth": {name: value for name, value in WHOLE.items() if name != key}}}


@pytest.mark.parametrize(
    "document", [None, {}, {"secrets": None}, {"secrets": {}}, {"secrets": {"auth": None}}, {"auth": WHOLE}]
)
def test_without_a_word_about_a_password_there_is_none(document: Json) -> None:
    assert read_configuration(document) == Configuration(
        enabled=False, password_hash="", salt="", damaged=False
    )


def test_all_three_together_ask_for_a_password() -> None:
    assert read_configuration(auth()) == Configuration(
        enabled=True, password_hash=HASH, salt=SALT, damaged=False
    )


def test_what_else_stands_beside_them_is_no_damage() -> None:
    assert read_configuration(auth(updatedAt="2026-01-02")).password_hash == HASH


@pytest.mark.parametrize("key", ["enabled", "passwordHash", "salt"])
def test_without_one_of_the_three_it_is_off(key: str) -> None:
    assert read_configuration(without(key)) == Configuration()
    assert read_configuration(auth(**{key: None})) == Configuration()


@pytest.mark.parametrize("document", [auth(enabled=False), auth(passwordHash=""), auth(salt="")])
def test_one_of_the_three_false_or_empty_is_off(document: Json) -> None:
    assert read_configuration(document) == Configuration()


@pytest.mark.parametrize(
    "document",
    [
        pytest.param([], id="a list for a document"),
        pytest.param("{", id="text for a document"),
        pytest.param(5, id="a number for a document"),
        pytest.param(False, id="false for a document"),
        pytest.param(..., id="no document could be read"),
        {"secrets": []},
        {"secrets": "x"},
        {"secrets": False},
        {"secrets": {"auth": []}},
        {"secrets": {"auth": "on"}},
        {"secrets": {"auth": False}},
        auth(enabled="true"),
        auth(enabled=1),
        auth(enabled=0),
        auth(enabled=""),
        auth(passwordHash=5),
        auth(passwordHash=False),
        auth(passwordHash=[HASH]),
        auth(salt={}),
        auth(salt=0),
        auth(enabled=False, salt=0),
    ],
)
def test_damage_anywhere_is_on_and_nothing_matches(document: Json) -> None:
    assert read_configuration(document) == Configuration(
        enabled=True, password_hash="", salt="", damaged=True
    )
