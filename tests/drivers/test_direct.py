"""The way in by plain Python calls: what is passed on, and what is made of the answer."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit import drivers
from evalkit.drivers import direct
from evalkit.errors import CapabilityMissing
from evalkit.model import Call, Json


class Surface:
    """Remembers how it was called."""

    def __init__(self, result: Json = None) -> None:
        self.result = result
        self.calls: list[Any] = []

    def manifest(self) -> Json:
        self.calls.append("manifest")
        return {"tools": []}

    def call_tool(self, name: str, args: Json, **more: Json) -> Json:
        self.calls.append((name, args, more))
        return self.result


def test_the_manifest_is_asked_for_alone() -> None:
    surface = Surface()
    seen = direct.open(surface).send(Call("manifest", {}))
    assert (seen.roots, seen.raw, surface.calls) == ({"manifest": {"tools": []}}, (), ["manifest"])


def test_a_tool_is_called_before_the_manifest_is_asked_for() -> None:
    surface = Surface({"structuredContent": {"a": 1}, "content": []})
    seen = direct.open(surface).send(Call("tool", {"tool": "ask", "args": {"q": 1}}))
    assert surface.calls == [("ask", {"q": 1}, {}), "manifest"]
    assert seen.roots == {
        "manifest": {"tools": []},
        "toolResult": {"structuredContent": {"a": 1}, "content": []},
        "output": {"a": 1},
    }


@pytest.mark.parametrize(
    ("words", "passed"),
    [
        ({}, (None, {})),
        ({"args": None}, (None, {})),
        ({"args": [1]}, ([1], {})),
        ({"headers": {"a": "b"}, "meta": {}}, (None, {"headers": {"a": "b"}, "meta": {}})),
    ],
)
def test_arguments_are_passed_on_as_they_are_and_headers_only_where_there_are_some(
    words: dict[str, Json], passed: Json
) -> None:
    surface = Surface({})
    direct.open(surface).send(Call("tool", {"tool": "ask", **words}))
    assert surface.calls[0] == ("ask", *passed)


@pytest.mark.parametrize(
    ("result", "output"),
    [
        ({"structuredContent": None}, {"output": None}),
        ({"structuredContent": 0}, {"output": 0}),
        ({"content": []}, {}),
        ("text", {}),
        (None, {}),
        ([{"structuredContent": 1}], {}),
    ],
)
def test_the_output_is_the_structured_content_where_there_is_one(result: Json, output: Json) -> None:
    roots = dict(direct.open(Surface(result)).send(Call("tool", {"tool": "ask"})).roots)
    assert (roots.pop("manifest"), roots.pop("toolResult")) == ({"tools": []}, result)
    assert roots == output


def test_what_a_client_answers_cannot_be_said_over_plain_calls() -> None:
    surface = Surface({})
    with pytest.raises(CapabilityMissing, match="client"):
        direct.open(surface).send(Call("tool", {"tool": "ask", "client": {"roots": []}}))
    assert surface.calls == []


def test_whatever_the_subject_raises_goes_through() -> None:
    class Raising(Surface):
        def call_tool(self, name: str, args: Json, **more: Json) -> Json:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        direct.open(Raising()).send(Call("tool", {"tool": "ask"}))


def test_the_table_finds_the_driver_and_knows_what_it_has_not() -> None:
    assert drivers.find("direct") is not None
    assert drivers.find("direct") is drivers.find("direct")
    assert [drivers.find(word) for word in ("", "Direct", "_files")] == [None, None, None]
    assert sorted(direct.OPERATIONS) == ["manifest", "tool"]
