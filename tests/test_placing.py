"""A finding leads to what was written: the expectation that broke, and the record that a text came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from evalkit.model import Json, Report
from tests.playing import FREE, MARK, Puppet, loaded, marked, reported, said, suite_file

HEAD: Final = f'name: s\nversion: 1\ncontract: "{FREE}"\n'


def finding_of(folder: Path, files: dict[str, str], output: Json = None, which: int = 0) -> dict[str, Any]:
    for name, text in files.items():
        suite_file(folder, text, name)
    path = folder if len(files) > 1 else folder / next(iter(files))
    report: Report = reported(loaded(path), open_subject=Puppet(lambda world, name, args: said(output)))
    found: dict[str, Any] = report["cases"][-1]["findings"][which]
    return found


def case(words: str) -> str:
    return f"  - {{id: c, title: t, operation: tool, tool: ask, {words}}}\n"


@pytest.mark.parametrize(
    "expect",
    [
        "{isError: ▲true}",
        "{equals: {output.a: ▲1}}",
        "{equals: [{path: output.a, value: ▲1}]}",
        "{present: [output, ▲output.a]}",
        "{excludes: [never, ▲nothing]}",
        "{oneOf: {output.b: ▲[1]}}",
    ],
)
def test_a_finding_stands_at_what_was_wanted(tmp_path: Path, expect: str) -> None:
    text = f"{HEAD}cases:\n{case(f'fixture: {{}}, expect: {expect}')}"
    found = finding_of(tmp_path, {"one.yaml": text}, {"b": "nothing"})
    assert (found["line"], found["column"]) == marked(text)
    assert found["excerpt"] == text.replace(MARK, "").splitlines()[found["line"] - 1]
    assert "file" not in found


def test_a_finding_of_a_later_step_stands_in_that_step(tmp_path: Path) -> None:
    text = (
        f"{HEAD}cases:\n  - id: c\n    title: t\n    fixture: {{}}\n    steps:\n"
        "      - {operation: tool, tool: ask, expect: {isError: false}}\n"
        "      - {operation: tool, tool: ask, expect: {isError: ▲true}}\n"
    )
    found = finding_of(tmp_path, {"one.yaml": text})
    assert (found["line"], found["column"], found["step"]) == (*marked(text), 2)


def test_a_finding_of_a_default_stands_where_the_default_is_written(tmp_path: Path) -> None:
    head = f"{HEAD}defaults: {{fixture: {{}}, expect: {{isError: ▲true}}}}\n"
    bare = "cases:\n" + case("tags: [a]")
    found = finding_of(tmp_path, {"suite.yaml": head, "part.yaml": bare})
    assert (found["file"], found["line"], found["column"]) == ("suite.yaml", *marked(head))
    part = f"defaults: {{expect: {{isError: ▲true}}}}\n{bare}"
    found = finding_of(tmp_path, {"suite.yaml": head.replace("true", "false"), "part.yaml": part})
    assert (found["line"], found["column"]) == marked(part)
    assert "file" not in found
    own = "cases:\n" + case("expect: {isError: ▲true}")
    found = finding_of(tmp_path, {"suite.yaml": head, "part.yaml": own})
    assert (found["line"], found["column"]) == marked(own)


def test_an_unexpected_outcome_stands_at_the_expected_failure(tmp_path: Path) -> None:
    words = "fixture: {}, expect: {isError: false}, expectedFailure: ▲{reason: r, findings: [path-missing]}"
    text = f"{HEAD}cases:\n{case(words)}"
    found = finding_of(tmp_path, {"one.yaml": text})
    assert (found["code"], found["line"], found["column"]) == ("unexpected-outcome", *marked(text))
    assert (found["expected"], found["actual"]) == (["path-missing"], [])


def test_a_leak_stands_at_its_step(tmp_path: Path) -> None:
    text = f"{HEAD}cases:\n  - ▲" + case("fixture: {a: {$secret: hidden}}, expect: {isError: false}")[4:]
    found = finding_of(tmp_path, {"one.yaml": text}, "hidden")
    assert (found["code"], found["line"], found["column"]) == ("secret-leaked", *marked(text))


# ── origins ──────────────────────────────────────────────────────────────────────────────────────

FIXTURES: Final = """\
fixtures:
  low:
    brain:
      - name: Alpha of the hills
      - name: Beta from /Users/alice/example
    codes: {"404": four hundred and four}
    token: {$secret: hidden-token}
  top:
    use: low
    extra: {more: Gamma of the woods}
cases:
"""


def origin_of(folder: Path, words: str, output: Json, fixtures: str = FIXTURES, which: int = 0) -> Any:
    return finding_of(folder, {"one.yaml": HEAD + fixtures + case(words)}, output, which).get("origin")


@pytest.mark.parametrize(
    ("actual", "path", "line"),
    [
        ("Alpha of the hills", "fixtures.top.brain.0.name", 7),
        ("of the hills", "fixtures.top.brain.0.name", 7),
        ("Gamma of the woods", "fixtures.top.extra.more", 13),
        ("four hundred and four", "fixtures.top.codes.404", 9),
    ],
)
def test_what_came_back_is_traced_to_its_record_also_through_use(
    tmp_path: Path, actual: str, path: str, line: int
) -> None:
    found = origin_of(tmp_path, "fixture: top, expect: {equals: {output: Delta}}", actual)
    assert found == {"path": path, "file": "one.yaml", "line": line}


def test_a_forbidden_text_is_traced_though_more_stood_around_it(tmp_path: Path) -> None:
    found = origin_of(
        tmp_path, "fixture: top, expect: {excludes: [/Users/alice]}", "see: … /Users/alice/example!"
    )
    assert found == {"path": "fixtures.top.brain.1.name", "file": "one.yaml", "line": 8}
    found = origin_of(tmp_path, "fixture: top, expect: {lacks: {output: Gamma}}", "<Gamma>")
    assert found == {"path": "fixtures.top.extra.more", "file": "one.yaml", "line": 13}


def test_what_was_wanted_and_did_not_come_has_no_origin(tmp_path: Path) -> None:
    assert (
        origin_of(tmp_path, "fixture: top, expect: {equals: {output: Alpha of the hills}}", "Delta") is None
    )
    assert origin_of(tmp_path, "fixture: top, expect: {equals: {output: 1}}", "of ") is None
    assert origin_of(tmp_path, "fixture: top, expect: {equals: {output: 1}}", "Beta") is not None
    assert origin_of(tmp_path, "fixture: top, expect: {equals: {output: 1}}", ["Alpha of the hills"]) is None


def test_a_leaked_secret_is_traced_to_the_fixture_that_writes_it(tmp_path: Path) -> None:
    found = origin_of(tmp_path, "fixture: top, expect: {isError: false}", "hidden-token")
    assert found == {"path": "fixtures.low.token", "file": "one.yaml", "line": 10}


def test_a_copy_that_repeat_made_is_traced_to_the_literal(tmp_path: Path) -> None:
    fixtures = (
        'fixtures:\n  top:\n    list: {$repeat: {times: 3, value: {name: "Record ${{ index }}"}}}\ncases:\n'
    )
    found = origin_of(tmp_path, "fixture: top, expect: {equals: {output: 1}}", "Record 2", fixtures)
    assert found == {"path": "fixtures.top.list.2.name", "file": "one.yaml", "line": 6}


def test_a_fixture_in_place_is_traced_to_itself_and_to_what_it_uses(tmp_path: Path) -> None:
    words = "fixture: {use: low, mine: Delta of the sea}, expect: {equals: {output: 1}}"
    found = origin_of(tmp_path, words, "Delta of the sea")
    assert found == {"path": "fixture.mine", "file": "one.yaml", "line": 15}
    found = origin_of(tmp_path, words, "Alpha of the hills")
    assert found == {"path": "fixture.brain.0.name", "file": "one.yaml", "line": 7}


def test_a_default_fixture_in_place_is_traced_to_the_default(tmp_path: Path) -> None:
    head = f"{HEAD}defaults:\n  fixture:\n    mine: Delta of the sea\n    secret: {{$secret: hidden}}\n"
    part = "cases:\n" + case("expect: {equals: {output: 1}}")
    found = finding_of(tmp_path, {"suite.yaml": head, "part.yaml": part}, "Delta of the sea")["origin"]
    assert found == {"path": "fixture.mine", "file": "suite.yaml", "line": 6}
    found = finding_of(tmp_path, {"suite.yaml": head, "part.yaml": part}, "hidden")["origin"]
    assert found == {"path": "fixture.secret", "file": "suite.yaml", "line": 7}


def test_a_secret_of_arguments_has_no_origin_in_a_fixture(tmp_path: Path) -> None:
    words = "fixture: top, args: {q: {$secret: asked-for}}, expect: {isError: false}"
    assert origin_of(tmp_path, words, "asked-for") is None
