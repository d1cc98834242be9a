"""What cannot be read as meant: exit 2, one screen of diagnosis, nothing run, nothing written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from evalkit.commands.explain import known
from tests.commands.door import Json, Ran, case, evalkit, forked, suite

PAGES = frozenset(known())
SCREEN = 50


def refused(folder: Path, *words: str) -> Ran:
    """Run with every output asked for, and hold what is the same of all refusals."""
    (folder / "subjects.py").write_text("open('was-imported', 'w')", encoding="utf-8")
    before = set(os.listdir(folder))
    outputs = ("--output", "out.json", "--report", "junit=out.xml", "--report=text=out.txt")
    ran = forked(folder, "run", *words, *outputs)
    assert ran.code == 2, ran
    assert set(os.listdir(folder)) == before, "something was run or written"
    assert ran.report.keys() == {"kind", "reportVersion", "passed", "error", "errors"}
    assert 0 < len(ran.err.splitlines()) <= SCREEN
    assert str(folder) not in ran.out + ran.err
    assert {mistake["code"] for mistake in ran.report["errors"]} <= PAGES
    return ran


def mistake_of(folder: Path, text: str | bytes, name: str = "s.yaml") -> Json:
    """The one mistake of a suite, which standard error shows with its place and its remedy."""
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    ran = refused(folder, name)
    (mistake,) = ran.report["errors"]
    assert mistake["file"] == name
    place = f"{name}:{mistake['line']}:{mistake['column']}" if mistake["line"] else name
    assert f"--> {place}\n" in ran.err
    assert mistake["message"] in ran.err.replace("\n", " ")
    assert mistake["remedy"] in ran.err.replace("\n", " ")
    return mistake


# ── a misspelt key, at each level ────────────────────────────────────────────────────────────────

GOOD = """\
name: s
version: 1
contract: echo
defaults: {fixture: one}
fixtures:
  one: {voices: {}}
gate: {maxSkips: 0}
cases:
  - id: one
    title: One
    operation: tool
    tool: echo
    args: {text: hello}
    expect: {equals: {output.said: hello}}
  - id: two
    title: Two
    steps:
      - id: first
        operation: tool
        tool: echo
        args: {text: hello}
        expect: {isError: false}
"""

MISSPELT = {
    "the suite": ("contract:", "contrat:", "contract", 3),
    "defaults": ("{fixture: one}", "{fixtur: one}", "fixture", 4),
    "the gate": ("maxSkips", "maxSkip", "maxSkips", 7),
    "a case": ("title: One", "titel: One", "title", 10),
    "an operation": ("    operation: tool\n    tool", "    operation: tol\n    tool", "tool", 11),
    "a step": ("        args: {text", "        arg: {text", "args", 21),
    "an expectation": ("{equals:", "{equal:", "equals", 14),
    "an expectation of a step": ("isError", "isEror", "isError", 22),
    "a fixture's name": ("{fixture: one}", "{fixture: on}", "one", 4),
    "a fixture": ("{voices: {}}", "{voises: {}}", "", 6),
    "a contract": ("contract: echo", "contract: ehco", "echo", 3),
    "a severity": ("    title: Two", "    severity: hihg\n    title: Two", "high", 16),
    "a way in": ("    title: Two", "    over: direkt\n    title: Two", "", 16),
}


@pytest.mark.parametrize("level", MISSPELT)
def test_a_misspelt_word_is_refused_at_its_place_and_the_nearest_is_named(level: str, tmp_path: Path) -> None:
    right, wrong, meant, line = MISSPELT[level]
    assert GOOD.count(right) == 1, level
    (tmp_path / "s.yaml").write_text(GOOD.replace(right, wrong), encoding="utf-8")
    ran = refused(tmp_path, "s.yaml")
    places = [(mistake["file"], mistake["line"]) for mistake in ran.report["errors"]]
    assert ("s.yaml", line) in places
    found = ran.report["errors"][places.index(("s.yaml", line))]
    assert meant in found["remedy"] + found["message"]
    assert f"s.yaml:{line}:{found['column']}" in ran.err


def test_the_suite_that_the_misspelt_ones_are_made_of_is_sound(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(GOOD, encoding="utf-8")
    assert forked(tmp_path, "run", "s.yaml").code == 0


# ── a file that is no suite ──────────────────────────────────────────────────────────────────────


def bomb() -> str:
    """Ten aliases to ten aliases to …: ten thousand million nodes in ten lines."""
    lines = ["a0: &a0 [" + ", ".join(["x"] * 10) + "]"]
    lines += [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 10) + "]" for n in range(1, 10)]
    return "fixtures:\n" + "".join(f"  {line}\n" for line in lines)


def chain() -> str:
    return "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n}\n  <<: *a{n - 1}\n" for n in range(1, 3))


FILES: Mapping[str, tuple[str | bytes, str, int]] = {
    "empty": ("", "empty-document", 0),
    "blank": ("\n\n# nothing\n", "empty-document", 0),
    "a list": ("- 1\n", "wrong-type", 1),
    "binary": (b"\x7fELF\x02\x01\x01\x00\x00", "binary-file", 1),
    "UTF-16": ("name: s\n".encode("utf-16"), "not-utf-8", 1),
    "UTF-16 without a mark": ("name: s\n".encode("utf-16-le"), "not-utf-8", 1),
    "Latin-1": ("name: s\ntitle: caf\xe9\n".encode("latin-1"), "not-utf-8", 2),
    "an alias bomb": (bomb(), "too-many-alias-nodes", 0),
    "too deep": ("a: " + "[" * 10_000 + "]" * 10_000, "too-deep", 1),
    "a duplicate key": (GOOD.replace("version: 1", "version: 1\nversion: 2"), "duplicate-key", 3),
    "a duplicate id": (GOOD.replace("id: two", "id: one"), "duplicate-id", 15),
    "a wanted value of another type": (GOOD.replace("{isError: false}", "{isError: 0}"), "wanted-shape", 22),
    "a wanted value of another shape": (
        GOOD.replace("{output.said: hello}", "[output.said]"),
        "wanted-shape",
        14,
    ),
    "an unknown fixture": (GOOD.replace("{fixture: one}", "{fixture: none}"), "unknown-fixture", 4),
    "no expectation": (
        GOOD.replace("    expect: {equals: {output.said: hello}}\n", ""),
        "nothing-expected",
        9,
    ),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_no_suite_is_told_by_its_code_and_place(kind: str, tmp_path: Path) -> None:
    text, code, line = FILES[kind]
    mistake = mistake_of(tmp_path, text)
    assert mistake["code"] == code
    assert mistake["line"] == line or line == 0


def test_merge_keys_are_each_refused(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(chain(), encoding="utf-8")
    ran = refused(tmp_path, "s.yaml")
    assert [(one["code"], one["line"]) for one in ran.report["errors"]] == [
        ("merge-key", 3),
        ("merge-key", 5),
    ]


def test_json_that_is_deep_or_says_a_thing_twice_is_refused_too(tmp_path: Path) -> None:
    assert mistake_of(tmp_path, "[" * 10_000 + "]" * 10_000, "deep.json")["code"] == "too-deep"
    twice = '{"name": "s",\n "name": "t"}'
    assert (mistake_of(tmp_path, twice, "s.json")["code"], mistake_of(tmp_path, twice, "s.json")["line"]) == (
        "duplicate-key",
        2,
    )


def test_a_file_of_a_hundred_megabytes_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "s.yaml").open("wb") as file:
        file.truncate(100_000_000)
    ran = refused(tmp_path, "s.yaml")
    assert [one["code"] for one in ran.report["errors"]] == ["file-too-large"]
    assert "32 MiB" in ran.err


def test_a_missing_file_and_a_folder_without_a_suite_are_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, "none.yaml").report["errors"][0]["code"] == "missing-file"
    assert refused(tmp_path, "no/such/folder/").report["errors"][0]["code"] == "missing-file"
    (tmp_path / "hollow").mkdir()
    assert refused(tmp_path, "hollow/").report["errors"][0]["code"] == "folder-without-suite"
    assert refused(tmp_path, "--fixture", "hollow").report["errors"][0]["code"] == "folder-without-suite"


def test_mistakes_in_a_folder_name_the_file_they_are_in(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "suite.yaml").write_text("name: mine\nversion: 1\ncontract: echo\nfixtures: {one: {}}\n")
    (folder / "part.yaml").write_text("cases:\n  - id: one\n    titel: One\n", encoding="utf-8")
    files = {one["file"] for one in refused(tmp_path, "mine/").report["errors"]}
    assert files == {"mine/part.yaml"}


def test_every_suite_with_a_mistake_is_told(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(GOOD.replace("contract: echo", "contract: ehco"), encoding="utf-8")
    ran = refused(tmp_path, "a.yaml", "b.yaml")
    assert [one["file"] for one in ran.report["errors"]] == ["a.yaml", "b.yaml"]


def test_two_suites_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(GOOD, encoding="utf-8")
    (mistake,) = refused(tmp_path, "a.yaml", "b.yaml").report["errors"]
    assert (mistake["code"], mistake["file"], mistake["line"]) == ("duplicate-id", "b.yaml", 1)


def test_a_thousand_mistakes_are_one_screen(tmp_path: Path) -> None:
    cases = "".join(f"  - {{id: case-{n}, titel: One}}\n" for n in range(1000))
    (tmp_path / "s.yaml").write_text(
        f"name: s\nversion: 1\ncontract: echo\ncases:\n{cases}", encoding="utf-8"
    )
    assert "(the first 5 are shown)" in refused(tmp_path, "s.yaml").err


@pytest.mark.parametrize("word", ["\x1b[31mred.yaml", "--\x1b[31mred.yaml"])
def test_what_a_terminal_would_act_on_is_shown_as_an_escape(word: str, tmp_path: Path) -> None:
    ran = forked(tmp_path, "run", word)
    assert (ran.code, "\x1b" in ran.out + ran.err) == (2, False)
    assert "\\u001b[31mred.yaml" in ran.err


# ── flags and words ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("flags")
    (made / "s.yaml").write_text(suite(case("search"), case("get[x]")), encoding="utf-8")
    return made


@pytest.mark.parametrize(
    "form", [lambda n: ["--failure-threshold", n], lambda n: [f"--failure-threshold={n}"]]
)
@pytest.mark.parametrize(
    "number", ["-1", "1.5", "1e2", "0x10", "", "inf", "nan", "+1", "1_0", " 1", "٣", "9" * 10]
)
def test_the_threshold_is_a_decimal_integer(
    number: str, form: Callable[[str], list[str]], folder: Path
) -> None:
    ran = refused(folder, "s.yaml", *form(number))
    assert repr(number) in ran.report["error"]
    assert "--failure-threshold" in ran.report["error"]
    assert "non-negative decimal integer; write 0, 1, 2" in ran.err


FLAGS: Mapping[str, tuple[list[str], str]] = {
    "a misspelt flag": (["s.yaml", "--failure-treshold", "0"], "did you mean --failure-threshold?"),
    "a misspelt flag with =": (["s.yaml", "--ouput=x"], "did you mean --output?"),
    "an abbreviated flag": (["s.yaml", "--fail"], "unknown argument: --fail"),
    "a misspelt format": (["s.yaml", "--format", "jsn"], "did you mean 'json'?"),
    "a misspelt severity": (["s.yaml", "--severity", "hihg"], "did you mean 'high'?"),
    "a misspelt surface": (["s.yaml", "--over", "htp"], "did you mean 'http'?"),
    "a flag without its value": (["s.yaml", "--case"], "--case: expected one argument"),
    "a threshold without its value": (["s.yaml", "--failure-threshold"], "expected one argument"),
    "an unknown case": (["s.yaml", "--case", "serach"], "did you mean `search`?"),
    "a report without a file": (["s.yaml", "--report", "foo"], "write FORMAT=FILE, such as junit=report.xml"),
    "a report without a name": (["s.yaml", "--report", "junit="], "write FORMAT=FILE"),
    "a report of an unknown format": (["s.yaml", "--report", "juint=x"], "did you mean 'junit'?"),
    "one file for two reports": (["s.yaml", "--report", "text=./out.json"], "two reports go to"),
    "an unset variable": (["s.yaml", "--env", "EVALKIT_UNSET"], "no such environment variable; set it"),
    "a target without a program": (["s.yaml", "--target", "stdio:"], "write stdio:program --flag"),
    "a target that is none": (["s.yaml", "--target", "localhost:5555"], "write http://127.0.0.1:5555/mcp"),
    "a password": (["s.yaml", "--target", "http://me:x@127.0.0.1/"], "no user and no password"),
    "fixtures for a stranger": (
        ["s.yaml", "--target", "http://10.0.0.1/", "--provides", "fixtures"], "on this machine only"),
    "two words in one": (["s.yaml", "--provides", "clock,fixtures"], "write --provides for each of them"),
    "what no target provides": (["s.yaml", "--provides", "clock"], "give --target URL, or leave it out"),
    "no process at all": (["s.yaml", "--jobs", "0"], "'0' is less than 1"),
    "no failure at all": (["s.yaml", "--max-failures", "0"], "'0' is less than 1"),
    "no time at all": (["s.yaml", "--timeout", "0"], "no positive number of seconds; write 30 or 0.5"),
    "endless time": (["s.yaml", "--timeout", "inf"], "no positive number of seconds"),
    "a misspelt suite": (["agent-contxt"], "did you mean 'agent-context'?"),
    "a file that is called like a name": (["subjects.p"], "no suite is called 'subjects.p'"),
    "an unknown contract": (["s.yaml", "--contract", "ehco"], "did you mean 'echo'?"),
    "a contract that is no object": (["s.yaml", "--contract", "python:x"], "python:package.module:name"),
    "a contract that is not there": (["s.yaml", "--contract", "python:no_such:name"], "no_such"),
    "no report to repeat": (["s.yaml", "--failed-in", "none.json"], "none.json: No such file"),
    "a report that is none": (["s.yaml", "--failed-in", "s.yaml"], "this is no report of evalkit"),
}  # fmt: skip


@pytest.mark.parametrize("slip", FLAGS)
def test_a_slip_on_the_command_line_is_told_with_its_remedy(slip: str, folder: Path) -> None:
    words, remedy = FLAGS[slip]
    ran = refused(folder, *words)
    assert remedy in ran.err
    assert remedy in json.dumps(ran.report, ensure_ascii=False)


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["rnu", "s.yaml"], "did you mean `run`?"),
        (["--verison"], "did you mean `--version`?"),
        (["frobnicate"], "`evalkit --help` lists them"),
        ([], "no command is given"),
        (["eval:nope"], "no contract is called 'nope'"),
        (["eval:agent-contex"], "did you mean 'agent-context'?"),
        (["eval:"], "no contract is called ''"),
        (["eval:echo"], "no suite is shipped for the contract 'echo'; name one with --fixture FILE"),
        (["eval:nope", "--fixture", "s.yaml"], "no contract is called 'nope'"),
        (["eval:echo", "--contract", "echo", "--fixture", "s.yaml"], "--contract stands beside eval:echo"),
        (["eval:echo", "s.yaml"], "unknown argument: s.yaml"),
    ],
)
def test_a_slip_in_the_command_itself_is_told_too(words: list[str], remedy: str, folder: Path) -> None:
    ran = forked(folder, *words)
    assert (ran.code, ran.report["passed"]) == (2, False)
    assert remedy in ran.err


def test_a_refusal_comes_in_the_format_that_was_asked_for(folder: Path) -> None:
    assert forked(folder, "run", "none.yaml", "--format", "junit").out.startswith("<?xml")
    assert "exit 2 usage" in forked(folder, "run", "none.yaml", "--format=text").out


def test_the_same_holds_in_a_process_of_its_own(folder: Path) -> None:
    ran = evalkit(folder, "run", "s.yaml", "--failure-threshold", "inf")
    assert (ran.code, ran.report["errors"]) == (2, [])
    assert "Traceback" not in ran.err
