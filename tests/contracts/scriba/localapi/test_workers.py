"""Tests for `workers`: reads that block are bounded in time and in number (spec 6.3)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from evalkit.contracts.scriba.localapi.workers import Workers


@pytest.fixture
def go() -> Iterator[threading.Event]:
    """What hanging work waits for; it is let go in the end."""
    event = threading.Event()
    yield event
    event.set()


def test_work_is_done_in_another_thread_which_is_used_again() -> None:
    async def story() -> set[int]:
        return {await workers.run(threading.get_ident, 30.0) for _ in range(20)}

    workers = Workers()
    threads = asyncio.run(story())
    workers.stop()
    assert len(threads) <= 2, "the second may be asked for before the first says that it is idle"
    assert threading.get_ident() not in threads


def test_work_that_hangs_is_given_up(go: threading.Event) -> None:
    workers = Workers()
    with pytest.raises(TimeoutError):
        asyncio.run(workers.run(go.wait, 0.01))
    workers.stop()


def test_no_more_threads_are_started_than_allowed_and_what_waited_too_long_is_never_done(
    go: threading.Event,
) -> None:
    done: list[int] = []

    async def story() -> list[object]:
        hanging = [workers.run(go.wait, 0.05) for _ in range(2)]
        waiting = [workers.run(lambda: done.append(1), 0.05) for _ in range(5)]
        return await asyncio.gather(*hanging, *waiting, return_exceptions=True)

    workers = Workers(most=2)
    before = threading.active_count()
    results = asyncio.run(story())
    assert [type(result) for result in results] == [TimeoutError] * 7
    assert threading.active_count() <= before + 2
    go.set()
    assert asyncio.run(workers.run(lambda: "served again", 30.0)) == "served again"
    workers.stop()
    assert done == []
