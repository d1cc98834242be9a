"""Ten thousand calls from fifty clients while the server is killed: nothing is lost, nothing done twice."""

from __future__ import annotations

import http.client
import random
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evalkit.contracts.agent_context.store.sqlite import SqliteStore
from tests.serving.serving import Client, Server, free_port, settings_file

CLIENTS = 50
CALLS = 200
KEYS = 400
KILLS = 5
PATIENCE = 120.0

READS: tuple[tuple[str, Any], ...] = (
    ("time_now", {}),
    ("brain_recent", {"limit": 3}),
    ("context_profile", {}),
    ("journal_read", {}),
)


class Soak:
    """What the clients were told: for each key every answer, without what says that it is a repetition."""

    def __init__(self, data: str, settings: str) -> None:
        self.port = free_port()
        self.flags = ("--data", data, "--settings", settings)
        self.server = Server(*self.flags, port=self.port)
        self.lock = threading.Lock()
        self.answers: dict[str, list[Any]] = {}
        self.done = 0
        self.faults: list[str] = []
        self.ends = time.monotonic() + PATIENCE

    def client(self, number: int) -> None:
        choose = random.Random(number)
        connection = Client(self.port)
        for index in range(CALLS):
            key = f"k{choose.randrange(KEYS)}" if index % 10 == number % 10 else None
            write = ("brain_capture", {"text": f"note {key}."})
            tool, args = write if key else choose.choice(READS)
            while True:
                if time.monotonic() > self.ends:
                    self.faults.append("out of patience")
                    return
                try:
                    result = connection.call(tool, args, key)
                    break
                except (OSError, http.client.HTTPException):
                    connection.close()
                    connection = Client(self.port)
                    time.sleep(0.01)  # the server is being started again
            with self.lock:
                self.done += 1
                if result.get("isError"):
                    self.faults.append(str(result))
                elif key is not None:
                    self.answers.setdefault(key, []).append(result["structuredContent"])
        connection.close()

    def kill(self) -> None:
        """Kill the server and start it again on the same file, at even distances."""
        for number in range(1, KILLS + 1):
            while self.done < number * CLIENTS * CALLS // (KILLS + 1) and time.monotonic() < self.ends:
                time.sleep(0.005)
            self.server.stop(signal.SIGKILL)
            self.server = Server(*self.flags, port=self.port)


@pytest.mark.slow
def test_every_acknowledged_write_is_there_exactly_once(tmp_path: Path) -> None:
    data = tmp_path / "data.sqlite"
    soak = Soak(str(data), settings_file(tmp_path))
    threads = [threading.Thread(target=soak.client, args=(number,)) for number in range(CLIENTS)]
    try:
        for thread in threads:
            thread.start()
        soak.kill()
        for thread in threads:
            thread.join()
    finally:
        soak.server.stop()

    assert soak.faults == []
    assert soak.done == CLIENTS * CALLS
    store = SqliteStore(data)
    try:
        with store.view() as records:
            rows = [row.body for row in records.rows("brainInbox")]
    finally:
        store.close()
    held = Counter(row["capturedText"] for row in rows)
    assert set(held) == {f"note {key}." for key in soak.answers}
    assert set(held.values()) == {1}
    ids = {row["capturedText"]: row["id"] for row in rows}
    for key, answers in soak.answers.items():
        assert len({answer["result"]["id"] for answer in answers} | {ids[f"note {key}."]}) == 1
        assert sum(not answer["duplicate"] for answer in answers) <= 1
        assert all({**answer, "duplicate": True} == {**answers[0], "duplicate": True} for answer in answers)
