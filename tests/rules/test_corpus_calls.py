"""The rules of calls over recorded calls of real servers: none raises, and what each finds is known."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from evalkit.errors import CapabilityMissing
from evalkit.model import Evidence
from evalkit.rules import Rule, table
from tests.rules.judging import evidence

CORPUS = Path(__file__).parents[2] / "../shared/corpus/mcp-servers"
RECORDINGS = sorted(CORPUS.glob("*.json"))
JUDGED = [rule for rule in table().values() if "tool" in rule.operations]

ABOVE_LOW: Final[dict[str, dict[str, list[str]]]] = {
    "output-follows-schema": {
        "fastmcp2-echo": ["nan"],
        "mcp1-fastmcp": ["nan"],
    },
    "unknown-tool-refused": {
        "jcodemunch-mcp": ["_extra_arg", "good"],
        "mcp-server-duckdb-pin1": ["_unknown_tool"],
        "mcp-server-sqlite-pin1": ["_unknown_tool"],
    },
    "required-arguments-checked": {"sdk2-structured-lowlevel": ["_missing_required"]},
    "argument-types-checked": {"sdk2-structured-lowlevel": ["_wrong_type"]},
    "closed-arguments-checked": {
        "dbhub": ["_extra_arg"],
        "desktop-commander": ["_extra_arg"],
        "mcp-hello-world": ["_extra_arg"],
    },
}
"""Rule → server → the recorded calls that break it, of the rules above `low`. Each was looked at by hand:

- `nan` promises {"type": "number"} and gives null, for NaN is no JSON.
- `jcodemunch-mcp` lists six tools and carries out a seventh, `list_repos`, called by its name.
- `mcp-server-duckdb` and `-sqlite` answer an unknown tool with "Error: Missing arguments", and isError false.
- `sdk2-structured-lowlevel` tells the weather without the city that it requires, and in the city {"zz": [1]}.
- The last three close their schema and let an argument pass that it does not name; one of them says so.
"""

LOW: Final = {
    "argument-types-strict": 3,
    "integers-safe": 2,
    "invalid-arguments-code": 33,
    "output-formats": 6,
    "output-in-text": 3,
    "text-no-literal": 2,
    "unknown-tool-code": 4,
}
"""Rule → faults in all recordings, of the rules of `low`."""

pytestmark = pytest.mark.skipif(not RECORDINGS, reason="the recordings lie beside the repository")


def calls() -> Iterator[tuple[str, str, Evidence]]:
    """Server, call and evidence of each call that a suite can make and that was answered."""
    for recording in RECORDINGS:
        whole = json.loads(recording.read_text(encoding="utf-8"))
        manifest = {**whole["initialize"], "tools": whole["tools"]}
        for name, call in whole["calls"].items():
            asked, answer = call["request"], call["response"]
            if "name" in asked and answer is not None:
                yield recording.stem, name, _seen(asked, answer, manifest)


def _seen(asked: Any, answer: Any, manifest: Any) -> Evidence:
    words = {"tool": asked["name"], **({"args": asked["arguments"]} if "arguments" in asked else {})}
    came = {"toolResult": answer["result"]} if "result" in answer else {"rpc": answer}
    return evidence("tool", words, {**came, "manifest": manifest})


def faults(rule: Rule, seen: Evidence) -> int | None:
    """How often a call breaks a rule; None where the rule cannot judge it."""
    if not rule.holds_for(seen.observation.roots["manifest"]["protocolVersion"]):
        return None
    try:
        return len(list(rule.judge(seen)))
    except CapabilityMissing:
        return None


def test_every_recorded_call_breaks_what_it_is_known_to_break() -> None:
    found: dict[str, dict[str, list[str]]] = {}
    low: Counter[str] = Counter()
    for server, call, seen in calls():
        for rule in JUDGED:
            count = faults(rule, seen)
            if count and rule.severity == "low":
                low[rule.id] += count
            elif count:
                found.setdefault(rule.id, {}).setdefault(server, []).append(call)
    assert len(RECORDINGS) == 35
    assert _in_order(found) == ABOVE_LOW
    assert low == LOW


def _in_order(found: dict[str, dict[str, list[str]]]) -> dict[str, dict[str, list[str]]]:
    return {
        rule: {server: sorted(names) for server, names in servers.items()} for rule, servers in found.items()
    }


def test_the_recordings_hold_what_the_rules_look_at() -> None:
    judged: Counter[str] = Counter()
    for _, _, seen in calls():
        judged.update(rule.id for rule in JUDGED if faults(rule, seen) is not None)
    assert {rule.id for rule in JUDGED if not judged[rule.id]} == {"result-type"}
    assert judged["result-content"] > 240
    assert judged["output-follows-schema"] > 100
    assert judged["required-arguments-checked"] > 30
    assert judged["argument-types-checked"] > 30
    assert judged["closed-arguments-checked"] >= 8
    assert judged["call-error-shape"] > 320
