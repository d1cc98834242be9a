"""Tests for `adapters.processes`: what is well, what is not, and what was closed."""

from __future__ import annotations

from tests.contracts.agent_context.semantic.adapters.sem import Tools, sem


def test_a_closed_desktop_app_is_not_unhealthy() -> None:
    assert Tools().done("system.processes.status") == {
        "total": 3,
        "online": 1,
        "unhealthy": [{"name": "worker", "status": "errored", "restarts": 7}],
        "desktopExited": ["viewer"],
    }


def test_a_desktop_app_that_broke_is_unhealthy_and_so_is_a_server_that_stopped() -> None:
    processes = [
        {"name": "viewer", "status": "errored", "desktop": True},
        {"name": "web", "status": "stopped"},
        {"name": "editor", "status": "online", "desktop": True},
    ]
    given = Tools(sem(processes=processes)).done("system.processes.status")
    assert [process["name"] for process in given["unhealthy"]] == ["viewer", "web"]
    assert (given["online"], given["desktopExited"]) == (1, [])
    assert given["unhealthy"][0]["restarts"] == 0
