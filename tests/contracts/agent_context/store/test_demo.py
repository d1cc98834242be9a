"""Tests for `store.demo`: sample data that shows every tool something, and nobody's secrets."""

from __future__ import annotations

import json
import re
from datetime import date
from importlib.resources import files

import jsonschema
import pytest

from evalkit.contracts.agent_context.redaction import redact
from evalkit.contracts.agent_context.store.demo import demo
from evalkit.contracts.agent_context.store.memory import collections
from evalkit.model import Json
from tests.contracts.agent_context.semantic.adapters.sem import Tools

TODAY = date(2026, 1, 2)
SCHEMA: Json = json.loads(
    files("evalkit.contracts.agent_context").joinpath("fixture.schema.json").read_text(encoding="utf-8")
)


def test_the_sample_data_is_a_fixture() -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(demo(TODAY))


def test_every_scope_and_collection_holds_something() -> None:
    sample = demo(TODAY)
    assert all(sample[scope] for scope in ("navigation", "workspaces", "brain", "identity"))
    assert all(rows for rows in collections(sample).values())


@pytest.mark.parametrize(
    ("tool", "field"),
    [
        ("brain.recent", "count"),
        ("goals.list", "count"),
        ("system.processes.status", "online"),
        ("feeds.digest", "totalUnread"),
        ("journal.read", "segments"),
        ("calendar.today", "count"),
        ("calendar.next", "found"),
        ("weather.now", "temperatureF"),
        ("cos.agents.status", "count"),
    ],
)
def test_a_tool_has_something_to_show_on_the_day(tool: str, field: str) -> None:
    assert Tools(demo(TODAY)).done(tool)[field]


def test_the_dates_move_with_the_day() -> None:
    assert "2026-01" not in json.dumps(demo(date(2031, 7, 15)))


def test_nothing_in_it_looks_private() -> None:
    texts = re.findall(r'"((?:[^"\\]|\\.)*)"', json.dumps(demo(TODAY), ensure_ascii=False))
    assert [text for text in texts if redact(text, 1000) != text.strip()] == []
