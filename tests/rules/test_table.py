"""Every rule can be explained, cited and told from the others."""

from __future__ import annotations

import re

import pytest

from evalkit.language import OPERATIONS
from evalkit.rules import FAMILIES, Rule, table

RULES = list(table().values())


def test_no_two_rules_have_one_id() -> None:
    from importlib import import_module

    every = [rule.id for name in FAMILIES for rule in import_module(f"evalkit.rules.{name}").RULES]
    assert len(every) == len(set(every)) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_says_what_holds_where_it_is_from_and_shows_both(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.id)
    assert rule.sentence.endswith(".")
    assert rule.section
    assert "breaks:" in rule.example
    assert "keeps:" in rule.example
    assert rule.operations
    assert rule.operations <= OPERATIONS.keys() | {"session"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", rule.since)
    assert not rule.until or rule.since <= rule.until


def test_a_rule_holds_for_its_revisions_and_for_one_that_is_not_known() -> None:
    rule = RULES[0]._replace(since="2025-03-26", until="2025-06-18")
    revisions = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "")
    assert [rule.holds_for(one) for one in revisions] == [False, True, True, False, True]
