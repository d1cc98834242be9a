"""A client that loses its connection a hundred times has every event once and in order, while all changes."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from evalkit.contracts.scriba.seed import seed
from tests.contracts.scriba.localapi.reaching import Reader, ask, opened_soon
from tests.contracts.scriba.worlds import S_2P
from tests.serving.scriba import ROOT, SECONDS, SERVED, environment, server

Json = Any

EVENTS = 10_000
RECONNECTS = 100
A_CONNECTION = EVENTS // (RECONNECTS + 1)
AHEAD = 400
PRUNES = (25, 50, 75)
"""After how many connections what the client has seen is deleted."""
OPENING = b": connected\n\n"

WRITER = """
import sys
from datetime import datetime, timedelta
from evalkit.contracts.scriba.writer import Writer

def moment(number):
    return f"{datetime(2026, 7, 1) + timedelta(seconds=number):%Y-%m-%dT%H:%M:%SZ}"

def event(name, account, number):
    return {"id": f"{name}{number}", "account": account, "detectedAt": moment(number)}

with Writer(sys.argv[1]) as writer:
    for line in sys.stdin:
        word, *numbers = line.split()
        if word == "prune":
            writer.prune(moment(int(numbers[0])))
            continue
        for first in range(int(numbers[0]), int(numbers[1]), 8):
            own = range(first, min(first + 8, int(numbers[1])))
            others = [event("w", "acctW", first)]
            writer.append([event("e", "acctP", number) for number in own] + others)
"""


@pytest.mark.slow
def test_a_dropped_client_that_comes_back_has_every_event_once_and_in_order() -> None:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="s") as folder:
        home = Path(folder)
        state = seed({"config": SERVED, "store": S_2P}, home).state_path
        with server(home) as socket:
            with writing(home, state) as tell:
                seen = everything(socket, tell)
            assert seen == [f"e{number}" for number in range(EVENTS)]
            # Who has seen nothing is told that something is gone: the prunes were real.
            assert ask(socket, f"/v1/events?cursor=v1.{0:016x}")[0] == 410
        assert left(state) == EVENTS - PRUNES[-1] * A_CONNECTION
    assert time.monotonic() - began < 60


def everything(socket: Path, tell: Any) -> list[str]:
    """The ids that a client takes in over all of its connections; what is written keeps ahead of it."""
    seen: list[str] = []
    last = f"v1.{0:016x}"
    written = 0
    for number in range(RECONNECTS + 1):
        wanted = EVENTS if number == RECONNECTS else (number + 1) * A_CONNECTION
        ahead = min(wanted + AHEAD, EVENTS)
        tell(f"append {written} {ahead}")
        written = ahead
        if number in PRUNES:
            tell(f"prune {len(seen)}")
        with opened_soon(socket, last=last) as reader:
            assert reader.frame() == OPENING
            while len(seen) < wanted:
                last, name = taken(reader)
                seen.append(name)
            if number % 2 and number < RECONNECTS:
                reader.response.readline()  # half a frame is none
    return seen


def taken(reader: Reader) -> tuple[str, str]:
    """The next event: where to go on after it, and its own id."""
    frame = reader.frame()
    assert frame.startswith(b"id: "), "more was written, but a heartbeat or the end came: events are lost"
    place, kind, data, *_ = frame.split(b"\n")
    assert kind == b"event: scriba.event.v1"
    return place.removeprefix(b"id: ").decode(), json.loads(data.removeprefix(b"data: "))["id"]


@contextmanager
def writing(home: Path, state: str) -> Iterator[Any]:
    """A process that writes to the store what it is told, and has done so at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, state],
        cwd=ROOT,
        env=environment(home),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

    def tell(line: str) -> None:
        assert process.stdin is not None
        process.stdin.write(f"{line}\n")
        process.stdin.flush()

    try:
        yield tell
        _, told = process.communicate(timeout=SECONDS)
        assert (process.returncode, told) == (0, "")
    finally:
        process.kill()
        process.communicate()


def left(state: str) -> int:
    """How many events of the client's account the store has."""
    with closing(sqlite3.connect(f"file:{state}?mode=ro", uri=True)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM policy_events WHERE id LIKE 'e%'").fetchone()
    return int(count)
