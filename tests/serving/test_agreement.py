"""The shipped suite says the same of the contract whichever way it is asked: direct, over MCP, live."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.serving.serving import serving

ROOT = Path(__file__).parents[2]
LENDING = [word for one in ("fixtures", "clock", "source-log") for word in ("--provides", one)]
ONLY_IN_MEMORY = {
    "the target offers no way in called `direct`",
    "over a socket nobody can choose the address from which a request comes",
}
"""Why a case cannot be asked over a socket; a length that is a lie stands beside them, with its numbers."""


def verdicts(*flags: str) -> Mapping[str, Any]:
    """The entry of each case, by its id, of a run that passes its gate."""
    command = [sys.executable, "-m", "evalkit", "eval:agent-context", "--failure-threshold", "0", *flags]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=240, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:]
    return {case["id"]: case for case in json.loads(ran.stdout)["cases"]}


@pytest.mark.slow
def test_direct_and_mcp_in_memory_and_a_live_target_agree() -> None:
    usual = {name: case["status"] for name, case in verdicts().items()}
    assert set(usual.values()) == {"pass"}
    for over in ("direct", "mcp"):
        assert {name: case["status"] for name, case in verdicts("--over", over).items()} == usual
    with serving("--demo", "--accept-fixtures") as server:
        live = verdicts("--target", server.url, *LENDING)
    skipped = {name: case["reason"] for name, case in live.items() if case["status"] == "skip"}
    assert {name: case["status"] for name, case in live.items() if name not in skipped} == {
        name: status for name, status in usual.items() if name not in skipped
    }
    assert live.keys() == usual.keys()
    assert len(skipped) < len(usual) / 10
    other = {reason for reason in skipped.values() if reason not in ONLY_IN_MEMORY}
    assert all("content-length" in reason for reason in other), other


@pytest.mark.slow
def test_two_sessions_at_once_say_the_same_as_one() -> None:
    with serving("--demo", "--accept-fixtures") as server:
        flags = ("--target", server.url, *LENDING, "--tag", "idempotency")
        assert verdicts(*flags) == verdicts(*flags, "--jobs", "4")
