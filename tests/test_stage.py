"""One playing of a case: sessions, captured values, what is copied, what is no JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evalkit.errors import CapabilityMissing, CaseError
from evalkit.model import IN_MEMORY, Call, Case, Json, Subject, World
from evalkit.stage import Stage, copied, way_in
from evalkit.world import CaseFolder, FakeWorld
from tests.playing import FREE, Puppet, loaded, said, suite_file

TEXT = f"""\
name: s
version: 1
contract: "{FREE}"
cases:
  - id: c
    title: t
    fixture: {{a: 1}}
    matrix: {{x: [two]}}
    steps:
      - id: first
        operation: tool
        tool: ask
        expect: {{isError: false}}
        capture: {{num: output.num, list: output.list}}
      - id: second
        operation: tool
        tool: ask
        args:
          whole: "${{{{ steps.first.list }}}}"
          text: "${{{{ steps.first.num }}}} ${{{{ matrix.x }}}}"
          long: {{$int: "9007199254740993"}}
        expect: {{equals: {{output.num: "${{{{ steps.first.num }}}}"}}}}
"""


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return loaded(suite_file(tmp_path, TEXT)).cases[0]


def staged(case: Case, puppet: Any = None) -> Stage:
    return Stage(case, FakeWorld(case.fixture, case.settings, CaseFolder()), puppet or Puppet())


def ask(stage: Stage, over: str = "direct") -> Any:
    return stage.send(Call("tool", {"tool": "ask"}), over)


def test_a_step_is_filled_in_with_what_earlier_ones_captured(case: Case) -> None:
    stage = staged(case, Puppet(lambda world, name, args: said({"num": 7, "list": [1]})))
    first, second = case.steps
    assert stage.filled(first) == (first.call, first.expect)
    stage.keep(first, ask(stage))
    call, expect = stage.filled(second)
    assert call.words["args"] == {"whole": [1], "text": "7 two", "long": 9007199254740993}
    assert expect == {"equals": {"output.num": 7}}
    with pytest.raises(TypeError, match="refuses change"):
        call.words["args"]["more"] = 1


def test_a_step_that_cannot_be_filled_in_says_where(case: Case) -> None:
    with pytest.raises(CaseError, match=r"step `second`, args\.whole cannot be filled in") as refused:
        staged(case).filled(case.steps[1])
    assert refused.value.code == "capture-missing"


def test_a_subject_has_one_session_a_way_in_and_is_closed_once(case: Case) -> None:
    puppet = Puppet()
    stage = staged(case, puppet)
    ask(stage)
    ask(stage)
    stage.close()
    assert (puppet.opened, puppet.closed, len(puppet.asked)) == (1, 1, 2)


def test_what_is_no_subject_is_told(case: Case) -> None:
    with pytest.raises(TypeError, match="open_subject gave a dict, not a Subject"):
        staged(case, lambda world: {})


@pytest.mark.parametrize(
    ("over", "call", "told"),
    [
        ("mcp", Call("tool", {"tool": "ask"}), "no way in called `mcp`"),
        ("direct", Call("rpc", {"message": {}}), "`rpc` cannot be asked over `direct`"),
        ("http", Call("http", {"path": "/"}), "no way in called `http`"),
    ],
)
def test_what_is_not_offered_is_named(case: Case, over: str, call: Call, told: str) -> None:
    with pytest.raises(CapabilityMissing, match=told):
        staged(case).send(call, over)


def test_a_way_in_that_the_harness_does_not_have_is_no_way_in(case: Case) -> None:
    def opened(world: World) -> Subject:
        return Subject({"carrier-pigeon": object()})

    with pytest.raises(CapabilityMissing, match="carrier-pigeon"):
        ask(staged(case, opened), "carrier-pigeon")


def test_memory_and_the_surfaces_are_what_can_be_required(case: Case) -> None:
    stage = staged(case)
    stage.require((*IN_MEMORY, "direct"))
    with pytest.raises(CapabilityMissing, match="requires `mcp`"):
        stage.require(("direct", "mcp"))


@pytest.mark.parametrize("times", [1, 2])
def test_the_same_fault_is_found_however_often_it_comes(case: Case, times: int) -> None:
    faulty: Json = {"a": [1, {2}]}
    stage = staged(case, Puppet(lambda world, name, args: faulty))
    for _ in range(times):
        with pytest.raises(CaseError, match=r"a set at toolResult\.a\.1 is no JSON value"):
            ask(stage)


def test_a_value_that_only_looks_like_one_seen_before_is_looked_at(case: Case) -> None:
    answers = iter([{"n": 1}, {"n": True}, {"n": 1.0}, {"n": float("nan")}])
    stage = staged(case, Puppet(lambda world, name, args: next(answers)))
    assert [ask(stage).roots["toolResult"]["n"] for _ in range(3)] == [1, True, 1.0]
    with pytest.raises(CaseError, match="nan"):
        ask(stage)


def test_a_copy_is_equal_and_apart() -> None:
    class Text(str):
        __slots__ = ()

    values: list[Json] = [{"a": [1, 1.5, None, True, "é\ud800"]}, {"a": [Text("x")]}]
    for value in values:
        copy = copied(value)
        assert copy == value
        value["a"].append(9)
        assert copy != value


def test_the_world_step_asks_nothing(case: Case) -> None:
    puppet = Puppet()
    stage = staged(case, puppet)
    observation = stage.send(Call("world", {"patch": {"a": None}, "advance": 1}), "direct")
    assert (observation.roots, observation.raw) == ({"sources": {}, "effects": []}, ())
    assert (stage.world.fixture, stage.world.now(), puppet.asked) == ({}, 1_767_225_601.0, [])


def test_http_and_the_command_line_have_ways_of_their_own() -> None:
    ways = {"tool": "mcp", "manifest": "mcp", "rpc": "mcp", "http": "http", "sse": "http", "cli": "cli"}
    assert {operation: way_in(Call(operation, {}), "mcp") for operation in ways} == ways


def test_what_plain_calls_cannot_say_goes_over_mcp() -> None:
    ways = {"tool": "direct", "manifest": "direct", "rpc": "mcp", "resource": "mcp", "prompt": "mcp"}
    assert {operation: way_in(Call(operation, {}), "direct") for operation in ways} == ways


def test_a_contract_without_a_snapshot_says_nothing_of_its_sources(case: Case) -> None:
    with pytest.raises(CapabilityMissing, match="no snapshot"):
        staged(case).snapshot()
