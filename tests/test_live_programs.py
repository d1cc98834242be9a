"""Live targets that are programs or Unix sockets: their ways in, their fixtures, and what is left of them."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from evalkit import live
from evalkit.errors import HarnessError
from evalkit.model import CaseResult, Json, Target
from evalkit.runner import run_live
from evalkit.surfaces import Address, Command, McpSurface
from evalkit.targets import parse
from evalkit.world import CaseFolder, FakeWorld
from tests.drivers import vices
from tests.drivers.conftest import held as held
from tests.playing import loaded, suite_file

pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).parents[1]
HEAD: Final = "name: s\nversion: 1\ncases:\n"
ASK: Final = "operation: tool, tool: ask, args: {q: 1}"
SHOW: Final = "operation: cli, argv: [more]"


def at(way: str, vice: str, *words: str, **more: Json) -> Target:
    return parse({way: {"command": list(vices.argv(vice, *words))}, **more})


def one(folder: Path, words: str, target: Target) -> CaseResult:
    suite = loaded(suite_file(folder, f"{HEAD}  - {{id: c, title: It is so, {words}}}\n"), target=target)
    return run_live(suite.cases[0], target, suite.facts)


# ── ways in ──────────────────────────────────────────────────────────────────────────────────────


def test_a_tool_is_called_over_standard_streams(tmp_path: Path) -> None:
    words = f"{ASK}, expect: {{isError: false, equals: {{output.args.q: 1}}, inputSchemaValid: true}}"
    result = one(tmp_path, words, at("stdio", "virtuous"))
    assert (result.status, result.over) == ("pass", "mcp")
    assert one(tmp_path, words.replace("args.q: 1", "args.q: 2"), at("stdio", "virtuous")).status == "fail"


def test_a_command_line_is_run_with_the_words_of_the_step_behind_its_own(tmp_path: Path) -> None:
    words = f"{SHOW}, expect: {{exitCode: 4, equals: {{process.json.argv: [own, more]}}}}"
    result = one(tmp_path, words, at("cli", "shows", "own"))
    assert (result.status, result.over) == ("pass", "cli")


def test_a_way_in_that_a_program_does_not_have_is_missing(tmp_path: Path) -> None:
    for words, target, way in (
        (f"{SHOW}, expect: {{exitCode: 0}}", at("stdio", "virtuous"), "cli"),
        (f"{ASK}, expect: {{isError: false}}", at("cli", "shows"), "mcp"),
        ("operation: http, path: /, expect: {status: 200}", at("stdio", "virtuous"), "http"),
        (f"{ASK}, expect: {{isError: false}}", parse("unix:/nowhere.sock"), "mcp"),
    ):
        skip = one(tmp_path, words, target).skip
        assert skip == ("capability", f"the case requires `{way}`, which the target does not offer")


def test_a_socket_is_a_way_in_for_requests_and_with_a_path_for_messages() -> None:
    world = FakeWorld(None, None, CaseFolder())
    address = Address("http://localhost", "/s")
    assert live.open_live(parse("unix:/s"))(world).surfaces == {"http": address}
    target = parse({"unix": {"socket": "/s", "path": "/mcp"}})
    assert live.open_live(target)(world).surfaces == {"http": address, "mcp": McpSurface(address, "/mcp")}


def test_what_a_mapping_says_reaches_the_command() -> None:
    said = {"command": ["s", "-x"], "env": {"A": "1"}, "cwd": "/tmp", "start": 5, "call": 6}
    subject = live.open_live(parse({"cli": said}))(FakeWorld(None, None, CaseFolder()))
    assert subject.surfaces == {"cli": Command(("s", "-x"), {"A": "1"}, "/tmp", 5.0, 6.0)}


# ── fixtures ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("via", [{"env": "CASE"}, {"argument": "--case"}])
def test_a_program_finds_the_fixture_and_settings_of_its_case_in_a_file(tmp_path: Path, via: Json) -> None:
    program = (
        "import json, os, sys\n"
        "file = os.environ.get('CASE') or sys.argv[sys.argv.index('--case') + 1]\n"
        "held, mode = json.load(open(file)), os.stat(file).st_mode & 0o777\n"
        "print(json.dumps({'held': held, 'mode': mode}))\n"
    )
    target = parse({"cli": {"command": [sys.executable, "-c", program]}, "fixtureVia": via})
    wanted = "{fixture: {a: [1]}, settings: {b: 2}}"
    words = (
        f"fixture: {{a: [1]}}, settings: {{b: 2}}, {SHOW}, expect: {{exitCode: 0, "
        f"equals: {{process.json.held: {wanted}, process.json.mode: 384}}}}"
    )
    result = one(tmp_path, words, target)
    assert result.status == "pass", result


def test_the_file_of_a_fixture_is_gone_with_its_case() -> None:
    folder = CaseFolder()
    target = at("cli", "shows", fixtureVia={"env": "CASE"})
    subject = live.open_live(target)(FakeWorld({"a": 1}, None, folder))
    command: Any = subject.surfaces["cli"]
    file = command.env["CASE"]
    assert json.loads(Path(file).read_text()) == {"fixture": {"a": 1}, "settings": None}
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    folder.remove()
    assert not os.path.exists(file)


def test_a_case_without_a_fixture_gives_the_program_none() -> None:
    target = at("cli", "shows", fixtureVia={"argument": "--case"})
    subject = live.open_live(target)(FakeWorld(None, None, CaseFolder()))
    assert subject.surfaces["cli"] == Command(vices.argv("shows"))


def test_a_fixture_that_cannot_reach_the_program_is_a_missing_capability(tmp_path: Path) -> None:
    words = f"fixture: {{}}, {SHOW}, expect: {{exitCode: 4}}"
    skip = one(tmp_path, words, at("cli", "shows")).skip
    assert skip == ("capability", "the case requires `fixtures`, which the target does not offer")
    target = at("cli", "shows", fixtureVia={"env": "CASE"}, provides=["clock"])
    words = f"fixture: {{}}, steps: [{{operation: world, advance: 1}}, {{{SHOW}, expect: {{exitCode: 4}}}}]"
    skip = one(tmp_path, words, target).skip
    assert skip is not None
    assert skip[0] == "capability"


# ── what goes wrong ──────────────────────────────────────────────────────────────────────────────


def test_a_program_that_is_not_there_ends_the_run_before_its_first_case() -> None:
    for written in ("stdio:/nowhere/at-all", "cli:no-such-program-at-all --x"):
        with pytest.raises(HarnessError, match="there is no program"):
            live.reach(parse(written))
    live.reach(at("stdio", "virtuous"))
    folder, name = os.path.split(sys.executable)
    live.reach(parse({"stdio": {"command": [name], "env": {"PATH": folder}}}))
    live.reach(parse({"stdio": {"command": [f"./{name}"], "cwd": folder}}))


def test_a_socket_where_nobody_listens_ends_the_run_before_its_first_case(tmp_path: Path) -> None:
    file = tmp_path / "s"
    target = parse(f"unix:{file}")
    with pytest.raises(HarnessError, match="could not be reached: No such file"):
        live.reach(target)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(file))
        with pytest.raises(HarnessError, match="could not be reached: Connection refused"):
            live.reach(target)
        listener.listen()
        live.reach(target)


def test_a_server_that_dies_takes_its_own_case_only(tmp_path: Path) -> None:
    target = at("stdio", "dies")
    result = one(tmp_path, f"{ASK}, expect: {{isError: false}}", target)
    assert result.error is not None
    assert result.error[0] == "connection-failed"
    assert "the disk is full" in result.error[1]
    assert one(tmp_path, "operation: manifest, expect: {present: [manifest.tools]}", target).status == "pass"


# ── whole runs ───────────────────────────────────────────────────────────────────────────────────


def run(folder: Path, cases: str, target: str, *flags: str) -> subprocess.CompletedProcess[str]:
    suite_file(folder, HEAD + cases)
    command = [sys.executable, "-m", "evalkit", "run", str(folder / "suite.yaml"), "--target", target, *flags]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_run_names_the_target_and_ends_what_it_has_started(tmp_path: Path, held: Any) -> None:
    target = "stdio:" + shlex.join(vices.argv("stubborn", held.path))
    done = run(tmp_path, f"  - {{id: a, title: A, {ASK}, expect: {{isError: false}}}}\n", target)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["target"] == target
    assert held.is_let_go()


def test_a_run_that_has_to_end_a_worker_ends_what_that_has_started(tmp_path: Path, held: Any) -> None:
    target = "stdio:" + shlex.join(vices.argv("deaf", held.path))
    case = f"  - {{id: a, title: A, timeout: 20, {ASK}, expect: {{isError: false}}}}\n"
    done = run(tmp_path, case, target, "--timeout", "1")
    assert done.returncode not in (0, 1), done.stdout
    assert held.is_let_go()


def own(folder: Path, target: Json, cases: str, *flags: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A run of a suite with a target of its own."""
    suite_file(folder, HEAD.replace("cases:", f"target: {json.dumps(target)}\ncases:") + cases)
    command = [sys.executable, "-m", "evalkit", "run", str(folder / "suite.yaml"), *flags]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, **env}
    )


CALLED: Final = "".join(
    f"  - {{id: c{at}, title: A, {ASK}, expect: {{isError: false}}}}\n" for at in range(5)
)


def test_a_run_shares_one_process_and_ends_it(tmp_path: Path, held: Any) -> None:
    file = tmp_path / "log"
    target = {"stdio": {"command": [*vices.argv("obeys", str(file))]}, "share": True}
    done = own(tmp_path, target, CALLED)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len({json.loads(line)[0] for line in file.read_text().splitlines()}) == 1
    target = {"stdio": {"command": [*vices.argv("parent", held.path)]}, "share": True}
    assert own(tmp_path, target, CALLED).returncode == 0
    assert held.is_let_go()


def test_ctrl_c_ends_what_is_shared(tmp_path: Path, held: Any) -> None:
    target = {"stdio": {"command": [*vices.argv("hangs", held.path)]}, "share": True}
    suite_file(tmp_path, HEAD.replace("cases:", f"target: {json.dumps(target)}\ncases:") + CALLED)
    command = [sys.executable, "-m", "evalkit", "run", str(tmp_path / "suite.yaml")]
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.set_blocking(held.reading, True)
    writer_is_there = open(held.path)  # noqa: SIM115  waits until the server holds the pipe
    writer_is_there.close()
    running.send_signal(signal.SIGINT)
    running.communicate()
    assert running.returncode == 130
    assert held.is_let_go()


def test_a_server_that_cannot_start_ends_the_run_once_and_shows_no_secret(tmp_path: Path) -> None:
    token = "token-" + "5" * 8
    env = {"TOKEN": "${{ env.TOKEN }}"}
    for share in (True, False):
        target = {"stdio": {"command": [*vices.argv("unfit")], "env": env}, "share": share}
        done = own(tmp_path, target, CALLED, "--env", "TOKEN", TOKEN=token)
        assert done.returncode == 3, done.stdout + done.stderr
        assert "no licence for <secret target.env.TOKEN>" in done.stdout + done.stderr
        assert token not in done.stdout + done.stderr
        assert done.stderr.count("could not be started") <= 1


def test_a_secret_of_the_target_that_comes_back_is_a_leak(tmp_path: Path) -> None:
    token = "token-" + "6" * 8
    target = {"cli": {"command": [*vices.argv("shows")], "env": {"TOKEN": "${{ env.TOKEN }}"}}}
    cases = f"  - {{id: c, title: A, {SHOW}, expect: {{exitCode: 4}}}}\n"
    done = own(tmp_path, target, cases, "--env", "TOKEN", TOKEN=token)
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert "secret-leaked" in done.stdout
    assert "<secret target.env.TOKEN>" in json.dumps(report)
    assert token not in done.stdout + done.stderr
