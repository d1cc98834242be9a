"""What calls of a tool that only reads leave as it was, kept and broken."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.model import Evidence
from tests.rules.calls import result
from tests.rules.judging import broken, evidence, is_judged
from tests.rules.manifests import manifest, tool

A, B = tool("a"), tool("b")
TWICE = "page 2 names a cursor for the second time, so the pages never end"


def after(before: Any, now: Any) -> Evidence:
    """The listing after a call, beside the one before it; the call itself was shown the new one."""
    earlier = {"before": {"manifest": before}, "once": {"manifest": now, "toolResult": result()}}
    return evidence("manifest", {}, {"manifest": now}, earlier)


@pytest.mark.parametrize(
    ("before", "now", "count"),
    [
        (manifest(A), manifest(A, B), 1),
        (manifest(A, B), manifest(A), 1),
        (manifest(A, B), manifest(tools=[]), 2),
        (manifest(A), manifest(tool("a", description="Read once.")), 1),
        (manifest(A), manifest(tool("a", inputSchema={"type": "object"})), 1),
        (manifest(A, B), manifest(tool("a", title="A"), tool("c")), 3),
        (manifest(A), manifest(A), 0),
        (manifest(A, B), manifest(B, A), 0),
        (manifest(A, B, A), manifest(A, B), 0),
        (manifest(tools=[]), manifest(tools=[]), 0),
        (manifest(A), manifest(A, None, tool(7)), 0),
        (manifest(A), manifest(A, instructions="Ask for a day."), 0),
    ],
)
def test_the_list_of_tools_stays_as_it_was(before: Any, now: Any, count: int) -> None:
    assert broken("listing-left-alone", after(before, now)) == ["manifest.tools"] * count


def test_keys_of_a_tool_have_no_order() -> None:
    turned = dict(reversed([*A.items()]))
    assert broken("listing-left-alone", after(manifest(A), manifest(turned))) == []


@pytest.mark.parametrize(
    "other", [manifest(A, incomplete=TWICE), manifest(tools=...), manifest(tools={}), None]
)
def test_only_two_whole_lists_can_be_told_apart(other: Any) -> None:
    assert not is_judged("listing-left-alone", after(manifest(A), other))
    without = evidence("manifest", {}, {"manifest": manifest(A)}, {"before": {"manifest": other}})
    assert not is_judged("listing-left-alone", without)
    assert not is_judged("listing-left-alone", evidence("manifest", {}, {"manifest": manifest(A)}))
