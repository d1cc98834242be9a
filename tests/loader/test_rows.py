"""The matrix: axes multiply, `include` adds, `exclude` removes; what a row is called."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from evalkit.literals import LiteralError, Scope
from evalkit.loader.rows import rows
from evalkit.model import Json, Suite, Target
from tests.playing import FREE, loaded, played, refused, suite_file

LONG: Final = "x" * 40


def made(
    matrix: Json, advertised: Any = None, secrets: dict[str, str] | None = None
) -> list[tuple[str, Json]]:
    scope = Scope(lambda name: {"n": 2}[name], "matrix", secrets or {})
    return [(row.label, dict(row.values)) for row in rows(matrix, scope, advertised)]


def test_axes_multiply_in_the_order_in_which_they_are_written() -> None:
    assert made({"x": [1, 2], "y": ["a", "b"]}) == [
        ("x=1,y=a", {"x": 1, "y": "a"}),
        ("x=1,y=b", {"x": 1, "y": "b"}),
        ("x=2,y=a", {"x": 2, "y": "a"}),
        ("x=2,y=b", {"x": 2, "y": "b"}),
    ]


def test_include_adds_rows_and_stands_alone_too() -> None:
    assert made({"x": [1], "include": [{"x": 2, "z": 3}]}) == [
        ("x=1", {"x": 1}),
        ("x=2,z=3", {"x": 2, "z": 3}),
    ]
    assert made({"include": [{"x": 1}]}) == [("x=1", {"x": 1})]


def test_exclude_removes_every_row_that_it_covers() -> None:
    matrix = {"x": [1, 2], "y": ["a", "b"], "include": [{"x": 1, "y": "c"}]}
    kept = [label for label, _ in made({**matrix, "exclude": [{"x": 1}]})]
    assert kept == ["x=2,y=a", "x=2,y=b"]
    kept = [label for label, _ in made({**matrix, "exclude": [{"x": 1, "y": "a"}, {"y": "c"}]})]
    assert kept == ["x=1,y=b", "x=2,y=a", "x=2,y=b"]


@pytest.mark.parametrize("removed", [{"x": "1"}, {"x": True}, {"z": 1}, {"x": 1, "y": "z"}])
def test_exclude_compares_exactly(removed: Json) -> None:
    with pytest.raises(LiteralError, match="removes no row"):
        made({"x": [1], "y": ["a"], "exclude": [removed]})


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("two", "two"),
        (1, "1"),
        (1.5, "1.5"),
        (True, "true"),
        (None, "null"),
        ("A.b_c-9", "A.b_c-9"),
        (LONG, LONG),
        (LONG + "x", "#1"),
        ("", "#1"),
        ("a b", "#1"),
        ("é", "#1"),
        ("a/b", "#1"),
        ([1], "#1"),
        ({"a": 1}, "#1"),
        ("my-secret-9", "#1"),
        (5550100, "#1"),
    ],
)
def test_a_short_plain_value_stands_in_the_id_and_else_the_row_s_number(value: Json, shown: str) -> None:
    assert made({"x": [value]}, secrets={"a": "secret", "b": "5550100"})[0][0] == f"x={shown}"


def test_the_number_of_a_row_counts_what_is_left(tmp_path: Path) -> None:
    assert [label for label, _ in made({"x": ["a", "b b", [3]], "exclude": [{"x": "a"}]})] == ["x=#1", "x=#2"]


def test_a_row_may_name_itself_and_its_name_is_no_value() -> None:
    assert made({"include": [{"id": "first of all", "x": 1}]}) == [("first of all", {"x": 1})]


def test_a_name_that_holds_a_secret_is_not_shown() -> None:
    assert made({"include": [{"id": "my-secret-9", "x": 1}]}, secrets={"a": "secret"})[0][0] == "#1"


def test_values_are_filled_in_first() -> None:
    matrix = {"x": {"$repeat": {"value": ["${{ index }}"], "times": "${{ n }}"}}}
    assert made(matrix) == [("x=#1", {"x": [0]}), ("x=#2", {"x": [1]})]
    assert made({"x": [{"$int": "9007199254740993"}]}) == [("x=9007199254740993", {"x": 9007199254740993})]


def test_more_than_ten_thousand_rows_need_max() -> None:
    hundred = list(range(100))
    assert len(made({"x": hundred, "y": hundred})) == 10_000
    with pytest.raises(LiteralError, match="10,001 rows, more than 10,000"):
        made({"x": hundred, "y": hundred, "include": [{"x": -1}]})
    assert len(made({"x": hundred, "y": hundred, "include": [{"x": -1}], "max": 10_001})) == 10_001
    with pytest.raises(LiteralError, match="2 rows, more than 1"):
        made({"x": [1, 2], "max": 1})


def test_a_matrix_that_could_never_be_made_is_refused_before_it_is_made() -> None:
    with pytest.raises(LiteralError, match="more than 10,000"):
        made({f"x{n}": list(range(1000)) for n in range(10)})


def test_each_makes_a_row_of_what_the_target_advertises() -> None:
    tools = [{"name": "b", "n": 1}, {"name": "a", "n": 2}]
    asked: list[str] = []

    def advertised(path: str) -> Json:
        asked.append(path)
        return tools

    matrix = {"tool": {"each": "manifest.tools", "key": "name"}, "y": [1]}
    assert made(matrix, advertised) == [
        ("tool=b,y=1", {"tool": tools[0], "y": 1}),
        ("tool=a,y=1", {"tool": tools[1], "y": 1}),
    ]
    assert asked == ["manifest.tools"]
    assert made({"tool": {"each": "manifest.tools", "key": "gone"}}, advertised)[1][0] == "tool=#2"
    assert made({"tool": {"each": "manifest.tools"}}, advertised)[1][0] == "tool=#2"


@pytest.mark.parametrize("found", [[], None, ..., {"a": 1}])
def test_each_of_nothing_is_an_error(found: Json) -> None:
    with pytest.raises(LiteralError) as refusal:
        made({"tool": {"each": "manifest.tols"}}, lambda path: found)
    assert refusal.value.code == "matrix-empty"


def suite_of(folder: Path, matrix: str, *more: str, **options: Any) -> Suite:
    lines = [
        "name: s",
        "version: 1",
        f'contract: "{FREE}"',
        "fixtures:",
        '  rowwise: {use: plain, of: "${{ matrix.x }}"}',
        "  plain: {a: 1}",
        "cases:",
        "  - id: c",
        f"    matrix: {matrix}",
        "    operation: tool",
        *(f"    {line}" for line in more),
    ]
    return loaded(suite_file(folder, "\n".join(lines) + "\n"), **options)


def test_a_row_fills_in_anywhere_in_its_case(tmp_path: Path) -> None:
    suite = suite_of(
        tmp_path,
        "{x: [1, two]}",
        'title: "x is ${{ matrix.x }}"',
        'tags: ["t${{ matrix.x }}"]',
        'tool: "${{ matrix.x }}-tool"',
        'args: {value: "${{ matrix.x }}", text: "<${{ matrix.x }}>", as: "$${{ matrix.x }}"}',
        'settings: {x: "${{ matrix.x }}"}',
        "fixture: rowwise",
        'expect: {equals: {"output.${{ matrix.x }}": "${{ matrix.x }}"}}',
    )
    one, two = suite.cases
    assert [case.id for case in suite.cases] == ["c[x=1]", "c[x=two]"]
    assert (one.title, one.tags, one.source) == ("x is 1", ("t1",), "suite.yaml#c")
    assert one.steps[0].call.words == {
        "tool": "1-tool",
        "args": {"value": 1, "text": "<1>", "as": "${{ matrix.x }}"},
    }
    assert one.steps[0].expect == {"equals": {"output.1": 1}}
    assert (one.settings, one.fixture) == ({"x": 1}, {"a": 1, "of": 1})
    assert (two.settings, two.fixture, two.fixture_name) == ({"x": "two"}, {"a": 1, "of": "two"}, "rowwise")


@pytest.mark.parametrize(
    "fixture", ['"${{ matrix.x }}"', '{use: "${{ matrix.x }}"}', '{of: "${{ matrix.z }}"}']
)
def test_a_row_fills_in_its_fixture(tmp_path: Path, fixture: str) -> None:
    body = ["title: t", "tool: ask", "expect: {isError: false}", f"fixture: {fixture}"]
    (case,) = suite_of(tmp_path, "{include: [{x: plain, z: 5}]}", *body).cases
    assert case.fixture == ({"of": 5} if "of" in fixture else {"a": 1})


def test_a_secret_of_a_row_is_one_of_its_case_and_not_in_its_id(tmp_path: Path) -> None:
    body = [
        "title: t",
        "tool: ask",
        'args: {q: "${{ matrix.q }}"}',
        "expect: {isError: false}",
        "fixture: {}",
    ]
    (case,) = suite_of(tmp_path, "{q: [{$secret: hidden}]}", *body).cases
    assert (case.id, list(case.secrets.values())) == ("c[q=#1]", ["hidden"])


def test_rows_of_one_id_are_refused(tmp_path: Path) -> None:
    body = ["title: t", "tool: ask", "expect: {isError: false}", "fixture: {}"]
    suite_of(tmp_path, "{x: [1, 2]}", *body)
    path = tmp_path / "suite.yaml"
    path.write_text(path.read_text().replace("[1, 2]", '[1, "1"]'))
    (mistake,) = refused(path)
    assert (mistake.code, mistake.line, mistake.column) == ("duplicate-id", 8, 9)
    assert "c[x=1]" in mistake.message


def test_a_shape_that_only_one_row_breaks_is_told_where_it_is_written(tmp_path: Path) -> None:
    body = ["title: t", "tool: ask", "expect: {isError: false}", "fixture: {}", "severity: high"]
    suite_of(tmp_path, "{s: [high, hgih]}", *body)
    path = tmp_path / "suite.yaml"
    path.write_text(path.read_text().replace("severity: high", 'severity: "${{ matrix.s }}"'))
    (mistake,) = refused(path)
    assert (mistake.code, mistake.line, mistake.column) == ("wrong-value", 15, 15)
    assert mistake.remedy == "did you mean `high`?"


def test_each_is_asked_with_the_fixture_and_settings_of_the_case(tmp_path: Path) -> None:
    asked: list[Json] = []

    def advertised(contract: str, target: Target | None, fixture: Json, settings: Json) -> Json:
        asked.append((contract, target, fixture, settings))
        return {"tools": [{"name": "ask"}]}

    body = [
        "title: t",
        'tool: "${{ matrix.tool.name }}"',
        "expect: {isError: false}",
        "fixture: plain",
        "settings: {yonder: true}",
    ]
    matrix = "{tool: {each: manifest.tools, key: name}}"
    suite = suite_of(tmp_path, matrix, *body, advertised=advertised)
    assert asked == [(FREE, None, {"a": 1}, {"yonder": True})]
    assert {name: result.status for name, result in played(suite).items()} == {"c[tool=ask]": "pass"}


def test_each_makes_no_row_where_the_target_is_not_asked(tmp_path: Path) -> None:
    body = ["title: t", 'tool: "${{ matrix.tool.name }}"', "expect: {isError: false}", "fixture: plain"]
    assert suite_of(tmp_path, "{tool: {each: manifest.tools, key: name}}", *body).cases == ()


def test_a_list_that_the_target_advertises_empty_leaves_a_case_that_says_so(tmp_path: Path) -> None:
    body = ["title: t", 'tool: "${{ matrix.tool.name }}"', "expect: {isError: false}", "fixture: plain"]
    matrix = "{tool: {each: manifest.tools, key: name}}"
    suite = suite_of(tmp_path, matrix, *body, advertised=lambda *_asked: {"tools": []})
    (result,) = played(suite).values()
    assert result.skip == ("declared", "the target advertises nothing at `manifest.tools`")


def test_a_row_of_which_no_arguments_can_be_drawn_is_skipped_and_the_others_run(tmp_path: Path) -> None:
    body = [
        "title: t",
        "tool: ask",
        'args: {$sample: {tool: "${{ matrix.tool }}"}}',
        "expect: {isError: false}",
        "fixture: plain",
    ]
    tools = [
        {"name": "good", "inputSchema": {"type": "object"}},
        {"name": "none"},
        {"name": "bad", "inputSchema": {"not": {}}},
    ]
    matrix = "{tool: {each: manifest.tools, key: name}}"
    suite = suite_of(tmp_path, matrix, *body, advertised=lambda *_asked: {"tools": tools})
    results = played(suite)
    assert {name: result.status for name, result in results.items()} == {
        "c[tool=good]": "pass",
        "c[tool=none]": "skip",
        "c[tool=bad]": "skip",
    }
    assert results["c[tool=none]"].skip == (
        "declared",
        "no arguments can be drawn: the tool advertises no input schema",
    )
