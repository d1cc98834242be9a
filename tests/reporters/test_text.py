"""The report for people. Expected texts are written by hand."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from evalkit.model import Json
from evalkit.reporters._differences import differences
from evalkit.reporters.text import render, spans
from tests.reporters.reports import FILE, case, finding, gate, mismatch, mistake, report, several, usage_error

PLAN = "sha256:" + "0" * 64


def block(*findings: dict[str, Json], **words: Json) -> str:
    """What is shown of one failing case, from below its header to above its call."""
    text = render(report([case("fail", findings=list(findings), **words)]))
    return text.partition("\n\n")[2].partition("\n  call ")[0]


def caret(excerpt: str, column: int, actual: Json) -> tuple[str, str]:
    """The excerpt as it is shown, and the line with the carets below it, both without the gutter."""
    lines = block(without("expected", finding(excerpt=excerpt, column=column, actual=actual))).splitlines()
    return lines[3].removeprefix("52 | "), lines[4].removeprefix("   | ")


def without(key: str, words: dict[str, Json]) -> dict[str, Json]:
    return {name: word for name, word in words.items() if name != key}


# ── the whole ────────────────────────────────────────────────────────────────────────────────────


def test_a_failure_looks_as_the_design_shows_it() -> None:
    origin = {
        "path": "fixtures.complete.brain.projects.0.description",
        "file": "suites/redaction.yaml",
        "line": 23,
    }
    text = render(report([case("fail", findings=[finding(origin=origin)])]))
    assert text.startswith(
        dedent("""\
        FAIL critical  agent-context::search-redacts[profile=summary]                 1 finding

        error[text-found]: text that must not come back was found
          --> suites/agent_context/redaction.yaml:52:18
           |
        52 |       excludes: ["/Users/alice"]
           |                  ^^^^^^^^^^^^^^ found once
           |
           = at: output.items.0.summary   "… from /Users/alice/example."
           = came from: fixtures.complete.brain.projects.0.description   suites/redaction.yaml:23

          call    search_context {"query":"secret","scopes":["brain"]}   fixture complete   over direct
          rerun   evalkit run suites/agent_context --case 'search-redacts[profile=summary]'

        """)
    )


def test_the_number_of_findings_stands_at_the_right() -> None:
    header = render(report([case("fail", findings=[finding(), finding()])])).splitlines()[0]
    gap = " " * 16
    assert header == f"FAIL critical  agent-context::search-redacts[profile=summary]{gap}2 findings"
    long = render(report([case("fail", id="i" * 120)])).splitlines()[0]
    assert long == f"FAIL critical  agent-context::{'i' * 120}  1 finding"


def test_a_run_that_passed_is_counts_and_an_exit_code() -> None:
    assert render(report([case(), case(severity="low")])) == dedent("""\
        agent-context 1   contract agent-context   target memory

                      pass    fail   error    skip
          critical       1       0       0       0
          low            1       0       0       0
          all            2       0       0       0

        exit 0 passed: the run is complete, and every gate line holds
        """)


def test_the_end_tells_all_that_the_run_says_of_itself() -> None:
    cases = [
        case(id="quick", revealed=2, note="its skip ended on 2026-01-01"),
        case("skip", suite="echo", id="a"),
        case("skip", suite="echo", id="b", skipKind="capability", reason="the target offers no clock"),
        case("skip", suite="echo", id="c", skipKind="capability", reason="the target offers no clock"),
    ]
    document = several(
        cases,
        complete=False,
        stopReason="time",
        exit={"code": 4, "name": "incomplete"},
        plan={"cases": 9, "selected": 7, "digest": PLAN},
        gate=[gate("failures", 0), gate("skips", 3, 1, suite="echo")],
        timing={
            "started": "2026-01-02T03:04:05Z",
            "milliseconds": 1300.0,
            "cases": {"agent-context::quick": 12.25, "echo::a": 0.5, "echo::c": 1250.0},
        },
    )
    assert render(document) == dedent("""\
        agent-context 1   contract echo   target memory
        echo 1   contract echo   target memory

                           pass    fail   error    skip
          critical            1       0       0       3
          agent-context       1       0       0       0
          echo                0       0       0       3
          all                 1       0       0       3

        skipped
            2  capability        the target offers no clock
            1  declared          waits for the clock

        notes
          2 secrets shown, as mayReveal allows
          agent-context::quick   its skip ended on 2026-01-01

        slowest
           1250.0 ms  echo::c
             12.2 ms  agent-context::quick
              0.5 ms  echo::a

        INCOMPLETE  3 of 7 selected cases not run: the time of the run was over
        BROKEN  skips: 3, limit 1   (echo)
        exit 4 incomplete: the run was stopped by time or by lost workers
        """)


def test_only_the_slowest_five_are_named() -> None:
    times = {f"agent-context::c{number}": float(number) for number in range(9)}
    document = report(
        [case(id=f"c{number}") for number in range(9)],
        timing={"started": "2026-01-02T03:04:05Z", "milliseconds": 36.0, "cases": times},
    )
    named = [line.split("::")[1] for line in render(document).splitlines() if " ms  " in line]
    assert named == ["c8", "c7", "c6", "c5", "c4"]


def test_mistakes_of_a_suite_are_shown_with_their_remedy() -> None:
    assert render(
        usage_error(mistake(), mistake(line=0, column=0, excerpt="", message="no cases"))
    ) == dedent("""\
        error[unknown-key]: unknown key in `cases`: `expct`
         --> suites/agent_context/redaction.yaml:9:5
          |
        9 |     expct:
          |     ^^^^^
          |
          = help: did you mean `expect`?

        error[unknown-key]: no cases
         --> suites/agent_context/redaction.yaml
          = help: did you mean `expect`?

        error: the suites do not load
        exit 2 usage: wrong flags, or a suite that does not load; nothing was run
        """)


def test_the_pieces_for_a_terminal_are_the_same_text_in_styles_that_rich_knows() -> None:
    for document in (report([case("fail"), case("error"), case("skip"), case()]), usage_error(mistake())):
        pieces = list(spans(document))
        assert "".join(text for _, text in pieces) == render(document)
        assert all(Style.parse(style) for style, _ in pieces if style)
        assert any(style for style, _ in pieces)


# ── one case ─────────────────────────────────────────────────────────────────────────────────────


def test_five_blocks_a_case_then_how_many_more() -> None:
    text = block(*(finding(message=f"message {number}") for number in range(8)))
    assert [f"message {number}" in text for number in range(8)] == [True] * 5 + [False] * 3
    assert text.endswith("\n\n… and 3 more findings\n")


def test_an_error_shows_its_code_and_every_line_of_its_text() -> None:
    text = render(
        report([case("error", errorCode="contract-raised", error="ValueError: no\n  at line 3\n", note="n")])
    )
    assert text.startswith(
        dedent("""\
        ERROR critical  agent-context::search-redacts[profile=summary]          contract-raised

        error[contract-raised]: ValueError: no
            at line 3
          --> suites/agent_context/redaction.yaml:41

          call    search_context {"query":"secret","scopes":["brain"]}   fixture complete   over direct
          note    n
          rerun   evalkit run suites/agent_context --case 'search-redacts[profile=summary]'
        """)
    )


def test_findings_made_before_an_error_stand_beside_it() -> None:
    text = render(report([case("error", findings=[finding()])]))
    assert "timeout, 1 finding\n" in text
    assert text.index("error[timeout]") < text.index("error[text-found]")


def test_a_graver_finding_and_one_from_another_file_say_so() -> None:
    text = block(finding(severity="critical", file="suites/agent_context/suite.yaml"), severity="low")
    assert text.startswith(
        "error[text-found]: text that must not come back was found (critical)\n"
        "  --> suites/agent_context/suite.yaml:52:18\n"
    )


@pytest.mark.parametrize(
    ("words", "command"),
    [
        pytest.param({}, "evalkit run suites/agent_context --case 'it'\"'\"'s'", id="a folder"),
        pytest.param({"inputs": []}, f"evalkit run {FILE} --case 'it'\"'\"'s'", id="a file alone"),
        pytest.param(
            {"rerun": ["run", "agent-context", "--target", "cli:prog --json"]},
            "evalkit run agent-context --target 'cli:prog --json' --case 'it'\"'\"'s'",
            id="as the run was started",
        ),
    ],
)
def test_rerun_can_be_pasted_into_a_shell(words: dict[str, Json], command: str) -> None:
    text = render(report([case("fail", id="it's")], **words))
    assert f"  rerun   {command}\n" in text


def test_rerun_quotes_what_cannot_be_printed() -> None:
    text = render(report([case("fail", id="a\n\\'b")]))
    assert "  --case $'a\\u000a\\\\\\'b'\n".strip() in text


def test_what_a_case_does_not_have_is_not_named() -> None:
    text = render(report([case("fail", call="", fixture="", over="")]))
    assert "  call" not in text
    assert "fixture" not in text


# ── the caret ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("excerpt", "column", "carets"),
    [
        pytest.param('a: "say \\"hi\\"", b', 4, "   ^^^^^^^^^^^^", id="a double-quoted text with escapes"),
        pytest.param("a: 'it''s' # c", 4, "   ^^^^^^^", id="a single-quoted text"),
        pytest.param('a: "open', 4, "   ^^^^^", id="a quote that is not closed"),
        pytest.param("a: one, two # c", 4, "   ^^^^^^^^", id="a plain scalar in a block"),
        pytest.param("a: [one, two]", 5, "    ^^^", id="a plain scalar in flow"),
        pytest.param("a: ['x]', two, b]", 11, "          ^^^", id="a bracket in quotes does not count"),
        pytest.param("  key: value", 3, "  ^^^", id="a key"),
        pytest.param("a: http://x:80/y", 4, "   ^^^^^^^^^^^^^", id="a colon within a scalar"),
        pytest.param("a: {b: [1, '}']} # c", 4, "   ^^^^^^^^^^^^^", id="a mapping in flow"),
        pytest.param("a: [1,", 4, "   ^^^", id="a list that goes on"),
        pytest.param("a: |", 4, "   ^", id="a block scalar"),
        pytest.param("\t\ta:\tb", 6, "\t\t  \t^", id="tabs are kept"),
        pytest.param("値段: 円安", 5, "      ^^^^", id="wide characters are two columns"),
        pytest.param("e\u0301a: b", 6, "    ^", id="combining marks are none"),
        pytest.param("a\x1b: b", 5, "         ^", id="an escape is as wide as it is shown"),
    ],
)
def test_the_caret_is_under_the_token(excerpt: str, column: int, carets: str) -> None:
    assert caret(excerpt, column, actual=[])[1] == f"{carets} found []"


def test_a_column_beyond_the_excerpt_has_no_caret_and_loses_nothing() -> None:
    assert block(finding(column=90, actual="a")) == dedent("""\
        error[text-found]: text that must not come back was found
          --> suites/agent_context/redaction.yaml:52:90
           |
        52 |       excludes: ["/Users/alice"]
           |
           = at: output.items.0.summary
           = excludes: "/Users/alice"
           = actual:   "a"
        """)


def test_control_characters_in_an_excerpt_are_shown_as_escapes() -> None:
    assert caret("a: \x1b[31m\u202e", 1, [])[0] == "a: \\u001b[31m\\u202e"


# ── values ───────────────────────────────────────────────────────────────────────────────────────


def notes(wrong: dict[str, Json]) -> list[str]:
    """The lines below the excerpt."""
    return block(wrong).rstrip("\n").split("   |\n")[-1].splitlines()


@pytest.mark.parametrize(
    ("expected", "actual", "shown"),
    [
        (3, "3", ["   = equals: 3 (integer)", '   = actual: "3" (string)']),
        (True, "true", ["   = equals: true (boolean)", '   = actual: "true" (string)']),
        (None, "null", ["   = equals: null (null)", '   = actual: "null" (string)']),
        ("e\u0301", "é", ['   = equals: "e\\u0301" (string)', '   = actual: "\\u00e9" (string)']),
        ("a b", "a\xa0b", ['   = equals: "a b" (string)', '   = actual: "a\\u00a0b" (string)']),
        (3, 4, ["   = equals: 3", "   = actual: 4"]),
        ({"a": 1}, [1], ['   = equals: {"a": 1}', "   = actual: [1]"]),
        ("a\x1b", "b\n", ['   = equals: "a\\u001b"', '   = actual: "b\\n"']),
    ],
)
def test_types_are_shown_where_texts_look_the_same(expected: Json, actual: Json, shown: list[str]) -> None:
    assert notes(mismatch(expected, actual)) == ["   = at: output.match", *shown]


def test_what_the_caret_points_at_is_not_said_again() -> None:
    wrong = mismatch(3, 4, excerpt="      output.match: 3", column=21)
    assert "   |                     ^ found 4\n" in block(wrong)
    assert notes(wrong) == ["   = at: output.match"]
    alike = mismatch(3, "3", excerpt="      output.match: 3", column=21)
    assert notes(alike)[1:] == ["   = equals: 3 (integer)", '   = actual: "3" (string)']


def test_a_path_that_leads_nowhere_shows_what_was_wanted() -> None:
    missing = mismatch(3, 0, code="path-missing")
    assert notes(without("actual", missing)) == ["   = at: output.match   equals: 3"]


def test_without_a_path_what_was_found_is_shown_all_the_same() -> None:
    shapeless = {
        key: value for key, value in finding(actual="x" * 50).items() if key not in ("path", "expected")
    }
    assert notes(shapeless) == [f'   = found: "{"x" * 50}"']


def test_a_finding_without_a_caret_still_shows_what_came_back() -> None:
    assert notes(without("expected", finding(column=0, actual=4))) == ["   = at: output.items.0.summary   4"]


def test_a_value_that_must_differ_is_no_look_alike_of_itself() -> None:
    equal = mismatch(
        3, 3, code="value-equal", expectation="differs", excerpt="      output.match: 3", column=21
    )
    assert "^ found 3\n" in block(equal)
    assert notes({**equal, "column": 7})[1:] == ["   = differs: 3", "   = actual:  3"]


def test_the_caret_and_the_message_agree_on_how_often() -> None:
    wrong = finding(
        message='"/Users/alice" must not come back, and was found in 2 places: output.a, output.b'
    )
    assert "^^^ found in 2 places\n" in block(wrong)


def test_how_often_a_text_was_found_stands_beside_the_caret() -> None:
    assert caret('a: "x"', 4, "axbxcx")[1] == "   ^^^ found 3 times"


def test_long_texts_are_shown_from_where_they_part() -> None:
    wanted, found = "a" * 1000 + "b" * 1000, "a" * 1000 + "c"
    first, second = notes(mismatch(wanted, found))[1:]
    assert first == f"   = equals: …{'a' * 60}{'b' * 340}… (2002 characters)"
    assert second == f'   = actual: …{"a" * 60}c" (1003 characters)'
    (alone,) = notes({key: value for key, value in finding(actual="d" * 900).items() if key != "expected"})
    assert alone == f'   = at: output.items.0.summary   "{"d" * 399}… (902 characters)'


# ── structures ───────────────────────────────────────────────────────────────────────────────────


def test_structures_differ_by_path() -> None:
    wrong = mismatch(
        {"a": 1, "deep": {"b": [1, 2], "c": None}}, {"deep": {"b": [1, "2"], "c": None, "d": {}}, "e": 5}
    )
    assert "output.match:\n   |       ^^^^^^^^^^^^ 4 differences\n" in block(wrong)
    assert notes(wrong) == [
        "   = at: output.match",
        "   - output.match.a          missing 1",
        '   ~ output.match.deep.b.1   expected 2 (integer)   actual "2" (string)',
        "   + output.match.deep.d     unexpected {}",
        "   + output.match.e          unexpected 5",
    ]


def test_one_item_too_many_or_too_few_is_one_line() -> None:
    assert notes(mismatch([1, 2, 3, 4], [1, 2, 9, 3, 4]))[1:] == ["   + output.match.2   unexpected 9"]
    assert notes(mismatch([1, 2, 3, 4], [1, 3, 4]))[1:] == ["   - output.match.1   missing 2"]


@pytest.mark.parametrize(
    ("expected", "actual", "path"),
    [
        ([[1, 2]], [[1]], "output.match.0.1"),
        ([[1]], [[1, 2]], "output.match.0.1"),
        ([{}], [{"a": 1}], "output.match.0.a"),
        ([{"a": 1}], [{}], "output.match.0.a"),
        ([{"a": None}], [{"b": None}], "output.match.0.a"),
    ],
)
def test_items_that_hold_more_or_less_are_not_the_same(expected: Json, actual: Json, path: str) -> None:
    assert notes(mismatch(expected, actual))[1].split()[1] == path


def test_many_differences_are_counted() -> None:
    shown = notes(mismatch(list(range(20)), [number + 100 for number in range(20)]))
    assert len(shown) == 14
    assert shown[-1] == "   … and 8 more"


def test_where_only_a_part_is_wanted_more_is_no_difference() -> None:
    wrong = mismatch(
        {"a": {"b": 1}, "c": [{"d": 1}]}, {"a": {"b": 2, "x": 1}, "c": [{"d": 1, "y": 1}], "z": 1}
    )
    assert notes({**wrong, "code": "part-differs"})[1:] == ["   ~ output.match.a.b   expected 1   actual 2"]


def test_a_word_that_asks_for_no_equality_shows_both_values() -> None:
    wrong = mismatch([[1], [2]], [3], code="not-one-of", expectation="oneOf")
    assert notes(wrong)[1:] == ["   = oneOf:  [[1], [2]]", "   = actual: [3]"]


def test_deep_structures_take_no_longer_than_they_are_large() -> None:
    wanted: Any = 1
    found: Any = 2
    for _ in range(150):
        wanted, found = [0, wanted], [0, found]
    (only,) = differences(wanted, found, "")
    assert only.path == ".".join(["1"] * 150)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(0, 2), st.sampled_from(["a", "1"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(JSON, JSON)
def test_values_differ_somewhere_exactly_where_they_are_not_the_same(left: Json, right: Json) -> None:
    """`repr` tells True from 1; the keys are sorted because objects have no order."""

    def written(value: Json) -> str:
        if isinstance(value, dict):
            return repr({key: written(value[key]) for key in sorted(value)})
        return repr([written(item) for item in value]) if isinstance(value, list) else repr(value)

    assert (next(differences(left, right, ""), None) is None) == (written(left) == written(right))


def test_one_and_one_point_zero_are_the_same() -> None:
    assert list(differences({"a": [1]}, {"a": [1.0]}, "")) == []
    assert [each.mark for each in differences([True], [1], "")] == ["~"]
