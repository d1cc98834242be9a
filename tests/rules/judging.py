"""What a rule finds in an answer that a test writes by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalkit.errors import CapabilityMissing
from evalkit.model import Call, Evidence, Observation, SuiteFacts
from evalkit.rules import table


def evidence(
    operation: str,
    words: Mapping[str, Any],
    roots: Mapping[str, Any],
    earlier: Mapping[str, Mapping[str, Any]] | None = None,
) -> Evidence:
    """What a step saw: its words, its roots, and the roots of earlier steps."""
    before = {name: Observation(found) for name, found in (earlier or {}).items()}
    return Evidence(Call(operation, words), Observation(roots), "mcp", before, SuiteFacts(), {})


def broken(rule: str, seen: Evidence) -> list[str]:
    """The paths at which a rule is broken."""
    found = table()[rule]
    assert seen.call.operation in found.operations
    return [fault.path for fault in found.judge(seen)]


def is_judged(rule: str, seen: Evidence) -> bool:
    """Whether a rule could look at an answer at all; where it could not, it says so."""
    try:
        return broken(rule, seen) is not None
    except CapabilityMissing:
        return False
