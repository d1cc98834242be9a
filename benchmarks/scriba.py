"""Times the Scriba context: over a socket, as a process, over a million events, and 64 streams at once."""

from __future__ import annotations

import http.client
import os
import re
import selectors
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from evalkit.contracts.scriba import times
from evalkit.contracts.scriba.nouns import Instant, Paths, Profiles
from evalkit.contracts.scriba.rules import RULES
from evalkit.contracts.scriba.seed import CONFIG_FILE, seed
from evalkit.contracts.scriba.service import ScribaService

QUICK = "--quick" in sys.argv
ROUNDS = 5 if QUICK else 15
CLIENTS = 64
EACH = 500 if QUICK else 10_000
SIZES = (1_000, 1_000_000)
PATIENCE = 1800.0
SECOND: Final = 10**9
CONTEXT = ("context", "--json", "--config")

SERVER = """
import sys, time
from evalkit.contracts.scriba.localapi.nouns import LIMITS
from evalkit.contracts.scriba.localapi.server import serve
from evalkit.contracts.scriba.nouns import Instant, Paths, Profiles
from evalkit.contracts.scriba.service import ScribaService
paths, profiles = Paths(*sys.argv[1:3]), Profiles(("personal",), "personal")
serve(ScribaService(paths, profiles, lambda: Instant(time.time_ns())), sys.argv[3],
    limits=LIMITS._replace(streams=int(sys.argv[4])), ready=lambda: print("ready", flush=True))
"""
EVENT = "INSERT INTO policy_events SELECT {columns} FROM policy_events WHERE id = 'first'"
COLUMNS = (
    "?1, 'key' || ?1, event_kind, ?1, rule_id, subject_key, rule_kind, provider_id, account_ref, "
    "policy_revision, config_hash, payload_version, payload_json, ?2, ?2"
)


def moment(seconds: int) -> str:
    """RFC 3339 text of so long ago."""
    return times.format(Instant(time.time_ns() - seconds * SECOND))


def made(folder: Path, events: int, observations: int = 288) -> Paths:
    """Both databases with an observation every five minutes, of a day, and so many events of the account."""
    reset = times.format(Instant(time.time_ns() + 7200 * SECOND))
    window = {"label": "5h limit", "usedPercent": 40, "resetAt": reset, "periodDurationMs": 18_000_000}
    seen = [{"observedAt": moment(300 * at), "windows": [window]} for at in range(observations, 0, -1)]
    line = {"type": "progress", "label": "Weekly limit", "used": 20, "resetsAt": reset}
    fixture = {
        "config": {"defaultProfileId": "personal", "profiles": [{"id": "personal"}]},
        "cache": {
            "status": {"generatedAt": moment(60), "providers": [{"providerId": "claude", "lines": [line]}]}
        },
        "store": {
            "profiles": [{"id": "personal", "default": True, "accounts": ["acctP"]}],
            "accounts": {"acctP": {"observations": seen}},
            "events": [{"id": "first", "account": "acctP", "detectedAt": moment(events + 1)}],
        },
    }
    paths = seed(fixture, folder)
    with closing(sqlite3.connect(paths.state_path)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        rows = ((f"e{at}", moment(events - at)) for at in range(1, events))
        connection.executemany(EVENT.format(columns=COLUMNS), rows)
    return paths


def in_turn(*works: Callable[[], object], times: int = 20) -> list[float]:
    """The median seconds of one run of each, taken in turn."""
    seconds: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for own, work in zip(seconds, works, strict=True):
            started = time.perf_counter()
            for _ in range(times):
                work()
            own.append((time.perf_counter() - started) / times)
    return [statistics.median(own) for own in seconds]


def service_of(paths: Paths, **rules: Any) -> ScribaService:
    """The service over these files, by the clock of the machine."""
    profiles, clock = Profiles(("personal",), "personal"), lambda: Instant(time.time_ns())
    return ScribaService(paths, profiles, clock, RULES._replace(**rules))


def statements_of(paths: Paths) -> dict[str, list[str]]:
    """What one context asks of each database after it was opened, with the values in it."""
    asked: dict[str, list[str]] = {}

    def traced(open_file: Callable[[str], sqlite3.Connection], path: str) -> sqlite3.Connection:
        connection = open_file(path)
        connection.set_trace_callback(asked.setdefault(path, []).append)
        return connection

    service_of(
        paths,
        open_cache=partial(traced, RULES.open_cache),
        open_store=partial(traced, RULES.open_store),
    ).context(None)
    return asked


def opened(path: str) -> sqlite3.Connection:
    """A connection that only reads."""
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)


def ask_all(connections: dict[str, sqlite3.Connection], asked: dict[str, list[str]]) -> None:
    """Every statement, on what is open."""
    for path, statements in asked.items():
        for statement in statements:
            connections[path].execute(statement).fetchall()


def open_and_ask(asked: dict[str, list[str]]) -> None:
    """Every statement, each file opened for them."""
    for path, statements in asked.items():
        with closing(opened(path)) as connection:
            ask_all({path: connection}, {path: statements})


@contextmanager
def serving(folder: Path, paths: Paths, streams: int = 8) -> Iterator[tuple[str, int]]:
    """A server in a process of its own → its socket and its process id."""
    place = str(folder / "own" / "s")
    words = [sys.executable, "-c", SERVER, paths.cache_dir, paths.state_path, place, str(streams)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield place, process.pid
        finally:
            process.terminate()
            process.wait()


def connected(place: str) -> socket.socket:
    """A connection to the server."""
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(PATIENCE)
    made.connect(place)
    return made


def got(connection: http.client.HTTPConnection, path: str) -> bytes:
    """One GET over a connection that stays open."""
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read()
    assert response.status == 200, body
    return body


def over_a_socket(folder: Path, paths: Paths) -> None:
    """A context over an open connection, beside the SQLite queries that it needs."""
    asked = statements_of(paths)
    with serving(folder, paths) as (place, _):
        connection = http.client.HTTPConnection("localhost")
        connection.sock = connected(place)
        files = {path: opened(path) for path in asked}
        kept, anew, whole, health, service = in_turn(
            partial(ask_all, files, asked),
            partial(open_and_ask, asked),
            partial(got, connection, "/v1/context"),
            partial(got, connection, "/v1/health"),
            partial(service_of(paths).context, None),
        )
        connection.close()
        for file in files.values():
            file.close()
    print(f"  the queries of a context, both files opened for them {anew * 1e6:.0f} µs", end="")
    print(f" (on open connections {kept / anew:.2f}x)")
    print(
        f"  a context over an open Unix connection {whole / anew:.2f}x of it ({whole / kept:.2f}x of those)"
    )
    print(f"    of that the service alone {service / anew:.2f}x, an answer without data {health / anew:.2f}x")


def as_a_process(paths: Paths) -> None:
    """`evalkit scriba context --json`, beside a bare interpreter."""
    program = [str(Path(sys.executable).with_name("evalkit")), "scriba", *CONTEXT]
    program.append(str(Path(paths.cache_dir).with_name(CONFIG_FILE)))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    run = partial(subprocess.run, stdout=subprocess.DEVNULL, check=True, env=environment)
    run(program)
    bare, ours = in_turn(partial(run, [sys.executable, "-c", "pass"]), partial(run, program), times=1)
    print(f"  evalkit scriba context --json {ours / bare:.1f}x `python -c pass` ({bare * 1e3:.0f} ms)")


def by_size(few: Paths, many: Paths) -> None:
    """A context of a large store, beside that of a small one."""
    small, large = in_turn(partial(service_of(few).context, None), partial(service_of(many).context, None))
    print(f"  a context of {SIZES[1]:,} events {large / small:.2f}x of that of {SIZES[0]:,}", flush=True)


def many_streams(folder: Path, paths: Paths) -> None:
    """So many clients at once, each from zero: all must have all, once and in order."""
    with serving(folder, paths, CLIENTS) as (place, pid):
        before = peak_megabytes(pid)
        started = time.perf_counter()
        seen = [b"first", *(b"e%d" % at for at in range(1, EACH))]
        for ids in read_streams(place):
            assert ids == seen, "events were lost, repeated or out of order"
        seconds, after = time.perf_counter() - started, peak_megabytes(pid)
    rate = CLIENTS * EACH / seconds
    print(f"  {CLIENTS} clients got {EACH:,} events each without loss: {rate:.0f} events/s", end="")
    print(f"; the server's peak {after} MB, {before} MB before them", flush=True)


def read_streams(place: str) -> list[list[bytes]]:
    """The event ids that each client gets."""
    ids: dict[socket.socket, list[bytes]] = {}
    left: dict[socket.socket, bytes] = {}
    with selectors.DefaultSelector() as waiting:
        for _ in range(CLIENTS):
            client = connected(place)
            client.sendall(b"GET /v1/events?cursor=v1.%016x HTTP/1.1\r\nHost: localhost\r\n\r\n" % 0)
            ids[client], left[client] = [], b""
            waiting.register(client, selectors.EVENT_READ)
        while waiting.get_map():
            for key, _ in waiting.select(PATIENCE):
                client: Any = key.fileobj  # type: ignore[no-redef]
                piece = client.recv(1 << 16)
                assert piece, "a stream ended before its last event"
                whole, _, left[client] = (left[client] + piece).rpartition(b"\n\n")
                ids[client] += re.findall(rb'"id":"([^"]*)"', whole)
                if len(ids[client]) >= EACH:
                    waiting.unregister(client)
                    client.close()
    return list(ids.values())


def peak_megabytes(pid: int) -> int:
    """The most memory that a process ever held, where the system tells; else 0."""
    status = Path(f"/proc/{pid}/status")
    found = re.search(r"VmHWM:\s+(\d+)", status.read_text()) if status.exists() else None
    return int(found[1]) // 1024 if found else 0


def main() -> None:
    """Print all of it."""
    print("the Scriba context, median of runs taken in turn")
    with tempfile.TemporaryDirectory(prefix="s") as name:
        folder = Path(name)
        few, many = (made(folder / str(size), size) for size in SIZES)
        for observations in (4, 288):
            print(f"  with {observations} observations of the last day:")
            over_a_socket(folder, made(folder / f"seen-{observations}", SIZES[0], observations))
        as_a_process(few)
        by_size(few, many)
        many_streams(folder, made(folder / "streams", EACH))


if __name__ == "__main__":
    main()
