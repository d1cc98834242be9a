"""`evalkit explain`: a page for every word, operation, literal and code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from evalkit import expectations
from evalkit.commands import explain
from evalkit.errors import CASE_ERRORS
from evalkit.language import OPERATIONS, RUN_CODES, finding_codes
from evalkit.literals import LITERALS
from evalkit.loader.mistakes import LOAD_MISTAKES
from evalkit.rules import Rule, table
from evalkit.text import TEXT_MISTAKES
from tests.commands.door import forked

EVERY = {
    *expectations.WORDS,
    *OPERATIONS,
    *LITERALS,
    *finding_codes(),
    *CASE_ERRORS,
    *LOAD_MISTAKES,
    *TEXT_MISTAKES,
}


def page(word: str, capfd: pytest.CaptureFixture[str]) -> str:
    assert explain.main([word]) == 0
    return capfd.readouterr().out


def test_every_word_and_code_has_a_page(capfd: pytest.CaptureFixture[str]) -> None:
    assert set(explain.known()) == EVERY
    for word in EVERY:
        lines = page(word, capfd).splitlines()
        assert lines[0].startswith(f"{word}: a"), word
        assert len(lines) >= 3, word
        assert len(lines[2]) > 15, word


def test_expectations_and_their_codes_and_operations_come_with_an_example(
    capfd: pytest.CaptureFixture[str],
) -> None:
    for word in {*expectations.WORDS, *finding_codes()}:
        assert re.search("^ *expect", page(word, capfd), re.MULTILINE) or word in RUN_CODES, word
    for word in OPERATIONS:
        assert f"operation: {word}\n" in page(word, capfd), word


@pytest.mark.parametrize("word", OPERATIONS)
def test_the_example_of_an_operation_is_a_case_that_loads(word: str, tmp_path: Path) -> None:
    case = {"id": "one", "title": "One", "fixture": {}, **yaml.safe_load(explain.EXAMPLES[word])}
    suite = {"name": "s", "version": 1, "contract": "echo", "cases": [case]}
    (tmp_path / "s.yaml").write_text(json.dumps(suite), encoding="utf-8")
    ran = forked(tmp_path, "check", "s.yaml")
    assert (ran.code, ran.err) == (0, "")


def test_a_rule_comes_with_its_severity_its_revisions_its_section_and_an_example(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert page("output-root-object", capfd) == (
        "output-root-object: a rule\n\n"
        "The root of an output schema says that the structured content is an object.\n\n"
        "Severity: high.\n"
        "Revisions: from 2025-06-18 to 2025-11-25.\n"
        "Section: 2025-11-25, schema, Tool; from 2026-07-28 on it may be anything.\n"
        "Judges: manifest.\n\n"
        'breaks: {"type": "array"}\n'
        'keeps:  {"type": "object", "properties": {"items": {"type": "array"}}}\n\n'
        "operation: manifest\n"
        "expect: {follows: [output-root-object]}\n"
    )


@pytest.mark.parametrize("rule", table().values(), ids=lambda rule: rule.id)
def test_every_rule_has_one_page(rule: Rule, capfd: pytest.CaptureFixture[str]) -> None:
    told = page(rule.id, capfd)
    assert told.startswith(f"{rule.id}: a rule\n")
    assert all(part.strip() in told for part in (rule.sentence, rule.section, rule.example, rule.since))


def test_an_unknown_word_is_told_with_the_nearest(tmp_path: Path) -> None:
    ran = forked(tmp_path, "explain", "contentParty")
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean `contentParity`?" in ran.err
