"""What is printed when the server listens: where it is, a line to try, what clients take as configuration."""

from __future__ import annotations

import json
import shlex
from typing import Final

ENDPOINT: Final = "/api/agent-context/mcp"

_ASK: Final = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'


def describe(origin: str, password_file: str | None) -> str:
    """The whole text; `origin` is scheme, host and port. The password itself stands nowhere in it."""
    url = origin + ENDPOINT
    secret = "" if password_file is None else _credentials(origin)
    return (
        f"Agent Tools are served at {url}\n\n"
        f"Try it:\n\n  {curl(url, password_file)}\n\n"
        f"For clients that take `mcpServers` (Claude, Cursor and others):\n\n"
        f"{_indented('mcpServers', url, password_file)}\n\n"
        f"For VS Code (.vscode/mcp.json):\n\n"
        f"{_indented('servers', url, password_file)}\n{secret}\n"
        f"Ctrl-C stops it.\n"
    )


def curl(url: str, password_file: str | None) -> str:
    """A command that lists the tools."""
    words = ["curl", "-sS", url]
    words += ["-H", "Content-Type: application/json"]
    words += ["-H", "Accept: application/json, text/event-stream"]
    words += ["-d", _ASK]
    line = shlex.join(words)
    if password_file is None:
        return line
    return f'{line} -u "portos:$(head -n 1 {shlex.quote(password_file)})"'


def _indented(key: str, url: str, password_file: str | None) -> str:
    server: dict[str, object] = {"type": "http", "url": url}
    if password_file is not None:
        server["headers"] = {"Authorization": "Bearer TOKEN"}
    text = json.dumps({key: {"portos": server}}, indent=2)
    return "\n".join(f"  {line}" for line in text.splitlines())


def _credentials(origin: str) -> str:
    return (
        f'\nA password is asked for: a POST of {{"password": "…"}} to {origin}/api/auth/login gives TOKEN,\n'
        f"and `Authorization: Basic …` with any user name and the password needs none.\n"
    )
