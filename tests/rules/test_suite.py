"""The shipped suite `mcp` asks for every rule, in a case of the rule's own severity."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from evalkit.rules import table

SUITE = Path(__file__).parents[2] / "suites" / "mcp"


def asked() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Each case that asks for a rule: the case's id, the step that does, and the rule."""
    for path in sorted(SUITE.glob("*.yaml")):
        for case in yaml.safe_load(path.read_text(encoding="utf-8")).get("cases", []):
            for step in case.get("steps", [case]):
                for rule in step["expect"].get("follows", []):
                    yield case["id"], {"severity": case.get("severity"), **step}, rule


ASKED = list(asked())


@pytest.mark.parametrize(("case", "step", "rule"), ASKED, ids=[f"{case}-{rule}" for case, _, rule in ASKED])
def test_a_case_has_the_severity_of_its_rules_and_asks_what_they_judge(
    case: str, step: dict[str, Any], rule: str
) -> None:
    assert table()[rule].severity == step["severity"]
    assert step["operation"] in table()[rule].operations


def test_every_rule_is_asked_for() -> None:
    assert {rule for _, _, rule in ASKED} == set(table())


def test_a_finding_of_low_severity_alone_fails_no_audit() -> None:
    gate = yaml.safe_load((SUITE / "suite.yaml").read_text(encoding="utf-8"))["gate"]
    assert gate == {"maxFailures": 1000000, "severity": {"critical": 0, "high": 0, "medium": 0}}
