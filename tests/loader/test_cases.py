"""A written case becomes the cases that run: ways in, defaults, names, secrets, what is declared."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from evalkit.model import ExpectedFailure, Skip, Suite
from tests.playing import FREE, loaded, refused, suite_file

HEAD: Final = f'name: s\nversion: 1\ncontract: "{FREE}"\n'
CALL: Final = "operation: tool\ntool: ask\nexpect: {isError: false}"


def suite_of(folder: Path, *lines: str, head: str = "", call: str = CALL, **options: Any) -> Suite:
    body = "\n".join(("id: c", "title: It holds", *call.splitlines(), *lines)).replace("\n", "\n    ")
    return loaded(suite_file(folder, f"{HEAD}{head}cases:\n  - {body}\n"), **options)


def test_a_case_without_more_words_has_the_defaults_of_the_language(tmp_path: Path) -> None:
    (case,) = suite_of(tmp_path, "fixture: {}").cases
    assert (case.suite, case.id, case.title) == ("s", "c", "It holds")
    assert (case.severity, case.source, case.tags, case.timeout) == ("medium", "suite.yaml#c", (), 10)
    assert (case.settings, case.requires, case.skip, case.expected_failure) == (None, (), None, None)
    assert (case.may_reveal, case.secrets, case.bindings) == ((), {}, {})
    (step,) = case.steps
    assert (step.id, step.over, step.place, step.dynamic) == ("1", "direct", ("cases", 0), False)


def test_a_source_may_be_stated(tmp_path: Path) -> None:
    assert suite_of(tmp_path, "fixture: {}", "source: the spec").cases[0].source == "the spec"


def test_a_list_of_ways_runs_the_case_once_for_each(tmp_path: Path) -> None:
    one, two = suite_of(tmp_path, "fixture: {}", "over: [direct, mcp]").cases
    assert [(case.id, case.steps[0].over) for case in (one, two)] == [
        ("c[over=direct]", "direct"),
        ("c[over=mcp]", "mcp"),
    ]


def test_rows_and_ways_stand_in_one_id(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, "fixture: {}", "over: [direct, mcp]", "matrix: {x: [1, 2]}")
    assert [case.id for case in suite.cases] == [
        "c[x=1,over=direct]",
        "c[x=1,over=mcp]",
        "c[x=2,over=direct]",
        "c[x=2,over=mcp]",
    ]


def test_the_way_on_the_command_line_replaces_the_default_and_not_what_a_case_states(tmp_path: Path) -> None:
    assert suite_of(tmp_path, "fixture: {}", over="http").cases[0].steps[0].over == "http"
    head = "defaults: {over: mcp}\n"
    assert suite_of(tmp_path, "fixture: {}", head=head).cases[0].steps[0].over == "mcp"
    assert suite_of(tmp_path, "fixture: {}", head=head, over="http").cases[0].steps[0].over == "http"
    stated = suite_of(tmp_path, "fixture: {}", "over: cli", head=head, over="http")
    assert stated.cases[0].steps[0].over == "cli"


def test_a_way_of_one_step_is_its_own(tmp_path: Path) -> None:
    steps = "steps: [{operation: manifest, over: mcp, expect: {present: [manifest]}}, "
    steps += "{operation: manifest, expect: {present: [manifest]}}]"
    (case,) = suite_of(tmp_path, "fixture: {}", "over: http", call=steps).cases
    assert [step.over for step in case.steps] == ["mcp", "http"]


def test_a_skip_is_a_reason_or_a_reason_and_a_date(tmp_path: Path) -> None:
    assert suite_of(tmp_path, "fixture: {}", "skip: later").cases[0].skip == Skip("later")
    dated = suite_of(tmp_path, "fixture: {}", 'skip: {reason: later, until: "2026-02-28"}')
    assert dated.cases[0].skip == Skip("later", "2026-02-28")


def test_a_case_that_is_skipped_for_good_may_lack_everything(tmp_path: Path) -> None:
    (case,) = suite_of(tmp_path, "skip: nothing is known yet", call="operation: tool\ntool: ask").cases
    assert (case.fixture, case.steps[0].expect) == (None, {})


def test_a_case_that_will_run_again_may_lack_nothing(tmp_path: Path) -> None:
    until = 'skip: {reason: later, until: "2026-02-28"}'
    body = f"    id: c\n    title: t\n    {until}\n    operation: tool\n    tool: ask\n".replace(
        "    id", "  - id"
    )
    assert [one.code for one in refused(suite_file(tmp_path, f"{HEAD}cases:\n{body}"))] == [
        "fixture-missing",
        "nothing-expected",
    ]


def test_a_failure_is_expected_with_its_codes(tmp_path: Path) -> None:
    words = "expectedFailure: {reason: not yet, findings: [value-differs, path-missing]}"
    (case,) = suite_of(tmp_path, "fixture: {}", words).cases
    assert case.expected_failure == ExpectedFailure("not yet", ("value-differs", "path-missing"))


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("brain.token", ("fixtures.low.brain.token",)),
        ("brain", ("fixtures.low.brain.token", "fixtures.top.brain.more")),
        ("fixtures.low.brain.token", ("fixtures.low.brain.token",)),
        ("fixtures.top", ("fixtures.top.brain.more",)),
        ("args.q", ("args.q",)),
    ],
)
def test_a_secret_may_be_revealed_by_its_path_in_the_fixture_or_in_full(
    tmp_path: Path, path: str, meant: tuple[str, ...]
) -> None:
    head = (
        "fixtures:\n  low: {brain: {token: {$secret: aaaa}}}\n  top: {use: low, "
        "brain: {more: {$secret: bbbb}}}\n"
    )
    words = ("fixture: top", "args: {q: {$secret: cccc}}", f"mayReveal: [{path}]")
    (case,) = suite_of(tmp_path, *words, head=head).cases
    assert case.may_reveal == meant


def test_a_secret_of_a_fixture_in_place_may_be_revealed(tmp_path: Path) -> None:
    (case,) = suite_of(tmp_path, "fixture: {a: {b: {$secret: aaaa}}}", "mayReveal: [a.b]").cases
    assert case.may_reveal == ("fixture.a.b",)


def test_secrets_of_defaults_args_and_headers_are_kept_with_their_places(tmp_path: Path) -> None:
    head = "defaults: {fixture: {}, settings: {key: {$secret: dddd}}}\n"
    words = ("args: {q: {$secret: aaaa}}", "headers: {authorization: {$secret: hhhh}}")
    (case,) = suite_of(tmp_path, *words, head=head).cases
    assert case.secrets == {
        "defaults.0.settings.key": "dddd",
        "args.q": "aaaa",
        "headers.authorization": "hhhh",
    }
    plain = (
        HEAD + head + "cases:\n  - {id: c, title: t, operation: manifest, expect: {present: [manifest]}}\n"
    )
    assert loaded(suite_file(tmp_path, plain)).cases[0].secrets == {"defaults.0.settings.key": "dddd"}


def test_names_of_the_environment_are_filled_in_where_they_are_given(tmp_path: Path) -> None:
    (case,) = suite_of(tmp_path, "fixture: {}", 'args: {q: "${{ env.WHO }}"}', env={"WHO": "me"}).cases
    assert case.steps[0].call.words["args"] == {"q": "me"}
    head = 'defaults: {tags: ["${{ env.WHO }}"]}\n'
    assert suite_of(tmp_path, "fixture: {}", head=head, env={"WHO": "me"}).cases[0].tags == ("me",)


def test_dollar_dollar_is_the_text_itself(tmp_path: Path) -> None:
    (case,) = suite_of(tmp_path, "fixture: {}", 'args: {q: "$${{ env.WHO }}"}').cases
    assert case.steps[0].call.words["args"] == {"q": "${{ env.WHO }}"}


def test_settings_reach_the_contract_unchecked(tmp_path: Path) -> None:
    for written, meant in (("5", 5), ("[1]", [1]), ("null", None), ("{a: {}}", {"a": {}})):
        assert suite_of(tmp_path, "fixture: {}", f"settings: {written}").cases[0].settings == meant


def test_a_suite_knows_which_tools_its_unskipped_cases_call(tmp_path: Path) -> None:
    text = (
        f"{HEAD}defaults: {{fixture: {{}}}}\ncases:\n"
        "  - {id: a, title: t, operation: tool, tool: one, expect: {isError: false}}\n"
        "  - {id: b, title: t, operation: tool, tool: two, expect: {isError: true}}\n"
        "  - {id: c, title: t, operation: tool, tool: three, expect: {isError: false}, skip: later}\n"
        "  - {id: d, title: t, steps: [{operation: tool, tool: one, expect: {rpcError: -32602}}]}\n"
    )
    uses = loaded(suite_file(tmp_path, text)).facts.tool_uses
    assert [(use.tool, use.refused) for use in uses] == [("one", False), ("one", True), ("two", True)]
