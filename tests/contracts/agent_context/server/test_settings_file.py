"""The settings are what the file says now, and a damaged file says so."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from evalkit.contracts.agent_context.access.configuration import DAMAGED, OFF, read_configuration
from evalkit.contracts.agent_context.server.settings_file import MOST_BYTES, SettingsFile, with_password
from evalkit.contracts.agent_context.settings import read_settings

LONG_AGO = 1_000_000_000_000_000_000  # nanoseconds


@pytest.fixture(name="file")
def file_fixture(tmp_path: Path) -> Path:
    return tmp_path / "settings.json"


def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every file look as if it had been written long ago."""
    monkeypatch.setattr(time, "time_ns", lambda: 2 * LONG_AGO)


def test_an_absent_file_is_absent_settings_with_the_gate_off(file: Path) -> None:
    document = SettingsFile(file)()
    assert document == {}
    assert read_configuration(document) == OFF
    assert not read_settings(document).enabled


def test_the_whole_document_comes_back(file: Path) -> None:
    document = {"agentContext": {"enabled": True}, "other": ["é"]}
    file.write_text(json.dumps(document), encoding="utf-8")
    assert SettingsFile(file)() == document


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" ",
        b'{"agentContext": {"enabled": tr',
        b"null",
        b"[]",
        b'"text"',
        b"1",
        b'\xef\xbb\xbf{"agentContext": {"enabled": true}}',
        b'{"a": "\xff"}',
        b'{"a": NaN}',
        b'{"a": [-Infinity]}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"{}" + b" " * MOST_BYTES,
    ],
    ids=[
        *("empty", "blank", "half", "null", "array", "text", "number", "byte-order mark", "no UTF-8"),
        *("no number", "no end", "deep array", "deep object", "long"),
    ],
)
def test_a_file_that_is_no_json_object_is_damaged_and_closes_the_gate(file: Path, text: bytes) -> None:
    file.write_bytes(text)
    document = SettingsFile(file)()
    assert isinstance(document, str)
    assert document
    assert read_configuration(document) == DAMAGED
    assert not read_settings(document).enabled


def test_a_damaged_file_gives_what_it_holds(file: Path) -> None:
    file.write_text("half a wor", encoding="utf-8")
    assert SettingsFile(file)() == "half a wor"


def test_a_folder_and_a_pipe_are_damaged_and_nobody_waits_for_them(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "a\0b", tmp_path / "pipe" / "below"):
        assert read_configuration(SettingsFile(path)()) == DAMAGED


def test_an_edit_holds_from_the_next_call_on(file: Path) -> None:
    settings = SettingsFile(file)
    for count in range(5):
        file.write_text(json.dumps({"count": count}), encoding="utf-8")
        assert settings() == {"count": count}


def test_an_edit_that_no_time_of_the_file_shows_is_seen(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('{"grant": 0}', encoding="utf-8")
    same = os.stat(file)
    monkeypatch.setattr(os, "stat", lambda _path: same)
    monkeypatch.setattr(os, "fstat", lambda _number: same)
    settings = SettingsFile(file)
    assert settings() == {"grant": 0}
    file.write_text('{"grant": 1}', encoding="utf-8")
    assert settings() == {"grant": 1}


def test_a_settled_file_is_read_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("{}", encoding="utf-8")
    settle(monkeypatch)
    settings = SettingsFile(file)
    first = settings()
    monkeypatch.setattr(os, "open", refuse_to_open)
    assert settings() is first


def refuse_to_open(*_: Any) -> int:
    raise AssertionError("it was read again")


def test_a_settled_file_that_is_replaced_is_read_again(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('{"old": 1}', encoding="utf-8")
    settle(monkeypatch)
    settings = SettingsFile(file)
    assert settings() == {"old": 1}
    other = file.with_name("other.json")
    other.write_text('{"new": 1}', encoding="utf-8")
    other.replace(file)
    assert settings() == {"new": 1}


def test_a_file_that_vanishes_is_damaged_until_it_is_back(file: Path) -> None:
    file.write_text("{}", encoding="utf-8")
    settings = SettingsFile(file)
    assert settings() == {}
    file.unlink()
    assert read_configuration(settings()) == DAMAGED
    file.write_text("{}", encoding="utf-8")
    assert settings() == {}


def test_a_document_that_was_given_does_not_change_under_its_reader(file: Path) -> None:
    file.write_text('{"grant": true}', encoding="utf-8")
    settings = SettingsFile(file)
    given = settings()
    file.write_text('{"grant": false}', encoding="utf-8")
    settings()
    assert given == {"grant": True}


def test_a_password_is_put_beside_what_the_file_says() -> None:
    document = {"agentContext": {}, "secrets": {"other": 1, "auth": {"enabled": False}}}
    stored = {"enabled": True, "passwordHash": "hash", "salt": "salt"}
    merged = with_password(lambda: document, stored)()
    assert merged == {"agentContext": {}, "secrets": {"other": 1, "auth": stored}}
    assert document["secrets"] == {"other": 1, "auth": {"enabled": False}}


@pytest.mark.parametrize("document", [{}, {"secrets": None}, {"secrets": []}])
def test_a_password_needs_no_secrets_in_the_file(document: Any) -> None:
    merged = with_password(lambda: document, {"enabled": True})()
    assert merged["secrets"] == {"auth": {"enabled": True}}


def test_a_password_does_not_heal_a_damaged_file() -> None:
    assert with_password(lambda: "half a wor", {"enabled": True})() == "half a wor"
