"""Audits of public servers as the registries give them. What is found was looked at by hand, and is true."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from socket import create_server
from time import monotonic, sleep
from typing import Final, NamedTuple
from urllib.request import urlopen

import pytest

from tests.commands.door import Ran, evalkit

pytestmark = pytest.mark.slow

PYTHON_SERVERS: Final = ("mcp-server-time", "mcp-server-git")
FETCH: Final = "mcp-server-fetch"
NODE_SERVERS: Final = tuple(
    f"@modelcontextprotocol/server-{name}"
    for name in ("everything", "filesystem", "memory", "sequential-thinking")
)
INSTALLING: Final = 300
SECONDS: Final = ("--case-timeout", "4")


class Server(NamedTuple):
    """How a server is started, and all that an audit finds of it, low findings apart."""

    kind: str
    program: str
    argument: str = ""
    above_low: Mapping[str, frozenset[str]] = {}


LEAKS: Final = {
    # It is there to show the environment that it was started in.
    "secret-leaked": frozenset({"get-env"}),
    # It runs for 10 s at the least.
    "timeout": frozenset({"trigger-long-running-operation"}),
}
HTTP_FINDINGS: Final = {
    # It answers pages of every site: `Access-Control-Allow-Origin: *`, and no check of Origin.
    "origin-checked": frozenset({""}),
    "timeout": frozenset({"trigger-long-running-operation"}),
}
SERVERS: Final = (
    Server("python", "mcp-server-time"),
    Server("python", "mcp-server-git"),
    Server("python", FETCH),
    Server("node", "mcp-server-filesystem", "."),
    Server("node", "mcp-server-memory"),
    Server("node", "mcp-server-sequential-thinking"),
    Server("node", "mcp-server-everything", above_low=LEAKS),
)


@pytest.fixture(scope="session", name="programs")
def programs_fixture(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The folders of the programs of each kind that could be installed, once for all workers."""
    shared = tmp_path_factory.getbasetemp().parent if "PYTEST_XDIST_WORKER" in os.environ else None
    home = (shared or tmp_path_factory.getbasetemp()) / "servers"
    with _alone(home):
        return {kind: folder for kind, install in _WAYS.items() if (folder := install(home / kind))}


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """One process at a time: a folder is a lock that every system has."""
    home.mkdir(exist_ok=True)
    lock, ends = home / "lock", monotonic() + 2 * INSTALLING
    while True:
        try:
            lock.mkdir()
            break
        except FileExistsError:
            assert monotonic() < ends, "another worker never came to an end with its installation"
            sleep(0.1)
    try:
        yield
    finally:
        lock.rmdir()


def _python(folder: Path) -> Path | None:
    if not (folder / "bin").is_dir():
        steps = (
            [sys.executable, "-m", "venv", str(folder)],
            [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", *PYTHON_SERVERS, FETCH],
        )
        if not all(map(_done, steps)):
            shutil.rmtree(folder, ignore_errors=True)
            folder.joinpath("bin").mkdir(parents=True)
    return folder / "bin" if (folder / "bin" / FETCH).exists() else None


def _node(folder: Path) -> Path | None:
    if not folder.is_dir():
        folder.mkdir()
        npm = shutil.which("npm")
        if npm is not None:
            flags = ("--no-audit", "--no-fund", "--silent", "--prefix", str(folder))
            _done([npm, "install", *flags, *NODE_SERVERS])
    found = folder / "node_modules" / ".bin"
    return found if (found / "mcp-server-everything").exists() else None


_WAYS: Final = {"python": _python, "node": _node}


def _done(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=INSTALLING, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def above_low(ran: Ran) -> dict[str, set[str]]:
    """The codes of all that is worse than low, with the tools of which they are told."""
    told: dict[str, set[str]] = {}
    for case in ran.report["cases"]:
        tool = case["id"].partition("[tool=")[2].rstrip("]")
        codes = {finding["code"] for finding in case["findings"] if finding.get("severity") != "low"}
        codes |= {case["errorCode"]} if case["status"] == "error" else set()
        for code in codes:
            told.setdefault(code, set()).add(tool)
    return told


@pytest.mark.parametrize("server", SERVERS, ids=[server.program for server in SERVERS])
def test_an_audit_finds_what_is_true_and_leaves_nothing(
    server: Server, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    if server.kind not in programs:
        pytest.skip(f"{server.program} could not be installed")
    program = programs[server.kind] / server.program
    command = shlex.join([str(program), *filter(None, [server.argument])])
    ran = evalkit(tmp_path, "audit", f"stdio:{command}", *SECONDS)
    assert above_low(ran) == server.above_low
    assert ran.code == (1 if server.above_low else 0)
    assert ran.report["counts"]["pass"] > 40
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(program) not in running


def test_an_audit_over_streamable_http(programs: Mapping[str, Path], tmp_path: Path) -> None:
    if "node" not in programs:
        pytest.skip("mcp-server-everything could not be installed")
    with closing(create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    command = [str(programs["node"] / "mcp-server-everything"), "streamableHttp"]
    process = subprocess.Popen(
        command, env={**os.environ, "PORT": str(port)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _await(f"http://127.0.0.1:{port}/mcp")
        ran = evalkit(tmp_path, "audit", f"http://127.0.0.1:{port}/mcp", *SECONDS)
    finally:
        process.kill()
        process.wait()
    assert above_low(ran) == HTTP_FINDINGS
    assert ran.code == 1


def _await(url: str) -> None:
    ends = monotonic() + 60
    while True:
        try:
            urlopen(url, timeout=1).close()
            return
        except OSError as problem:
            if hasattr(problem, "code"):
                return
            assert monotonic() < ends, "the server did not come up"
            sleep(0.1)
