"""Looks after the clients of streams on an event loop: who is gone, and that all are when the server is."""

from __future__ import annotations

import asyncio

from .nouns import Client, Receive


class Attendance:
    """Every client whose stream is open."""

    def __init__(self) -> None:
        """Nobody is here."""
        self._watching: set[asyncio.Task[None]] = set()
        self._over = False

    def attend(self, receive: Receive) -> Client:
        """Begin to look after one more."""
        watch = asyncio.get_running_loop().create_task(_until_gone(receive))
        self._watching.add(watch)
        watch.add_done_callback(self._watching.discard)
        if self._over:
            watch.cancel()
        return _Attended(watch)

    def end(self) -> None:
        """From now on everybody counts as gone."""
        self._over = True
        for watch in self._watching:
            watch.cancel()


class _Attended:
    """A client that is here as long as its watch goes on."""

    def __init__(self, watch: asyncio.Task[None]) -> None:
        self._watch = watch

    def is_here(self) -> bool:
        return not (self._watch.done() or self._watch.cancelling())

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    async def pause(self, seconds: float) -> None:
        await asyncio.wait((self._watch,), timeout=seconds)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
