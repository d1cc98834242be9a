"""The program that serves: how it starts, what it says and refuses, and that it stops without a trace."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from evalkit.contracts.agent_context import main
from tests.contracts.agent_context.started import STANDING_IN, Started, run, started

pytestmark = pytest.mark.slow

Json = Any


def password_file(folder: Path, mode: int = 0o600) -> Path:
    file = folder / "password"
    file.touch(mode=mode)
    file.write_text("open sesame\n", encoding="utf-8")
    return file


# --- how it starts


def test_it_says_where_it_is_once_it_answers(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        assert server.told == "" or server.told.startswith("Agent Tools are served at ")
        status, heard = server.ask("GET", "/anything")
        assert (status, heard["client"]) == (200, "127.0.0.1")
        assert f"\nTry it:\n\n  curl -sS http://127.0.0.1:{server.port}/api/agent-context/mcp " in server.told


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not there")
@pytest.mark.parametrize("protected", [False, True])
def test_the_curl_line_works_as_printed(tmp_path: Path, protected: bool) -> None:
    flags = ["--password-file", str(password_file(tmp_path))] if protected else []
    with started(tmp_path, *flags) as server:
        line = server.until(r"\n  (curl .*)\n")[1]
        ran = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=True)
    heard = json.loads(ran.stdout)
    assert (heard["method"], heard["path"]) == ("POST", "/api/agent-context/mcp")
    assert json.loads(heard["body"]) == {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert heard["headers"]["accept"] == "application/json, text/event-stream"
    assert heard["headers"]["content-type"] == "application/json"
    assert heard["headers"].get("authorization") == (
        "Basic cG9ydG9zOm9wZW4gc2VzYW1l" if protected else None  # portos:open sesame
    )


def test_another_loopback_address_can_be_had(tmp_path: Path) -> None:
    with started(tmp_path, "--host", "127.9.9.9") as server:
        url = server.until(r"http://127\.9\.9\.9:(\d+)/api/agent-context/mcp")
        with socket.create_connection(("127.9.9.9", int(url[1])), timeout=60):
            pass
        assert server.stop() == 0


def test_the_other_family_can_be_had(tmp_path: Path) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no ::1")
    with started(tmp_path, "--host", "::1") as server:
        url = server.until(r"http://\[::1\]:(\d+)/api/agent-context/mcp")
        with socket.create_connection(("::1", int(url[1])), timeout=60):
            pass


def test_a_header_does_not_change_who_calls(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        _, heard = server.ask("GET", "/", X_Forwarded_For="8.8.8.8", Forwarded="for=8.8.8.8")
    assert heard["client"] == "127.0.0.1"
    assert heard["headers"]["x-forwarded-for"] == "8.8.8.8"


# --- the store


def test_the_data_file_is_created_and_closed(tmp_path: Path) -> None:
    with started(tmp_path, "--data", "data") as server:
        _, heard = server.ask("GET", "/")
        assert heard["store"] == "data"
        assert server.stop() == 0
    assert (tmp_path / "data").read_text(encoding="utf-8") == "opened closed "


def test_without_data_nothing_is_left(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        _, heard = server.ask("GET", "/")
        assert Path(heard["store"]).is_relative_to(tmp_path)
        assert Path(heard["store"]).is_file()
        assert server.stop() == 0
        assert "gone when the server stops" in server.err()
    assert list(tmp_path.iterdir()) == []


def test_demo_fills_an_empty_store_and_leaves_a_full_one(tmp_path: Path) -> None:
    with started(tmp_path, "--data", "data", "--demo") as server:
        server.ask("GET", "/")
        assert server.stop() == 0
    assert (tmp_path / "data").read_text(encoding="utf-8") == "filled closed "
    with started(tmp_path, "--data", "data", "--demo") as server:
        server.ask("GET", "/")
        assert server.stop() == 0
        assert "the store holds something already, so nothing was added" in server.err()
    assert (tmp_path / "data").read_text(encoding="utf-8") == "filled closed opened closed "


def test_a_store_that_cannot_be_used_is_told_and_not_touched(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("corrupt", encoding="utf-8")
    code, out, err = run(tmp_path, "--port", "0", "--data", "data", "--demo")
    assert (code, out) == (3, "")
    assert err == "agent-context: data is no data file\n"
    assert (tmp_path / "data").read_text(encoding="utf-8") == "corrupt"


# --- the settings


def test_without_settings_all_is_off_and_said_so(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        assert server.ask("GET", "/")[1]["settings"] == {}
        server.stop()
        assert "agent context is disabled" in server.err()


def test_demo_without_settings_allows_everything(tmp_path: Path) -> None:
    with started(tmp_path, "--demo") as server:
        assert server.ask("GET", "/")[1]["settings"] == {
            "agentContext": {
                "enabled": True,
                "profile": "summary",
                "scopes": ["navigation", "workspaces", "brain", "identity"],
                "actions": {"readPortos": True, "writePortos": True},
            }
        }


def test_demo_does_not_overrule_settings(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"agentContext": {"enabled": false}}', encoding="utf-8")
    with started(tmp_path, "--demo", "--settings", "settings.json") as server:
        assert server.ask("GET", "/")[1]["settings"] == {"agentContext": {"enabled": False}}


def test_an_edit_of_the_settings_holds_from_the_next_request_on(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    with started(tmp_path, "--settings", "settings.json") as server:
        assert server.ask("GET", "/")[1]["settings"] == {}
        for text in ('{"one": 1}', '{"one": 2}', '{"one": 3}'):
            file.write_text(text, encoding="utf-8")
            assert server.ask("GET", "/")[1]["settings"] == json.loads(text)
        file.write_text('{"one": ', encoding="utf-8")
        assert server.ask("GET", "/")[1]["settings"] == '{"one": '


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "settings.json says nothing of agentContext"),
        ("{}", "settings.json says nothing of agentContext"),
        ("{", "settings.json is no readable JSON object"),
    ],
)
def test_settings_that_refuse_everything_are_told_at_the_start(
    tmp_path: Path, text: str | None, told: str
) -> None:
    if text is not None:
        (tmp_path / "settings.json").write_text(text, encoding="utf-8")
    with started(tmp_path, "--settings", "settings.json") as server:
        server.ask("GET", "/")
        server.stop()
        assert told in server.err()


def test_a_password_is_hashed_into_the_settings_and_shown_nowhere(tmp_path: Path) -> None:
    with started(tmp_path, "--demo", "--password-file", str(password_file(tmp_path))) as server:
        settings = server.ask("GET", "/")[1]["settings"]
        server.stop()
        said = server.told + server.err()
    assert settings["secrets"]["auth"] == {"enabled": True, "passwordHash": "11 characters", "salt": "salt"}
    assert settings["agentContext"]["enabled"] is True
    assert "sesame" not in said
    assert "Bearer TOKEN" in said


# --- what is refused


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--host", "0.0.0.0"], "--host 0.0.0.0 is no loopback address"),
        (["--host", "192.168.1.2"], "give 127.0.0.1, ::1 or localhost"),
        (["--settings", "."], "--settings .: it is no regular file"),
        (["--password-file", "."], "--password-file .: it cannot be read: Is a directory"),
        (["--password-file", "missing"], "--password-file missing: it cannot be read: No such file"),
        (["--password-file", "open"], "others can read it (mode 644)"),
        (["--port", "-1"], "argument --port: '-1' is no port; write 0 to 65535"),
        (["--port", "65536"], "'65536' is no port"),
        (["--port", "٣"], "'٣' is no port"),
        (["--prot", "1"], "unknown argument: --prot; did you mean --port?"),
        (["more"], "unknown argument: more; `agent-context --help` shows the flags"),
        (["--data"], "argument --data: expected one argument"),
    ],
)
def test_a_wrong_flag_is_told_with_a_remedy_and_nothing_is_created(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    flags: list[str],
    told: str,
) -> None:
    password_file(tmp_path).rename(tmp_path / "open")
    (tmp_path / "open").chmod(0o644)
    monkeypatch.chdir(tmp_path)
    assert main.main(["--data", "data", *flags] if flags != ["--data"] else flags, parts=nothing) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert told in err
    assert not (tmp_path / "data").exists()


def nothing() -> Json:
    raise AssertionError("it went on")


def test_a_port_in_use_is_told_and_nothing_is_created(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = run(tmp_path, "--port", str(port), "--data", "data")
    assert (code, out) == (3, "")
    assert f"127.0.0.1:{port} cannot be listened on: Address already in use; " in err
    assert list(tmp_path.iterdir()) == []


def test_without_uvicorn_it_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text(
        "raise ModuleNotFoundError('no uvicorn', name='uvicorn')", encoding="utf-8"
    )
    root = Path(__file__).parents[3]
    path = os.pathsep.join((str(tmp_path), str(root)))
    code, out, err = run(tmp_path, "--port", "0", "--data", "data", PYTHONPATH=path)
    assert (code, out) == (3, "")
    assert "pip install 'evalkit[serve]'" in err
    assert not (tmp_path / "data").exists()


def test_help_shows_an_example_first_and_every_flag(tmp_path: Path) -> None:
    code, out, err = run(tmp_path, "--help")
    assert (code, err) == (0, "")
    assert out.startswith("usage: agent-context --data portos.sqlite --demo\n")
    for flag in ("--data", "--demo", "--port", "--host", "--settings", "--password-file"):
        assert f"\n  {flag}" in out
    assert "default 5555" in out


def test_the_flags_have_their_defaults() -> None:
    given = main._parser("agent-context").parse([])
    assert vars(given) == {
        "data": None,
        "demo": False,
        "port": 5555,
        "host": "127.0.0.1",
        "settings": None,
        "password_file": None,
    }


# --- how it stops


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_it_without_a_trace(tmp_path: Path, number: int) -> None:
    with started(tmp_path) as server:
        port = server.port
        assert server.stop(number) == 0
        assert server.err().splitlines()[-1] == "agent-context: stopped"
    assert list(tmp_path.iterdir()) == []
    with socket.create_server(("127.0.0.1", port)):
        pass


def test_a_signal_while_it_starts_is_not_forgotten(tmp_path: Path) -> None:
    code, out, err = run(tmp_path, "--port", "0", "--demo", "--data", "data", SIGNAL_AT_START="1")
    assert (code, out, err) == (0, "", "agent-context: stopped\n")
    assert (tmp_path / "data").read_text(encoding="utf-8") == "filled closed "


def test_what_is_being_answered_is_answered_before_it_stops(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with started(tmp_path) as server, server.connect() as asking, server.connect() as idle:
        asking.sendall(f"GET /wait{tmp_path}/pipe HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        with (tmp_path / "pipe").open("w", encoding="utf-8") as pipe:  # opens when the server reads
            server.process.send_signal(signal.SIGTERM)
            assert idle.recv(1) == b""
            pipe.write("take your time")
        assert whole(asking).startswith(b"HTTP/1.1 200 OK\r\n")
        assert server.process.wait(timeout=60) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_what_never_ends_is_given_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with started(tmp_path, "--data", "data") as server, server.connect() as asking:
        asking.sendall(f"GET /wait{tmp_path}/pipe HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        with (tmp_path / "pipe").open("w", encoding="utf-8"):
            server.process.send_signal(signal.SIGTERM)
            assert b" 200 " not in whole(asking)
            assert server.process.wait(timeout=60) == 0
    assert (tmp_path / "data").read_text(encoding="utf-8") == "opened closed "


# --- what it bears


def whole(connection: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    heard = b""
    try:
        while piece := connection.recv(65536):
            heard += piece
    except ConnectionResetError:
        pass
    return heard


def still_answers(server: Started) -> bool:
    return server.ask("GET", "/")[0] == 200


def test_a_client_that_stops_sending_is_answered(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with started(tmp_path) as server, server.connect() as asking:
        asking.sendall(f"GET /wait{tmp_path}/pipe HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        asking.shutdown(socket.SHUT_WR)
        (tmp_path / "pipe").write_text("go on", encoding="utf-8")
        assert whole(asking).startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_client_that_stops_in_the_middle_of_a_body_is_let_go(tmp_path: Path) -> None:
    with started(tmp_path) as server, server.connect() as asking:
        asking.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345")
        asking.shutdown(socket.SHUT_WR)
        whole(asking)
        assert still_answers(server)


def test_a_slow_head_is_given_up(tmp_path: Path) -> None:
    with (
        started(tmp_path, HEAD_SECONDS="0.2") as server,
        server.connect() as silent,
        server.connect() as slow,
    ):
        slow.sendall(b"GET / HTTP/1.1\r\nHost")
        assert (silent.recv(1), slow.recv(1)) == (b"", b"")
        assert still_answers(server)


def test_a_slow_second_head_is_given_up(tmp_path: Path) -> None:
    with started(tmp_path, HEAD_SECONDS="0.2") as server, server.connect() as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert slow.recv(65536).startswith(b"HTTP/1.1 200 ")
        slow.sendall(b"GET / HT")
        assert b"HTTP/1.1" not in whole(slow)


def test_a_long_answer_is_no_slow_head(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (
        started(tmp_path, HEAD_SECONDS="0.2") as server,
        server.connect() as asking,
        server.connect() as idle,
    ):
        asking.sendall(f"GET /wait{tmp_path}/pipe HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        with (tmp_path / "pipe").open("w", encoding="utf-8") as pipe:
            assert idle.recv(1) == b""  # it came later, and its time is over
            pipe.write("go on")
        assert asking.recv(15) == b"HTTP/1.1 200 OK"


def test_a_slow_body_ends_with_408_and_may_not_drip_on(tmp_path: Path) -> None:
    with started(tmp_path, BODY_SECONDS="0.2", HEAD_SECONDS="0.2") as server, server.connect() as slow:
        slow.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345")
        assert slow.recv(13) == b"HTTP/1.1 408 "
        slow.sendall(b"6")
        whole(slow)
        assert still_answers(server)


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\nLong: " + b"x" * 17_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nLong: " + b"x" * 65536 + b"\r\n\r\n",
        b"GET /" + b"x" * 65536 + b" HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 64,
        b"NONSENSE\r\n\r\n",
    ],
    ids=["a long header", "a longer header", "a long path", "TLS", "nonsense"],
)
def test_a_head_that_is_none_or_too_long_is_refused(tmp_path: Path, head: bytes) -> None:
    with started(tmp_path) as server:
        with server.connect() as asking:
            asking.sendall(head)
            assert whole(asking)[:13] in (b"HTTP/1.1 431 ", b"HTTP/1.1 400 ", b"")
        assert still_answers(server)
        server.stop()
        assert "Traceback" not in server.err()


def test_more_idle_connections_than_files_are_usually_granted(tmp_path: Path) -> None:
    command = ["sh", "-c", 'ulimit -Sn 64; exec "$0" "$@"', *STANDING_IN]
    with started(tmp_path, command=command, HEAD_SECONDS="600") as server:
        idle = [server.connect() for _ in range(200)]
        try:
            assert still_answers(server)
        finally:
            for connection in idle:
                connection.close()


def test_nobody_has_to_read_what_it_logs(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(writing, True)
    try:
        with started(tmp_path, err=writing) as server:
            assert server.ask("GET", "/missing")[0] == 404
            assert server.stop() == 0
    finally:
        os.close(reading)
        os.close(writing)


# --- what it logs


def test_the_log_holds_nothing_of_what_was_asked_or_stored(tmp_path: Path) -> None:
    with started(tmp_path, "--demo") as server:
        server.ask("POST", "/missing?private=1", b"private", Private_Header="private")
        connection = server.connect()
        with connection:
            connection.sendall(b"GET /raise HTTP/1.1\r\nHost: x\r\n\r\n")
            assert connection.recv(13) == b"HTTP/1.1 500 "
        server.ask("GET", "/")
        server.stop()
        told = server.err()
    assert "private" not in told
    lines = [re.sub(r":\d+$", ":N", line) for line in told.splitlines()]
    assert lines == [
        "agent-context: without --data everything is kept in a temporary file,"
        " and gone when the server stops",
        "agent-context: answered 404 Not Found",
        "agent-context: Exception in ASGI application: ValueError at standing_in.py:N",
        "agent-context: stopped",
    ]


def test_the_server_does_not_name_itself(tmp_path: Path) -> None:
    with started(tmp_path) as server, server.connect() as asking:
        asking.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert b"uvicorn" not in whole(asking).lower()
