"""Where the report goes, in which form, and what happens where it cannot go there."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.commands.door import (
    EVALKIT,
    ROOT,
    Ran,
    case,
    echo,
    ended,
    evalkit,
    files,
    forked,
    said,
    start,
    suite,
    with_subjects,
)

ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a suite of which one case fails, called `s`."""
    text = echo(said("good"), said("bad", "goodbye"), name="s")
    (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
    return tmp_path


# ── formats ──────────────────────────────────────────────────────────────────────────────────────


def test_a_report_rendered_later_is_the_one_rendered_at_once(folder: Path) -> None:
    forked(folder, "run", "s.yaml", "--output", "saved.json")
    for name in ("json", "text", "junit", "markdown"):
        at_once = forked(folder, "run", "s.yaml", "--format", name)
        later = forked(folder, "report", "saved.json", "--format", name)
        assert (at_once.code, later.code) == (1, 0)
        assert at_once.out == later.out, name
    assert forked(folder, "report", "saved.json").out == forked(folder, "run", "s.yaml", "--format=text").out


def test_every_report_that_is_asked_for_is_written(folder: Path) -> None:
    reports = ("junit=one.xml", "markdown=one.md", "text=one.txt", "junit=two.xml")
    ran = forked(folder, "run", "s.yaml", "--output", "out.json", *(f"--report={one}" for one in reports))
    assert ran.report == json.loads((folder / "out.json").read_bytes())
    assert ElementTree.parse(folder / "two.xml").getroot().tag == "testsuites"
    assert (folder / "one.xml").read_bytes() == (folder / "two.xml").read_bytes()
    assert "bad" in (folder / "one.md").read_text()
    assert "exit 1 threshold-exceeded" in (folder / "one.txt").read_text()


def test_standard_output_holds_the_report_and_nothing_else(folder: Path) -> None:
    ran = evalkit(folder, "run", "s.yaml")
    assert ran.report["counts"] == {"pass": 1, "fail": 1, "error": 0, "skip": 0}
    assert ran.err == "s: 2 done (1 pass, 1 fail, 0 error, 0 skip)\n"


# ── a terminal ───────────────────────────────────────────────────────────────────────────────────


def on_terminal(folder: Path, *words: str, **environment: str) -> Ran:
    """Standard output is a terminal; standard error is not."""
    keeper, terminal = os.openpty()
    with files() as (_, err):
        environment = {"TERM": "xterm-256color", "NO_COLOR": "", **environment}
        process = start(folder, *words, out=terminal, err=err, **environment)
        os.close(terminal)
        shown = shown_on(keeper)
        with files() as (nothing, _):
            ran = ended(process, nothing, err)
    return Ran(ran.code, shown, ran.err)


def shown_on(keeper: int) -> str:
    """What is written to a terminal until nobody has it open."""
    shown = b""
    with contextlib.suppress(OSError):  # Linux says so when the other end is gone
        while piece := os.read(keeper, 1 << 16):
            shown += piece
    os.close(keeper)
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals")
def test_a_terminal_shows_the_readable_form_in_colours_and_a_file_keeps_the_json(folder: Path) -> None:
    plain = forked(folder, "run", "s.yaml", "--format", "text").out
    ran = on_terminal(folder, "run", "s.yaml", "--output", "out.json")
    assert ANSI.sub("", ran.out) == plain
    assert "\x1b[1;31mFAIL\x1b[0m" in ran.out
    assert not re.search(r"\x1b\[[0-9;?]*[A-LN-Za-ln-z]", ran.out), "the cursor was moved"
    assert json.loads((folder / "out.json").read_bytes())["counts"]["fail"] == 1
    assert "\x1b" not in ran.err


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals")
@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colours_gets_none(environment: dict[str, str], folder: Path) -> None:
    plain = forked(folder, "run", "s.yaml", "--format", "text").out
    assert on_terminal(folder, "run", "s.yaml", **environment).out == plain


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals")
def test_a_terminal_gets_json_when_it_is_asked_for(folder: Path) -> None:
    assert on_terminal(folder, "run", "s.yaml", "--format", "json").report["passed"] is False


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals")
def test_a_refusal_on_a_terminal_is_told_once(folder: Path) -> None:
    ran = on_terminal(folder, "run", "none.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("none.yaml") == 1
    assert on_terminal(folder, "run", "none.yaml", "--format=json").report["errors"] != []


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals")
def test_a_person_sees_which_case_runs_for_long(tmp_path: Path) -> None:
    (with_subjects(tmp_path) / "s.yaml").write_text(suite(case("long", "sleeps")), encoding="utf-8")
    keeper, terminal = os.openpty()
    with files() as (out, _):
        flags = ("--case-timeout", "3")
        process = start(tmp_path, "run", "s.yaml", *flags, out=out, err=terminal, TERM="xterm", NO_COLOR="")
        os.close(terminal)
        assert "running for 1 s: long" in ANSI.sub("", shown_on(keeper))
        assert process.wait(timeout=60) == 1


# ── an output that cannot be written ─────────────────────────────────────────────────────────────

FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")


@pytest.mark.parametrize("file", ["no/such/folder.json", ".", pytest.param("/dev/full", marks=FULL)])
def test_a_file_that_cannot_be_written_is_three_with_the_verdict_on_stdout(file: str, folder: Path) -> None:
    ran = forked(folder, "run", "s.yaml", "--failure-threshold", "1", "--output", file)
    assert (ran.code, ran.report["exit"]["name"]) == (3, "harness")
    assert ran.report["counts"]["fail"] == 1
    assert f"{file} could not be written: " in ran.err


def test_a_file_that_was_written_before_one_that_cannot_be_says_the_same(folder: Path) -> None:
    ran = forked(folder, "run", "s.yaml", "--output", "out.json", "--report", "junit=no/such/file")
    assert ran.code == 3
    assert json.loads((folder / "out.json").read_bytes()) == ran.report


@FULL
def test_a_full_standard_output_is_three_and_the_files_say_so(folder: Path) -> None:
    with files() as (_, err), open("/dev/full", "wb") as full:
        process = start(folder, "run", "s.yaml", "--output", "out.json", out=full, err=err)
        assert process.wait(timeout=60) == 3
        err.seek(0)
        assert b"standard output could not be written: No space left" in err.read()
    kept = json.loads((folder / "out.json").read_bytes())
    assert (kept["exit"]["code"], kept["passed"]) == (3, False)


@FULL
@pytest.mark.parametrize("words", [["--help"], ["list"], ["run", "--help"], ["run", "none.yaml"]])
def test_a_full_standard_output_is_said_by_every_command(words: list[str], folder: Path) -> None:
    with files() as (_, err), open("/dev/full", "wb") as full:
        process = start(folder, *words, out=full, err=err)
        assert process.wait(timeout=60) == (2 if words[-1] == "none.yaml" else 3)
        err.seek(0)
        told = err.read()
    assert b"standard output could not be written" in told
    assert b"Traceback" not in told


@pytest.mark.parametrize(
    ("words", "code"),
    [(["run", "s.yaml"], 1), (["run", "none.yaml"], 2), (["--help"], 0), (["schema", "suite"], 0)],
)
def test_a_reader_that_has_gone_away_is_no_fault(words: list[str], code: int, folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with files() as (_, err):
        process = start(folder, *words, out=writer, err=err)
        os.close(writer)
        assert process.wait(timeout=60) == code
        err.seek(0)
        told = err.read()
    assert b"Traceback" not in told
    assert b"BrokenPipe" not in told


def closed(folder: Path, redirection: str, *words: str) -> Ran:
    """Start it with one of the three streams closed, as a shell does it."""
    with files() as (out, err):
        command = ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *EVALKIT, *words]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=err)
        return ended(process, out, err)


@pytest.mark.skipif(os.name != "posix", reason="this is a POSIX shell's")
def test_closed_streams_harm_nobody(folder: Path) -> None:
    whole = forked(folder, "run", "s.yaml").out
    assert closed(folder, "<&-", "run", "s.yaml")[:2] == (1, whole)
    assert closed(folder, "<&- 2>&-", "run", "s.yaml")[:2] == (1, whole)
    assert closed(folder, "2>&-", "check", "none.yaml")[:2] == (2, "")
    ran = closed(folder, ">&-", "run", "s.yaml")
    assert ran.code == 3
    assert "standard output is closed" in ran.err


@pytest.mark.skipif(os.name != "posix", reason="this is a POSIX pipe's")
def test_a_pipe_that_does_not_block_gets_everything(tmp_path: Path) -> None:
    cases = [said(f"case-{number}") for number in range(400)]
    (tmp_path / "s.yaml").write_text(echo(*cases), encoding="utf-8")
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with files() as (_, err):
        process = start(tmp_path, "run", "s.yaml", out=writer, err=err)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            report = json.loads(pipe.read())
        assert process.wait(timeout=60) == 0
    assert len(report["cases"]) == 400
