"""Tests of evalkit.guard: what a watched case is refused, what it may do, and what is put back after it."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import multiprocessing.util
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from evalkit.guard import LIMIT, watching

Attempt = Callable[[], object]


def refusals(attempt: Attempt, folder: Path | None = None) -> list[str]:
    """What is recorded of an attempt that swallows its refusal, as a contract may."""
    with watching(lambda: None if folder is None else str(folder)) as watch, contextlib.suppress(Exception):
        attempt()
    return watch.refusals


NETWORK: dict[str, tuple[str, Callable[[socket.socket], object]]] = {
    "connecting": ("socket.connect", lambda opened: opened.connect(("127.0.0.1", 9))),
    "connecting without an exception": (
        "socket.connect",
        lambda opened: opened.connect_ex(("127.0.0.1", 9)),
    ),
    "binding": ("socket.bind", lambda opened: opened.bind(("127.0.0.1", 0))),
    "sending to": ("socket.sendto", lambda opened: opened.sendto(b"", ("127.0.0.1", 9))),
    "sending a message to": (
        "socket.sendmsg",
        lambda opened: opened.sendmsg([b""], [], 0, ("127.0.0.1", 9)),
    ),
    "a new socket, which could listen": ("socket.__new__ of AF_INET", lambda _: socket.socket().listen()),
    "an address by its name": ("socket.getaddrinfo", lambda _: socket.getaddrinfo("localhost", 80)),
    "a host by its name": ("socket.gethostbyname", lambda _: socket.gethostbyname("localhost")),
    "a host by its address": ("socket.gethostbyaddr", lambda _: socket.gethostbyaddr("127.0.0.1")),
    "a name by its address": ("socket.getnameinfo", lambda _: socket.getnameinfo(("127.0.0.1", 80), 0)),
    "a port by its name": ("socket.getservbyname", lambda _: socket.getservbyname("http")),
    "a service by its port": ("socket.getservbyport", lambda _: socket.getservbyport(80)),
}


@pytest.mark.parametrize("name", NETWORK)
def test_network_is_refused_and_the_refusal_recorded_though_swallowed(name: str) -> None:
    event, attempt = NETWORK[name]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened_before:
        (refusal,) = refusals(lambda: attempt(opened_before))
    assert refusal.startswith(event)
    assert "no network" in refusal


PROCESSES: dict[str, tuple[str, Attempt]] = {
    "subprocess": ("subprocess.Popen", lambda: subprocess.run([sys.executable, "-c", ""], check=True)),
    "system": ("os.system", lambda: os.system("true")),
    "popen": ("subprocess.Popen", lambda: os.popen("true")),
    "fork": ("os.fork", lambda: os.fork() or os._exit(0)),
    "forkpty": ("os.forkpty", lambda: os.forkpty()[0] or os._exit(0)),
    "exec": ("os.exec", lambda: os.execv("/nowhere/to/be/found", ["x"])),
    "posix_spawn": ("os.posix_spawn", lambda: os.posix_spawn("/bin/sh", ["sh", "-c", ""], {})),
    "spawn": ("os.fork", lambda: os.spawnv(os.P_WAIT, "/bin/sh", ["sh", "-c", ""])),
    "pty.spawn": ("pty.spawn", lambda: importlib.import_module("pty").spawn("true")),
    "multiprocessing's spawn": (
        "evalkit.fork_exec",
        lambda: multiprocessing.util.spawnv_passfds(b"/bin/sh", [b"sh", b"-c", b""], []),
    ),
    "a signal to another": ("os.kill", lambda: os.kill(os.getppid(), 0)),
    "a signal to a group": ("os.killpg", lambda: os.killpg(os.getpgid(0), 0)),
    "a message to the system's log": ("syslog.syslog", lambda: importlib.import_module("syslog").syslog("x")),
}


@pytest.mark.skipif(sys.platform == "win32", reason="these ways to a process are POSIX")
@pytest.mark.parametrize("name", PROCESSES)
def test_processes_are_refused_and_the_refusal_recorded_though_swallowed(name: str) -> None:
    event, attempt = PROCESSES[name]
    (refusal,) = refusals(attempt)
    assert refusal.startswith(event)
    assert "no process" in refusal


def test_asyncio_makes_a_subprocess_no_more_than_subprocess_does() -> None:
    async def attempt() -> None:
        await asyncio.create_subprocess_exec(sys.executable, "-c", "")

    (refusal,) = refusals(lambda: asyncio.run(attempt()))
    assert refusal.startswith("subprocess.Popen")


def pair_of_sockets() -> bytes:
    one, other = socket.socketpair()
    with one, other:
        one.sendmsg([b"hello"])
        return other.recv(5)


async def echo() -> str:
    return "hello"


def pipe() -> None:
    for number in os.pipe():
        os.close(number)


ALLOWED: dict[str, Attempt] = {
    "a pair of sockets": pair_of_sockets,
    "an event loop": lambda: asyncio.run(echo()),
    "a thread": lambda: asyncio.run(asyncio.to_thread(pair_of_sockets)),
    "a signal to itself": lambda: os.kill(os.getpid(), 0),
    "its own pipe": pipe,
    "randomness": lambda: os.urandom(4),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_what_stays_within_the_process_is_allowed(name: str) -> None:
    with watching(lambda: None) as watch:
        ALLOWED[name]()
    assert watch.refusals == []


def test_a_refusal_is_a_permission_error_that_says_what_and_where_and_the_rule() -> None:
    with watching(lambda: None), pytest.raises(PermissionError) as refusal:
        os.system("true")
    line = test_a_refusal_is_a_permission_error_that_says_what_and_where_and_the_rule.__code__.co_firstlineno
    assert refusal.value.strerror == (
        f"os.system in {__name__}, line {line + 2}: an in-memory case starts, stops and signals no process"
    )


def test_a_refusal_shows_the_program_but_not_its_arguments() -> None:
    (refusal,) = refusals(lambda: subprocess.run(["/usr/bin/login", "a-password"], check=True))
    assert "'/usr/bin/login'" in refusal
    assert "a-password" not in refusal


def test_threads_are_watched_too() -> None:
    def attempt() -> None:
        with contextlib.suppress(PermissionError):
            os.system("true")

    with watching(lambda: None) as watch:
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
    (refusal,) = watch.refusals
    assert refusal.startswith("os.system")


def test_a_case_that_tries_for_ever_is_recorded_within_bounds() -> None:
    def attempt() -> None:
        for _ in range(10 * LIMIT):
            with contextlib.suppress(PermissionError):
                os.system("true")

    assert len(refusals(attempt)) == LIMIT


def test_nothing_is_refused_before_and_after_a_case(tmp_path: Path) -> None:
    with watching(lambda: None):
        pass
    (tmp_path / "report.json").write_text("{}")
    assert os.system("true") == 0


def test_a_watch_within_a_watch_has_its_own_folder_and_record(tmp_path: Path) -> None:
    inner_folder, outer_folder = tmp_path / "inner", tmp_path / "outer"
    inner_folder.mkdir()
    outer_folder.mkdir()
    with watching(lambda: str(outer_folder)) as outer:
        with watching(lambda: str(inner_folder)) as inner:
            (inner_folder / "file").write_text("mine")
            with contextlib.suppress(PermissionError):
                (outer_folder / "file").write_text("not mine")
        (outer_folder / "file").write_text("mine again")
        assert outer.refusals == []
        with contextlib.suppress(PermissionError):
            (inner_folder / "file").write_text("not mine")
    assert (len(inner.refusals), len(outer.refusals)) == (1, 1)


def test_the_folder_may_be_made_by_the_case_when_first_used(tmp_path: Path) -> None:
    def use() -> None:
        (tmp_path / "own").mkdir()
        (tmp_path / "own" / "file").write_text("mine")

    with watching(lambda: str(tmp_path / "own")) as watch:
        use()
    assert watch.refusals == []


def test_no_bytecode_is_written_while_a_case_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "late_module.py").write_text("LATE = 1")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    with watching(lambda: None) as watch:
        assert importlib.import_module("late_module").LATE == 1
    assert watch.refusals == []
    assert not (tmp_path / "__pycache__").exists()
    assert sys.dont_write_bytecode is False


def test_the_working_folder_is_put_back(tmp_path: Path) -> None:
    before = Path.cwd()
    with watching(lambda: str(tmp_path)) as watch:
        os.chdir(tmp_path)
        Path("file").write_text("mine")
    assert watch.refusals == []
    assert Path.cwd() == before
    assert (tmp_path / "file").read_text() == "mine"


def test_leaving_for_a_foreign_folder_is_refused(tmp_path: Path) -> None:
    (refusal,) = refusals(lambda: os.chdir(tmp_path.parent), tmp_path)
    assert refusal.startswith("os.chdir")


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="POSIX")
def test_signals_to_its_own_threads_are_not_seen() -> None:
    assert refusals(lambda: signal.pthread_kill(threading.get_ident(), 0)) == []
