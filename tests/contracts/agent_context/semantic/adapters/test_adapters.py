"""The table of adapters: every tool has one, and those that read write nothing."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from evalkit.contracts.agent_context.semantic.adapters import ADAPTERS
from evalkit.contracts.agent_context.store import COLLECTIONS
from evalkit.model import Json
from tests.contracts.agent_context.semantic.adapters.sem import Tools

READING: dict[str, Json] = {
    "brain.search": {"query": "a"},
    "brain.recent": {},
    "health.today": {},
    "goals.list": {},
    "system.processes.status": {},
    "feeds.digest": {},
    "journal.read": {},
    "time.now": {},
    "calendar.today": {},
    "calendar.next": {},
    "weather.now": {},
    "cos.agents.status": {},
    "catalog.search": {"query": "a"},
}
WRITING: dict[str, Json] = {
    "brain.capture": {"text": "a"},
    "health.log.drink": {"name": "beer"},
    "health.log.nicotine": {"product": "pouch"},
    "health.log.weight": {"weight": 150},
    "health.log.workout": {"type": "run"},
    "goals.update-progress": {"goalQuery": "run", "progress": 5},
    "goals.log-note": {"goalQuery": "run", "note": "a"},
    "feeds.mark-read": {"query": "comet"},
    "journal.append": {"text": "a"},
}


def test_all_22_tools_have_an_adapter() -> None:
    assert len(ADAPTERS) == 22
    assert set(ADAPTERS) == {*READING, *WRITING}


@pytest.mark.parametrize("tool", READING)
def test_a_reading_tool_writes_nothing(tool: str) -> None:
    tools = Tools()
    before = tools.store.snapshot()
    tools.done(tool, **READING[tool])
    assert (tools.effects, tools.store.snapshot()) == ([], before)


@pytest.mark.parametrize("tool", WRITING)
def test_a_writing_tool_writes_once(tool: str) -> None:
    tools = Tools()
    tools.done(tool, **WRITING[tool])
    assert len(tools.effects) == 1


@pytest.mark.parametrize("tool", [*READING, *WRITING])
def test_what_a_tool_gives_is_a_json_object_that_begins_with_ok_and_summary(tool: str) -> None:
    given = Tools().call(tool, **{**READING, **WRITING}[tool])
    assert list(given)[:2] == ["ok", "summary"]
    assert json.loads(json.dumps(given)) == given


@pytest.mark.parametrize("tool", [*READING, *WRITING])
def test_a_tool_can_be_called_on_a_store_that_holds_nothing(tool: str) -> None:
    given = Tools({}).call(tool, **{**READING, **WRITING}[tool])
    assert given["ok"] is (
        tool not in ("goals.update-progress", "goals.log-note", "feeds.mark-read", "weather.now")
    )


@pytest.mark.parametrize("tool", [*READING, *WRITING])
def test_a_field_that_no_tool_knows_is_given_by_none(tool: str) -> None:
    private = {"secret": "FORBIDDEN", "FORBIDDEN": 1}
    plain = Tools().fixture["semantic"]
    rows = {
        name: [{**row, **private} for row in held] if isinstance(held, list) else held
        for name, held in plain.items()
    }
    given = Tools({"semantic": rows}).call(tool, **{**READING, **WRITING}[tool])
    assert "FORBIDDEN" not in json.dumps(given)


@pytest.mark.parametrize("tool", sorted({*READING, *WRITING} - {"time.now"}))
def test_a_broken_collection_fails_the_tool_that_asks_it(tool: str) -> None:
    tools = Tools({"semantic": {"errors": list(COLLECTIONS), "errorText": "broken"}})
    with pytest.raises(Exception, match="broken"):
        tools.call(tool, **{**READING, **WRITING}[tool])
    assert tools.effects == []


def test_the_adapters_load_neither_time_zones_nor_strptime() -> None:
    code = (
        "import sys, evalkit.contracts.agent_context.store.memory, "
        "evalkit.contracts.agent_context.semantic.adapters\n"
        "print([name for name in ('zoneinfo', '_strptime', 'asyncio', 'sqlite3') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
