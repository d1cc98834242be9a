"""The smallest contract keeps its own promises, and says of itself what it does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from evalkit.contracts import echo
from evalkit.frozen import freeze
from evalkit.model import Json
from evalkit.world import CaseFolder, FakeWorld
from tests.playing import loaded, played, suite_file

FIXTURE = {"voices": {"loud": "{}!", "twice": "{} {}", "mute": "…"}}


def opened(fixture: Json = None) -> tuple[FakeWorld, Any]:
    world = FakeWorld(freeze(FIXTURE if fixture is None else fixture), None, CaseFolder())
    return world, echo.open_subject(world).surfaces["direct"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"text": "hi"}, "hi"),
        ({"text": "hi", "voice": "loud"}, "hi!"),
        ({"text": "hi", "voice": "twice"}, "hi hi"),
        ({"text": "hi", "voice": "mute"}, "…"),
        ({"text": "é" * 200}, "é" * 200),
        ({"text": "{}"}, "{}"),
    ],
)
def test_it_says_what_was_said_in_a_voice(args: Json, said: str) -> None:
    world, surface = opened()
    result = surface.call_tool("echo", freeze(args))
    assert result["structuredContent"] == {"said": said, "at": 1767225600}
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert world.log.calls == {"voices": 1}


@pytest.mark.parametrize(
    "args",
    [
        None,
        [],
        {},
        {"text": ""},
        {"text": "x" * 201},
        {"text": 5},
        {"text": "hi", "more": 1},
        {"text": "hi", "voice": ""},
        {"text": "hi", "voice": 5},
        {"text": "hi", "voice": []},
        {"text": "hi", "voice": None},
        {"text": "hi", "voice": "x" * 201},
    ],
)
def test_what_the_advertised_schema_refuses_is_refused_before_a_source_is_asked(args: Json) -> None:
    world, surface = opened()
    (tool,) = surface.manifest()["tools"]
    assert not jsonschema_rs.validator_for(tool["inputSchema"]).is_valid(args)
    assert surface.call_tool("echo", freeze(args))["isError"] is True
    assert world.log.calls == {"voices": 0}


def test_an_unknown_voice_and_an_unknown_tool_are_refused() -> None:
    _, surface = opened()
    assert surface.call_tool("echo", {"text": "hi", "voice": "none"})["isError"] is True
    assert surface.call_tool("shout", {"text": "hi"})["isError"] is True


def test_without_a_fixture_it_has_its_plain_voice() -> None:
    _, surface = opened({})
    assert surface.call_tool("echo", {"text": "hi"})["structuredContent"]["said"] == "hi"


def test_a_suite_of_every_kind_of_check_holds_of_it(tmp_path: Path) -> None:
    text = """\
name: echo
version: 1
contract: echo
defaults:
  fixture: {voices: {loud: "{}!"}}
  expect:
    isError: false
    inputSchemaValid: true
    outputSchemaValid: true
    contentParity: true
    unchanged: true
    repeatable: 1
cases:
  - id: manifest
    title: It covers what it advertises
    operation: manifest
    expect: {advertisedToolsCovered: true, readOnlyTools: true}
  - id: plain
    title: It says what was said
    operation: tool
    tool: echo
    args: {text: hi}
    expect: {equals: {output.said: hi, sources.voices.calls: 1}}
  - id: refused
    title: It refuses bad input unread
    operation: tool
    tool: echo
    args: {}
    expect:
      isError: true
      inputSchemaValid: false
      outputSchemaValid: null
      contentParity: null
      noSourceReads: true
  - id: changed
    title: A voice that changes is heard
    steps:
      - {operation: world, patch: {voices: {loud: "{}?"}}, advance: 5}
      - operation: tool
        tool: echo
        args: {text: hi, voice: loud}
        expect: {equals: {output: {said: "hi?", at: 1767225605}}}
"""
    results = played(loaded(suite_file(tmp_path, text)))
    assert {name: (one.status, one.findings) for name, one in results.items()} == dict.fromkeys(
        ("manifest", "plain", "refused", "changed"), ("pass", ())
    )
