"""Requests, settings and a gate for the tests of access; nothing here looks like a secret to a scanner."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping

from evalkit.contracts.agent_context.access.nouns import AccessState, Identity
from evalkit.contracts.agent_context.access.passwords import Cost, hash_password
from evalkit.contracts.agent_context.access.policy import ACCESS, admit
from evalkit.contracts.agent_context.access.rules import AccessRules
from evalkit.contracts.agent_context.access.sessions import MemorySessions
from evalkit.contracts.agent_context.access.tokens import hash_token
from evalkit.contracts.agent_context.exchange import Head, Reply
from evalkit.model import Json

PASSWORD = "-".join(("open", "sesame:é"))
WRONG = PASSWORD.upper()
TOKEN = "t" * 20
OTHER_TOKEN = "u" * 20
SALT = "00ff" * 8
NOW = 1_700_000_000.0
MCP = "/api/agent-context/mcp"
EVIL = "https://evil.example"

AUTH = {"enabled": True, "passwordHash": hash_password(PASSWORD, SALT, Cost(2, 1, 1)), "salt": SALT}
ON: Json = {"secrets": {"auth": AUTH}}
OFF: Json = {}
BROKEN: Json = {"secrets": {"auth": {**AUTH, "salt": 5}}}


def head(
    path: str = MCP,
    headers: Mapping[str, str] | None = None,
    *,
    method: str = "POST",
    query: str = "",
    peer: str = "127.0.0.1",
) -> Head:
    return Head(method, path, query, {"host": "127.0.0.1:5555", **(headers or {})}, peer)


def bearer(token: str = TOKEN) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def cookie(token: str = TOKEN) -> dict[str, str]:
    return {"cookie": f"theme=dark; portos_auth={token}; x=1"}


def basic(text: str = f"any:{PASSWORD}") -> dict[str, str]:
    return {"authorization": f"Basic {base64.b64encode(text.encode()).decode()}"}


class Gate:
    """A gate with one live session, at a time that a test can move."""

    def __init__(self, settings: Json = ON, rules: AccessRules = ACCESS) -> None:
        self.sessions = MemorySessions()
        self.sessions.add(hash_token(TOKEN), NOW + 3600)
        self.state = AccessState(self.sessions, iter((OTHER_TOKEN, "v" * 20)).__next__)
        self.settings = settings
        self.rules = rules
        self.time = NOW

    def now(self) -> float:
        return self.time

    def ask(self, asked: Head) -> Reply | Identity:
        return admit(self.rules, self.state, asked, self.settings, self.now)


def outcome(answer: Reply | Identity) -> Json:
    """Who is let in, or the status and the code of the refusal."""
    if isinstance(answer, Identity):
        return tuple(answer)
    return answer.status, told(answer)["code"]


def told(reply: Reply | None) -> Json:
    """The JSON body of a reply that must be there."""
    assert reply is not None
    return json.loads(reply.body)
