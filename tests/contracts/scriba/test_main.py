"""The program in a process: which signals interrupt what, closed streams, what stands behind a command."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit.contracts.scriba import main as process
from evalkit.contracts.scriba.nouns import Paths, Profiles
from tests.contracts.scriba.fakes import FakeService

Json = Any


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder that holds nothing."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def no_fixture(path: str) -> Json:
    raise AssertionError(f"{path} is not asked for")


def run(*argv: str, read_fixture: Callable[[str], Json] = no_fixture) -> int:
    return process.main(argv, prog="evalkit scriba", read_fixture=read_fixture)


def acting(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Let the service do this before it answers."""
    monkeypatch.setattr(process, "_open_service", lambda paths, profiles: FakeService(act))


def handlers() -> list[Any]:
    return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_it_reads_leaves_standard_output_empty(
    number: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    before = handlers()
    acting(monkeypatch, lambda: signal.raise_signal(number))
    assert run("context", "--json") == 1
    assert capfd.readouterr() == ("", "context canceled\n")
    assert handlers() == before


def test_a_signal_that_came_before_it_reads_is_not_forgotten(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def open_stdin() -> Any:
        signal.raise_signal(signal.SIGTERM)
        return sys.stdin

    monkeypatch.setattr(process, "_stdin", open_stdin)
    acting(monkeypatch, lambda: pytest.fail("it was read all the same"))
    assert run("context", "--json") == 1
    assert capfd.readouterr().err == "context canceled\n"


def test_a_signal_after_it_has_read_comes_too_late(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Late:
        """The buffer of standard output, and a signal just before it is written."""

        def fileno(self) -> int:
            return sys.__stdout__.fileno()  # type: ignore[union-attr]

        def write(self, data: bytes) -> int:
            signal.raise_signal(signal.SIGINT)
            return sys.stdout.buffer.write(data)

        def flush(self) -> None:
            sys.stdout.buffer.flush()

    monkeypatch.setattr(process, "_stdout", Late)
    acting(monkeypatch, lambda: None)
    assert run("context", "--json") == 0
    out, err = capfd.readouterr()
    assert out.endswith("}\n")
    assert err == ""


def test_the_clock_is_that_of_this_machine(capfd: pytest.CaptureFixture[str]) -> None:
    service = process._open_service(Paths("/nowhere", "/nowhere/server.sqlite"), Profiles())
    first, second = (service.context(None)["generatedAt"] for _ in range(2))
    assert first <= second
    assert first.endswith("Z")


def test_a_closed_standard_output_is_told(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert run("context", "--json") == 1
    assert capfd.readouterr().err == "scriba: standard output is closed\n"


def test_without_standard_input_and_error_there_is_nothing_to_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert run("mcp") == 0
    assert run("mcp", "extra") == 1


def test_seed_writes_what_the_fixture_holds_and_names_the_flags(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("seed", "any", str(home / "a"), read_fixture=lambda path: {"config": {}, "store": {}}) == 0
    assert run("seed", "any", str(home / "b"), read_fixture=lambda path: {"cache": {}}) == 0
    first, second = capfd.readouterr().out.splitlines()
    assert first == f"evalkit scriba context --json --config {home}/a/config.json"
    assert second == (
        f"evalkit scriba context --json --cache-dir {home}/b/cache --state-path {home}/b/state/server.sqlite"
    )
    assert (home / "a/state/server.sqlite").is_file()
    assert (home / "b/cache/scriba.sqlite").is_file()


def test_seed_writes_over_nothing(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (home / "cache").mkdir()
    assert run("seed", "any", str(home), read_fixture=lambda path: {"store": {}}) == 1
    assert "it is there already" in capfd.readouterr().err
    assert [path.name for path in home.iterdir()] == ["cache"]
