"""Targets that behave as badly as they can, each driven by a short suite through the real runner.

Every one ends within its time, with a finding or an error that names what was seen, and leaves no process,
socket, thread or file behind.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path
from time import monotonic
from typing import Final, TypeAlias

import pytest

from evalkit import live
from evalkit.errors import HarnessError
from evalkit.model import CaseResult, Json, Target
from evalkit.runner import run_live
from evalkit.targets import parse
from tests.drivers import vices
from tests.drivers.conftest import Held
from tests.drivers.conftest import held as held
from tests.drivers.wires import chunked
from tests.playing import loaded, suite_file

pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).parents[2]
HEAD: Final = "name: s\nversion: 1\ncases:\n"
ASK: Final = "operation: tool, tool: ask, args: {q: 1}, expect: {isError: false}"
GET: Final = "operation: http, path: /x, expect: {status: 200}"
SHOW: Final = "operation: cli, argv: [more], expect: {exitCode: 0}"
LIMIT: Final = 1.5
"""Seconds that a target gets that will never answer."""

GRACE: Final = 10.0
"""Seconds beyond its time after which a case has surely not ended within it."""


def one(folder: Path, words: str, target: Target, limit: float = 20.0) -> CaseResult:
    """The result of a suite of three lines and a case, which has to be over in time."""
    case = f"{HEAD}  - {{id: c, title: It is so, timeout: {limit}, {words}}}\n"
    suite = loaded(suite_file(folder, case), target=target)
    begun = monotonic()
    result = run_live(suite.cases[0], target, suite.facts)
    assert monotonic() - begun < limit + GRACE
    return result


def codes(result: CaseResult) -> list[str]:
    return [finding.code for finding in result.findings]


def told(result: CaseResult) -> str:
    """Everything that a case says of what it saw."""
    return "\n".join([*(result.error or ()), *(finding.message for finding in result.findings)])


# ── nothing is left ──────────────────────────────────────────────────────────────────────────────


def _numbers_and_ends() -> set[tuple[str, str]]:
    """Our open files, as far as they lead somewhere else than to this program's own."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            found.add((number, os.readlink(f"/proc/self/fd/{number}")))
    return {(number, end) for number, end in found if "/proc/" not in end}


def _children() -> set[str]:
    """Our child processes, dead ones that nobody has asked for included."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is there after a test was there before it."""
    if not os.path.exists(f"/proc/self/task/{os.getpid()}/children"):
        yield  # what is open is known from /proc alone
        return
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    one(tmp_path, ASK, program("virtuous"))  # what is kept for all runs is there from here on
    files, children, threads = _numbers_and_ends(), _children(), set(threading.enumerate())
    yield
    assert _numbers_and_ends() - files == set()
    assert _children() - children == set()
    assert set(threading.enumerate()) - threads == set()
    assert list(folder.iterdir()) == []


# ── programs over standard streams ───────────────────────────────────────────────────────────────


def program(vice: str, *words: str, way: str = "stdio", **more: Json) -> Target:
    return parse({way: {"command": list(vices.argv(vice, *words)), **more}})


@pytest.mark.parametrize(
    ("vice", "limits", "said"),
    [
        ("silent", {"start": 0.5}, "`initialize` got no answer within 0.5 s"),
        ("hangs", {"call": 0.5}, "`tools/call` got no answer within 0.5 s"),
    ],
)
def test_a_program_that_never_answers_is_told_by_what_it_was_asked(
    tmp_path: Path, vice: str, limits: Json, said: str
) -> None:
    assert one(tmp_path, ASK, program(vice, **limits)).error == ("timeout", said)


@pytest.mark.parametrize("vice", ["endless", "immense"])
def test_a_line_that_does_not_end_is_told_and_not_kept(tmp_path: Path, vice: str) -> None:
    result = one(tmp_path, ASK, program(vice))
    assert result.error == ("protocol", "the server wrote a line of more than 67108864 bytes")


def test_a_program_that_talks_for_ever_is_told_how_much_it_said(tmp_path: Path) -> None:
    result = one(tmp_path, ASK, program("floods"))
    assert result.error == ("protocol", "the server wrote more than 67108864 bytes in one step")


@pytest.mark.parametrize(
    ("vice", "said"),
    [
        ("dies", 'ended with exit code 3; its standard error ends with "first\\nthe disk is full"'),
        ("halfway", "closed its standard output"),
    ],
)
def test_a_program_that_stops_midway_is_told_with_how_it_stopped(
    tmp_path: Path, vice: str, said: str
) -> None:
    result = one(tmp_path, ASK, program(vice))
    assert result.error == ("connection-failed", f"before it answered `tools/call` the server {said}")


def test_half_an_answer_is_shown(tmp_path: Path) -> None:
    result = one(tmp_path, ASK, program("halfway"))
    assert codes(result) == ["noise"]
    assert r'is no JSON: "{\"jsonrpc\": \"2.0\"' in told(result)


def test_an_answer_that_is_no_utf_8_is_told_by_its_byte(tmp_path: Path) -> None:
    result = one(tmp_path, ASK, program("mangled"))
    assert result.error is not None
    assert result.error[0] == "not-json"
    assert "is no UTF-8" in result.error[1]


@pytest.mark.parametrize(
    ("vice", "seen"),
    [
        ("banner", 'line 1 of standard output is no JSON: "Server ready on stdio"'),
        ("stranger", "answers a request that nobody has made"),
        ("twice", "answers a request for the second time"),
        ("eager", "answers a request that nobody has made"),
        ("chatty", "is JSON, but no JSON-RPC message"),
        ("farewell", 'is no JSON: "bye"'),
    ],
)
def test_what_is_said_unasked_is_a_finding_that_shows_it(tmp_path: Path, vice: str, seen: str) -> None:
    result = one(tmp_path, ASK, program(vice))
    assert (result.status, result.error, set(codes(result))) == ("fail", None, {"noise"})
    assert seen in told(result)


def test_an_answer_before_the_question_is_not_taken_for_the_answer(tmp_path: Path) -> None:
    words = ASK.replace("isError: false", "equals: {output.args.q: 1}")
    result = one(tmp_path, words, program("eager"))
    assert codes(result) == ["noise"]
    assert "too early" in told(result)


ENDS: Final = "operation: session, expect: {equals: {process.endedBy: eof}}"


@pytest.mark.parametrize(
    ("vice", "by"), [("lingers", "term"), ("stubborn", "kill"), ("parent", "kill"), ("daemon", "kill")]
)
def test_what_does_not_end_is_ended_and_told_to_a_suite_that_asks(
    tmp_path: Path, held: Held, vice: str, by: str
) -> None:
    result = one(tmp_path, ENDS, program(vice, held.path))
    assert codes(result) == ["value-differs"]
    assert [finding.actual for finding in result.findings] == [by]
    assert held.is_let_go()


@pytest.mark.parametrize("vice", ["stubborn", "parent", "daemon", "deaf"])
def test_what_does_not_end_is_ended_though_nobody_asks(tmp_path: Path, held: Held, vice: str) -> None:
    result = one(tmp_path, ASK, program(vice, held.path), LIMIT)
    assert result.status == ("error" if vice == "deaf" else "pass")
    assert held.is_let_go()


@pytest.mark.parametrize("more", [{}, {"share": True}], ids=["a process for each case", "one for all"])
def test_a_run_leaves_none_of_its_daemons_behind(tmp_path: Path, held: Held, more: Json) -> None:
    target = {"stdio": {"command": [*vices.argv("daemon", held.path)]}, **more}
    cases = "".join(f"  - {{id: c{at}, title: A, {ASK}}}\n" for at in range(4))
    head = HEAD.replace("cases:", f"target: {json.dumps(target)}\ncases:")
    command = [sys.executable, "-m", "evalkit", "run", str(suite_file(tmp_path, head + cases))]
    ours = _children()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert held.is_let_go()
    for keeper in _children() - ours:  # its shell loses its parent, and comes to us when it has seen that
        os.waitpid(int(keeper), 0)


# ── command lines ────────────────────────────────────────────────────────────────────────────────


def test_a_command_that_never_ends_is_ended(tmp_path: Path, held: Held) -> None:
    result = one(tmp_path, SHOW, program("deaf", held.path, way="cli", call=0.5))
    assert result.error == ("timeout", "no answer within 0.5 s")
    assert held.is_let_go()


def test_a_command_that_writes_for_ever_is_told_how_much(tmp_path: Path) -> None:
    pouring = "import os\nwhile True: os.write(1, b'x' * 65536)"
    target = parse({"cli": {"command": [sys.executable, "-c", pouring]}})
    result = one(tmp_path, SHOW, target)
    assert result.error == ("protocol", "standard output is larger than 67108864 bytes")


def test_a_command_that_leaves_a_daemon_behind_leaves_none(tmp_path: Path, held: Held) -> None:
    assert one(tmp_path, SHOW, program("daemon", held.path, way="cli")).status == "pass"
    assert held.is_let_go()


def test_output_that_is_no_utf_8_is_shown_as_far_as_it_is_text(tmp_path: Path) -> None:
    target = parse({"cli": {"command": [sys.executable, "-c", "import os; os.write(1, b'caf\\xe9')"]}})
    words = "operation: cli, argv: [], expect: {equals: {process.stdout: café}}"
    result = one(tmp_path, words, target)
    assert [finding.actual for finding in result.findings] == ["caf\N{REPLACEMENT CHARACTER}"]


# ── servers over HTTP ────────────────────────────────────────────────────────────────────────────

Pieces: TypeAlias = "Callable[[bytes], Iterator[bytes | None]]"
OK: Final = b"HTTP/1.1 200 OK\r\n"
CLOSES: Final = b"Connection: close\r\nContent-Length: 0\r\n\r\n"
JSON: Final = b"Content-Type: application/json\r\n"
CHUNKED: Final = OK + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
EVENTS: Final = OK + b"Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


class Server:
    """A port where every connection gets the same pieces for its first bytes; None waits for its end.

    `heard` holds those first bytes.
    """

    def __init__(
        self, *pieces: bytes | None, host: str = "127.0.0.1", endless: bytes = b"", tls: str = ""
    ) -> None:
        self.heard: list[bytes] = []
        self._pieces, self._endless = pieces, endless
        self._listener = socket.create_server(
            (host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET
        )
        self.port = int(self._listener.getsockname()[1])
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if tls else None
        if self._context:
            self._context.load_cert_chain(tls)
        self._threads = [threading.Thread(target=self._serve)]

    def __enter__(self) -> Server:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for a connection
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._threads.append(threading.Thread(target=self._play, args=(connection,)))
            self._threads[-1].start()

    def _play(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            if self._context:
                connection = self._context.wrap_socket(connection, server_side=True)
            self.heard.append(connection.recv(1 << 16))
            for piece in chain(self._pieces, repeat(self._endless) if self._endless else ()):
                if piece is not None:
                    connection.sendall(piece)
                while piece is None and connection.recv(1 << 16):
                    pass


def at(server: Server, host: str = "127.0.0.1", scheme: str = "http", **headers: str) -> Target:
    return parse({"http": {"url": f"{scheme}://{host}:{server.port}/mcp", "headers": headers}})


@pytest.mark.parametrize("words", [ASK, GET], ids=["mcp", "http"])
@pytest.mark.parametrize(
    ("pieces", "endless"),
    [
        ((None,), b""),
        ((OK + JSON + b"Content-Length: 9\r\n\r\n", None), b""),
        ((CHUNKED,), chunked(b"x")),
        ((EVENTS,), chunked(b": still here\n\n")),
        ((EVENTS, chunked(b"data: {"), None), b""),
        ((), b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["silent", "no body", "endless body", "endless events", "half an event", "never final"],
)
def test_a_server_that_does_not_come_to_an_end_ends_with_its_case(
    tmp_path: Path, words: str, pieces: tuple[bytes | None, ...], endless: bytes
) -> None:
    with Server(*pieces, endless=endless) as server:
        result = one(tmp_path, words, at(server), LIMIT)
    assert result.error is not None
    assert result.error[0] == "timeout"
    assert result.error[1].startswith("no answer within 1.5 s")


@pytest.mark.parametrize("words", [ASK, GET], ids=["mcp", "http"])
@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ((b"",), "without sending a response"),
        ((OK + b"X-Half: ",), "X-Half: "),
        ((b"220 mail.example ESMTP ready\r\n",), "220 mail.example ESMTP ready"),
        ((b"SSH-2.0-Sloppy_1\r\n",), "SSH-2.0-Sloppy_1"),
        ((OK + JSON + b"Content-Length: 99\r\n\r\n{",), "received 1 bytes, expected 99"),
        ((CHUNKED, chunked(b"{")), "incomplete chunked read"),
        ((CHUNKED, b"zz\r\n"), "illegal chunk header"),
        ((OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nx",), "conflicting Content-Length"),
        ((OK + b"Content-Length: -1\r\n\r\n",), "Content-Length"),
        ((OK + b"X: " + b"y" * 200_000,), "Receive buffer too long"),
    ],
)
def test_a_server_that_breaks_off_is_told_with_what_came(
    tmp_path: Path, words: str, pieces: tuple[bytes, ...], said: str
) -> None:
    with Server(*pieces) as server:
        result = one(tmp_path, words, at(server))
    assert result.error is not None
    assert result.error[0] == "protocol"
    assert said in result.error[1]


def test_a_body_without_bounds_is_told_how_much_is_read(tmp_path: Path) -> None:
    with Server(CHUNKED, endless=chunked(b"x" * (1 << 20))) as server:
        for words in (ASK, GET):
            result = one(tmp_path, words, at(server))
            assert result.error == ("protocol", "the answer's body is larger than 67108864 bytes")


def test_events_without_bounds_are_told_how_much_is_read(tmp_path: Path) -> None:
    with Server(EVENTS, endless=chunked(b"data: " + b"x" * (1 << 20))) as server:
        result = one(tmp_path, ASK, at(server))
    assert result.error == ("protocol", "the answer's body is larger than 67108864 bytes")


def test_a_body_that_is_no_utf_8_is_told_by_its_byte(tmp_path: Path) -> None:
    with Server(OK + JSON + b'Connection: close\r\nContent-Length: 3\r\n\r\n"\xe9"') as server:
        result = one(tmp_path, ASK, at(server))
    assert result.error is not None
    assert result.error[0] == "not-json"
    assert "byte 1 is no UTF-8" in result.error[1]


# ── redirects ────────────────────────────────────────────────────────────────────────────────────

TOKEN: Final = "Bearer " + "t" * 20


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_loop_is_told_where_it_points_after_one_request_each(tmp_path: Path, status: int) -> None:
    with Server(b"HTTP/1.1 %d Again\r\nLocation: /mcp\r\n" % status + CLOSES) as server:
        result = one(tmp_path, ASK, at(server))
        got = one(tmp_path, GET, at(server))
    assert result.error == (
        "protocol",
        f"`initialize` got no JSON-RPC answer, but status {status}, which points to /mcp",
    )
    assert codes(got) == ["status-differs"]
    assert len(server.heard) == 3  # a first question, the handshake, and the GET


@pytest.mark.parametrize("words", [ASK, GET], ids=["mcp", "http"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_credentials_never_follow_a_redirect_to_another_host(tmp_path: Path, words: str, scheme: str) -> None:
    with Server(OK + CLOSES) as other:
        elsewhere = f"{scheme}://localhost:{other.port}/mcp"
        moved = b"HTTP/1.1 307 Moved\r\nLocation: " + elsewhere.encode() + b"\r\n"
        with Server(moved + CLOSES) as server:
            result = one(tmp_path, words, at(server, authorization=TOKEN, cookie="a=b"))
        assert all(TOKEN.encode() in request for request in server.heard)
    assert other.heard == []
    assert result.status != "pass"
    assert words == GET or elsewhere in told(result)


# ── TLS ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with a key and a certificate that nobody but itself vouches for."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("certificate")
    kind = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    files = ["-keyout", str(folder / "key"), "-out", str(folder / "crt")]
    subprocess.run([openssl, *kind, *names, *files], check=True, capture_output=True)
    (folder / "both").write_text((folder / "crt").read_text() + (folder / "key").read_text())
    return str(folder / "both")


@pytest.mark.parametrize("words", [ASK, GET], ids=["mcp", "http"])
def test_a_certificate_that_nobody_vouches_for_is_refused(
    tmp_path: Path, certificate: str, words: str
) -> None:
    with Server(OK + CLOSES, tls=certificate) as server:
        result = one(tmp_path, words, at(server, scheme="https", authorization=TOKEN))
    assert result.error is not None
    assert result.error[0] == "connection-failed"
    assert "CERTIFICATE_VERIFY_FAILED" in result.error[1]
    assert server.heard == []


def test_plain_http_to_a_port_of_tls_shows_what_came(tmp_path: Path, certificate: str) -> None:
    with Server(OK + CLOSES, tls=certificate) as server:
        result = one(tmp_path, ASK, at(server))
    assert result.error is not None
    assert result.error[0] in ("protocol", "connection-failed")


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ((b"HTTP/1.1 400 Bad Request\r\n\r\n",), "WRONG_VERSION_NUMBER"),
        ((b"",), "EOF"),
    ],
)
def test_tls_to_a_port_without_it_is_told(tmp_path: Path, pieces: tuple[bytes, ...], said: str) -> None:
    with Server(*pieces) as server:
        result = one(tmp_path, ASK, at(server, scheme="https"))
    assert result.error is not None
    assert result.error[0] == "connection-failed"
    assert said in result.error[1]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # closed by its collection
def test_a_handshake_of_tls_that_falls_silent_ends_with_its_case(tmp_path: Path) -> None:
    with Server(None) as server:
        result = one(tmp_path, ASK, at(server, scheme="https"), LIMIT)
    assert result.error == ("timeout", "no answer within 1.5 s")


# ── proxies ──────────────────────────────────────────────────────────────────────────────────────

PROXIES: Final = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


@pytest.fixture
def through(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets every proxy of the environment."""

    def set_all(url: str) -> None:
        for name in PROXIES:
            monkeypatch.setenv(name, url)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)

    return set_all


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
@pytest.mark.parametrize("words", [ASK, GET], ids=["mcp", "http"])
def test_no_proxy_is_asked_for_what_is_on_this_machine(
    tmp_path: Path, through: Callable[[str], None], host: str, words: str
) -> None:
    family = "::1" if host == "[::1]" else "127.0.0.1"
    with Server(OK + CLOSES) as proxy, Server(OK + CLOSES, host=family) as server:
        through(f"http://127.0.0.1:{proxy.port}")
        live.reach(at(server, host))
        one(tmp_path, words, at(server, host))
    assert proxy.heard == []
    assert server.heard


def test_no_proxy_is_asked_for_tls_on_this_machine(
    tmp_path: Path, through: Callable[[str], None], certificate: str
) -> None:
    with Server(OK + CLOSES) as proxy, Server(OK + CLOSES, tls=certificate) as server:
        through(f"http://127.0.0.1:{proxy.port}")
        result = one(tmp_path, GET, at(server, scheme="https"))
    assert proxy.heard == []
    assert "CERTIFICATE_VERIFY_FAILED" in told(result)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_is_not_there_is_named_without_its_password(
    tmp_path: Path, through: Callable[[str], None], scheme: str
) -> None:
    password = "pass" + "word" * 3
    through(f"http://somebody:{password}@127.0.0.1:{_unused()}")
    target = parse(f"{scheme}://server.example/mcp")
    live.reach(target)
    result = one(tmp_path, ASK, target)
    assert result.error is not None
    assert result.error[0] == "connection-failed"
    assert "through the proxy 127.0.0.1:" in result.error[1]
    assert password not in told(result)


def test_a_proxy_that_refuses_is_named(tmp_path: Path, through: Callable[[str], None]) -> None:
    with Server(b"HTTP/1.1 403 Not From Here\r\n" + CLOSES) as proxy:
        through(f"http://127.0.0.1:{proxy.port}")
        result = one(tmp_path, ASK, parse("https://server.example/mcp"))
        assert result.error is not None
        assert result.error[0] == "connection-failed"
        assert f"through the proxy 127.0.0.1:{proxy.port}" in result.error[1]
        assert "403 Not From Here" in result.error[1]
    assert proxy.heard[0].startswith(b"CONNECT server.example:443 ")


# ── families of addresses ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("listens", "host"), [("::1", "localhost"), ("::1", "[::1]"), ("127.0.0.1", "localhost")]
)
@pytest.mark.parametrize("words", [ASK, GET], ids=["mcp", "http"])
def test_a_server_of_one_family_is_found(tmp_path: Path, listens: str, host: str, words: str) -> None:
    with Server(b"HTTP/1.1 418 Teapot\r\n" + CLOSES, host=listens) as server:
        result = one(tmp_path, words, at(server, host))
    assert "status 418" in told(result) or codes(result) == ["status-differs"]


@pytest.mark.parametrize(("listens", "host"), [("::1", "127.0.0.1"), ("127.0.0.1", "[::1]")])
def test_a_server_of_the_other_family_is_not_there(tmp_path: Path, listens: str, host: str) -> None:
    with Server(OK + CLOSES, host=listens) as server:
        target = at(server, host)
        with pytest.raises(HarnessError, match="could not be reached: Connection refused"):
            live.reach(target)
        result = one(tmp_path, ASK, target)
    assert result.error is not None
    assert result.error[0] == "connection-failed"
    assert "refused" in result.error[1]


def _unused() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
