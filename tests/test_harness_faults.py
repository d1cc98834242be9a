"""Faults that users reported in harnesses like this one, each shown to be absent as a whole kind.

Those that concern one module alone are shown absent by its own tests; here is what needs a whole case or run.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from evalkit.model import CaseResult, Json, Subject
from evalkit.surfaces import AppSurface, McpSurface, Messages
from tests.drivers.wires import Wire, as_json
from tests.playing import FREE, loaded, played, suite_file

ROOT: Final = Path(__file__).parents[1]
HEAD: Final = f'name: s\nversion: 1\ncontract: "{FREE}"\ndefaults: {{fixture: {{}}}}\ncases:\n'
ASK: Final = "over: mcp, operation: tool, tool: ask"
A: Final = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


def text(words: str, **more: Json) -> Json:
    """A result that holds a text."""
    return {"content": [{"type": "text", "text": words}], **more}


def answering(result: Json, listing: Json = None, **tool: Json) -> McpSurface:
    """A server over lines with one tool, which always gives this result."""
    told = {"tools": [{"name": "ask", "inputSchema": {"type": "object"}, **tool}]}
    begun = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s"}}
    results = {"initialize": begun, "tools/list": told if listing is None else listing, "tools/call": result}

    def answer(line: bytes) -> list[bytes]:
        message = json.loads(line)
        if "id" not in message:
            return []
        said = {"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]}
        return [json.dumps(said).encode()]

    return McpSurface(Messages(answer), era="handshake")


def judged(folder: Path, words: str, **surfaces: Any) -> CaseResult:
    suite = loaded(suite_file(folder, f"{HEAD}  - {{id: c, title: It is so, {words}}}\n"))
    return played(suite, lambda world: Subject(surfaces))["c"]


def codes(result: CaseResult) -> list[str]:
    return [finding.code for finding in result.findings]


# ── results ──────────────────────────────────────────────────────────────────────────────────────


def test_an_error_is_not_judged_by_the_schema_of_a_success_and_its_text_is_shown(tmp_path: Path) -> None:
    surface = answering(text("quota", isError=True), outputSchema=A)
    assert judged(tmp_path, f"{ASK}, expect: {{isError: true}}", mcp=surface).status == "pass"
    result = judged(tmp_path, f"{ASK}, expect: {{isError: false, outputSchemaValid: true}}", mcp=surface)
    assert set(codes(result)) == {"unexpected-error", "tool-failed"}
    assert all("quota" in finding.message for finding in result.findings)


def test_the_envelope_is_not_judged_by_a_closed_output_schema(tmp_path: Path) -> None:
    result = text('{"a": "b"}', structuredContent={"a": "b"}, isError=False, _meta={"x": 1})
    surface = answering(result, outputSchema={**A, "additionalProperties": False})
    expect = "{isError: false, outputSchemaValid: true, contentParity: true}"
    assert judged(tmp_path, f"{ASK}, expect: {expect}", mcp=surface).status == "pass"


def test_an_empty_list_that_is_allowed_is_no_error(tmp_path: Path) -> None:
    surface = answering({"content": [], "isError": False})
    expect = "{isError: false, equals: {toolResult.content: []}, count: {toolResult.content: 0}}"
    assert judged(tmp_path, f"{ASK}, expect: {expect}", mcp=surface).status == "pass"


@pytest.mark.parametrize("words", ["Error: is how a good story begins.", "null", "Traceback is a word."])
def test_a_text_that_only_looks_like_an_error_is_a_success(tmp_path: Path, words: str) -> None:
    surface = answering(text(words))
    assert judged(tmp_path, f"{ASK}, expect: {{isError: false}}", mcp=surface).status == "pass"


@pytest.mark.parametrize(
    "content",
    ["Hello", None, 7, {}, [{"type": "json", "json": {}}], [{"type": "text"}], ["x"], [None], [[]]],
    ids=str,
)
def test_content_that_no_revision_knows_takes_no_judgement_down(tmp_path: Path, content: Json) -> None:
    surface = answering({"content": content, "structuredContent": {"a": "b"}}, outputSchema=A)
    expect = "{outputSchemaValid: true, contentParity: true, excludes: [secret], absentKeys: [z]}"
    result = judged(tmp_path, f"{ASK}, expect: {expect}", mcp=surface)
    assert (result.status, result.error) == ("fail", None)
    assert set(codes(result)) <= {"content-missing", "content-not-json"}


@pytest.mark.parametrize("told", ["Hello", 7, None, [], [1]], ids=str)
def test_a_result_that_is_no_object_takes_no_judgement_down(tmp_path: Path, told: Json) -> None:
    expect = "{isError: false, outputSchemaValid: true, contentParity: true, excludes: [secret]}"
    result = judged(tmp_path, f"{ASK}, expect: {expect}", mcp=answering(told, outputSchema=A))
    assert (result.status, result.error) == ("fail", None)
    assert "result-malformed" in codes(result)


def test_a_text_and_an_output_are_held_together_only_where_a_suite_asks(tmp_path: Path) -> None:
    surface = answering(text("Three notes.", structuredContent={"a": "b"}), outputSchema=A)
    assert judged(tmp_path, f"{ASK}, expect: {{outputSchemaValid: true}}", mcp=surface).status == "pass"
    asked = judged(tmp_path, f"{ASK}, expect: {{contentParity: true}}", mcp=surface)
    assert codes(asked) == ["content-not-json"]


def test_the_json_body_of_a_refusal_is_shown_and_not_dropped(tmp_path: Path) -> None:
    surface = AppSurface(Wire(lambda seen: as_json({"error": "index is being built"}, 503)), awaits=False)
    words = "operation: http, path: /x, expect: {status: 503, equals: {response.json.error: "
    assert judged(tmp_path, words + "index is being built}}", http=surface).status == "pass"
    (finding,) = judged(tmp_path, words + "gone}}", http=surface).findings
    assert finding.actual == "index is being built"


# ── schemas ──────────────────────────────────────────────────────────────────────────────────────


def test_a_union_of_types_is_a_schema_like_any_other(tmp_path: Path) -> None:
    nullable = {**A, "properties": {"a": {"type": ["string", "null"]}}}
    surface = answering(
        text("null", structuredContent={"a": None}), inputSchema=nullable, outputSchema=nullable
    )
    for args, holds in (("{a: null}", "true"), ("{a: b}", "true"), ("{a: 1}", "false"), ("{}", "false")):
        expect = f"{{inputSchemaValid: {holds}, outputSchemaValid: true}}"
        assert judged(tmp_path, f"{ASK}, args: {args}, expect: {expect}", mcp=surface).status == "pass"


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, "$defs/"),
        ({"$ref": "#/components/missing"}, "#/components/missing"),
    ],
    ids=["a circle", "nowhere"],
)
def test_a_reference_that_leads_nowhere_is_told_and_takes_nothing_down(
    tmp_path: Path, schema: Json, told: str
) -> None:
    surface = answering(text("{}", structuredContent={}), outputSchema={"type": "object", **schema})
    result = judged(tmp_path, f"{ASK}, expect: {{outputSchemaValid: true}}", mcp=surface)
    assert result.status in ("fail", "error")
    assert told in json.dumps([*(result.error or ()), *(finding.message for finding in result.findings)])


def test_draft_7_definitions_are_found(tmp_path: Path) -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **A,
        "properties": {"a": {"$ref": "#/definitions/x"}},
        "definitions": {"x": {"type": "string"}},
    }
    for a, status in (("b", "pass"), (1, "fail")):
        surface = answering(text("", structuredContent={"a": a}), outputSchema=schema)
        assert judged(tmp_path, f"{ASK}, expect: {{outputSchemaValid: true}}", mcp=surface).status == status


def test_a_pattern_that_cannot_be_checked_is_told_and_the_others_are_checked(tmp_path: Path) -> None:
    takes = {"a": {"pattern": r"^\h+$"}, "b": {"pattern": r"^\p{L}+$"}, "c": {"pattern": "^[a-z]+$"}}
    output = {"a": "x", "b": "é漢", "c": "abc\n"}
    surface = answering(
        text("", structuredContent=output), outputSchema={"type": "object", "properties": takes}
    )
    result = judged(tmp_path, f"{ASK}, expect: {{outputSchemaValid: true}}", mcp=surface)
    assert [finding.path for finding in result.findings] == ["output.a", "output.c"]


# ── listings ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("listing", [{}, {"tools": {}}, {"tools": None}, [], "tools", 7], ids=str)
@pytest.mark.parametrize(
    "words",
    [
        "over: mcp, operation: manifest, expect: {readOnlyTools: true}",
        f"{ASK}, expect: {{isError: false, advertisedToolsCovered: true}}",
    ],
)
def test_a_listing_of_the_wrong_shape_is_never_a_pass_or_a_skip(
    tmp_path: Path, listing: Json, words: str
) -> None:
    result = judged(tmp_path, words, mcp=answering(text(""), listing))
    assert result.status in ("error", "fail")


def test_what_was_read_before_a_cursor_that_comes_twice_is_kept(tmp_path: Path) -> None:
    page = {"tools": [{"name": "ask", "inputSchema": {"type": "object"}}], "nextCursor": "again"}
    words = f"{ASK}, expect: {{inputSchemaValid: true, equals: {{'$.manifest.tools[0].name': ask}}}}"
    result = judged(tmp_path, words, mcp=answering(text(""), page))
    assert result.status == "pass", result
    whole = judged(
        tmp_path,
        "over: mcp, operation: manifest, expect: {present: [manifest]}",
        mcp=answering(text(""), page),
    )
    assert whole.error is not None
    assert "for the second time" in whole.error[1]


# ── secrets ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("before", ["MCP_API_KEY=", "MY_OWN_WORD is ", "x", "https://h/?k="])
def test_a_secret_is_known_by_its_value_whatever_stands_before_it(tmp_path: Path, before: str) -> None:
    secret = "v4lue" + "-of-it"
    words = f"fixture: {{k: {{$secret: {secret}}}}}, {ASK}, expect: {{isError: true}}"
    result = judged(tmp_path, words, mcp=answering(text(f"no: {before}{secret}.", isError=True)))
    assert result.leaked


# ── whole runs ───────────────────────────────────────────────────────────────────────────────────

SPEAKS: Final = """
import json, os, sys
for line in sys.stdin.buffer:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s"}}
    if message["method"] == "server/discover":
        said = {"error": {"code": -32601, "message": "no"}}
    elif message["method"] == "tools/call":
        env = sorted(name for name in os.environ if name.startswith("PYTHON"))
        said = {"result": {"content": [], "structuredContent": {"told": TOLD, "env": env}}}
    else:
        said = {"result": result}
    said = json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}, ensure_ascii=ASCII)
    sys.stdout.buffer.write(said.encode() + b"\\n")
    sys.stdout.buffer.flush()
"""


def ran(folder: Path, told: str, ascii_: str, expect: str, *flags: str) -> subprocess.CompletedProcess[bytes]:
    """A whole run, whose output is no UTF-8, of a program that tells a text."""
    program = SPEAKS.replace("TOLD", told).replace("ASCII", ascii_)
    target = f"stdio:{shlex.join([sys.executable, '-c', program])}"
    case = "operation: tool, tool: ask, args: {q: ✓ é 漢}"
    suite = suite_file(
        folder, f"name: s\nversion: 1\ncases:\n  - {{id: c, title: ✓ é 漢, tags: [é], {case}, {expect}}}\n"
    )
    locale = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}
    command = [sys.executable, "-m", "evalkit", "run", str(suite), "--target", target, *flags]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False, env={**os.environ, **locale})


@pytest.mark.slow
def test_texts_are_utf_8_whatever_the_locale_and_the_program_is_told_nothing_of_it(tmp_path: Path) -> None:
    expect = "expect: {equals: {output.told: ✓ é 漢, output.env: []}}"
    done = ran(tmp_path, "'\\u2713 \\u00e9 \\u6f22'", "False", expect)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["counts"]["pass"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["json", "text", "junit", "markdown", "github", "sarif", "ctrf"])
def test_half_a_character_is_told_in_every_format(tmp_path: Path, format_: str) -> None:
    done = ran(tmp_path, "chr(0xD83D)", "True", "expect: {equals: {output.told: x}}", "--format", format_)
    assert done.returncode == 1, done.stdout + done.stderr
    assert b"Traceback" not in done.stderr
    told = done.stdout.decode().lower()
    assert "d83d" in told or "\N{REPLACEMENT CHARACTER}" in told or format_ in ("github", "sarif")
