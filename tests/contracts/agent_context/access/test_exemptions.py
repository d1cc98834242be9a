"""Tests for `exemptions`: five public paths, and what is no API at all."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.access.exemptions import is_exempt


@pytest.mark.parametrize(
    "path",
    [
        "/api/auth/status",
        "/api/auth/whoami",
        "/api/auth/login",
        "/api/auth/logout",
        "/api/system/health",
        "/",
        "/index.html",
        "/apix",
        "/database",
        "/sdapi.js",
        "",
    ],
)
def test_a_public_path_and_what_is_no_api_need_no_credential(path: str) -> None:
    assert is_exempt(path)


@pytest.mark.parametrize(
    "path",
    [
        "/api/agent-context/manifest",
        "/api/agent-context/mcp",
        "/api/cos/tools",
        "/api/cos/tools/call",
        "/api",
        "/api/",
        "/data",
        "/data/images/1.png",
        "/sdapi/v1/txt2img",
        "/api/voice/public/x",
        "/api/auth",
        "/api/auth/",
        "/api/auth/statusx",
        "/api/auth/status/x",
        "/api/auth/status/",
        "/api/system/health/details",
        "/api/auth/../agent-context/mcp",
    ],
)
def test_everything_else_needs_one(path: str) -> None:
    assert not is_exempt(path)
