"""Tests for `adapters.agents`: who is at work, and for how long."""

from __future__ import annotations

from tests.contracts.agent_context.semantic.adapters.sem import Tools, sem

AGENT = {"taskId": "t", "agentId": "a", "description": "d", "phase": "p"}


def test_an_agent_is_shown_with_the_time_since_it_began() -> None:
    assert Tools().done("cos.agents.status") == {
        "count": 1,
        "agents": [
            {
                "taskId": "t1",
                "agentId": "a1",
                "description": "Sort the shelf",
                "phase": "implementing",
                "app": "Shelf",
                "elapsedMs": 245_000,  # from 03:00:00 to 03:04:05
            }
        ],
    }


def test_only_those_that_run_are_shown() -> None:
    agents = [
        {**AGENT, "agentId": "a", "startedAt": "2026-01-02T03:04:04.500Z", "status": "running"},
        {**AGENT, "agentId": "b", "startedAt": "2026-01-02T03:00:00Z", "status": "completed"},
        {**AGENT, "agentId": "c", "startedAt": "2026-01-02T03:00:00Z", "status": "failed"},
    ]
    given = Tools(sem(agents=agents)).done("cos.agents.status")
    assert (given["count"], given["agents"][0]["agentId"]) == (1, "a")
    assert (given["agents"][0]["elapsedMs"], given["agents"][0]["app"]) == (500, None)


def test_an_agent_that_begins_later_has_not_run_at_all() -> None:
    given = Tools(sem(agents=[{**AGENT, "startedAt": "2026-01-02T04:00:00Z"}])).done("cos.agents.status")
    assert given["agents"][0]["elapsedMs"] == 0
