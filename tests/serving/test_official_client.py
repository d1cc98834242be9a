"""The official client of the protocol, in both its modes, against the agent tools as they are served."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from mcp import Client

from evalkit import drivers
from evalkit.model import Call
from evalkit.surfaces import Address, McpSurface
from tests.serving.serving import ENDPOINT, serving, settings_file

ARGUMENTS: Final[Mapping[str, Any]] = {
    "search_context": {"query": "a", "limit": 3},
    "get_context": {"ref": "navigation:nowhere"},
    "list_context": {"scope": "workspaces"},
    "resolve_navigation": {"query": "brain"},
    "context_profile": {},
    "brain_capture": {"text": "A thought"},
    "brain_search": {"query": "a"},
    "brain_recent": {"limit": 2},
    "health_log_drink": {"name": "beer"},
    "health_log_nicotine": {"product": "pouch"},
    "health_today": {},
    "health_log_weight": {"weight": 80, "unit": "kg"},
    "health_log_workout": {"type": "walk", "durationMinutes": 20},
    "goals_list": {},
    "goals_update_progress": {"goalQuery": "a", "progress": 50},
    "goals_log_note": {"goalQuery": "a", "note": "Went well"},
    "system_processes_status": {},
    "feeds_digest": {},
    "feeds_mark_read": {"all": True},
    "journal_append": {"text": "It rained"},
    "journal_read": {},
    "time_now": {},
    "calendar_today": {},
    "calendar_next": {},
    "weather_now": {},
    "cos_agents_status": {},
    "catalog_search": {"query": "a"},
}
"""Every tool of the server, and what it is asked."""

MOVING: Final = {"requestId", "elapsedMs", "iso", "time"}
"""What is another in each run: times, and names drawn at random."""


def still(value: Any) -> Any:
    """A result without what moves."""
    if isinstance(value, dict):
        return {key: still(one) for key, one in value.items() if key not in MOVING}
    return [still(one) for one in value] if isinstance(value, list) else value


def by_the_official_client(url: str, mode: Any) -> tuple[list[Any], dict[str, Any]]:
    """The tools as they are listed, and the structured result of each."""

    async def ask() -> tuple[list[Any], dict[str, Any]]:
        async with Client(url, mode=mode) as client:
            listed = await client.list_tools()
            tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]
            results = {}
            for name, arguments in ARGUMENTS.items():
                result = await client.call_tool(name, arguments)
                assert not result.is_error, (name, result.content)
                results[name] = still(result.structured_content)
            return tools, results

    return asyncio.run(ask())


def by_ours(origin: str) -> tuple[list[Any], dict[str, Any]]:
    """The same, by evalkit's own driver."""
    driver = drivers.find("mcp")
    assert driver is not None
    session = driver.open(McpSurface(Address(origin), ENDPOINT))
    try:
        tools = session.send(Call("manifest", {})).roots["manifest"]["tools"]
        results = {}
        for name, arguments in ARGUMENTS.items():
            roots = session.send(Call("tool", {"tool": name, "args": arguments})).roots
            assert "isError" not in roots["toolResult"], roots["toolResult"]
            results[name] = still(roots["output"])
        return tools, results
    finally:
        session.close()


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_lists_and_calls_every_tool_as_we_do(tmp_path: Path, mode: str) -> None:
    settings = settings_file(tmp_path)
    with serving("--demo", "--settings", settings) as server:
        tools, results = by_the_official_client(server.url, mode)
    with serving("--demo", "--settings", settings) as server:
        our_tools, our_results = by_ours(server.url.removesuffix(ENDPOINT))

    assert [tool["name"] for tool in tools] == [tool["name"] for tool in our_tools]
    assert {tool["name"] for tool in tools} == ARGUMENTS.keys()
    assert tools == our_tools
    for one in (results, our_results):
        del one["time_now"]["result"]["summary"]  # it tells the time
    assert results == our_results
