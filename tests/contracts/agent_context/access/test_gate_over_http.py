"""Tests of the gate in its place, before the body and before every route of the app (spec B.1, B.2)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from evalkit.contracts.agent_context.access.endpoints import AccessEndpoints
from evalkit.contracts.agent_context.access.policy import ACCESS, admit
from evalkit.contracts.agent_context.app import make_app
from evalkit.contracts.agent_context.exchange import Reply
from evalkit.model import Json
from tests.contracts.agent_context.access.asking import (
    BROKEN,
    EVIL,
    MCP,
    ON,
    PASSWORD,
    Gate,
    basic,
    bearer,
    told,
)

MANIFEST = "/api/agent-context/manifest"


class Contract:
    """The contract behind the gate: open, and empty."""

    def is_open(self, settings: Json) -> bool:
        return True

    def manifest(self, settings: Json) -> Json:
        return {"tools": []}

    def call_tool(self, settings: Json, name: str, args: Json, key: str | None) -> Json:
        raise AssertionError("no test calls a tool")


class Served:
    """The app with a gate in front of it, called without a socket."""

    def __init__(self, settings: Json = ON) -> None:
        gate = Gate(settings)
        self.app = make_app(
            Contract(),
            lambda: settings,
            now=gate.now,
            gate=lambda head, document: admit(ACCESS, gate.state, head, document, gate.now),
            routes=[AccessEndpoints(ACCESS, gate.state, gate.now).answer],
        )

    def send(self, method: str, path: str, headers: Mapping[str, str] | None = None, body: str = "") -> Reply:
        """One exchange; the app awaits nothing, so that its coroutine runs through at once."""
        events: list[Json] = []
        pairs = {
            "host": "127.0.0.1:5555",
            "content-type": "application/json",
            "content-length": str(len(body.encode())),
            **(headers or {}),
        }
        scope: Json = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in pairs.items()],
            "client": ("127.0.0.1", 50_000),
        }

        async def receive() -> Json:
            return {"type": "http.request", "body": body.encode()}

        async def send(event: Json) -> None:
            events.append(event)

        with pytest.raises(StopIteration):
            self.app(scope, receive, send).__await__().__next__()
        started, rest = events
        sent = tuple((name.decode(), value.decode()) for name, value in started["headers"])
        return Reply(started["status"], sent, rest["body"])


def test_h_auth_before_body_who_is_nobody_is_not_told_that_the_body_is_bad() -> None:
    served = Served()
    assert served.send("POST", MCP, body="{bad").status == 401
    assert served.send("POST", MCP, bearer(), body="{bad").status == 400


@pytest.mark.parametrize(
    "path",
    [
        MCP.upper(),
        "/API/agent-context/mcp",
        "/Api/Agent-Context/Manifest",
        f"{MCP}/",
        f"/{MCP}",
        "//api//agent-context//mcp",
        "/x/../api/agent-context/mcp",
        "/api/auth/status/../../agent-context/mcp",
        "/api/auth/status/%2e%2e/%2e%2e/agent-context/mcp",
        "\\api\\agent-context\\mcp",
        "/./api/agent-context/mcp",
        "api/agent-context/mcp",
        "/api/agent-context/mcp;x=1",
        "/%61pi/agent-context/mcp",
        "/ａpi/agent-context/mcp",
        "/api/agent-context/manifest/",
        "/DATA/x",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
def test_h_auth_path_case_no_spelling_gets_round_the_gate(path: str, method: str) -> None:
    assert Served().send(method, path, body="{}").status in (401, 404)


def test_the_manifest_asks_for_a_credential_too() -> None:
    served = Served()
    refused = served.send("GET", MANIFEST)
    assert (refused.status, told(refused)["code"]) == (401, "AUTH_REQUIRED")
    assert "www-authenticate" not in dict(refused.headers)
    assert served.send("GET", MANIFEST, bearer()).status == 200
    assert served.send("GET", MANIFEST, basic()).status == 200


def test_a_login_over_http_opens_what_was_shut_and_a_logout_shuts_it() -> None:
    served = Served()
    reply = served.send("POST", "/API/auth/login/", body=f'{{"password": "{PASSWORD}"}}')
    credential = {"cookie": dict(reply.headers)["set-cookie"].partition(";")[0]}
    assert served.send("GET", MANIFEST, credential).status == 200
    assert told(served.send("GET", "/api/auth/whoami", credential))["method"] == "session"
    assert served.send("POST", "/api/auth/logout", credential).status == 200
    assert served.send("GET", MANIFEST, credential).status == 401


def test_another_site_cannot_even_log_in() -> None:
    reply = Served().send("POST", "/api/auth/login", {"origin": EVIL}, f'{{"password": "{PASSWORD}"}}')
    assert (reply.status, told(reply)["code"]) == (403, "CROSS_ORIGIN_BLOCKED")


def test_a_password_sent_as_a_form_is_not_told_again() -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    reply = Served().send("POST", "/api/auth/login", form, "hunter-on-the-hill")
    assert reply.status == 400
    assert b"hunter" not in reply.body


def test_h_corrupt_settings_shut_everything_but_what_is_public() -> None:
    served = Served(BROKEN)
    for path in (MANIFEST, MCP, "/api/nothing"):
        assert served.send("GET", path, bearer()).status == 401
    assert told(served.send("GET", "/api/auth/status")) == {"enabled": True, "authenticated": False}
    assert served.send("GET", "/api/system/health").status == 200
