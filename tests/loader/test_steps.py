"""Steps: what each asks and expects, what is captured, and what can be known of that before anything runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from evalkit.loader.steps import can_ask
from evalkit.model import Case, Suite
from tests.playing import FREE, MARK, loaded, marked, refused, suite_file

HEAD: Final = (
    f'name: s\nversion: 1\ncontract: "{FREE}"\ndefaults: {{fixture: {{}}}}\ncases:\n  - id: c\n    title: t\n'
)
FIRST: Final = (
    "      - id: first\n        operation: tool\n        tool: ask\n        expect: {isError: false}\n"
    "        capture: {it: output.it}\n"
)


def text_of(second: str) -> str:
    return f"{HEAD}    steps:\n{FIRST}      - {second}\n"


def case_of(folder: Path, second: str, **options: Any) -> Case:
    return loaded(suite_file(folder, text_of(second)), **options).cases[0]


def test_steps_have_ids_of_their_own_or_their_number(tmp_path: Path) -> None:
    case = case_of(tmp_path, "{operation: manifest, expect: {present: [manifest]}}")
    assert [(step.id, step.place) for step in case.steps] == [
        ("first", ("cases", 0, "steps", 0)),
        ("2", ("cases", 0, "steps", 1)),
    ]


def test_a_call_keeps_its_words_in_the_order_in_which_they_are_written(tmp_path: Path) -> None:
    """The report shows them, and its bytes must not depend on how a set is ordered."""
    words = {
        "query": {"a": 1},
        "path": "/x",
        "json": {},
        "method": "PUT",
        "headers": {},
        "client": "127.0.0.1",
    }
    text = json.dumps({"operation": "http", **words, "expect": {"status": 200}})
    assert list(case_of(tmp_path, text).steps[1].call.words) == list(words)


def test_a_step_that_uses_what_was_captured_is_filled_in_when_it_runs(tmp_path: Path) -> None:
    second = "{operation: tool, tool: ask, args: {q: '${{ steps.first.it }}'}, expect: {isError: false}}"
    first, step = case_of(tmp_path, second).steps
    assert (first.dynamic, first.capture) == (False, {"it": "output.it"})
    assert (step.dynamic, step.call.words["args"]) == (True, {"q": "${{ steps.first.it }}"})


def test_only_the_dynamic_steps_of_a_case_with_a_row_wait(tmp_path: Path) -> None:
    text = text_of(
        "{operation: tool, tool: ask, args: {q: '${{ steps.first.it }}${{ matrix.x }}'}, "
        "expect: {isError: false}}"
    )
    text = text.replace("    title: t\n", "    title: t\n    matrix: {x: [1]}\n").replace(
        "tool: ask\n", 'tool: "ask-${{ matrix.x }}"\n'
    )
    case = loaded(suite_file(tmp_path, text)).cases[0]
    assert case.steps[0].call.words["tool"] == "ask-1"
    assert case.bindings == {"matrix": {"x": 1}, "env": {}, "target": {"path": "/"}}


def test_secrets_of_a_step_are_known_before_it_runs(tmp_path: Path) -> None:
    second = (
        "{operation: tool, tool: ask, args: {q: '${{ steps.first.it }}', key: {$secret: hidden}}, "
        "expect: {isError: false}}"
    )
    assert case_of(tmp_path, second).secrets == {"steps.1.args.key": "hidden"}


DYNAMIC: Final = "operation: tool, tool: ask, args: {q: '${{ steps.first.it }}'}"


@pytest.mark.parametrize(
    ("second", "code", "remedy"),
    [
        (f"{{{DYNAMIC}, expect: {{▲isErrror: false}}}}", "unknown-expectation", "did you mean `isError`?"),
        (f"{{{DYNAMIC}, expect: {{isError: ▲5}}}}", "wanted-shape", "`evalkit explain isError`"),
        (f"{{{DYNAMIC}, expect: {{equals: {{outptu: ▲1}}}}}}", "path-root", "did you mean `output`?"),
        (f"{{{DYNAMIC}, ▲arg: 1, expect: {{isError: false}}}}", "unknown-key", "did you mean `args`?"),
        (f"▲{{{DYNAMIC}}}", "nothing-expected", "under `expect`"),
        (f"{{{DYNAMIC}, headers: {{a: ▲1}}, expect: {{isError: false}}}}", "wrong-type", "quote it"),
        (
            "{operation: tool, tool: ask, args: {q: '${{ steps.first.it }}', k: {$secret: ▲abc}}, "
            "expect: {isError: false}}",
            "secret-too-short",
            "longer",
        ),
        (
            "{operation: tool, tool: ask, args: {q: ▲'${{ steps.second.it }}'}, expect: {isError: false}}",
            "undefined-name",
            "write a name that is defined",
        ),
        (
            "▲{operation: tool, tool: ask, args: {k: {$secret: '${{ steps.first.it }}'}}, "
            "expect: {isError: false}}",
            "literal-shape",
            "mark it where it comes from",
        ),
    ],
)
def test_a_slip_in_a_dynamic_step_is_found_before_it_runs(
    tmp_path: Path, second: str, code: str, remedy: str
) -> None:
    text = text_of(second)
    (mistake,) = refused(suite_file(tmp_path, text))
    assert (mistake.code, (mistake.line, mistake.column)) == (code, marked(text))
    assert remedy in mistake.remedy


@pytest.mark.parametrize(
    "second",
    [
        "{operation: tool, tool: '${{ steps.first.it }}', expect: {isError: false}}",
        "{operation: tool, tool: ask, headers: {a: '${{ steps.first.it }}'}, expect: {isError: false}}",
        "{operation: tool, tool: ask, meta: {a: ['${{ steps.first.it }}']}, expect: {isError: false}}",
        "{operation: tool, tool: ask, expect: {equals: {output.it: '${{ steps.first.it }}'}}}",
        "{operation: tool, tool: ask, expect: {count: {output.items: '${{ steps.first.it }}'}}}",
        "{operation: tool, tool: ask, args: {$repeat: {value: a, times: '${{ steps.first.it }}'}}, "
        "expect: {isError: false}}",
        "{operation: tool, tool: ask, args: {$join: ['${{ steps.first.it }}', b]}, expect: {isError: false}}",
        "{operation: tool, tool: ask, args: {$literal: {q: '${{ steps.none.it }}'}}, "
        "expect: {isError: false}}",
        "{operation: tool, tool: ask, expect: {present: [steps.first.output.it]}}",
        "{operation: tool, tool: ask, expect: {sameAs: {output.it: steps.first.output.it}}}",
        "{operation: tool, tool: ask, expect: {count: {'$.steps.first.output': 1}}}",
        "{operation: world, patch: {a: '${{ steps.first.it }}'}}",
        "{operation: world, advance: 1, settings: {a: 1}}",
        "{operation: world, advance: '${{ steps.first.it }}'}",
        "{operation: tool, tool: ask, headers: '${{ steps.first.it }}', expect: {isError: false}}",
        "{operation: complete, ref: '${{ steps.first.it }}', argument: {}, expect: {present: [output]}}",
        "{operation: cli, argv: '${{ steps.first.it }}', expect: {exitCode: 0}}",
        "{operation: tool, tool: ask, headers: {$literal: {a: b}}, args: {$repeat: {value: a, "
        "times: '${{ steps.first.it }}'}}, expect: {isError: false}}",
        "{operation: tool, tool: ask, expect: {equals: {'${{ steps.first.it }}': 1}}}",
    ],
)
def test_what_a_step_may_say_of_an_earlier_one(tmp_path: Path, second: str) -> None:
    assert case_of(tmp_path, second)


def test_a_step_may_not_speak_of_itself_or_of_a_later_one(tmp_path: Path) -> None:
    second = "{id: second, operation: tool, tool: ask, expect: {present: [▲steps.second.output]}}"
    text = text_of(second)
    (mistake,) = refused(suite_file(tmp_path, text))
    assert (mistake.code, (mistake.line, mistake.column)) == ("path-root", marked(text))


@pytest.mark.parametrize("path", ["steps.first.output", "$.output.it", "response.status"])
def test_what_cannot_be_captured_is_refused(tmp_path: Path, path: str) -> None:
    second = f"{{operation: tool, tool: ask, expect: {{isError: false}}, capture: {{it: ▲{path}}}}}"
    text = text_of(second)
    (mistake,) = refused(suite_file(tmp_path, text))
    assert mistake.code in ("path-root", "path-unreadable")
    assert (mistake.line, mistake.column) == marked(text)


@pytest.mark.parametrize("key", ["args", "tool", "capture", "expect", "headers", "patch", "message"])
def test_nothing_of_a_step_may_stand_beside_steps(tmp_path: Path, key: str) -> None:
    value = {"tool": "x", "message": "x", "expect": "{isError: false}"}.get(key, "{}")
    text = text_of("{operation: world, advance: 1}") + f"    {MARK}{key}: {value}\n"
    (mistake,) = refused(suite_file(tmp_path, text))
    assert (mistake.code, (mistake.line, mistake.column)) == ("unknown-key", marked(text))
    assert mistake.remedy == "write it in a step"


def test_settings_and_the_way_in_may_stand_beside_steps(tmp_path: Path) -> None:
    text = text_of("{operation: world, advance: 1}") + "    settings: {a: 1}\n    over: mcp\n"
    case = loaded(suite_file(tmp_path, text)).cases[0]
    assert (case.settings, case.steps[0].over) == ({"a": 1}, "mcp")


@pytest.mark.parametrize(
    ("word", "operation", "can"),
    [
        ("isError", "tool", True),
        ("isError", "manifest", False),
        ("equals", "http", True),
        ("equals", "world", False),
        ("rpcError", "rpc", True),
        ("exitCode", "tool", False),
    ],
)
def test_which_word_can_be_asked_of_which_operation(word: str, operation: str, can: bool) -> None:
    assert can_ask(word, operation) is can


def schema_suite(folder: Path, schema: str) -> Suite:
    return loaded(
        suite_file(folder, f"{HEAD}    operation: tool\n    tool: ask\n    expect: {{schema: {schema}}}\n")
    )


@pytest.mark.parametrize(
    "written", ["{output: {file: sub/a.json}}", "[{path: output, value: {file: sub/a.json}}]"]
)
def test_a_schema_may_stand_in_a_file_beside_the_suite(tmp_path: Path, written: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.json").write_text(json.dumps({"type": "object"}))
    wanted = schema_suite(tmp_path, written).cases[0].steps[0].expect["schema"]
    assert wanted in ({"output": {"type": "object"}}, [{"path": "output", "value": {"type": "object"}}])


def test_a_schema_in_a_file_is_held_to_the_same_rules(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"propertys": {}}))
    path = suite_file(
        tmp_path,
        f"{HEAD}    operation: tool\n    tool: ask\n    expect: {{schema: {{output: {{file: a.json}}}}}}\n",
    )
    assert [(one.code, one.line) for one in refused(path)] == [("wanted-unusable", 10)]
