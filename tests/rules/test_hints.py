"""A tool's annotations, kept and broken."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.rules import table
from tests.rules.judging import broken
from tests.rules.manifests import manifest, seen, tool

AT = "manifest.tools.0.annotations"


@pytest.mark.parametrize(
    ("rule", "stated", "paths"),
    [
        ("hints-typed", {"readOnlyHint": "true"}, [f"{AT}.readOnlyHint"]),
        ("hints-typed", {"destructiveHint": 0}, [f"{AT}.destructiveHint"]),
        ("hints-typed", {"idempotentHint": None}, [f"{AT}.idempotentHint"]),
        ("hints-typed", {"openWorldHint": []}, [f"{AT}.openWorldHint"]),
        ("hints-typed", {"title": None}, [f"{AT}.title"]),
        ("hints-typed", {"readOnlyHint": False, "title": "Day", "ownHint": "yes"}, []),
        ("hints-typed", {}, []),
        ("hints-agree", {"readOnlyHint": True, "destructiveHint": True}, [f"{AT}.destructiveHint"]),
        ("hints-agree", {"readOnlyHint": True}, []),
        ("hints-agree", {"readOnlyHint": True, "destructiveHint": False}, []),
        ("hints-agree", {"readOnlyHint": False, "destructiveHint": True}, []),
        ("hints-agree", {"readOnlyHint": True, "idempotentHint": False}, []),
        ("hints-agree", {"readOnlyHint": 1, "destructiveHint": 1}, []),
        ("hints-said", {"title": "Day"}, [AT]),
        ("hints-said", ..., [AT]),
        ("hints-said", {"readOnlyHint": False}, []),
        ("hints-said", {"destructiveHint": False}, []),
    ],
)
def test_what_annotations_say(rule: str, stated: Any, paths: list[str]) -> None:
    assert broken(rule, seen(manifest(tool(annotations=stated)))) == paths


def test_no_hint_is_judged_before_there_were_any() -> None:
    rules = [rule for rule in table().values() if rule.id.startswith("hints-")]
    assert rules
    assert not any(rule.holds_for("2024-11-05") for rule in rules)
    assert all(rule.holds_for("2025-03-26") for rule in rules)
