"""What a server and its tools are called, kept and broken."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.judging import broken
from tests.rules.manifests import manifest, seen, tool

NAME = ["manifest.tools.0.name"]


@pytest.mark.parametrize(
    ("rule", "name", "paths"),
    [
        ("tool-named", ..., NAME),
        ("tool-named", None, NAME),
        ("tool-named", 7, NAME),
        ("tool-named", "", []),
        ("tool-named", "read_day", []),
        ("tool-name-length", "", NAME),
        ("tool-name-length", "n" * 129, NAME),
        ("tool-name-length", "n" * 128, []),
        ("tool-name-length", 7, []),
        ("tool-name-characters", "read day", NAME),
        ("tool-name-characters", "read/day", NAME),
        ("tool-name-characters", "jour_né", NAME),
        ("tool-name-characters", "read_day\n", NAME),
        ("tool-name-characters", "Read.day-2_x", []),
        ("tool-name-portable", "read.day", NAME),
        ("tool-name-portable", "n" * 65, NAME),
        ("tool-name-portable", "n" * 64, []),
        ("tool-name-portable", "read day", []),
        ("tool-name-portable", "n" * 129, []),
        ("tool-name-portable", "", []),
    ],
)
def test_a_name(rule: str, name: Any, paths: list[str]) -> None:
    assert broken(rule, seen(manifest(tool(name)))) == paths


def test_a_name_that_no_revision_forbids_yet_is_still_refused_by_some() -> None:
    found = manifest(tool("read day"), protocolVersion="2025-06-18")
    assert broken("tool-name-portable", seen(found)) == NAME


def test_a_name_that_comes_twice_is_told_where_it_comes_again() -> None:
    found = manifest(tool("a"), tool("b"), tool("a"), tool("a"))
    assert broken("tool-names-unique", seen(found)) == ["manifest.tools.2.name", "manifest.tools.3.name"]


def test_names_that_differ_in_case_are_two_and_what_has_no_name_is_none() -> None:
    found = manifest(tool("a"), tool("A"), tool(None), tool(None), "a", tool(["a"]), tool(["a"]))
    assert broken("tool-names-unique", seen(found)) == []


@pytest.mark.parametrize(
    ("described", "paths"),
    [
        (..., ["manifest.tools.0.description"]),
        ("", ["manifest.tools.0.description"]),
        (" \n", ["manifest.tools.0.description"]),
        ("Reads.", []),
        (None, []),
    ],
)
def test_a_tool_without_a_description(described: Any, paths: list[str]) -> None:
    assert broken("tool-described", seen(manifest(tool(description=described)))) == paths


@pytest.mark.parametrize(
    ("info", "paths"),
    [
        (..., ["manifest.serverInfo"]),
        ("days", ["manifest.serverInfo"]),
        ({"name": "days"}, ["manifest.serverInfo.version"]),
        ({"name": None, "version": 1}, ["manifest.serverInfo.name", "manifest.serverInfo.version"]),
        ({"name": "days", "version": ""}, []),
        ({"name": "days", "version": "1", "title": "Days", "debug": True}, []),
    ],
)
def test_a_server_says_who_it_is(info: Any, paths: list[str]) -> None:
    assert broken("server-named", seen(manifest(serverInfo=info))) == paths
