"""`evalkit scriba`: the program as a user starts it, over files that `seed` wrote."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from evalkit.contracts.scriba.documents import output_schema
from tests.commands.door import EVALKIT, ROOT, Ran, evalkit, forked

Json = Any

FIXTURE = """\
config:
  defaultProfileId: personal
  profiles: [{id: personal}, {id: work}, {id: old, enabled: false}]
  server: {contextAPI: {enabled: true}}
cache: {}
store:
  profiles:
    - {id: personal, accounts: [acctP]}
    - {id: work, accounts: [acctW]}
  accounts:
    acctP:
      observations:
        - observedAt: "2026-07-13T11:56:00Z"
          windows: [{label: 5h limit, usedPercent: 40, periodDurationMs: 18000000}]
    acctW:
      observations:
        - observedAt: "2026-07-13T11:58:00Z"
          windows: [{label: Weekly limit, usedPercent: 91}]
  events:
    - {id: p1, account: acctP, detectedAt: "2026-07-13T11:50:00Z"}
"""


@pytest.fixture(name="home")
def home_fixture(tmp_path: Path) -> Path:
    """A folder with a fixture, which is the home folder too."""
    (tmp_path / "fixture.yaml").write_text(FIXTURE, encoding="utf-8")
    return tmp_path


@pytest.fixture(name="config")
def config_fixture(home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The configuration of seeded files."""
    monkeypatch.setenv("HOME", str(home))
    assert forked(home, "scriba", "seed", "fixture.yaml", "seeded").code == 0
    return "seeded/config.json"


def scriba(home: Path, *words: str) -> Ran:
    """In a copy of this process, at home in the folder."""
    before = os.environ.copy()
    os.environ["HOME"] = str(home)
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        os.environ.pop(name, None)
    try:
        return forked(home, "scriba", *words)
    finally:
        os.environ.clear()
        os.environ.update(before)


def providers(ran: Ran) -> list[tuple[str, str, float]]:
    """Each provider's id, profile and first window's used percent."""
    assert (ran.code, ran.err) == (0, "")
    document = json.loads(ran.out)
    Draft202012Validator(output_schema("context")).validate(document)
    return [
        (one["providerId"], profile["profileId"], profile["windows"][0]["usedPercent"])
        for one in document["providers"]
        for profile in one["profiles"]
    ]


# --- context


def test_cl07_without_any_file_there_is_a_document_all_the_same(home: Path) -> None:
    # CL07, CX01
    ran = scriba(home, "context", "--json")
    assert providers(ran) == []
    document = json.loads(ran.out)
    assert len(document["sources"]) == 8
    assert ran.out.startswith('{\n  "schemaVersion": "scriba.context.v1",\n  "generatedAt": ')
    assert ran.out.endswith("\n}\n")
    assert [path.name for path in home.iterdir()] == ["fixture.yaml"]


def test_the_profile_chooses_the_account(home: Path, config: str) -> None:
    # CX12, CX13
    own = ("context", "--json", "--config", config)
    assert providers(scriba(home, *own)) == [("codex", "personal", 40)]
    assert providers(scriba(home, *own, "--profile", "work")) == [("codex", "work", 91)]


@pytest.mark.parametrize("profile", ["old", "nope", "Work", " work"])
def test_a_profile_that_cannot_be_shown_shows_nothing(home: Path, config: str, profile: str) -> None:
    # CX14, CX15
    ran = scriba(home, "context", "--json", "--config", config, "--profile", profile)
    assert ran == (1, "", "profile unavailable: profile_unavailable\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("context", "scriba context requires --json"),
        ("context extra --json", "scriba context does not accept positional arguments"),
        ("context --json --bogus", "flag provided but not defined: -bogus"),
        ("mcp extra", "scriba mcp does not accept positional arguments"),
        ("context --json --config nowhere.json", "config nowhere.json: No such file or directory"),
        ("contxt", "there is no command 'contxt'"),
        ("server run", "there is nothing to serve"),
        ("seed fixture.yaml", "scriba seed needs two arguments: FIXTURE DIR"),
    ],
)
def test_what_cannot_be_meant_is_1_with_nothing_on_standard_output(home: Path, words: str, told: str) -> None:
    ran = scriba(home, *words.split())
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.endswith(f"{told}\n")


@pytest.mark.parametrize("words", ["--help", "context --help", "server run --help"])
def test_help_shows_an_example_with_the_name_of_this_program(home: Path, words: str) -> None:
    ran = scriba(home, *words.split())
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("usage: evalkit scriba ")


def test_a_reader_that_goes_away_is_no_fault(home: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as out:
        command = [*EVALKIT, "scriba", "context", "--json"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home)}
        ran = subprocess.run(
            command, cwd=home, env=environment, stdout=out, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert (ran.returncode, ran.stderr) == (0, b"")


# --- start-up


PROGRAM = """
import sys
from evalkit.cli import main
code = main(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""


def test_a_context_imports_no_event_loop_no_server_and_no_schemas(home: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, "scriba", "context", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home)}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    found = set(ran.stderr.split())
    assert "evalkit.contracts.scriba.service" in found
    assert not found & {
        "asyncio",
        "uvicorn",
        "starlette",
        "httpx",
        "jsonschema",
        "jsonschema_rs",
        "yaml",
        "ssl",
    }
    assert not found & {"http.client", "socket", "multiprocessing", "evalkit.loader", "evalkit.runner"}
    strange = ("evalkit.contracts.agent_context", "evalkit.drivers", "evalkit.contracts.scriba.localapi")
    assert not {name for name in found if name.startswith(strange)}


@pytest.mark.slow
def test_a_context_takes_at_most_twelve_times_what_python_takes(home: Path, config: str) -> None:
    ratios = []
    for _ in range(5):
        own = seconds(home, *EVALKIT, "scriba", "context", "--json", "--config", config)
        ratios.append(own / seconds(home, sys.executable, "-c", "pass"))
        if ratios[-1] <= 12:
            return
    pytest.fail(f"evalkit scriba context took {ratios} times as long as `python -c pass`")


def seconds(folder: Path, *command: str) -> float:
    """The shortest of three: others use the machine too."""
    times = []
    for _ in range(3):
        began = perf_counter()
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True, timeout=60)
        times.append(perf_counter() - began)
    return min(times)


# --- seed


def test_what_seed_prints_reads_what_it_wrote(home: Path) -> None:
    ran = scriba(home, "seed", "fixture.yaml", "my folder")
    assert ran == (0, "evalkit scriba context --json --config 'my folder/config.json'\n", "")
    assert providers(scriba(home, "context", "--json", "--config", "my folder/config.json")) == [
        ("codex", "personal", 40)
    ]


def test_a_json_fixture_is_a_fixture_too(home: Path) -> None:
    (home / "fixture.json").write_text('{"cache": {}}', encoding="utf-8")
    ran = scriba(home, "seed", "fixture.json", "seeded")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "evalkit scriba context --json"
        f" --cache-dir {home}/seeded/cache --state-path {home}/seeded/state/server.sqlite\n"
    )


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        ("cache:\n  statu: {}\n", "f.yaml:2:", "statu"),
        ("store:\n  events: [{id: a}]\n", "f.yaml:2:", "account"),
        ("cache: [\n", "f.yaml:2:", ""),
        ("- 1\n", "f.yaml:1:", "the fixture"),
        ("config:\n  profiles: [{id: '${{ row.id }}'}]\n", "f.yaml:2:", "row.id"),
    ],
)
def test_a_fixture_that_is_wrong_is_told_by_its_place_and_writes_nothing(
    home: Path, text: str, place: str, told: str
) -> None:
    (home / "f.yaml").write_text(text, encoding="utf-8")
    ran = scriba(home, "seed", "f.yaml", "seeded")
    assert (ran.code, ran.out) == (2, "")
    assert place in ran.err
    assert told in ran.err
    assert not (home / "seeded").exists()


def test_a_fixture_that_is_not_there_is_told(home: Path) -> None:
    ran = scriba(home, "seed", "none.yaml", "seeded")
    assert (ran.code, ran.out) == (2, "")
    assert "none.yaml" in ran.err


def test_what_is_secret_in_a_fixture_is_written_as_it_is(home: Path) -> None:
    text = FIXTURE.replace("label: Weekly limit", "label: {$secret: Weekly limit}")
    (home / "fixture.yaml").write_text(text, encoding="utf-8")
    assert scriba(home, "seed", "fixture.yaml", "seeded").code == 0
    with closing(sqlite3.connect(home / "seeded/state/server.sqlite")) as store:
        labels = store.execute("SELECT label FROM observed_windows ORDER BY label").fetchall()
    assert labels == [("5h limit",), ("Weekly limit",)]


# --- mcp and server run


@pytest.mark.slow
def test_mcp_speaks_on_its_streams_alone(home: Path, config: str) -> None:
    asked: list[Json] = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}},
        {"method": "notifications/initialized"},
        {
            "id": 2,
            "method": "tools/call",
            "params": {"name": "scriba_get_context", "arguments": {"profile": "work"}},
        },
    ]
    ran = subprocess.run(
        [*EVALKIT, "scriba", "mcp", "--config", config],
        cwd=home,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input="".join(f"{json.dumps({'jsonrpc': '2.0', **one})}\n" for one in asked),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    first, second = map(json.loads, ran.stdout.splitlines())
    assert first["result"]["protocolVersion"] == "2025-03-26"
    document = second["result"]["structuredContent"]
    Draft202012Validator(output_schema("context")).validate(document)
    assert document["providers"][0]["profiles"][0]["profileId"] == "work"


@pytest.fixture(name="served")
def served_fixture(home: Path, config: str) -> Iterator[Path]:
    """The socket of a server that answers; it is stopped and must end cleanly."""
    process = subprocess.Popen(
        [*EVALKIT, "scriba", "server", "run", "--config", config],
        cwd=home,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    path = home / "seeded/state/context.sock"
    try:
        assert process.stderr.readline() == f"scriba: the context is served at {path}\n"
        yield path
    finally:
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "")
    assert not path.exists()


def get(path: Path, target: str) -> tuple[int, Json]:
    """Ask over the socket."""
    connection = http.client.HTTPConnection("localhost", timeout=60)
    with closing(connection), closing(socket.socket(socket.AF_UNIX)) as own:
        own.connect(str(path))
        connection.sock = own
        connection.request("GET", target)
        response = connection.getresponse()
        return response.status, json.loads(response.read())


@pytest.mark.slow
def test_the_server_answers_on_a_socket_of_the_owner_alone(served: Path) -> None:
    assert get(served, "/v1/health")[1]["status"] == "ok"
    status, document = get(served, "/v1/context?profile=work")
    assert status == 200
    Draft202012Validator(output_schema("context")).validate(document)
    assert served.stat().st_mode & 0o777 == 0o600
    assert served.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not there")
def test_curl_reads_the_context(served: Path) -> None:
    command = ["curl", "-sS", "--unix-socket", str(served), "http://localhost/v1/context"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(ran.stdout)["schemaVersion"] == "scriba.context.v1"


@pytest.mark.slow
def test_a_second_server_of_one_socket_fails(home: Path, config: str, served: Path) -> None:
    ran = evalkit(home, "scriba", "server", "run", "--config", config)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.count("\n") == 1
    assert get(served, "/v1/health")[0] == 200


# --- completion


def test_a_completion_script_knows_the_commands_and_their_flags(home: Path) -> None:
    script = forked(home, "completion", "bash").out
    for word in ("scriba_context", "--profile", "--cache-dir", "--state-path", "server", "seed"):
        assert word in script
