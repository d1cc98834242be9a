"""The reference reports are what the shipped suites say now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REFERENCES = {
    f"{name}.json": (f"eval:{name}", "--failure-threshold", "0") for name in ("agent-context", "scriba")
}


@pytest.mark.parametrize("file", REFERENCES)
def test_a_reference_report_is_current(file: str) -> None:
    command = [sys.executable, "-m", "evalkit", *REFERENCES[file]]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=120, check=False)
    kept = (ROOT / "reports" / file).read_bytes()
    assert ran.stdout == kept, "look at the difference, and run `make reference` if it is meant"


def test_every_reference_report_is_held_against_its_command() -> None:
    assert {path.name for path in (ROOT / "reports").glob("*.json")} == set(REFERENCES)
