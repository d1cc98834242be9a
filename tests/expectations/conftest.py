"""What the tests of expectations share: judging a word by evidence that is written in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from evalkit import expectations
from evalkit.model import Call, Evidence, Finding, Json, Observation, Snapshots, SuiteFacts, ToolUse


def judged(word: str, wanted: Json, roots: Mapping[str, Json], **more: Any) -> list[Finding]:
    """The findings of a word about an observation with these roots.

    `more` may hold operation, words, over, raw, earlier, uses, calls, reruns and snapshots.
    """
    snapshots = more.get("snapshots")
    evidence = Evidence(
        call=Call(more.get("operation", "tool"), {"tool": "list", **more.get("words", {})}),
        observation=Observation(roots, more.get("raw", ())),
        over=more.get("over", "direct"),
        earlier={name: Observation(held) for name, held in more.get("earlier", {}).items()},
        suite=SuiteFacts(tuple(ToolUse(tool, refused) for tool, refused in more.get("uses", ()))),
        source_calls=more.get("calls", {}),
        reruns=tuple(tuple(Observation(run) for run in runs) for runs in more.get("reruns", ())),
        snapshots=Snapshots(*snapshots) if snapshots else None,
    )
    return list(expectations.find(word).findings(evidence, wanted))


@pytest.fixture(scope="session")
def judge() -> Callable[..., list[Finding]]:
    """The function `judged`."""
    return judged
