"""How a started server lives and ends, kept and broken."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.errors import CapabilityMissing
from evalkit.rules.living import LOUD
from tests.rules.judging import broken, evidence

CLEAN: dict[str, Any] = {"exitCode": 0, "endedBy": "eof", "stderr": "started\n", "stdout": []}


@pytest.mark.parametrize(
    ("rule", "process", "paths"),
    [
        ("exit-on-eof", {"endedBy": "term"}, ["process.endedBy"]),
        ("exit-on-eof", {"endedBy": "kill"}, []),
        ("exit-on-term", {"endedBy": "kill"}, ["process.endedBy"]),
        ("exit-on-term", {"endedBy": "term"}, []),
        ("exit-code-zero", {"exitCode": 1}, ["process.exitCode"]),
        ("exit-code-zero", {"exitCode": -15, "endedBy": "term"}, []),
        ("stderr-quiet", {"stderr": "x" * (LOUD + 1)}, ["process.stderr"]),
        ("stderr-quiet", {"stderr": "x" * LOUD}, []),
    ],
)
def test_a_life(rule: str, process: dict[str, Any], paths: list[str]) -> None:
    assert broken(rule, evidence("session", {}, {"process": {**CLEAN, **process}})) == paths


@pytest.mark.parametrize("rule", ["exit-on-eof", "exit-on-term", "exit-code-zero", "stderr-quiet"])
def test_a_clean_life_keeps_every_rule_and_that_of_others_is_not_known(rule: str) -> None:
    assert broken(rule, evidence("session", {}, {"process": CLEAN})) == []
    with pytest.raises(CapabilityMissing):
        broken(rule, evidence("session", {}, {}))
