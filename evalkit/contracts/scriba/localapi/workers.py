"""Threads for reads that block: one that hangs holds up neither the event loop nor the end of the process."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Final, TypeAlias

from .nouns import Json, Work

THREADS: Final = 16

_Job: TypeAlias = tuple[Work, "Future[Json]"]


class Workers:
    """At most so many threads, started when they are needed; the work that they are given never raises."""

    def __init__(self, most: int = THREADS) -> None:
        """Start none yet."""
        self._most = most
        self._threads: list[threading.Thread] = []
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)

    async def run(self, work: Work, seconds: float) -> Json:
        """What the work gives. Raises TimeoutError after so many seconds; work that waits is then dropped."""
        result: Future[Json] = Future()
        if not self._idle.acquire(blocking=False) and len(self._threads) < self._most:
            thread = threading.Thread(target=self._serve, name="scriba-read", daemon=True)
            self._threads.append(thread)
            thread.start()
        self._jobs.put((work, result))
        async with asyncio.timeout(seconds):
            return await asyncio.wrap_future(result)

    def stop(self) -> None:
        """Let every thread end after what it does now; none is waited for."""
        for _ in self._threads:
            self._jobs.put(None)

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            work, result = job
            if result.set_running_or_notify_cancel():
                result.set_result(work())
            del job, work, result  # what was read is not kept until the next read
            self._idle.release()
