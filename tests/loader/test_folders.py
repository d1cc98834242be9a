"""A folder that holds suite.yaml is one suite; defaults of the suite, of a file and of a case."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from evalkit.loader import files_of
from evalkit.model import GateRules, Suite
from tests.playing import FREE, loaded, played, refused, reported, suite_file

HEAD: Final = """\
name: whole
version: 3
contract: echo
defaults:
  fixture: quiet
  severity: high
  tags: [all]
  timeout: 2
  settings: {a: 1, b: 2}
  expect: {isError: false, outputSchemaValid: true}
gate: {maxFailures: 1, maxSkips: 2, minExecuted: 3, severity: {critical: 0}}
fixtures: {quiet: {voices: {plain: "{}."}}}
"""
PART: Final = """\
defaults: {fixture: loud, severity: low, expect: {outputSchemaValid: null, contentParity: true}}
fixtures: {loud: {use: quiet, voices: {loud: "{}!"}}}
cases:
"""


def case(name: str, *more: str) -> str:
    lines = [f"id: {name}", f"title: {name}", "operation: tool", "tool: echo", "args: {text: hi}", *more]
    return "  - " + "\n    ".join(lines) + "\n"


def folder(path: Path, **files: str) -> Path:
    for name, text in files.items():
        suite_file(path, text, f"{name}.yaml")
    return path


def whole(path: Path) -> Suite:
    return loaded(folder(path, suite=HEAD, b=f"cases:\n{case('two')}", a=PART + case("one")))


def test_a_folder_is_one_suite_read_head_first_and_then_by_name(tmp_path: Path) -> None:
    suite = whole(tmp_path)
    assert (suite.name, suite.version, suite.path) == ("whole", 3, tmp_path.name)
    assert [document.file for document in suite.documents] == ["suite.yaml", "a.yaml", "b.yaml"]
    assert [(one.id, one.source) for one in suite.cases] == [("one", "a.yaml#one"), ("two", "b.yaml#two")]
    assert suite.gate == GateRules(1, 2, 3, {"critical": 0})


def test_a_file_that_is_no_suite_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("nothing")
    (tmp_path / "schemas").mkdir()
    folder(tmp_path, suite=HEAD, more=f"cases:\n{case('two')}")
    assert [path.name for path in files_of(tmp_path)] == ["suite.yaml", "more.yaml"]


def test_the_report_speaks_of_one_suite_and_hashes_each_file(tmp_path: Path) -> None:
    report = reported(whole(tmp_path))
    assert (report["suite"], report["suiteVersion"]) == ("whole", 3)
    assert [one["file"] for one in report["inputs"]] == ["suite.yaml", "a.yaml", "b.yaml"]
    assert report["counts"] == {"pass": 2, "fail": 0, "error": 0, "skip": 0}


def test_a_file_has_defaults_of_its_own_over_those_of_the_suite(tmp_path: Path) -> None:
    one, two = whole(tmp_path).cases
    assert (one.fixture_name, one.severity, one.timeout, one.tags) == ("loud", "low", 2, ("all",))
    assert one.steps[0].expect == {"isError": False, "contentParity": True}
    assert (two.fixture_name, two.severity) == ("quiet", "high")
    assert two.steps[0].expect == {"isError": False, "outputSchemaValid": True}


def test_a_file_has_fixtures_of_its_own_that_every_file_can_use(tmp_path: Path) -> None:
    folder(tmp_path, suite=HEAD, a=PART + case("one"), b=f"cases:\n{case('two', 'fixture: loud')}")
    for one in loaded(tmp_path).cases:
        assert one.fixture == {"voices": {"plain": "{}.", "loud": "{}!"}}


def test_a_case_s_own_value_replaces_the_default_and_expect_merges_word_by_word(tmp_path: Path) -> None:
    own = ["settings: {c: 3}", "tags: [mine]", "severity: critical", "timeout: 0.5", "fixture: {}"]
    expect = "expect: {isError: null, count: {toolResult.content: 1}}"
    folder(tmp_path, suite=f"{HEAD}cases:\n{case('one', *own, expect)}")
    (one,) = loaded(tmp_path).cases
    assert (one.settings, one.tags, one.severity, one.timeout) == ({"c": 3}, ("mine",), "critical", 0.5)
    assert (one.fixture, one.fixture_name) == ({}, "(in place)")
    assert one.steps[0].expect == {"outputSchemaValid": True, "count": {"toolResult.content": 1}}


def test_a_default_is_asked_only_where_it_can_be(tmp_path: Path) -> None:
    manifest = "  - {id: m, title: m, operation: manifest, expect: {present: [manifest]}}\n"
    steps = (
        "  - id: s\n    title: s\n    steps:\n      - {operation: world, advance: 1}\n"
        "      - {operation: tool, tool: echo, args: {text: hi}}\n"
    )
    first, second = loaded(folder(tmp_path, suite=f"{HEAD}cases:\n{manifest}{steps}")).cases
    assert first.steps[0].expect == {"present": ["manifest"]}
    assert [step.expect for step in second.steps] == [{}, {"isError": False, "outputSchemaValid": True}]


def test_an_id_is_unique_in_the_folder(tmp_path: Path) -> None:
    folder(tmp_path, suite=HEAD, a=f"cases:\n{case('one')}", b=f"cases:\n{case('one')}")
    (mistake,) = refused(tmp_path)
    assert (mistake.code, mistake.file, mistake.line, mistake.column) == ("duplicate-id", "b.yaml", 2, 9)
    assert mistake.message == "the id `one` stands twice in this suite, first at a.yaml:2"


def test_a_fixture_s_name_is_unique_in_the_folder(tmp_path: Path) -> None:
    folder(tmp_path, suite=HEAD, a=f"fixtures: {{quiet: {{}}}}\ncases:\n{case('one')}")
    (mistake,) = refused(tmp_path)
    assert (mistake.code, mistake.file, mistake.line, mistake.column) == ("duplicate-id", "a.yaml", 1, 12)


def test_only_suite_yaml_says_what_the_suite_is(tmp_path: Path) -> None:
    words = "name: s\nversion: 1\ntitle: t\ncontract: echo\ngate: {}\ncase: []\n"
    mistakes = refused(folder(tmp_path, suite=HEAD, a=f"{words}cases:\n{case('one')}"))
    assert [(one.code, one.line) for one in mistakes] == [
        ("part-key", 1),
        ("part-key", 2),
        ("part-key", 3),
        ("part-key", 4),
        ("part-key", 5),
        ("unknown-key", 6),
    ]
    assert mistakes[-1].remedy == "did you mean `cases`?"


def test_a_file_of_the_folder_without_a_case_is_refused(tmp_path: Path) -> None:
    (mistake,) = refused(folder(tmp_path, suite=f"{HEAD}cases:\n{case('one')}", a="fixtures: {}\n"))
    assert (mistake.code, mistake.file) == ("no-cases", "a.yaml")


def test_a_folder_with_nothing_but_a_head_is_refused(tmp_path: Path) -> None:
    assert [one.code for one in refused(folder(tmp_path, suite=HEAD))] == ["no-cases"]


def test_a_folder_without_a_head_lacks_a_file(tmp_path: Path) -> None:
    mistakes = refused(folder(tmp_path, more=f"cases:\n{case('one')}"))
    assert [(one.code, one.file) for one in mistakes] == [("missing-file", "suite.yaml")]


def test_the_mistakes_of_every_file_are_told_together(tmp_path: Path) -> None:
    parts: Mapping[str, str] = {"a": "cases: yes\n", "b": f"cases:\n{case('one', 'exepct: 1')}"}
    mistakes = refused(folder(tmp_path, suite=HEAD, **parts))
    assert [(one.file, one.code) for one in mistakes] == [("a.yaml", "bare-boolean")]
    mistakes = refused(folder(tmp_path, suite=HEAD.replace("high", "hihg"), a=PART + case("a", "arg: 1")))
    assert [(one.file, one.code) for one in mistakes] == [
        ("a.yaml", "unknown-key"),
        ("b.yaml", "unknown-key"),
        ("suite.yaml", "wrong-value"),
    ]


def test_a_mistake_in_a_default_is_told_once_where_it_stands(tmp_path: Path) -> None:
    head = HEAD.replace("outputSchemaValid: true", "present: [outptu.said]")
    parts = {"a": f"cases:\n{case('a')}{case('b')}", "b": f"cases:\n{case('c')}"}
    (mistake,) = refused(folder(tmp_path, suite=head, **parts))
    assert (mistake.code, mistake.file, mistake.line, mistake.column) == ("path-root", "suite.yaml", 10, 38)


def test_a_default_of_a_file_that_is_wrong_is_told_in_that_file(tmp_path: Path) -> None:
    part = PART.replace("contentParity: true", "present: [outptu]") + case("one")
    (mistake,) = refused(folder(tmp_path, suite=HEAD, a=part))
    assert (mistake.code, mistake.file, mistake.line, mistake.column) == ("path-root", "a.yaml", 1, 86)


def test_a_default_fixture_that_is_unknown_is_told_where_it_stands(tmp_path: Path) -> None:
    parts = {"a": f"cases:\n{case('a')}{case('b')}"}
    (mistake,) = refused(folder(tmp_path, suite=HEAD.replace("fixture: quiet", "fixture: quite"), **parts))
    assert (mistake.code, mistake.file, mistake.line) == ("unknown-fixture", "suite.yaml", 5)
    assert mistake.remedy == "did you mean `quiet`?"


def test_the_whole_folder_covers_the_advertised_tools(tmp_path: Path) -> None:
    covered = (
        "cases:\n  - {id: m, title: m, operation: manifest, expect: {advertisedToolsCovered: true}, "
        "fixture: {}}\n"
    )
    folder(tmp_path, suite=HEAD, a=covered, b=f"cases:\n{case('one')}")
    assert {name: result.status for name, result in played(loaded(tmp_path)).items()} == {
        "m": "pass",
        "one": "pass",
    }


def test_a_suite_is_written_in_json_too(tmp_path: Path) -> None:
    text = (
        '{"name": "j", "version": 1, "contract": "echo", "cases": [{"id": "a", "title": "t", "fixture": {}, '
        '"operation": "tool", "tool": "echo", "args": {"text": "hi"}, "expect": {"isError": false}}]}'
    )
    suite = loaded(suite_file(tmp_path, text, "j.json"))
    assert [result.status for result in played(suite).values()] == ["pass"]


def test_the_contract_may_come_from_the_command_line(tmp_path: Path) -> None:
    path = suite_file(tmp_path, f"{HEAD}cases:\n{case('one')}".replace("contract: echo\n", ""))
    assert loaded(path, fallback_contract="echo").contract == "echo"
    assert loaded(path, contract=FREE, fallback_contract="echo").contract == FREE
    named = suite_file(tmp_path, f"{HEAD}cases:\n{case('one')}")
    assert loaded(named, fallback_contract=FREE).contract == "echo"
    assert loaded(named, contract=FREE).contract == FREE


def test_a_live_suite_loads_where_a_contract_is_given_for_memory(tmp_path: Path) -> None:
    text = f"{HEAD}cases:\n{case('one')}".replace("contract: echo", "target: stdio:server")
    assert loaded(suite_file(tmp_path, text), contract="echo").contract == "echo"
