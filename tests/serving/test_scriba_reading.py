"""Reading over any surface leaves the databases as they are, and a bad one is told and never mended."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from evalkit.contracts.scriba.seed import seed
from evalkit.contracts.scriba.store.holding import rows_of
from tests.contracts.scriba.localapi.reaching import Reader, ask
from tests.contracts.scriba.worlds import C_CLAUDE, E4, S_2P
from tests.serving.scriba import ROOT, SECONDS, SERVED, environment, ran, server

Json = Any

FIXTURE: Json = {"config": SERVED, "cache": C_CLAUDE, "store": E4}
FILES = ("cache/scriba.sqlite", "state/server.sqlite")
APPENDS = """
import sys
from evalkit.contracts.scriba.writer import Writer
with Writer(sys.argv[1]) as writer:
    writer.append([{"id": "p5", "account": "acctP", "detectedAt": "2026-07-13T11:54:00Z"}])
    print("ready", flush=True)
    sys.stdin.read()
"""
# A log lets readers pass, unless the writer has it for itself.
LOCKS = """
import sqlite3, sys
writer = sqlite3.connect(sys.argv[1], isolation_level=None)
writer.execute("PRAGMA locking_mode = EXCLUSIVE")
writer.execute("BEGIN EXCLUSIVE")
writer.execute("CREATE TABLE half_written (text)")
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder whose name is short enough for a socket below it."""
    with tempfile.TemporaryDirectory(prefix="s") as folder:
        yield Path(folder)


@contextmanager
def beside(script: str, file: str) -> Iterator[None]:
    """A block in which a writer holds a file; in another process, for who closes a file here unlocks it."""
    command = [sys.executable, "-c", script, file]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"ready\n"
            yield
        finally:
            process.stdin.close()
            process.wait(SECONDS)


# --- what is sound


def over_cli(home: Path) -> None:
    code, out, err = ran(home, "context", "--json", "--config", str(home / "config.json"))
    assert (code, err) == (0, b"")
    assert shown(json.loads(out)) >= {"p1", "p2", "p4"}


def over_http(home: Path) -> None:
    with server(home) as socket:
        status, body = ask(socket, "/v1/context")
        assert status == 200
        assert shown(json.loads(body)) >= {"p1", "p2", "p4"}
        assert ask(socket, "/v1/events?cursor=nonsense")[0] == 400


def over_sse(home: Path) -> None:
    with server(home) as socket, Reader(socket, f"/v1/events?cursor=v1.{0:016x}") as reader:
        frames = [reader.frame() for _ in range(4)]
        for name, frame in zip((b"p1", b"p2", b"p4"), frames[1:], strict=True):
            assert b'"id":"%s"' % name in frame


def over_mcp(home: Path) -> None:
    page = {"mode": "replay", "cursor": f"v1.{0:016x}"}
    requests = [
        ("scriba_get_context", {}),
        ("scriba_list_events", page),
        ("scriba_list_events", {"limit": 0}),
    ]
    lines = [message(1, "initialize", protocolVersion="2025-03-26", capabilities={}, clientInfo=CLIENT)]
    lines += [
        message(number, "tools/call", name=name, arguments=arguments)
        for number, (name, arguments) in enumerate(requests, 2)
    ]
    code, out, err = ran(home, "mcp", "--config", str(home / "config.json"), stdin=b"".join(lines))
    assert (code, err) == (0, b"")
    answers = {one["id"]: one["result"] for one in map(json.loads, out.splitlines())}
    assert shown(answers[2]["structuredContent"]) >= {"p1", "p2", "p4"}
    assert shown(answers[3]["structuredContent"]) >= {"p1", "p2", "p4"}
    assert answers[4]["isError"] is True


CLIENT = {"name": "test", "version": "1"}


def message(number: int, method: str, **params: Json) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def shown(document: Json) -> set[str]:
    return {event["id"] for event in document["events"]}


@pytest.mark.slow
@pytest.mark.parametrize("at_work", [False, True], ids=["alone", "beside a writer"])
@pytest.mark.parametrize("read", [over_cli, over_http, over_sse, over_mcp])
def test_reading_over_a_surface_leaves_the_databases_as_they_are(
    home: Path, read: Callable[[Path], None], at_work: bool
) -> None:
    state = seed(FIXTURE, home).state_path
    with ExitStack() as until_read:
        if at_work:  # then something stands only in the log, which a reader must not fold in
            until_read.enter_context(beside(APPENDS, state))
        rows, files = business_rows(home), main_files(home)
        assert len(rows["state/server.sqlite"]["policy_events"]) == 4 + at_work
        read(home)
        assert (business_rows(home), main_files(home)) == (rows, files)


def business_rows(home: Path) -> dict[str, Json]:
    return {name: rows_of(str(home / name)) for name in FILES}


def main_files(home: Path) -> dict[str, Json]:
    """Bytes, size and time of change of the files themselves; a folder or a missing one has none."""
    return {name: main_file(home / name) for name in FILES}


def main_file(file: Path) -> Json:
    if not file.is_file():
        return "a folder" if file.is_dir() else None
    known = file.stat()
    return hashlib.sha256(file.read_bytes()).hexdigest(), known.st_size, known.st_mtime_ns


# --- what may not be written

UNPRIVILEGED = """
import os, sys
import evalkit.commands.scriba, evalkit.contracts.scriba.service
if os.getuid() == 0:  # after the imports, which another user may not be allowed
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
for place in sys.argv[2:]:
    if os.access(place, os.W_OK) or os.access(os.path.dirname(place), os.W_OK):
        sys.exit("this user may write it")
sys.exit(evalkit.commands.scriba.main(["context", "--json", "--config", sys.argv[1]]))
"""


def test_read_only_files_in_read_only_folders_are_read(home: Path) -> None:
    seed(FIXTURE, home)
    before = main_files(home)
    places = [home / name for name in FILES]
    with closed(home, places):
        command = [sys.executable, "-c", UNPRIVILEGED, str(home / "config.json"), *map(str, places)]
        done = subprocess.run(command, cwd=ROOT, env=environment(home), capture_output=True, timeout=SECONDS)
    assert (done.returncode, done.stderr) == (0, b"")
    document = json.loads(done.stdout)
    assert [provider["providerId"] for provider in document["providers"]] == ["claude", "codex"]
    assert shown(document) == {"p1", "p2", "p4"}
    assert main_files(home) == before
    assert sorted(path.name for place in places for path in place.parent.iterdir()) == [
        "scriba.sqlite",
        "server.sqlite",
    ]


@contextmanager
def closed(home: Path, places: list[Path]) -> Iterator[None]:
    """A block in which everybody may read everything and nobody may write it."""
    (home / "config.json").chmod(0o444)
    for place in places:
        place.chmod(0o444)
        place.parent.chmod(0o555)
    home.chmod(0o555)
    try:
        yield
    finally:
        for folder in (home, *(place.parent for place in places)):
            folder.chmod(0o755)


# --- what is bad


def of_another_program(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE notes (text)")


def without_folder(file: Path) -> None:
    shutil.rmtree(file.parent)


def newer(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        if file.name == "scriba.sqlite":
            connection.execute("UPDATE meta SET value = '2' WHERE key = 'schema_version'")
        else:
            connection.execute("INSERT INTO schema_migrations VALUES (12, '')")


SPOILED: dict[str, tuple[str, Callable[[Path], None] | None]] = {
    **{vice: (vice, None) for vice in ("missing", "empty", "truncated", "corrupt", "directory")},
    "newer": ("", newer),
    "of another program": ("", of_another_program),
    "without a folder": ("", without_folder),
}


def marks(document: Json) -> dict[str, tuple[str, str | None]]:
    return {one["sourceId"]: (one["availability"], one.get("reasonCode")) for one in document["sources"]}


FAILED = ("unavailable", "read_error")
MARKED = {
    # Spec 2.8 and CX29: with the cache, all that is known of claude goes but the events, which it never has.
    "cache": {"claude-quota": FAILED, "claude-budget": FAILED, "claude-grants": FAILED},
    # Spec 2.8 and CX28: with the store, all that is known of codex goes.
    "store": {f"codex-{kind}": FAILED for kind in ("quota", "budget", "grants", "policy-events")},
}
LEFT = {"cache": ["codex"], "store": ["claude"]}


@pytest.mark.parametrize("how", SPOILED)
@pytest.mark.parametrize("which", ["cache", "store"])
def test_a_bad_database_is_marked_in_the_document_and_left_as_it_is(home: Path, which: str, how: str) -> None:
    vice, spoil = SPOILED[how]
    spoiled = {**{"cache": C_CLAUDE, "store": S_2P}[which], **({"vice": vice} if vice else {})}
    seed({**FIXTURE, which: spoiled}, home)
    if spoil is not None:
        spoil(home / FILES[which == "store"])
    assert_marked(home, which)


@pytest.mark.slow
@pytest.mark.parametrize("which", ["cache", "store"])
def test_a_database_that_a_writer_keeps_locked_is_marked_and_left_as_it_is(home: Path, which: str) -> None:
    seed(FIXTURE, home)
    with beside(LOCKS, str(home / FILES[which == "store"])):
        assert_marked(home, which)


def assert_marked(home: Path, which: str) -> None:
    before, places = main_files(home), tree(home)
    code, out, err = ran(home, "context", "--json", "--config", str(home / "config.json"))
    assert (code, err) == (0, b"")
    document = json.loads(out)
    assert marks(document).items() >= MARKED[which].items()
    assert [provider["providerId"] for provider in document["providers"]] == LEFT[which]
    assert (main_files(home), tree(home)) == (before, places)


def tree(home: Path) -> list[str]:
    """All that there is, but for what SQLite keeps beside a log while it is read."""
    return sorted(
        str(path.relative_to(home)) for path in home.rglob("*") if not path.name.endswith(("-wal", "-shm"))
    )
