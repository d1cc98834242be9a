"""Fixtures: `use`, in place, the contract's schema, secrets, and where each part is written."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from evalkit.loader.fixtures import IN_PLACE
from evalkit.model import Case, Suite
from tests.playing import FREE, loaded, refused, suite_file

CASE: Final = (
    "cases:\n  - {id: a, title: t, operation: manifest, expect: {present: [manifest]}, fixture: FIXTURE}\n"
)


def suite_of(
    folder: Path, fixtures: str, fixture: str = "top", contract: str = FREE, **options: object
) -> Suite:
    text = (
        f'name: s\nversion: 1\ncontract: "{contract}"\nfixtures:\n'
        f"{fixtures}{CASE.replace('FIXTURE', fixture)}"
    )
    return loaded(suite_file(folder, text), **options)


def case_of(folder: Path, fixtures: str, fixture: str = "top", contract: str = FREE) -> Case:
    return suite_of(folder, fixtures, fixture, contract).cases[0]


def test_mappings_merge_deeply_and_lists_are_replaced(tmp_path: Path) -> None:
    fixtures = """\
  low: {a: {b: {c: 1, d: 2}}, list: [1, 2, 3], text: x, gone: {deep: 1}}
  middle: {use: low, a: {b: {d: 3, e: 4}}, list: [4]}
  top: {use: middle, a: {f: {}}, gone: null, text: {now: object}}
"""
    assert case_of(tmp_path, fixtures).fixture == {
        "a": {"b": {"c": 1, "d": 3, "e": 4}, "f": {}},
        "list": [4],
        "text": {"now": "object"},
        "gone": None,
    }


def test_a_fixture_in_place_may_begin_with_another(tmp_path: Path) -> None:
    case = case_of(tmp_path, "  low: {a: {b: 1}}\n", "{use: low, a: {c: 2}}")
    assert (case.fixture, case.fixture_name) == ({"a": {"b": 1, "c": 2}}, IN_PLACE)


def test_a_fixture_may_be_empty(tmp_path: Path) -> None:
    assert case_of(tmp_path, "  low: {}\n", "{}").fixture == {}


def test_the_order_of_fixtures_does_not_matter(tmp_path: Path) -> None:
    assert case_of(tmp_path, "  top: {use: low}\n  low: {a: 1}\n").fixture == {"a": 1}


def test_a_circle_is_told_with_its_way_round(tmp_path: Path) -> None:
    mistakes = refused(
        suite_file(
            tmp_path,
            "name: s\nversion: 1\ncontract: echo\nfixtures:\n  a: {use: b}\n  b: {use: a}\n"
            + CASE.replace("FIXTURE", "a"),
        )
    )
    assert [(one.code, one.line, one.column) for one in mistakes] == [
        ("fixture-cycle", 6, 12),
        ("fixture-cycle", 5, 12),
    ][::-1]
    assert {one.message for one in mistakes} == {
        "`use` goes round in a circle: a -> b -> a",
        "`use` goes round in a circle: b -> a -> b",
    }


def test_a_fixture_refuses_change(tmp_path: Path) -> None:
    fixture = case_of(tmp_path, "  top: {a: {b: [1]}}\n").fixture
    with pytest.raises(TypeError, match="refuses change"):
        fixture["a"]["b"].append(2)


def test_the_contract_s_schema_judges_what_comes_out_and_tells_every_mistake(tmp_path: Path) -> None:
    text = "  low: {voices: {a: x}}\n  top: {use: low, voices: {b: 1, c: 2}}\n"
    path = suite_file(
        tmp_path, f"name: s\nversion: 1\ncontract: echo\nfixtures:\n{text}{CASE.replace('FIXTURE', 'low')}"
    )
    assert [(one.code, one.line, one.column, one.message.split(":")[0]) for one in refused(path)] == [
        ("fixture-invalid", 6, 31, "voices.b"),
        ("fixture-invalid", 6, 37, "voices.c"),
    ]


def test_an_unused_fixture_is_found_wrong_too(tmp_path: Path) -> None:
    path = suite_file(
        tmp_path,
        f"name: s\nversion: 1\ncontract: echo\nfixtures:\n  idle: {{voice: 1}}\n"
        f"{CASE.replace('FIXTURE', '{}')}",
    )
    (mistake,) = refused(path)
    assert (mistake.code, mistake.line) == ("fixture-invalid", 5)


def test_a_contract_without_a_schema_takes_any_fixture(tmp_path: Path) -> None:
    assert case_of(tmp_path, "  top: {any: [thing]}\n").fixture == {"any": ["thing"]}


def test_a_broken_schema_of_a_contract_is_told_and_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "strange.py").write_text("def open_subject(world): ...\n")
    path = suite_file(
        tmp_path,
        f'name: s\nversion: 1\ncontract: "python:strange:open_subject"\n{CASE.replace("FIXTURE", "{}")}',
    )
    for broken in ("{", '{"type": "nothing"}'):
        (tmp_path / "strange.schema.json").write_text(broken)
        (mistake,) = refused(path)
        assert (mistake.code, mistake.line, mistake.column) == ("file-unreadable", 3, 11)
        assert "strange.schema.json" in mistake.message


def test_a_secret_is_called_by_the_fixture_that_writes_it(tmp_path: Path) -> None:
    fixtures = "  low: {a: {b: {$secret: lower}}}\n  top: {use: low, c: {$join: [x, {$secret: upper}]}}\n"
    assert case_of(tmp_path, fixtures).secrets == {
        "fixtures.low.a.b": "lower",
        "fixtures.top.c.$join.1": "upper",
    }
    placed = case_of(tmp_path, fixtures, "{use: top, d: {$secret: placed}}")
    assert placed.secrets == {
        "fixtures.low.a.b": "lower",
        "fixtures.top.c.$join.1": "upper",
        "fixture.d": "placed",
    }


def test_each_copy_of_a_secret_is_one(tmp_path: Path) -> None:
    fixtures = '  top: {list: {$repeat: {value: {token: {$secret: "token-${{ index }}"}}, times: 2}}}\n'
    assert set(case_of(tmp_path, fixtures).secrets.values()) == {"token-0", "token-1"}


def test_names_of_the_environment_fill_in_where_they_are_given(tmp_path: Path) -> None:
    fixtures = '  top: {url: "http://${{ env.HOST }}/"}\n'
    assert suite_of(tmp_path, fixtures, env={"HOST": "h"}).cases[0].fixture == {"url": "http://h/"}


def test_the_origins_of_a_fixture_are_its_own_text_and_then_what_it_uses(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, "  low: {}\n  top: {use: low}\n")
    assert suite.origins["top"] == ((0, ("fixtures", "top")), (0, ("fixtures", "low")))


def test_a_fixture_of_literals_is_filled_in(tmp_path: Path) -> None:
    case = case_of(
        tmp_path,
        '  top: {list: {$repeat: {value: {id: "${{ index }}"}, times: 2}}, data: {$literal: {$int: x}}}\n',
    )
    assert case.fixture == {"list": [{"id": 0}, {"id": 1}], "data": {"$int": "x"}}
