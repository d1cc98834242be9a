"""A tool that is called over a command line or by a request: what is said, and what the answer becomes."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from evalkit.drivers import cli, http
from evalkit.errors import CapabilityMissing
from evalkit.model import Call, CaseResult, Json, Observation, Subject
from evalkit.surfaces import AppSurface, Command, Program
from tests.drivers import vices
from tests.drivers.wires import Told, Wire, as_json
from tests.playing import FREE, loaded, played, suite_file


def argv_of(tool: str, args: Json) -> list[str] | None:
    return [tool, json.dumps(args)] if tool == "ask" else None


def request_of(tool: str, args: Json) -> dict[str, Json] | None:
    return {"path": f"/{tool}", "query": args or {}} if tool == "ask" else None


def program(written: bytes, code: int = 0) -> Program:
    """One that writes this, whatever it is asked."""

    def main(argv: list[str], stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO) -> int:
        stdout.write(written)
        return code

    return Program(main, argv_of)


def app(told: Told) -> AppSurface:
    return AppSurface(Wire(lambda seen: told), awaits=False, request_of=request_of)


def called(surface: Program | Command | AppSurface, tool: str = "ask", **words: Json) -> Observation:
    driver: Any = http if isinstance(surface, AppSurface) else cli
    with closing(driver.open(surface)) as session:
        observation: Observation = session.send(Call("tool", {"tool": tool, **words}))
        return observation


# ── what is said ─────────────────────────────────────────────────────────────────────────────────


def test_the_program_is_given_the_words_of_its_surface() -> None:
    def tells(argv: list[str], stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO) -> int:
        stdout.write(json.dumps({"argv": argv}).encode())
        return 0

    seen = called(Program(tells, argv_of), args={"a": 1})
    assert seen.roots["output"] == {"argv": ["ask", '{"a": 1}']}
    assert called(Program(tells, argv_of)).roots["output"] == {"argv": ["ask", "null"]}


def test_the_app_is_asked_by_the_request_of_its_surface() -> None:
    wire = Wire(lambda seen: as_json({}))
    called(AppSurface(wire, awaits=False, request_of=request_of), args={"a": "b c"})
    assert (wire.seen[0].method, wire.seen[0].scope["raw_path"]) == ("GET", b"/ask")
    assert wire.seen[0].scope["query_string"] == b"a=b%20c"


@pytest.mark.slow
def test_a_command_that_is_started_is_given_them_behind_its_own() -> None:
    command = Command(vices.argv("shows", "own"), argv_of=argv_of)
    seen = called(command, args={})
    assert seen.roots["process"]["json"]["argv"] == ["own", "ask", "{}"]
    assert seen.roots["toolResult"] == {"isError": True}  # it ends with 4


@pytest.mark.parametrize("surface", [program(b"{}"), app(as_json({}))])
def test_a_tool_without_words_on_a_surface_is_a_missing_capability(surface: Any) -> None:
    with pytest.raises(CapabilityMissing, match="does not say how this tool is called over"):
        called(surface, "other")


def test_a_surface_that_says_nothing_of_tools_has_none() -> None:
    for surface in (Program(program(b"{}").main), AppSurface(app(as_json({})).app, awaits=False)):
        with pytest.raises(CapabilityMissing, match="does not say how this tool is called over"):
            called(surface)


@pytest.mark.parametrize("word", ["headers", "meta", "client"])
@pytest.mark.parametrize("surface", [program(b"{}"), app(as_json({}))])
def test_words_that_only_mcp_has_are_a_missing_capability(surface: Any, word: str) -> None:
    with pytest.raises(CapabilityMissing, match=f"`{word}` of a tool call cannot be said over"):
        called(surface, "ask", **{word: dict[str, Json]()})


# ── what the answer becomes ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("surface", [program(b'{"a": 1}'), app(as_json({"a": 1}, 201))])
def test_a_success_gives_its_document_as_output_beside_its_own_roots(surface: Any) -> None:
    seen = called(surface)
    assert seen.roots["output"] == {"a": 1}
    assert seen.roots["toolResult"] == {"isError": False, "structuredContent": {"a": 1}}
    assert "manifest" not in seen.roots
    assert seen.noise == ()
    own = seen.roots.get("process") or seen.roots["response"]
    assert own["json"] == {"a": 1}
    assert seen.raw


@pytest.mark.parametrize("surface", [program(b'{"a": 1}', 1), app(as_json({"a": 1}, 400))])
def test_a_failure_has_no_output_whatever_was_written(surface: Any) -> None:
    seen = called(surface)
    assert seen.roots["toolResult"] == {"isError": True}
    assert "output" not in seen.roots
    assert seen.noise == ()


@pytest.mark.parametrize("surface", [program(b'INFO {"a": 1}'), program(b""), app(Told(204, kind=""))])
def test_a_success_that_is_no_document_is_noise(surface: Any) -> None:
    seen = called(surface)
    assert seen.noise == ("the answer to a tool call is no JSON document",)
    assert seen.roots["toolResult"] == {"isError": False}
    assert "output" not in seen.roots


@pytest.mark.parametrize("surface", [program(b"{}", -9), app(as_json({}, 302))])
def test_what_is_neither_success_nor_failure_is_no_result(surface: Any) -> None:
    assert called(surface).roots.keys() & {"toolResult", "output"} == set()


# ── in a case ────────────────────────────────────────────────────────────────────────────────────

HEAD = f'name: s\nversion: 1\ncontract: "{FREE}"\ndefaults: {{fixture: {{}}}}\ncases:\n'
ASK = "operation: tool, tool: ask"


def result(folder: Path, case: str, **surfaces: Any) -> CaseResult:
    suite = loaded(suite_file(folder, f"{HEAD}  - {{id: a, title: A, {case}}}\n"))
    return played(suite, lambda world: Subject(surfaces))["a"]


@pytest.mark.parametrize(
    ("cli_says", "codes"),
    [
        (b'{"a": 1.0}', []),
        (b'{"a": 2}', ["surfaces-differ"]),
        (b"no", ["noise", "surfaces-differ"]),
    ],
)
def test_every_surface_has_to_tell_the_same(tmp_path: Path, cli_says: bytes, codes: list[str]) -> None:
    case = f"{ASK}, over: http, expect: {{parity: {{over: [cli, http]}}}}"
    found = result(tmp_path, case, http=app(as_json({"a": 1})), cli=program(cli_says))
    assert sorted(one.code for one in found.findings) == codes
    assert found.status == ("fail" if codes else "pass")


def test_a_parity_that_cannot_be_asked_is_a_skip_and_never_a_pass(tmp_path: Path) -> None:
    case = f"{ASK}, over: http, expect: {{parity: {{over: [http, cli]}}}}"
    silent = Program(program(b'{"a": 1}').main)
    found = result(tmp_path, case, http=app(as_json({"a": 1})), cli=silent)
    assert found.skip == ("capability", "the target does not say how this tool is called over `cli`")


def test_a_word_that_only_mcp_can_answer_makes_a_skip_of_what_else_holds(tmp_path: Path) -> None:
    words = "isError: false, equals: {output.a: 1}, contentParity: true"
    found = result(tmp_path, f"{ASK}, over: http, expect: {{{words}}}", http=app(as_json({"a": 1})))
    assert found.skip == ("capability", "a tool call over `http` gives no content")
    words = words.replace("a: 1", "a: 2")
    assert result(tmp_path, f"{ASK}, over: http, expect: {{{words}}}", http=app(as_json({}))).status == "fail"


def test_a_secret_that_a_failing_program_writes_is_a_leak(tmp_path: Path) -> None:
    case = f"{ASK}, over: cli, fixture: {{owner: {{$secret: nora.lind}}}}, expect: {{isError: true}}"
    assert result(tmp_path, case, cli=program(b"no nora.lind here", 1)).leaked
