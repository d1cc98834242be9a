"""Ctrl-C, SIGTERM and --timeout: what was done is told, whole, and nobody is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from evalkit.commands._signals import Interrupted, Signals
from tests.commands.door import ROOT, VALIDATOR, Json, case, forked, start, suite, with_subjects

pytestmark = pytest.mark.skipif(os.name != "posix", reason="these cases need POSIX signals")

SOON = 10.0
"""Seconds: far more than the two that it may take, on however busy a machine."""


def asleep(folder: Path, *words: str, good: int = 1) -> subprocess.Popen[bytes]:
    """A run that did some good cases and now is in one that takes a minute, with a good one behind it."""
    cases = [case(f"good-{number}") for number in range(good)]
    text = suite(*cases, case("long", "sleeps", timeout=100), case("last"))
    (with_subjects(folder) / "s.yaml").write_text(text, encoding="utf-8")
    process = start(folder, "run", "s.yaml", *words, out=subprocess.PIPE, err=subprocess.PIPE)
    heard_of(process, b"asleep")
    return process


def heard_of(process: subprocess.Popen[bytes], word: bytes) -> None:
    """Read standard error until a line holds the word."""
    assert process.stderr
    for line in process.stderr:
        if word in line:
            return
    raise AssertionError(f"{word!r} was never said")


def ending(process: subprocess.Popen[bytes]) -> tuple[int, Json, str]:
    """The exit code, the report and what else was said; nobody of its process group is left."""
    out, err = process.communicate(timeout=SOON)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    report = json.loads(out)
    VALIDATOR.validate(report)
    return process.returncode, report, err.decode()


def to_the_process(process: subprocess.Popen[bytes], number: int) -> None:
    process.send_signal(number)


def to_its_group(process: subprocess.Popen[bytes], number: int) -> None:
    os.killpg(process.pid, number)


@pytest.mark.parametrize("send", [to_the_process, to_its_group])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_with_what_was_done(
    number: int, code: int, send: Callable[[subprocess.Popen[bytes], int], None], tmp_path: Path
) -> None:
    process = asleep(tmp_path, "--output", "out.json")
    send(process, number)
    ended, report, err = ending(process)
    assert ended == code
    assert report["exit"] == {"code": code, "name": "signal"}
    assert (report["complete"], report["stopReason"], report["passed"]) == (False, "signal", False)
    assert [(one["id"], one["status"]) for one in report["cases"]] == [("good-0", "pass")]
    assert json.loads((tmp_path / "out.json").read_bytes()) == report
    assert "Traceback" not in err


def test_several_workers_are_ended_too(tmp_path: Path) -> None:
    process = asleep(tmp_path, "--jobs", "3")
    to_its_group(process, signal.SIGINT)
    ended, report, _ = ending(process)
    assert (ended, report["stopReason"]) == (130, "signal")
    assert {one["id"] for one in report["cases"]} <= {"good-0", "last"}


def test_more_signals_while_the_report_is_written_do_not_break_it(tmp_path: Path) -> None:
    process = asleep(tmp_path, good=400)  # a report that is longer than a pipe holds
    process.send_signal(signal.SIGINT)
    assert process.stdout
    first = process.stdout.read(1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
        process.send_signal(number)
    rest, err = process.communicate(timeout=SOON)
    report = json.loads(first + rest)
    assert (process.returncode, len(report["cases"])) == (130, 400)
    assert b"Traceback" not in err


def test_a_signal_while_a_contract_is_imported_is_told_with_no_case_done(tmp_path: Path) -> None:
    slow = "import sys, time\nsys.stderr.write('asleep\\n')\nsys.stderr.flush()\ntime.sleep(60)"
    (tmp_path / "subjects.py").write_text(slow, encoding="utf-8")
    (tmp_path / "s.yaml").write_text(suite(case("one")), encoding="utf-8")
    process = start(tmp_path, "run", "s.yaml", out=subprocess.PIPE, err=subprocess.PIPE)
    heard_of(process, b"asleep")
    process.send_signal(signal.SIGINT)
    ended, report, _ = ending(process)
    assert (ended, report["stopReason"], report["cases"]) == (130, "signal", [])


PATCH = """
import sys, time
import evalkit.loader
def load(*words):
    sys.stderr.write("asleep\\n")
    sys.stderr.flush()
    time.sleep(60)
evalkit.loader.load = load
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_before_anything_ran_is_a_refusal(number: int, code: int, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(PATCH, encoding="utf-8")
    path = f"{tmp_path}{os.pathsep}{ROOT}"
    words = ("run", "s.yaml", "--output", "out.json")
    process = start(tmp_path, *words, out=subprocess.PIPE, err=subprocess.PIPE, PYTHONPATH=path)
    heard_of(process, b"asleep")
    process.send_signal(number)
    ended, report, err = ending(process)
    assert (ended, report["error"]) == (code, "interrupted before anything was run")
    assert not (tmp_path / "out.json").exists()
    assert "Traceback" not in err


def test_a_signal_ends_a_check_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(PATCH, encoding="utf-8")
    path = f"{tmp_path}{os.pathsep}{ROOT}"
    process = start(tmp_path, "check", "s.yaml", out=subprocess.PIPE, err=subprocess.PIPE, PYTHONPATH=path)
    heard_of(process, b"asleep")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=SOON)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err


def test_the_end_of_the_time_is_four_with_what_was_done(tmp_path: Path) -> None:
    text = suite(case("good"), case("long", "sleeps", timeout=100), case("last"))
    (with_subjects(tmp_path) / "s.yaml").write_text(text, encoding="utf-8")
    ran = forked(tmp_path, "run", "s.yaml", "--timeout", "1")
    assert (ran.code, ran.report["complete"], ran.report["stopReason"]) == (4, False, "time")
    assert ran.statuses == {"good": "pass"}


def test_the_time_of_each_case_can_be_told_for_all(tmp_path: Path) -> None:
    text = suite(case("long", "sleeps", timeout=100), case("last"))
    (with_subjects(tmp_path) / "s.yaml").write_text(text, encoding="utf-8")
    ran = forked(tmp_path, "run", "s.yaml", "--case-timeout", "0.1")
    assert (ran.code, ran.statuses) == (1, {"long": "error", "last": "pass"})
    assert ran.report["cases"][0]["error"] == "no answer within 0.1 s"


# ── the signals themselves ───────────────────────────────────────────────────────────────────────


def test_the_first_signal_interrupts_a_block_and_later_ones_are_nobody_s() -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with Signals() as signals:
        with pytest.raises(Interrupted), signals.interrupting():
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        assert signals.code == 130
        with pytest.raises(Interrupted), signals.interrupting():
            pytest.fail("a signal has come already")
    for number, handler in before.items():
        signal.signal(number, handler)


def test_without_a_signal_the_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Signals() as signals, signals.interrupting():
        assert signal.getsignal(signal.SIGINT) != before
    assert (signal.getsignal(signal.SIGINT), signals.code) == (before, 0)
