"""The way in called `cli`: a program's main in memory, and real processes of which nothing is left."""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

import pytest

from evalkit import drivers
from evalkit.deadline import deadline
from evalkit.drivers import cli
from evalkit.drivers._child import INHERITED
from evalkit.errors import CaseError, OutOfTime, what_came
from evalkit.model import Call, Json, Observation, Subject
from evalkit.surfaces import Command, Program
from tests.drivers import vices
from tests.drivers.conftest import Held
from tests.playing import FREE, loaded, played, suite_file


def test_the_table_knows_the_driver() -> None:
    assert drivers.find("cli") is cli
    assert {"cli", "tool"} == cli.OPERATIONS


# ── in memory ────────────────────────────────────────────────────────────────────────────────────


def called(main: Any, **words: Json) -> Observation:
    with closing(cli.open(Program(main))) as session:
        return session.send(Call("cli", {"argv": [], **words}))


def tells(argv: list[str], stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO) -> int:
    """What it was given."""
    told = {"argv": argv, "stdin": stdin.read().decode(), "name": os.environ.get("EVALKIT_TEST_NAME")}
    stdout.write(json.dumps(told).encode())
    stderr.write(b"\xffe")
    return 3


def test_a_main_gets_its_arguments_and_streams_and_tells_its_exit_code() -> None:
    seen = called(tells, argv=["a", "--b"], stdin="é\n", env={"EVALKIT_TEST_NAME": "x"})
    told = {"argv": ["a", "--b"], "stdin": "é\n", "name": "x"}
    assert seen.roots == {
        "process": {"exitCode": 3, "stdout": json.dumps(told), "stderr": "\ufffde", "json": told},
    }
    assert seen.raw == (json.dumps(told).encode(), b"\xffe")


def test_without_input_it_is_empty_and_the_environment_is_as_before() -> None:
    assert called(tells).roots["process"]["json"] == {"argv": [], "stdin": "", "name": None}
    assert "EVALKIT_TEST_NAME" not in os.environ


@pytest.mark.parametrize("said", [b"", b"text", b'{"a": NaN}', b'{"a": 1} {"a": 1}', b'{"a": 1, "a": 2}'])
def test_output_that_is_no_strict_json_has_no_json(said: bytes) -> None:
    seen = called(lambda argv, stdin, stdout, stderr: stdout.write(said) * 0)
    assert "json" not in seen.roots["process"]
    assert seen.roots["process"]["stdout"] == said.decode()


def test_a_text_stream_over_the_output_may_be_closed() -> None:
    def main(argv: list[str], stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO) -> int:
        with io.TextIOWrapper(stdout, "utf-8") as text:
            text.write("é")
        return 0

    assert called(main).roots["process"]["stdout"] == "é"


def test_what_a_main_raises_goes_through_with_what_it_had_written() -> None:
    def main(argv: list[str], stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO) -> int:
        stderr.write(b"so far")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as problem:
        called(main)
    assert what_came(problem.value) == (b"", b"so far")


def test_a_main_that_gives_no_exit_code_is_the_contracts_fault() -> None:
    with pytest.raises(TypeError, match="exit code"):
        called(lambda *streams: None)


HEAD = f'name: s\nversion: 1\ncontract: "{FREE}"\ndefaults: {{fixture: {{}}}}\ncases:\n'


def test_a_case_judges_the_exit_code_and_the_output(tmp_path: Path) -> None:
    words = "operation: cli, argv: [x], expect: {exitCode: 3, equals: {process.json.argv: [x]}}"
    suite = loaded(suite_file(tmp_path, f"{HEAD}  - {{id: a, title: A, {words}}}\n"))
    assert played(suite, lambda world: Subject({"cli": Program(tells)}))["a"].status == "pass"
    printed = Program(lambda *streams: print("past the streams") or 3)
    error = played(suite, lambda world: Subject({"cli": printed}))["a"].error
    assert error is not None
    assert error[0] == "printed"


def test_a_case_in_memory_starts_no_process(tmp_path: Path) -> None:
    words = "operation: cli, argv: [], expect: {exitCode: 0}"
    suite = loaded(suite_file(tmp_path, f"{HEAD}  - {{id: a, title: A, {words}}}\n"))
    command = Command((sys.executable, "-c", ""))
    error = played(suite, lambda world: Subject({"cli": command}))["a"].error
    assert error is not None
    assert error[0] == "not-hermetic"


# ── live ─────────────────────────────────────────────────────────────────────────────────────────


def ran(vice: str, *argv: str, words: Any = None, **more: Any) -> Observation:
    with closing(cli.open(Command(vices.argv(vice), **more))) as session:
        return session.send(Call("cli", {"argv": list(argv), **(words or {})}))


@pytest.mark.slow
def test_a_command_gets_what_the_step_says_and_little_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALKIT_TEST_SECRET", "not for others")
    words = {"stdin": "é" * 200_000, "env": {"B": "2"}}
    seen = ran("shows", "a b", words=words, env={"A": "1"}, cwd=str(tmp_path))
    process = seen.roots["process"]
    told = process["json"]
    assert (process["exitCode"], process["stderr"]) == (4, "on the side\n")
    assert (told["argv"], told["stdin"], told["cwd"]) == (["a b"], "é" * 200_000, str(tmp_path))
    assert {name: told["env"].get(name) for name in "AB"} == {"A": "1", "B": "2"}
    assert set(told["env"]) <= {"A", "B", *INHERITED, "LC_CTYPE", "PWD"}


@pytest.mark.slow
def test_a_command_can_be_interrupted_even_where_we_cannot() -> None:
    import signal

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        told = ran("shows").roots["process"]["json"]
    finally:
        signal.signal(signal.SIGINT, before)
    assert (told["ignored"], told["blocked"]) == (False, [])


@pytest.mark.slow
def test_a_signal_is_a_negative_exit_code() -> None:
    process = ran("killed").roots["process"]
    assert (process["exitCode"], process["stdout"]) == (-9, "half")


@pytest.mark.slow
def test_a_program_that_is_not_there_was_not_started() -> None:
    with pytest.raises(CaseError, match="could not be started") as problem:
        cli.open(Command(("/nowhere/at-all",))).send(Call("cli", {"argv": []}))
    assert problem.value.code == "not-started"
    with pytest.raises(CaseError, match="no command") as problem:
        cli.open(Command((sys.executable,))).send(Call("cli", {"argv": ["\0"]}))
    assert problem.value.code == "unsendable"


@pytest.mark.slow
def test_output_without_end_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("_child", "cli"):
        monkeypatch.setattr(f"evalkit.drivers.{place}.LARGEST", 1 << 20)
    for number, name in ((1, "output"), (2, "error")):
        program = f"import os\nwhile True: os.write({number}, b'x' * 65536)"
        command = Command((sys.executable, "-c", program))
        with pytest.raises(CaseError, match=f"standard {name} is larger than 1048576 bytes") as problem:
            cli.open(command).send(Call("cli", {"argv": []}))
        assert problem.value.code == "protocol"


@pytest.mark.slow
def test_a_command_has_its_time_and_what_it_wrote_by_then_is_kept() -> None:
    program = "print('a secret', flush=True); import time; time.sleep(100)"
    session = cli.open(Command((sys.executable, "-c", program), call=0.5))
    with pytest.raises(OutOfTime) as problem:
        session.send(Call("cli", {"argv": []}))
    assert what_came(problem.value) == (b"a secret\n", b"")


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0.5, 30])
def test_what_ignores_everything_is_ended(held: Held, limit: float) -> None:
    begun = monotonic()
    session = cli.open(Command(vices.argv("deaf", held.path), call=30.5 - limit))
    with closing(session), pytest.raises(OutOfTime), deadline(limit):
        session.send(Call("cli", {"argv": []}))
    assert monotonic() - begun < 4
    assert held.is_let_go()


@pytest.mark.slow
def test_children_that_stay_behind_are_ended_and_not_waited_for(held: Held) -> None:
    begun = monotonic()
    process = ran("parent", held.path).roots["process"]
    assert process["exitCode"] == 0
    assert monotonic() - begun < 4
    assert held.is_let_go()
