"""The rules of a manifest over recordings of real servers: none raises, and what each finds is known."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from evalkit.rules import table
from tests.rules.manifests import seen

CORPUS = Path(__file__).parents[2] / "../shared/corpus/mcp-servers"
RECORDINGS = sorted(CORPUS.glob("*.json"))
JUDGED = [rule for rule in table().values() if "manifest" in rule.operations]

ABOVE_LOW: Final[dict[str, int]] = {}
"""Rule → faults of a severity above `low` in all recordings. Each was looked at by hand: there is none."""

LOW: Final = {"tool-described": 19, "hints-said": 79, "listing-small": 4}
"""The same of `low`: tools without a description, tools without a hint, listings of more than 64 KiB."""

pytestmark = pytest.mark.skipif(not RECORDINGS, reason="the recordings lie beside the repository")


def manifest_in(recording: Path) -> dict[str, Any]:
    """The manifest of a recording, as the driver would give it."""
    whole = json.loads(recording.read_text(encoding="utf-8"))
    return {**whole["initialize"], "tools": whole["tools"]}


def test_every_recording_breaks_what_it_is_known_to_break() -> None:
    found: Counter[tuple[bool, str]] = Counter()
    for recording in RECORDINGS:
        manifest = manifest_in(recording)
        for rule in JUDGED:
            if rule.holds_for(manifest["protocolVersion"]):
                faults = list(rule.judge(seen(manifest, earlier=manifest)))
                found[rule.severity == "low", rule.id] += len(faults)
    assert len(RECORDINGS) == 35
    assert {rule: count for (low, rule), count in found.items() if count and not low} == ABOVE_LOW
    assert {rule: count for (low, rule), count in found.items() if count and low} == LOW


def test_the_recordings_hold_what_the_rules_look_at() -> None:
    tools = [tool for recording in RECORDINGS for tool in manifest_in(recording)["tools"]]
    assert len(tools) > 350
    assert sum("outputSchema" in tool for tool in tools) > 100
    assert sum('"default"' in json.dumps(tool["inputSchema"]) for tool in tools) > 50
    assert sum("annotations" in tool for tool in tools) > 200
