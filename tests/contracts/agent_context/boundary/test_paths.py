"""Tests for `paths`: one spelling for gate and router, so that no other gets round either (spec B.2, B.4)."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.boundary.paths import normalise

MCP = "/api/agent-context/mcp"


@pytest.mark.parametrize("path", [MCP, f"{MCP}/", "/API/agent-context/MCP", "/Api/Agent-Context/Mcp/"])
def test_case_and_one_final_slash_do_not_matter(path: str) -> None:
    assert normalise(path) == MCP


@pytest.mark.parametrize(
    "path",
    [
        *(f"{MCP}//", f"/{MCP}", "/api//agent-context/mcp", "/api/./agent-context/mcp", f"{MCP}/."),
        *("/api/x/../agent-context/mcp", "/api\\agent-context\\mcp", "/api/agent-context%2fmcp"),
        *(
            "/api/agent-context/%6dcp",
            f"{MCP};x",
            f"{MCP}\0",
            f"{MCP} ",
            f"{MCP}.json",
            "api/agent-context/mcp",
        ),
        *(f"http://127.0.0.1{MCP}", "/api/agent-context/ｍcp", ""),
    ],
)
def test_no_other_spelling_is_repaired(path: str) -> None:
    assert normalise(path) != MCP


@pytest.mark.parametrize("path", ["/API//x", "/Api/../x", "/aPI/\\x", "/API/\u00e9", "/API/\u212a"])
def test_what_is_not_repaired_still_lies_where_the_gate_looks(path: str) -> None:
    assert normalise(path).startswith("/api/")


def test_only_ascii_letters_have_two_cases() -> None:
    assert normalise("/API/\u212a") == "/api/\u212a"
    assert normalise("/API/\u00c0Z") == "/api/\u00c0z"


def test_an_identifier_keeps_its_case() -> None:
    assert normalise("/API/Cos/Tools/Calls/Agent-MCP:K1/") == "/api/cos/tools/calls/Agent-MCP:K1"
    assert normalise("/API/Cos/Tools/Call/") == "/api/cos/tools/call"


@pytest.mark.parametrize("path", ["/", "/A/", "/api/cos/tools/calls/", "/api/cos/tools/calls/X/", f"{MCP}/"])
def test_a_path_of_one_spelling_stays_as_it_is(path: str) -> None:
    assert normalise(normalise(path)) == normalise(path)
