"""`evalkit serve`: a contract's program is found, run, and where it is asked for lent to an evaluation."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalkit import cli
from evalkit.commands import serve
from evalkit.contracts import BUILT_IN, Located, locate
from tests.commands.door import forked
from tests.contracts.agent_context.started import EVALKIT, Started, run, started

pytestmark = pytest.mark.slow

Json = Any

ENDPOINT = "/api/agent-context/mcp"
ACCEPT = {"Accept": "application/json, text/event-stream", "Content_Type": "application/json"}

STRANGE = """
import json

def add_flags(parser):
    parser.add_argument("--strange")

def main(argv, *, prog, wrap):
    told = {"argv": argv, "prog": prog, "wrapped": type(wrap("the app")).__name__}
    print(json.dumps(told), flush=True)
    return 7
"""

SUBJECT = """
from evalkit.model import Subject

def open_subject(world):
    return Subject({})
"""


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path) -> Path:
    """A folder with a stranger's contract that has a program, and one that has none."""
    for name, files in {
        "strange": {"subject": SUBJECT, "main": STRANGE},
        "bare": {"subject": SUBJECT},
    }.items():
        (tmp_path / name).mkdir()
        for file, text in {"__init__": "", **files}.items():
            (tmp_path / name / f"{file}.py").write_text(text, encoding="utf-8")
    (tmp_path / "alone.py").write_text(SUBJECT, encoding="utf-8")
    (tmp_path / "main.py").write_text("raise AssertionError('somebody else's')", encoding="utf-8")
    return tmp_path


# --- which program


def test_the_program_beside_the_contract_is_run_with_the_other_words(folder: Path) -> None:
    ran = forked(folder, "serve", "python:strange.subject:open_subject", "--strange", "1", "more")
    assert (ran.code, ran.err) == (7, "")
    assert json.loads(ran.out) == {
        "argv": ["--strange", "1", "more"],
        "prog": "evalkit serve python:strange.subject:open_subject",
        "wrapped": "str",
    }


def test_accept_fixtures_lends_the_app_and_says_so_loudly(folder: Path) -> None:
    ran = forked(folder, "serve", "python:strange.subject:open_subject", "--accept-fixtures", "more")
    assert ran.code == 7
    assert json.loads(ran.out)["argv"] == ["more"]
    assert json.loads(ran.out)["wrapped"] == "Lent"
    assert ran.err.startswith("evalkit: WARNING: --accept-fixtures is for evaluation only")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["agent-kontext"], "no contract is called 'agent-kontext'; did you mean 'agent-context'?"),
        (["echo"], "the contract 'echo' has no program to serve it"),
        (["python:bare.subject:open_subject"], "no `main` beside bare.subject"),
        (["python:alone:open_subject"], "no `main` beside alone"),
        (["python:nowhere.subject:open_subject"], "there is no module 'nowhere.subject'"),
        ([], "name the contract first: `evalkit serve agent-context`"),
        (["--port", "0"], "name the contract first"),
        (["agent-context", "--prot", "0"], "unknown argument: --prot; did you mean --port?"),
        (["agent-context", "--host", "0.0.0.0"], "is no loopback address"),
        (["agent-context", "--settings", "."], "it is no regular file"),
    ],
)
def test_what_cannot_be_meant_is_told_with_a_remedy(folder: Path, words: list[str], told: str) -> None:
    ran = forked(folder, "serve", *words)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1


def test_only_a_package_of_its_own_makes_a_module_a_program() -> None:
    assert serve.program_of(locate("agent-context")) == "evalkit.contracts.agent_context.main"
    assert serve.program_of(locate("echo")) == ""
    assert serve.program_of(Located("python:alone:open_subject", "alone")) == ""


@pytest.mark.parametrize("contract", [name for name in BUILT_IN if serve.program_of(locate(name))])
def test_help_shows_the_flags_of_every_program(contract: str, tmp_path: Path) -> None:
    whole = forked(tmp_path, "serve", "--help")
    own = forked(tmp_path, "serve", contract, "--help")
    assert (whole.code, own.code) == (0, 0)
    assert own.out.startswith(f"usage: evalkit serve {contract} --")
    for flag in ("--data", "--demo", "--port", "--host", "--settings", "--password-file"):
        assert f"\n  {flag}" in whole.out
        assert f"\n  {flag}" in own.out
    assert "--accept-fixtures" in whole.out


def test_a_completion_script_knows_the_flags_of_the_program(tmp_path: Path) -> None:
    script = forked(tmp_path, "completion", "bash").out
    assert "--accept-fixtures" in script
    assert "--password-file" in script


def test_a_wrong_flag_is_told_without_an_event_loop_or_a_database(capfd: pytest.CaptureFixture[str]) -> None:
    code = "import sys; from evalkit.cli import main; main(sys.argv[1:]); print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", code, "serve", "agent-context", "--host", "0.0.0.0"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert not {"asyncio", "uvicorn", "sqlite3", "starlette"} & set(ran.stdout.split())


# --- the agent tools, live


@pytest.fixture(name="served", scope="module")
def served_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    with started(tmp_path_factory.mktemp("served"), "--demo", command=EVALKIT) as server:
        yield server


def call(server: Started, method: str, params: Json = None, **headers: str) -> tuple[int, Json]:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, **({} if params is None else {"params": params})}
    return server.ask("POST", ENDPOINT, json.dumps(message).encode(), **ACCEPT, **headers)


def call_tool(server: Started, name: str, args: Json, **headers: str) -> Json:
    status, answer = call(server, "tools/call", {"name": name, "arguments": args}, **headers)
    assert status == 200, answer
    return answer["result"]["structuredContent"]


def test_every_tool_is_served_over_sample_data(served: Started) -> None:
    status, answer = call(served, "tools/list")
    assert status == 200
    assert len(answer["result"]["tools"]) == 5 + 22
    assert call_tool(served, "list_context", {"scope": "navigation"})["total"] > 0
    assert call_tool(served, "goals_list", {})["result"]["count"] > 0


def test_a_write_is_read_back(served: Started) -> None:
    call_tool(served, "brain_capture", {"text": "water the ferns"}, Idempotency_Key="ferns")
    again = call_tool(served, "brain_capture", {"text": "water the ferns"}, Idempotency_Key="ferns")
    assert again["duplicate"] is True
    hits = call_tool(served, "brain_search", {"query": "ferns"})["result"]["hits"]
    assert [hit["text"] for hit in hits] == ["water the ferns"]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not there")
def test_the_curl_line_lists_the_tools(served: Started) -> None:
    line = served.until(r"\n  (curl .*)\n")[1]
    ran = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=True)
    assert len(json.loads(ran.stdout)["result"]["tools"]) == 27


def test_a_header_makes_nobody_a_stranger_or_a_neighbour(served: Started) -> None:
    assert call(served, "ping", X_Forwarded_For="8.8.8.8")[0] == 200
    assert call(served, "ping", Origin="http://evil.example")[0] == 403


def test_settings_are_edited_while_it_runs(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    with started(tmp_path, "--settings", "settings.json", "--demo", command=EVALKIT) as server:
        assert call(server, "ping")[0] == 403
        file.write_text('{"agentContext": {"enabled": true}}', encoding="utf-8")
        assert call(server, "ping")[0] == 200
        assert len(call(server, "tools/list")[1]["result"]["tools"]) == 5
        file.write_text(
            '{"agentContext": {"enabled": true, "actions": {"readPortos": true}}}', encoding="utf-8"
        )
        assert len(call(server, "tools/list")[1]["result"]["tools"]) == 5 + 13
        file.write_text('{"agentContext": {"ena', encoding="utf-8")
        assert call(server, "ping")[0] == 401


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not there")
def test_a_password_is_asked_for(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.touch(mode=0o600)
    secret.write_text("open sesame\n", encoding="utf-8")
    with started(tmp_path, "--demo", "--password-file", "password", command=EVALKIT) as server:
        assert call(server, "ping")[0] == 401
        line = server.until(r"\n  (curl .*)\n")[1]
        ran = subprocess.run(
            ["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
        )
        assert len(json.loads(ran.stdout)["result"]["tools"]) == 27
        login = json.dumps({"password": "open sesame"}).encode()
        status, session = server.ask("POST", "/api/auth/login", login, Content_Type="application/json")
        assert status == 200
        assert call(server, "ping", Authorization=f"Bearer {session['token']}")[0] == 200
        server.stop()
        assert "sesame" not in server.told + server.err()


def test_what_was_written_and_its_replay_outlive_a_restart(tmp_path: Path) -> None:
    for expected in (False, True):
        with started(tmp_path, "--data", "data.sqlite", "--demo", command=EVALKIT) as server:
            said = call_tool(server, "brain_capture", {"text": "water the ferns"}, Idempotency_Key="ferns")
            assert said["duplicate"] is expected
            assert server.stop(signal.SIGINT) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["data.sqlite"]


def test_a_case_brings_its_own_world_where_fixtures_are_accepted(tmp_path: Path) -> None:
    with started(tmp_path, "--accept-fixtures", command=EVALKIT) as server:
        assert call(server, "ping")[0] == 403
        asked = json.dumps({"fixture": {}, "settings": {"agentContext": {"enabled": True}}}).encode()
        status, lent = server.ask(
            "POST", "/.well-known/evalkit/worlds", asked, Content_Type="application/json"
        )
        assert status == 201
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
        assert server.ask("POST", lent["base"] + ENDPOINT, message, **ACCEPT)[0] == 200
        assert call(server, "ping")[0] == 403
        assert server.stop() == 0
        assert "WARNING" in server.err()
    assert list(tmp_path.iterdir()) == []


def test_without_the_flag_no_case_brings_a_world(served: Started) -> None:
    asked = b'{"fixture": {}}'
    status, _ = served.ask("POST", "/.well-known/evalkit/worlds", asked, Content_Type="application/json")
    assert status == 404


# --- a data file that cannot be used


def test_a_file_of_something_else_is_told_and_left_as_it_is(tmp_path: Path) -> None:
    files = {
        "text": b"my diary, " * 100,
        "empty": b"",
        "damaged": b"SQLite format 3\0" + b"\xff" * 4096,
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        code, out, err = run(tmp_path, "--port", "0", "--demo", "--data", name, command=EVALKIT)
        assert (code, out) == (3, "")
        assert f"{tmp_path / name}: it " in err
        assert err.count("\n") == 1
        assert (tmp_path / name).read_bytes() == content
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(files)


def test_the_database_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "other.sqlite")
    connection.execute("CREATE TABLE diary (text)")
    connection.commit()
    connection.close()
    before = (tmp_path / "other.sqlite").read_bytes()
    code, out, err = run(tmp_path, "--port", "0", "--demo", "--data", "other.sqlite", command=EVALKIT)
    assert (code, out) == (3, "")
    assert "name another file" in err
    assert (tmp_path / "other.sqlite").read_bytes() == before


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    code, out, err = run(tmp_path, "--port", "0", "--data", "no/where.sqlite", command=EVALKIT)
    assert (code, out) == (3, "")
    assert "where.sqlite" in err
    assert list(tmp_path.iterdir()) == []


def as_who_may_not_write_everything() -> list[str]:
    """What stands before a command, so that the superuser's writes are refused as anybody's are."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("the superuser may write read-only files")
    return ["setpriv", "--inh-caps=-dac_override", "--bounding-set=-dac_override"]


@pytest.mark.skipif(os.name == "nt", reason="permissions are another matter there")
def test_a_read_only_file_is_told_and_left_as_it_is(tmp_path: Path) -> None:
    with started(tmp_path, "--data", "data.sqlite", "--demo", command=EVALKIT) as server:
        call(server, "ping")
        server.stop()
    before = (tmp_path / "data.sqlite").read_bytes()
    (tmp_path / "data.sqlite").chmod(0o444)
    command = [*as_who_may_not_write_everything(), *EVALKIT]
    code, out, err = run(tmp_path, "--port", "0", "--data", "data.sqlite", command=command)
    assert (code, out) == (3, "")
    assert "data.sqlite may not be read and written by this user: change its permissions" in err
    assert err.count("\n") == 1
    assert (tmp_path / "data.sqlite").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["data.sqlite"]


def test_a_port_in_use_creates_no_data_file(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, out, err = run(tmp_path, "--port", port, "--data", "data.sqlite", command=EVALKIT)
    assert (code, out) == (3, "")
    assert "cannot be listened on: Address already in use" in err
    assert list(tmp_path.iterdir()) == []


def test_the_command_can_be_called_from_python(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["serve", "agent-context", "--port", "x"]) == 2
    assert "'x' is no port" in capfd.readouterr().err
