"""What is printed can be pasted."""

from __future__ import annotations

import json
import shlex
from typing import Any

from evalkit.contracts.agent_context.server.snippets import curl, describe

ORIGIN = "http://127.0.0.1:5555"
URL = "http://127.0.0.1:5555/api/agent-context/mcp"


def snippets(text: str) -> list[Any]:
    """The JSON documents in it: each starts at a line with a lone brace and ends at one."""
    lines, found, begun = text.splitlines(), [], 0
    for number, line in enumerate(lines):
        begun = number if line == "  {" else begun
        if line == "  }":
            found.append(json.loads("\n".join(lines[begun : number + 1])))
    return found


def test_the_url_comes_first() -> None:
    assert describe(ORIGIN, None).splitlines()[0] == f"Agent Tools are served at {URL}"


def test_clients_are_given_both_shapes_of_configuration() -> None:
    server = {"portos": {"type": "http", "url": URL}}
    assert snippets(describe(ORIGIN, None)) == [{"mcpServers": server}, {"servers": server}]


def test_with_a_password_a_client_sends_a_token() -> None:
    text = describe(ORIGIN, "/home/me/password")
    servers = [next(iter(one.values()))["portos"] for one in snippets(text)]
    assert [one["headers"] for one in servers] == [{"Authorization": "Bearer TOKEN"}] * 2
    assert f"{ORIGIN}/api/auth/login" in text


def test_the_line_to_try_is_one_that_a_shell_takes_apart_rightly() -> None:
    words = shlex.split(curl(URL, None))
    assert words[:3] == ["curl", "-sS", URL]
    assert words[3:7] == [
        *("-H", "Content-Type: application/json"),
        *("-H", "Accept: application/json, text/event-stream"),
    ]
    assert words[7] == "-d"
    assert json.loads(words[8]) == {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert len(words) == 9
