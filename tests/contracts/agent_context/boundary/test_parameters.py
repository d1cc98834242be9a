"""Tests for `parameters`: what each method takes, and no more (spec B.4; j-init-bad, j-call-bad)."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.boundary.parameters import (
    PARAMS,
    ignored,
    is_call,
    is_initialize,
    is_list,
)
from evalkit.contracts.agent_context.vocabulary import Json

CLIENT: Json = {"name": "c", "version": "1"}
HELLO: Json = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
ICON: Json = {"src": "i"}


def with_client(**more: Json) -> Json:
    return {**HELLO, "clientInfo": {**CLIENT, **more}}


def with_icon(**more: Json) -> Json:
    return with_client(icons=[{**ICON, **more}])


@pytest.mark.parametrize(
    "params",
    [
        HELLO,
        {**HELLO, "protocolVersion": ""},
        {**HELLO, "protocolVersion": "v" * 40},
        {**HELLO, "capabilities": {"roots": {"listChanged": True}, "x": 1}},
        {**HELLO, "_meta": {"a": 1}},
        with_client(name="n" * 120, version="v" * 80, title="t" * 160),
        with_client(title=""),
        with_client(websiteUrl="https://example.com/" + "a" * 480),
        with_client(websiteUrl="https://пример.рф"),
        with_client(icons=[]),
        with_client(icons=[{**ICON, "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}] * 20),
        with_icon(src="s" * 500, theme="light"),
    ],
)
def test_initialize_takes_a_client_that_introduces_itself(params: Json) -> None:
    assert is_initialize(params)


@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        {**HELLO, "extra": 1},
        {**HELLO, "_meta": None},
        {**HELLO, "protocolVersion": "v" * 41},
        {**HELLO, "protocolVersion": None},
        {**HELLO, "protocolVersion": 20251125},
        {**HELLO, "capabilities": []},
        {**HELLO, "clientInfo": "c"},
        {key: HELLO[key] for key in ("protocolVersion", "capabilities")},
        {key: HELLO[key] for key in ("protocolVersion", "clientInfo")},
        {key: HELLO[key] for key in ("capabilities", "clientInfo")},
        {**HELLO, "clientInfo": {"name": "c"}},
        {**HELLO, "clientInfo": {"version": "1"}},
        with_client(extra=1),
        with_client(name=""),
        with_client(name="n" * 121),
        with_client(version=""),
        with_client(version="v" * 81),
        with_client(title="t" * 161),
        with_client(title=None),
        with_client(websiteUrl="not a url"),
        with_client(websiteUrl="http://"),
        with_client(websiteUrl=""),
        with_client(websiteUrl="https://example.com/" + "a" * 481),
        with_client(icons={}),
        with_client(icons=[ICON] * 21),
        with_client(icons=["i"]),
        with_icon(src=""),
        with_icon(src="s" * 501),
        with_icon(mimeType=1),
        with_icon(sizes="48x48"),
        with_icon(sizes=[48]),
        with_icon(theme="blue"),
        with_icon(extra=1),
        with_client(icons=[{}]),
    ],
)
def test_initialize_takes_nothing_else(params: Json) -> None:
    assert not is_initialize(params)


@pytest.mark.parametrize("params", [None, {}, {"_meta": {}}])
def test_a_list_is_asked_for_as_a_whole(params: Json) -> None:
    assert is_list(params)


@pytest.mark.parametrize("params", [{"cursor": "x"}, {"cursor": None}, {"limit": 1}, {"_meta": 1}])
def test_a_list_has_no_pages(params: Json) -> None:
    assert not is_list(params)


@pytest.mark.parametrize(
    "params",
    [
        {"name": "x"},
        {"name": "n" * 120},
        {"name": "x", "arguments": {}},
        {"name": "x", "arguments": {"a": [1]}, "_meta": {"progressToken": 1}},
    ],
)
def test_a_call_names_a_tool(params: Json) -> None:
    assert is_call(params)


@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        {"arguments": {}},
        {"name": ""},
        {"name": "n" * 121},
        {"name": "😀" * 61},
        {"name": None},
        {"name": 1},
        {"name": "x", "arguments": []},
        {"name": "x", "arguments": None},
        {"name": "x", "arguments": "{}"},
        {"name": "x", "extra": 1},
        {"name": "x", "_meta": None},
        {"name": "x", "task": {}},
    ],
)
def test_a_call_takes_nothing_else(params: Json) -> None:
    assert not is_call(params)


@pytest.mark.parametrize("params", [None, {}, {"anything": [None]}])
def test_ping_does_not_look_at_its_params(params: Json) -> None:
    assert ignored(params)


def test_every_method_has_its_own_params() -> None:
    assert list(PARAMS) == ["initialize", "ping", "tools/list", "tools/call"]
    assert list(PARAMS.values()) == [is_initialize, ignored, is_list, is_call]
