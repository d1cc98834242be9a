"""One case against one contract becomes one result, whatever the contract does."""

from __future__ import annotations

import asyncio
import datetime
import enum
import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from evalkit.errors import CASE_ERRORS, CapabilityMissing, HarnessError
from evalkit.model import CaseResult, Finding, Json, Subject, World
from evalkit.runner import open_contract, run_case
from tests.playing import FREE, Puppet, loaded, played, said, suite_file

HEAD: Final = f'name: s\nversion: 1\ncontract: "{FREE}"\ndefaults: {{fixture: {{}}}}\ncases:\n'
CALL: Final = "operation: tool, tool: ask, expect: {isError: false}"


def results(
    folder: Path, *cases: str, contract: Any = None, head: str = HEAD, **more: Any
) -> list[CaseResult]:
    """The results of cases in flow style (id and title may be left out), played in their order."""
    lines = "".join(f"  - {{id: c{number}, title: t, {case}}}\n" for number, case in enumerate(cases))
    suite = loaded(suite_file(folder, head + lines))
    return list(played(suite, contract or Puppet(), **more).values())


def result(folder: Path, case: str, contract: Any = None, **more: Any) -> CaseResult:
    (one,) = results(folder, case, contract=contract, **more)
    return one


def codes(result: CaseResult) -> list[str]:
    return [finding.code for finding in result.findings]


# ── status ───────────────────────────────────────────────────────────────────────────────────────


def test_a_case_passes_where_every_check_holds_and_fails_with_each_that_does_not(tmp_path: Path) -> None:
    assert result(tmp_path, CALL)._replace(milliseconds=0) == CaseResult(
        tool="ask", over="direct", call="ask"
    )
    broken = result(
        tmp_path, "operation: tool, tool: ask, expect: {isError: true, present: [output.a, output.b]}"
    )
    assert (broken.status, codes(broken)) == ("fail", ["error-expected", "path-missing", "path-missing"])
    assert [(one.expectation, one.step, one.at) for one in broken.findings][1:] == [
        ("present", 0, (0,)),
        ("present", 0, (1,)),
    ]


def test_every_step_is_judged_though_an_earlier_one_failed(tmp_path: Path) -> None:
    steps = "steps: [{operation: tool, tool: ask, expect: {present: [output.a]}}, "
    steps += "{operation: tool, tool: tell, args: {b: 1}, expect: {present: [output.b]}}]"
    broken = result(tmp_path, steps)
    assert [(one.step, one.path) for one in broken.findings] == [(0, "output.a"), (1, "output.b")]
    assert (broken.tool, broken.call) == ("tell", 'tell {"b":1}')


def test_a_call_is_shown_in_one_line_and_cut_when_long(tmp_path: Path) -> None:
    shown = result(
        tmp_path, "operation: tool, tool: ask, args: {a: [1, é]}, meta: {m: 1}, expect: {isError: false}"
    )
    assert shown.call == 'ask {"a":[1,"é"]} {"meta":{"m":1}}'
    long = result(
        tmp_path, f"operation: tool, tool: ask, args: {{a: {'x' * 400}}}, expect: {{isError: false}}"
    )
    assert long.call == 'ask {"a":"' + "x" * 290 + "… (412 characters)"


def test_the_order_of_cases_does_not_matter(tmp_path: Path) -> None:
    text = HEAD + "".join(
        f"  - {{id: c{n}, title: t, args: {{num: {n}}}, "
        f"{CALL.replace('isError: false', 'equals: {output.n: 1}')}}}\n"
        for n in range(3)
    )
    suite = loaded(suite_file(tmp_path, text))
    puppet = Puppet(
        lambda world, name, args: said({"n": args["num"], "id": world.next_id(), "at": world.now()})
    )
    forth = {case.id: run_case(case, puppet, suite.facts) for case in suite.cases}
    back = {case.id: run_case(case, puppet, suite.facts) for case in reversed(suite.cases)}
    assert {name: (one.status, one.findings) for name, one in forth.items()} == {
        name: (one.status, one.findings) for name, one in back.items()
    }


def test_a_subject_is_built_fresh_for_each_case_and_closed(tmp_path: Path) -> None:
    puppet = Puppet()
    results(tmp_path, CALL, CALL, contract=puppet)
    assert (puppet.opened, puppet.closed) == (2, 2)
    broken = Puppet(lambda world, name, args: 1 / 0)
    results(tmp_path, CALL, contract=broken)
    assert (broken.opened, broken.closed) == (1, 1)


# ── contracts that misbehave ─────────────────────────────────────────────────────────────────────


class Color(enum.IntEnum):
    RED = 1


def raises(problem: BaseException) -> Callable[..., Json]:
    def answer(world: World, name: str, args: Json) -> Json:
        raise problem

    return answer


def prints(world: World, name: str, args: Json) -> Json:
    print("hello")
    return said({})


def looped() -> Json:
    loop: dict[str, Json] = {}
    loop["self"] = loop
    return loop


def deep(levels: int) -> Json:
    value: Json = 1
    for _ in range(levels):
        value = [value]
    return value


def opens_a_file(world: World, name: str, args: Json) -> Json:
    try:
        Path("/etc/passwd").read_text()
    except PermissionError:
        return said({"swallowed": True})
    return said({})


def opens_a_socket(world: World, name: str, args: Json) -> Json:
    socket.create_connection(("127.0.0.1", 9))


def hangs(world: World, name: str, args: Json) -> Json:
    while True:
        time.sleep(0.01)


def changes_its_arguments(world: World, name: str, args: Json) -> Json:
    args["more"] = 1


def changes_its_fixture(world: World, name: str, args: Json) -> Json:
    world.fixture["more"] = 1


@pytest.mark.parametrize(
    ("answer", "code", "text"),
    [
        (raises(ValueError("no such luck")), "contract-raised", "ValueError: no such luck (test_runner.py:"),
        (raises(SystemExit(3)), "contract-raised", "SystemExit: 3"),
        (raises(RecursionError("deep")), "contract-raised", "RecursionError: deep"),
        (lambda world, name, args: sys.exit("bye"), "contract-raised", "SystemExit: bye"),
        (changes_its_arguments, "contract-raised", "TypeError: this data belongs to the suite"),
        (changes_its_fixture, "contract-raised", "TypeError: this data belongs to the suite"),
        (
            lambda world, name, args: said({"a": 1}) | {"x": {1, 2}},
            "not-json",
            "a set at toolResult.x is no JSON value",
        ),
        (lambda world, name, args: {"x": float("nan")}, "not-json", "nan at toolResult.x is no JSON number"),
        (lambda world, name, args: {"x": (1, 2)}, "not-json", "a tuple at toolResult.x is no JSON value"),
        (lambda world, name, args: {"x": {1: 2}}, "not-json", "the key 1 at toolResult.x is no text"),
        (lambda world, name, args: {"x": looped()}, "not-json", "holds itself"),
        (lambda world, name, args: {"x": deep(5000)}, "not-json", "nested deeper than 200"),
        (lambda world, name, args: {"x": deep(600)}, "not-json", "nested deeper than 200"),
        (lambda world, name, args: {"x": datetime.date(2026, 1, 1)}, "not-json", "a date at toolResult.x"),
        (lambda world, name, args: {"x": b"bytes"}, "not-json", "a bytes at toolResult.x"),
        (lambda world, name, args: (x for x in "ab"), "not-json", "a generator at toolResult"),
        (prints, "printed", "'hello\\n'"),
        (opens_a_file, "not-hermetic", "/etc/passwd"),
        (opens_a_socket, "not-hermetic", "socket"),
    ],
)
def test_what_a_contract_does_wrong_is_the_error_of_its_case_alone(
    tmp_path: Path, answer: Callable[..., Json], code: str, text: str
) -> None:
    calls = iter([answer, lambda world, name, args: said({})])
    puppet = Puppet(lambda world, name, args: next(calls)(world, name, args))
    first, second = results(tmp_path, CALL + ", args: {}", CALL, contract=puppet)
    assert (first.status, second.status) == ("error", "pass")
    assert first.error is not None
    assert first.error[0] == code
    assert text in first.error[1]
    assert code in CASE_ERRORS


def test_a_call_that_does_not_come_back_is_ended_by_its_deadline(tmp_path: Path) -> None:
    started = time.monotonic()
    late = result(tmp_path, CALL + ", timeout: 0.05", Puppet(hangs))
    assert late.error == ("timeout", "no answer within 0.05 s")
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("answer", [Color.RED, True, None, "text", 5, [1]])
def test_an_answer_of_another_shape_is_judged_and_no_error(tmp_path: Path, answer: Json) -> None:
    assert codes(result(tmp_path, CALL, Puppet(lambda world, name, args: answer))) == ["result-malformed"]


def test_a_contract_that_cannot_be_built_says_so(tmp_path: Path) -> None:
    def broken(world: World) -> Subject:
        raise KeyError("voices")

    def exits(world: World) -> Subject:
        sys.exit(1)

    for opener, text in (
        (broken, "KeyError: 'voices' (test_runner.py:"),
        (exits, "SystemExit: 1"),
        (lambda world: None, "open_subject gave a NoneType, not a Subject"),
    ):
        error = result(tmp_path, CALL, opener).error
        assert error is not None
        assert error[0] == "subject-failed"
        assert text in error[1]


def test_a_subject_that_cannot_be_closed_is_an_error_and_keeps_its_findings(tmp_path: Path) -> None:
    puppet = Puppet(close=lambda: (_ for _ in ()).throw(OSError("busy")))
    broken = result(tmp_path, "operation: tool, tool: ask, expect: {isError: true}", puppet)
    assert (broken.status, codes(broken)) == ("error", ["error-expected"])
    assert broken.error is not None
    assert "OSError: busy" in broken.error[1]


def test_findings_made_before_an_error_are_kept_beside_it(tmp_path: Path) -> None:
    calls = iter([said({}), ValueError("later")])
    steps = (
        "steps: [{operation: tool, tool: ask, expect: {isError: true}}, {operation: tool, tool: ask, "
        "expect: {isError: true}}]"
    )

    def answer(world: World, name: str, args: Json) -> Json:
        one = next(calls)
        if isinstance(one, Exception):
            raise one
        return one

    broken = result(tmp_path, steps, Puppet(answer))
    assert (broken.status, codes(broken)) == ("error", ["error-expected"])


def test_a_contract_that_gives_the_same_object_and_changes_it_later_is_seen_through(tmp_path: Path) -> None:
    kept: dict[str, Json] = {"count": 0}

    def counts(world: World, name: str, args: Json) -> Json:
        kept["count"] += 1
        return {"structuredContent": kept, "content": []}

    steps = (
        "steps: [{id: first, operation: tool, tool: ask, capture: {it: output.count}, "
        "expect: {equals: {output.count: 1}}}, "
        "{operation: tool, tool: ask, expect: {equals: {output.count: 2, steps.first.output.count: 1}}}]"
    )
    assert result(tmp_path, steps, Puppet(counts)).status == "pass"
    kept["count"] = 0
    again = result(
        tmp_path,
        "operation: tool, tool: ask, expect: {repeatable: 1, equals: {output.count: 1}}",
        Puppet(counts),
    )
    assert codes(again) == ["runs-differ", "runs-differ"]


def test_an_expectation_that_fails_itself_is_no_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evalkit.expectations import isError  # the module, to break it

    monkeypatch.setattr(isError, "findings", lambda evidence, wanted: 1 / 0)
    error = result(tmp_path, CALL).error
    assert error is not None
    assert error[0] == "check-failed"
    assert "`isError` could not judge: ZeroDivisionError: division by zero" in error[1]


@pytest.mark.parametrize("problem", [asyncio.CancelledError("cancelled"), GeneratorExit()])
def test_no_exception_of_a_contract_ends_the_run(tmp_path: Path, problem: BaseException) -> None:
    assert result(tmp_path, CALL, Puppet(raises(problem))).status == "error"


def test_ctrl_c_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        result(tmp_path, CALL, Puppet(raises(KeyboardInterrupt())))


def test_an_exception_that_cannot_be_told_is_an_error_all_the_same(tmp_path: Path) -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    error = result(tmp_path, CALL, Puppet(raises(Mute()))).error
    assert error is not None
    assert error[1].startswith("Mute: ")


def test_a_number_too_long_to_be_written_does_not_end_the_run(tmp_path: Path) -> None:
    steps = (
        "steps: [{id: first, operation: tool, tool: ask, capture: {it: output.n}, "
        "expect: {present: [output]}}, "
        "{operation: tool, tool: ask, args: {num: '${{ steps.first.it }}'}, expect: {present: [output]}}]"
    )
    assert result(tmp_path, steps, Puppet(lambda world, name, args: {"structuredContent": {"n": 10**5000}}))


# ── guard ────────────────────────────────────────────────────────────────────────────────────────


def test_the_case_s_own_folder_is_there_while_it_runs_and_gone_after_it(tmp_path: Path) -> None:
    seen: list[str] = []

    def writes(world: World, name: str, args: Json) -> Json:
        folder = world.folder()
        assert world.folder() == folder
        with open(os.path.join(folder, "note"), "w", encoding="utf-8") as file:
            file.write("x")
        seen.append(folder)
        return said({"files": os.listdir(folder)})

    check = "operation: tool, tool: ask, expect: {equals: {output.files: [note]}, repeatable: 1}"
    assert [one.status for one in results(tmp_path, check, check, contract=Puppet(writes))] == [
        "pass",
        "pass",
    ]
    assert len(set(seen)) == 4
    assert not any(map(os.path.exists, seen))


def test_a_refusal_outweighs_what_else_went_wrong(tmp_path: Path) -> None:
    def both(world: World, name: str, args: Json) -> Json:
        print("noise")
        opens_a_file(world, name, args)
        raise ValueError("after that")

    error = result(tmp_path, CALL, Puppet(both)).error
    assert error is not None
    assert error[0] == "not-hermetic"


# ── declared: skip, expectedFailure, requires ────────────────────────────────────────────────────


def test_a_declared_skip_plays_nothing(tmp_path: Path) -> None:
    puppet = Puppet()
    assert result(tmp_path, CALL + ", skip: later", puppet).skip == ("declared", "later")
    assert puppet.opened == 0


@pytest.mark.parametrize(
    ("today", "status", "note"),
    [
        ("", "skip", ""),
        ("2026-02-27", "skip", ""),
        ("2026-02-28", "skip", ""),
        ("2026-03-01", "pass", "its skip ended on 2026-02-28: later"),
    ],
)
def test_a_dated_skip_ends_the_day_after_its_date_and_the_result_says_so(
    tmp_path: Path, today: str, status: str, note: str
) -> None:
    one = result(tmp_path, CALL + ', skip: {reason: later, until: "2026-02-28"}', today=today)
    assert (one.status, one.note) == (status, note)


def test_what_is_missing_and_an_ended_skip_are_both_told(tmp_path: Path) -> None:
    words = (
        "operation: tool, tool: ask, expect: {isError: true, unchanged: true}, skip: {reason: later, "
        'until: "2026-02-28"}'
    )
    steps = words.replace(
        "operation: tool, tool: ask, expect: {isError: true, unchanged: true}",
        (
            "steps: [{operation: tool, tool: ask, expect: {isError: true}}, {operation: tool, "
            "tool: ask, expect: {unchanged: true}}]"
        ),
    )
    one = result(tmp_path, steps, today="2027-01-01")
    assert one.status == "fail"
    assert "its skip ended on 2026-02-28" in one.note
    assert "snapshot" in one.note


@pytest.mark.parametrize(
    ("findings", "expect", "status", "found"),
    [
        ("[path-missing]", "present: [output.a]", "skip", []),
        ("[path-missing]", "present: [output.a, output.b]", "skip", []),
        ("[path-missing, error-expected]", "isError: true, present: [output.a]", "skip", []),
        ("[path-missing]", "isError: false", "fail", ["unexpected-outcome"]),
        ("[path-missing]", "isError: true", "fail", ["error-expected", "unexpected-outcome"]),
        (
            "[path-missing]",
            "isError: true, present: [output.a]",
            "fail",
            ["error-expected", "path-missing", "unexpected-outcome"],
        ),
        (
            "[path-missing, error-expected]",
            "present: [output.a]",
            "fail",
            ["path-missing", "unexpected-outcome"],
        ),
    ],
)
def test_an_expected_failure_is_a_skip_with_exactly_its_codes_and_else_a_failure(
    tmp_path: Path, findings: str, expect: str, status: str, found: list[str]
) -> None:
    words = (
        f"operation: tool, tool: ask, expect: {{{expect}}}, expectedFailure: {{reason: known, "
        f"findings: {findings}}}"
    )
    one = result(tmp_path, words)
    assert (one.status, codes(one)) == (status, found)
    assert one.skip == (("expected-failure", "known") if status == "skip" else None)


def test_an_error_stays_an_error_though_a_failure_is_expected(tmp_path: Path) -> None:
    words = CALL + ", expectedFailure: {reason: known, findings: [path-missing]}"
    assert result(tmp_path, words, Puppet(raises(ValueError()))).status == "error"


def test_a_leak_is_never_expected(tmp_path: Path) -> None:
    words = (
        "operation: tool, tool: ask, args: {q: {$secret: hidden}}, expect: {present: [output.a]}, "
        "expectedFailure: {reason: known, findings: [path-missing]}"
    )
    one = result(tmp_path, words, Puppet(lambda world, name, args: said({"b": args["q"]})))
    assert one.status == "fail"
    assert "secret-leaked" in codes(one)


@pytest.mark.parametrize("word", ["direct", "fixtures", "clock", "source-log"])
def test_what_memory_offers_may_be_required(tmp_path: Path, word: str) -> None:
    assert result(tmp_path, CALL + f", requires: [{word}]").status == "pass"


@pytest.mark.parametrize("word", ["mcp", "live", "fixture"])
def test_what_is_not_offered_is_a_skip_that_names_it(tmp_path: Path, word: str) -> None:
    puppet = Puppet()
    one = result(tmp_path, CALL + f", requires: [direct, {word}]", puppet)
    assert one.skip == ("capability", f"the case requires `{word}`, which the target does not offer")
    assert puppet.asked == []


@pytest.mark.parametrize(
    "words",
    [
        CALL + ", over: mcp",
        CALL + ", over: http",
        "operation: http, path: /x, expect: {status: 200}",
        "operation: cli, argv: [x], expect: {exitCode: 0}",
        "operation: rpc, message: {}, expect: {present: [rpc]}",
        "operation: resource, uri: x, expect: {present: [output]}",
        "operation: sse, path: /x, expect: {present: [events]}",
        "operation: tool, tool: ask, client: {roots: []}, expect: {isError: false}",
        "operation: tool, tool: ask, expect: {parity: {over: [mcp]}}",
        "operation: tool, tool: ask, expect: {unchanged: true}",
        "operation: tool, tool: ask, expect: {noSourceReads: true}",
    ],
)
def test_what_the_target_cannot_do_is_a_skip_and_never_a_pass(tmp_path: Path, words: str) -> None:
    one = result(tmp_path, words)
    assert (one.status, one.skip and one.skip[0]) == ("skip", "capability")


def test_a_contract_may_say_itself_what_it_lacks(tmp_path: Path) -> None:
    one = result(tmp_path, CALL, Puppet(raises(CapabilityMissing("no database here"))))
    assert one.skip == ("capability", "no database here")


# ── secrets ──────────────────────────────────────────────────────────────────────────────────────

SECRET: Final = "hidden-" + "7" * 8
SPELLINGS: Final = {
    "plain": SECRET,
    "folded": SECRET.upper(),
    "json": "\\u0068idden-" + "7" * 8,
    "url": "hidden%2D" + "7" * 8,
    "hex": SECRET.encode().hex(),
    "base64": "aGlkZGVuLTc3Nzc3Nzc3",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    "place",
    [
        lambda text: {"content": [{"type": "text", "text": f"so: {text}."}]},
        lambda text: {"structuredContent": {"deep": [{"er": text}]}},
        lambda text: {"structuredContent": {text: 1}},
        lambda text: {"isError": True, "content": [{"type": "text", "text": text}]},
        lambda text: {"_meta": {"trace": text}},
        lambda text: [text],
    ],
)
def test_a_secret_that_comes_back_is_a_critical_finding_though_no_one_asked(
    tmp_path: Path, place: Callable[[str], Json], spelling: str
) -> None:
    words = (
        f"operation: tool, tool: ask, fixture: {{a: {{$secret: {SECRET}}}}}, "
        f"expect: {{present: [toolResult]}}"
    )
    leaked = result(tmp_path, words, Puppet(lambda world, name, args: place(SPELLINGS[spelling])))
    assert (leaked.status, leaked.leaked, codes(leaked)) == ("fail", True, ["secret-leaked"])
    (finding,) = leaked.findings
    assert (finding.severity, finding.actual, finding.step) == ("critical", "<secret fixture.a>", 0)
    assert finding.path.startswith("toolResult")
    assert SECRET not in f"{finding.message}{finding.path}"


def test_a_secret_in_the_manifest_is_found_too(tmp_path: Path) -> None:
    words = (
        f"operation: tool, tool: ask, fixture: {{a: {{$secret: {SECRET}}}}}, "
        f"expect: {{present: [toolResult]}}"
    )
    manifest: Json = {"tools": [{"name": "ask", "description": SECRET}]}
    for case in (words, words.replace("tool, tool: ask", "manifest").replace("toolResult", "manifest")):
        leaked = result(tmp_path, case, Puppet(manifest=lambda world: manifest))
        assert [(one.code, one.path) for one in leaked.findings] == [
            ("secret-leaked", "manifest.tools.0.description")
        ]


def test_a_leak_beside_an_error_makes_the_case_fail(tmp_path: Path) -> None:
    def leaks_and_fails(world: World, name: str, args: Json) -> Json:
        print("noise")
        return said({"a": SECRET})

    words = f"operation: tool, tool: ask, fixture: {{a: {{$secret: {SECRET}}}}}, expect: {{isError: false}}"
    leaked = result(tmp_path, words, Puppet(leaks_and_fails))
    assert leaked.status == "fail"
    assert leaked.error is not None
    assert leaked.error[0] == "printed"


def test_every_step_is_searched_and_each_leak_says_its_step(tmp_path: Path) -> None:
    steps = (
        f"fixture: {{a: {{$secret: {SECRET}}}}}, steps: [{{operation: tool, tool: ask, "
        f"expect: {{isError: false}}}}, "
        "{operation: world, advance: 1}, {operation: tool, tool: tell, expect: {isError: false}}]"
    )

    def answer(world: World, name: str, args: Json) -> Json:
        return said({"a": SECRET}) if name == "tell" else said({})

    leaked = result(tmp_path, steps, Puppet(answer))
    assert {one.step for one in leaked.findings} == {2}


def test_what_was_written_and_what_was_asked_did_not_come_back(tmp_path: Path) -> None:
    def writes(world: World, name: str, args: Json) -> Json:
        world.log.read("source-of-" + world.fixture["a"])
        world.log.wrote({"kept": world.fixture["a"]})
        return said({})

    words = f"operation: tool, tool: ask, fixture: {{a: {{$secret: {SECRET}}}}}, expect: {{isError: false}}"
    assert result(tmp_path, words, Puppet(writes)).status == "pass"


def test_a_secret_that_only_a_repeated_run_shows_is_found_too(tmp_path: Path) -> None:
    counted = iter(range(9))

    def answer(world: World, name: str, args: Json) -> Json:
        return said({"a": world.fixture["a"]} if next(counted) else {})

    words = f"operation: tool, tool: ask, fixture: {{a: {{$secret: {SECRET}}}}}, expect: {{repeatable: 1}}"
    assert "secret-leaked" in codes(result(tmp_path, words, Puppet(answer)))


def test_may_reveal_lifts_single_secrets_and_counts_them(tmp_path: Path) -> None:
    words = (
        "operation: tool, tool: ask, fixture: {a: {$secret: first-one}, b: {$secret: other-one}}, "
        "expect: {isError: false}, mayReveal: [a]"
    )

    def answer(world: World, name: str, args: Json) -> Json:
        return said({"a": "first-one", "b": world.fixture["b"][:5]})

    shown = result(tmp_path, words, Puppet(answer))
    assert (shown.status, shown.revealed) == ("pass", 1)

    def both(world: World, name: str, args: Json) -> Json:
        return said(dict(world.fixture))

    leaked = result(tmp_path, words, Puppet(both))
    assert (leaked.revealed, {one.actual for one in leaked.findings}) == (1, {"<secret fixture.b>"})


def test_a_secret_of_a_patch_and_of_a_header_is_sought_too(tmp_path: Path) -> None:
    steps = (
        "steps: [{operation: world, patch: {a: {$secret: patched-in}}}, "
        "{operation: tool, tool: ask, headers: {key: {$secret: header-key}}, expect: {isError: false}}]"
    )

    class Echoing(Puppet):
        pass

    puppet = Echoing()
    puppet.answer = lambda world, name, args: said({"a": world.fixture["a"], "h": puppet.asked[-1][2]})
    leaked = result(tmp_path, steps, puppet)
    assert {one.actual for one in leaked.findings} == {
        "<secret steps.0.patch.a>",
        "<secret steps.1.headers.key>",
    }


# ── what the runner gathers ──────────────────────────────────────────────────────────────────────


def reading(world: World, name: str, args: Json) -> Json:
    world.log.declare("brain", "idle")
    if name == "ask":
        world.log.read("brain")
    world.log.wrote({"asked": name})
    return said({"n": world.fixture.get("n"), "at": world.now()})


def test_sources_and_effects_are_shown_and_reads_are_counted_by_step(tmp_path: Path) -> None:
    steps = (
        "steps: [{operation: tool, tool: ask, expect: {equals: {sources.brain.calls: 1, "
        "sources.idle.calls: 0}}}, "
        "{operation: tool, tool: tell, expect: {noSourceReads: true, "
        "equals: {sources.brain.calls: 1, effects: [{asked: ask}, {asked: tell}]}}}, "
        "{operation: tool, tool: ask, expect: {noSourceReads: true}}]"
    )
    one = result(tmp_path, steps, Puppet(reading))
    assert [(finding.code, finding.step, finding.actual) for finding in one.findings] == [
        ("source-read", 2, 1)
    ]


def test_unchanged_compares_what_the_contract_says_of_its_sources(tmp_path: Path) -> None:
    held = {"brain": {"n": 1}, "other": 5}

    def changes(world: World, name: str, args: Json) -> Json:
        held["brain"] = {"n": 2} if name == "change" else held["brain"]
        return said({})

    puppet = Puppet(changes, snapshot=lambda world: held)
    case = "operation: tool, tool: {}, expect: {{unchanged: {}}}"
    assert result(tmp_path, case.format("ask", "true"), puppet).status == "pass"
    broken = result(tmp_path, case.format("change", "[brain]"), puppet)
    assert [(one.path, one.expected, one.actual) for one in broken.findings] == [
        ("sources.brain", {"n": 1}, {"n": 2})
    ]
    unseen = result(tmp_path, case.format("ask", "[nowhere]"), puppet)
    assert unseen.skip is not None
    assert "nowhere" in unseen.skip[1]


def test_a_snapshot_is_a_copy_that_later_changes_do_not_reach(tmp_path: Path) -> None:
    held: dict[str, Json] = {"brain": {"n": [1]}}

    def changes(world: World, name: str, args: Json) -> Json:
        held["brain"]["n"].append(2)
        return said({})

    puppet = Puppet(changes, snapshot=lambda world: held)
    assert codes(result(tmp_path, "operation: tool, tool: ask, expect: {unchanged: true}", puppet)) == [
        "source-changed"
    ]


@pytest.mark.parametrize("held", [{"brain": {1, 2}}, {"brain": float("nan")}, {"brain": {1: 2}}])
def test_a_snapshot_that_is_no_json_is_an_error(tmp_path: Path, held: Any) -> None:
    puppet = Puppet(snapshot=lambda world: held)
    error = result(tmp_path, "operation: tool, tool: ask, expect: {unchanged: true}", puppet).error
    assert error is not None
    assert error[0] == "not-json"
    assert "snapshot" in error[1]


def test_an_effect_that_is_no_json_is_an_error_and_a_later_change_does_not_reach_it(tmp_path: Path) -> None:
    case = "operation: tool, tool: ask, expect: {equals: {effects: [[1]]}}"

    def writes(effect: Json, later: Json) -> Callable[..., Json]:
        def answer(world: World, name: str, args: Json) -> Json:
            world.log.wrote(effect)
            if isinstance(effect, list):
                effect.append(later)
            return said({})

        return answer

    error = result(tmp_path, case, Puppet(writes({1, 2}, None))).error
    assert error is not None
    assert "TypeError: an effect is noted as JSON: a set is no JSON value" in error[1]
    assert result(tmp_path, case, Puppet(writes([1], 2))).status == "pass"


def test_repeated_runs_are_made_on_fresh_worlds(tmp_path: Path) -> None:
    puppet = Puppet(lambda world, name, args: said({"id": world.next_id(), "at": world.now()}))
    assert result(tmp_path, "operation: tool, tool: ask, expect: {repeatable: 3}", puppet).status == "pass"
    assert (puppet.opened, puppet.closed) == (4, 4)
    counted = iter(range(99))
    restless = Puppet(lambda world, name, args: said({"n": next(counted)}))
    assert set(codes(result(tmp_path, "operation: tool, tool: ask, expect: {repeatable: 2}", restless))) == {
        "runs-differ"
    }


def test_a_repeated_step_plays_the_steps_before_it_again(tmp_path: Path) -> None:
    puppet = Puppet(lambda world, name, args: said({"n": world.fixture.get("num"), "args": args}))
    steps = (
        "steps: [{operation: world, patch: {num: 7}}, "
        "{id: first, operation: tool, tool: ask, capture: {it: output.n}, expect: {equals: {output.n: 7}}}, "
        "{operation: tool, tool: tell, args: {num: '${{ steps.first.it }}'}, expect: {repeatable: 1, "
        "equals: {output.args.num: 7}}}]"
    )
    assert result(tmp_path, steps, puppet).status == "pass"
    assert [name for name, *_ in puppet.asked] == ["ask", "tell", "ask", "tell"]


def test_parity_holds_over_the_same_surface(tmp_path: Path) -> None:
    case = "operation: tool, tool: ask, expect: {parity: {over: [direct]}}"
    assert result(tmp_path, case).status == "pass"
    counted = iter(range(99))
    restless = Puppet(lambda world, name, args: said({"n": next(counted)}))
    assert codes(result(tmp_path, case, restless)) == ["surfaces-differ"]


# ── steps that use what came back ────────────────────────────────────────────────────────────────


def test_captured_values_fill_in_with_their_type_or_as_text(tmp_path: Path) -> None:
    puppet = Puppet(lambda world, name, args: said({"n": 7, "list": [1]} if name == "ask" else args))
    steps = (
        "matrix: {x: [two]}, steps: [{id: first, operation: tool, tool: ask, "
        "capture: {num: output.n, list: output.list}, expect: {isError: false}}, "
        "{operation: tool, tool: tell, args: {n: '${{ steps.first.num }}', "
        "text: 'n=${{ steps.first.num }}, ${{ steps.first.list }} ${{ matrix.x }}', "
        "list: '${{ steps.first.list }}'}, "
        "expect: {equals: {output: {n: 7, text: 'n=7, [1] two', list: [1]}}, "
        "range: {output.n: {min: '${{ steps.first.num }}'}}}}]"
    )
    assert (
        result(
            tmp_path, steps.replace(" n:", ' "n":').replace("{n:", '{"n":').replace(".n:", ".n:"), puppet
        ).status
        == "pass"
    )


def test_a_capture_that_leads_nowhere_is_an_error_that_says_where(tmp_path: Path) -> None:
    steps = (
        "steps: [{id: first, operation: tool, tool: ask, capture: {it: output.gone}, "
        "expect: {isError: false}}, "
        "{operation: tool, tool: tell, args: {q: '${{ steps.first.it }}'}, expect: {isError: false}}]"
    )
    error = result(tmp_path, steps).error
    assert error == ("capture-missing", "step `first` captures `it` from `output.gone`, which leads nowhere")


def test_a_wanted_value_that_only_then_turns_out_wrong_is_no_pass(tmp_path: Path) -> None:
    first = "{id: first, operation: tool, tool: ask, capture: {it: output.it}, expect: {isError: false}}"
    puppet = Puppet(lambda world, name, args: said({"it": "([", "x": "y"}))
    for expect in ("count: {output: ASKED}", "matches: {output.x: ASKED}"):
        second = f"{{operation: tool, tool: tell, expect: {{{expect}}}}}"
        steps = f"steps: [{first}, {second.replace('ASKED', repr('${{ steps.first.it }}'))}]"
        error = result(tmp_path, steps, puppet).error
        assert error is not None
        assert error[0] == "check-failed"
        assert f"`{expect.partition(':')[0]}`" in error[1]


def test_a_world_step_patches_changes_settings_and_advances(tmp_path: Path) -> None:
    head = HEAD.replace("{fixture: {}}", "{fixture: {a: {b: 1, c: 2}, list: [1]}, settings: {old: true}}")
    puppet = Puppet(
        lambda world, name, args: said(
            {"fixture": world.fixture, "settings": world.settings, "at": world.now()}
        )
    )
    steps = (
        "steps: [{operation: tool, tool: ask, expect: {equals: {output: {fixture: {a: {b: 1, c: 2}, "
        "list: [1]}, settings: {old: true}, at: 1767225600}}}}, "
        "{operation: world, patch: {a: {b: null, d: 3}, list: [2]}, settings: [new], advance: 90.5}, "
        "{operation: tool, tool: ask, expect: {equals: {output: {fixture: {a: {c: 2, d: 3}, "
        "list: [2]}, settings: [new], at: 1767225690.5}}}}]"
    )
    assert result(tmp_path, steps, puppet, head=head).status == "pass"


# ── importing a contract ─────────────────────────────────────────────────────────────────────────


def test_a_contract_that_cannot_be_imported_is_a_fault_of_the_harness_s_surroundings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd_a.py").write_text("print('imported')\nraise ValueError('not today')\n")
    (tmp_path / "odd_b.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "odd_c.py").write_text("")
    for name, told in (
        ("python:odd_a:open_subject", "ValueError: not today"),
        ("python:odd_b:open_subject", "SystemExit: 3"),
        ("python:odd_c:open_subject", "AttributeError"),
    ):
        with pytest.raises(HarnessError, match=told):
            open_contract(name)
    assert capsys.readouterr().out == ""


def test_findings_are_plain_facts(tmp_path: Path) -> None:
    (finding,) = result(
        tmp_path,
        "operation: tool, tool: ask, expect: {equals: {output.a: 1}}",
        Puppet(lambda w, n, a: said({"a": 2})),
    ).findings
    assert finding == Finding(
        "value-differs", finding.message, "output.a", 1, 2, ("output.a",), "equals", 0, None
    )
