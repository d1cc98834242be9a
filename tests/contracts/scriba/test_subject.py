"""How the tools are called over the command line and the local API, which speak no MCP."""

from __future__ import annotations

import pytest

from evalkit.contracts.scriba.nouns import Json
from evalkit.contracts.scriba.subject import argv_of, request_of

CONTEXT = "scriba_get_context"


@pytest.mark.parametrize("args", [None, {}])
def test_the_context_of_the_default_profile_is_asked_without_one(args: Json) -> None:
    assert argv_of(CONTEXT, args) == ["context", "--json"]
    assert request_of(CONTEXT, args) == {"path": "/v1/context", "query": {}}


@pytest.mark.parametrize("profile", ["work", "", "-x", "a;b"])
def test_a_profile_is_handed_on_as_it_is(profile: str) -> None:
    args = {"profile": profile}
    assert argv_of(CONTEXT, args) == ["context", "--json", "--profile", profile]
    assert request_of(CONTEXT, args) == {"path": "/v1/context", "query": {"profile": profile}}


@pytest.mark.parametrize(
    "args", [{"profile": 1}, {"profile": None}, {"profile": "work", "x": 1}, {"x": 1}, [], "work", False]
)
def test_arguments_that_a_flag_cannot_say_are_not_said(args: Json) -> None:
    assert argv_of(CONTEXT, args) is None
    assert request_of(CONTEXT, args) is None


@pytest.mark.parametrize("tool", ["scriba_list_events", "unknown"])
def test_a_page_of_events_has_no_command_and_no_request(tool: str) -> None:
    assert argv_of(tool, {}) is None
    assert request_of(tool, {}) is None
