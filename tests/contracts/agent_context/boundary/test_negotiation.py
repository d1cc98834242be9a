"""Tests for `negotiation`: Accept, and the revisions of the protocol (spec B.4)."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.boundary.negotiation import (
    accepts,
    is_supported_version,
    negotiate_version,
)


@pytest.mark.parametrize(
    "accept",
    [
        "application/json, text/event-stream",
        "text/event-stream,application/json",
        "APPLICATION/JSON, Text/Event-Stream",
        "application/json;q=0.1, text/event-stream;q=1",
        "application/json; charset=utf-8 , text/event-stream, */*;q=0",
        "application/json;q=0.001, text/event-stream;q=0.9;x=0",
        "application/json;q=0, application/json, text/event-stream",
    ],
)
def test_a_client_that_takes_both_types_is_served(accept: str) -> None:
    assert accepts(accept)


@pytest.mark.parametrize(
    "accept",
    [
        *("", "*/*", "application/json", "text/event-stream", "application/*, text/*"),
        "application/json;q=0, text/event-stream;q=0",
        "application/json, text/event-stream;q=0.000",
        "application/json, text/event-stream; Q = 0 ; x=1",
        "application/jsonx, text/event-stream",
        "xapplication/json, text/event-stream",
        "application/json text/event-stream",
    ],
)
def test_a_client_that_lacks_one_type_is_not(accept: str) -> None:
    assert not accepts(accept)


@pytest.mark.parametrize("header", ["", "2025-11-25", "2025-06-18", "2025-03-26"])
def test_three_revisions_are_served_and_none_need_be_named(header: str) -> None:
    assert is_supported_version(header)


@pytest.mark.parametrize(
    "header", ["1900-01-01", "2024-11-05", "2026-07-28", "2025-11-25 ", "2025-11-25, 2025-11-25", "x"]
)
def test_no_other_revision_is_served(header: str) -> None:
    assert not is_supported_version(header)


@pytest.mark.parametrize("offered", ["2025-11-25", "2025-06-18", "2025-03-26"])
def test_a_known_revision_is_taken_up(offered: str) -> None:
    assert negotiate_version(offered) == offered


@pytest.mark.parametrize("offered", ["2024-11-05", "", "1999-01-01", "%params/protocolVersion%"])
def test_an_unknown_revision_is_never_echoed(offered: str) -> None:
    assert negotiate_version(offered) == "2025-11-25"
