"""Run cases in worker processes, so that a case that hangs or crashes takes nothing but itself along."""

from __future__ import annotations

import math
import selectors
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from time import monotonic, sleep
from typing import Final, TypeAlias

from evalkit.engine import TimeUp, Work, WorkersLost, messages, process
from evalkit.errors import OutOfTime
from evalkit.model import CaseResult

GRACE: Final = 1.0
"""Seconds past its own deadline after which a case's process is ended."""

STARTING: Final = 60.0
"""Seconds in which a worker has to be up."""

LEAVING: Final = 4.0
"""Seconds in which a worker without further cases has to end what its cases shared, and itself."""

TRIES: Final = 3
"""Workers in a row that may die before they are up."""

TICK: Final = 0.25
"""Seconds between two looks at the deadlines, while nothing comes in."""

NAP: Final = 0.002
"""Seconds in which results gather while all workers have plenty to do: to be woken for each is costly."""

PLENTY: Final = 50
"""Cases that a worker still has to do, below which the parent does not nap."""

Done: TypeAlias = tuple[int, CaseResult]


class Results:
    """The results as they come, in any order between workers; closing ends the workers.

    Raises TimeUp and WorkersLost when it cannot go on; what it yielded before counts.
    """

    def __init__(self, pool: _Pool) -> None:
        """Start nothing: the first worker is started by the first `next`."""
        self._pool = pool
        self._flow = _flow(pool)

    def __iter__(self) -> Generator[Done]:
        """The generator itself, which saves a call a result."""
        return self._flow

    def __next__(self) -> Done:
        """The next result."""
        return next(self._flow)

    def close(self) -> None:
        """End the workers, if it is not over yet."""
        self._flow.close()

    def expire(self) -> None:
        """Be out of time: what has come in is yielded, then TimeUp is raised. For signal handlers."""
        self._pool.until = -math.inf

    @property
    def current(self) -> Mapping[int, tuple[int, float]]:
        """For each worker that is busy: the index that it runs, and since when (`time.monotonic`)."""
        return {
            number: (self._pool.indices[worker.at], worker.since)
            for number, worker in self._pool.crew.items()
            if worker.at < worker.stop
        }


def run_in_workers(
    work: Work, indices: Sequence[int], *, workers: int, until: float | None = None
) -> Results:
    """Run the cases with these indices in so many processes; yield (index, result) for each of them.

    A case without an answer a second past its deadline gets error `timeout`, one that ends its process
    `contract-exited`; a new worker goes on. `until` is when the run as a whole is out of time (`monotonic`).
    A worker is a copy of this process, so start no threads before: a lock that one holds stays locked there.
    """
    return Results(_Pool(work, indices, max(1, workers), math.inf if until is None else until))


class _Worker:
    """A process and what it has to do: positions `at` up to `stop`, the first of them since `since`."""

    def __init__(self, number: int, its: process.Process) -> None:
        self.number = number
        self.process = its
        self.buffer = bytearray()
        self.up = False
        self.at = self.stop = 0
        self.since = monotonic()


class _Pool:
    """The workers, and the spans of positions that none of them has."""

    def __init__(self, work: Work, indices: Sequence[int], workers: int, until: float) -> None:
        self.work, self.indices, self.workers, self.until = work, indices, workers, until
        self.todo = deque([(0, len(indices))] if indices else [])
        self.crew: dict[int, _Worker] = {}
        self.retired: list[_Worker] = []
        self.lost = 0
        self.selector = getattr(selectors, "PollSelector", selectors.SelectSelector)()

    def hire(self, number: int) -> None:
        """Start a worker and give it work, which it finds when it is up."""
        try:
            with process.undisturbed():
                worker = self.crew[number] = _Worker(number, process.start(self.work, self.indices))
        except OSError as error:
            raise WorkersLost(f"no worker process could be started: {error}") from error
        self.selector.register(worker.process.inbox, selectors.EVENT_READ, worker)
        self.hand_out(worker)

    def hand_out(self, worker: _Worker) -> None:
        """Give a worker that is done a span: half of an equal share, so that all end together."""
        left = sum(stop - start for start, stop in self.todo)
        start, stop = self.todo.popleft()
        size = left if self.workers == 1 else math.ceil(left / (2 * self.workers))
        middle = min(stop, start + size)
        if middle < stop:
            self.todo.appendleft((middle, stop))
        try:
            worker.process.outbox.write(messages.span(start, middle))
        except OSError:  # it is gone, as its end of the other pipe will tell
            self.todo.appendleft((start, middle))
            return
        worker.at, worker.stop = start, middle
        worker.since = monotonic()

    def heard(self) -> list[_Worker]:
        """The workers that sent something, or are gone; after a while nobody."""
        if all(worker.stop - worker.at > PLENTY for worker in self.crew.values()):
            sleep(NAP)
        pause = max(0.0, min(TICK, self.until - monotonic()))
        return [key.data for key, _ in self.selector.select(pause)]

    def overdue(self, heard: Sequence[_Worker]) -> list[_Worker]:
        """The workers that run a case for too long, or did not come up."""
        now = monotonic()
        return [
            worker
            for worker in self.crew.values()
            if worker not in heard and now - worker.since > self.allowed(worker)
        ]

    def allowed(self, worker: _Worker) -> float:
        """Seconds within which a worker has to be heard."""
        if not worker.up:
            return STARTING
        return self.work.seconds(self.indices[worker.at]) + GRACE if worker.at < worker.stop else math.inf

    def results_of(self, worker: _Worker) -> Iterator[Done]:
        """What a worker has sent; before it is handed on, the worker gets new work or leave."""
        data = _read(worker)
        if data is None:
            return
        if not data:
            if monotonic() < self.until:  # else what ended the run may have ended the worker too
                yield from self.lose(worker, "contract-exited")
            return
        done = self.take(worker, data)
        if worker.at == worker.stop:
            if self.todo:
                self.hand_out(worker)
            else:
                self.retire(worker)
        yield from done

    def take(self, worker: _Worker, data: bytes) -> list[Done]:
        """The results that are complete with these bytes."""
        worker.since = monotonic()
        worker.buffer += data
        done: list[Done] = []
        for body in messages.frames(worker.buffer):
            if not body:
                worker.up, self.lost = True, 0
            elif worker.at < worker.stop:  # else nobody asked, so a copy of the worker has spoken
                done.append((self.indices[worker.at], messages.result(body)))
                worker.at += 1
        return done

    def lose(self, worker: _Worker, code: str) -> Iterator[Done]:
        """Give the case that a dying worker was running an error, and let another worker go on."""
        at, spent = worker.at, monotonic() - worker.since
        ending = worker.process.wait()
        done: list[Done] = []
        while data := _read(worker):
            done += self.take(worker, data)
        self.bury(worker)
        if not worker.up:
            self.lost += 1
            if self.lost == TRIES:
                raise WorkersLost(f"{TRIES} worker processes in a row did not start: the last one {ending}")
        elif at == worker.at < worker.stop:  # else it had gone on meanwhile, and nobody is to blame
            index = self.indices[at]
            text = f"its process {ending}"
            if code == "timeout":
                text = f"{OutOfTime(self.work.seconds(index))}, nor could it be interrupted: {text}"
            done.append((index, CaseResult(error=(code, text), milliseconds=spent * 1000)))
            worker.at += 1
        if worker.at < worker.stop:
            self.todo.appendleft((worker.at, worker.stop))
        if self.todo:
            self.hire(worker.number)
        yield from done

    def bury(self, worker: _Worker) -> None:
        """Let go of a worker that is gone."""
        with process.undisturbed():
            self.selector.unregister(worker.process.inbox)
            del self.crew[worker.number]
            worker.process.close()

    def retire(self, worker: _Worker) -> None:
        """Let a worker go that has nothing to do; it is waited for when all is over."""
        self.selector.unregister(worker.process.inbox)
        self.retired.append(self.crew.pop(worker.number))
        worker.process.leave()

    def end(self) -> None:
        """Leave no process and no pipe behind."""
        with process.undisturbed():
            for worker in self.crew.values():
                worker.process.kill()
            for worker in (*self.crew.values(), *self.retired):
                worker.process.wait(LEAVING)
                worker.process.close()
            self.selector.close()


def _flow(pool: _Pool) -> Generator[Done]:
    try:
        for number in range(min(pool.workers, len(pool.indices))):
            if pool.todo:
                pool.hire(number)
        while pool.crew:
            if monotonic() >= pool.until:
                raise TimeUp("the run as a whole is out of time")
            heard = pool.heard()
            for worker in pool.overdue(heard):
                worker.process.kill()
                yield from pool.lose(worker, "timeout")
            for worker in heard:
                yield from pool.results_of(worker)
    finally:
        pool.end()


_CHUNK: Final = 1 << 16


def _read(worker: _Worker) -> bytes | None:
    """What there is to read: None if nothing, no bytes if there never will be."""
    try:
        return worker.process.inbox.read(_CHUNK)
    except OSError:  # a socket says so where a pipe just ends
        return b""
