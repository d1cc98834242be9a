"""Tests for `attending`: who counts as gone (spec 6.6)."""

from __future__ import annotations

import asyncio
from typing import Any

from evalkit.contracts.scriba.localapi.attending import Attendance


async def never() -> Any:
    await asyncio.Event().wait()


def test_a_client_is_here_until_it_hangs_up_and_then_no_pause_is_long() -> None:
    async def story() -> None:
        messages = iter([{"type": "http.request"}, {"type": "http.disconnect"}])

        async def receive() -> Any:
            return next(messages)

        client = Attendance().attend(receive)
        assert client.is_here()
        await client.pause(600.0)
        assert not client.is_here()

    asyncio.run(story())


def test_a_pause_takes_its_time_where_nobody_leaves() -> None:
    async def story() -> None:
        client = Attendance().attend(never)
        before = client.now()
        await client.pause(0.02)
        assert client.is_here()
        assert client.now() - before >= 0.01

    asyncio.run(story())


def test_at_the_end_everybody_is_gone_and_so_is_who_comes_later() -> None:
    async def story() -> None:
        attendance = Attendance()
        here = attendance.attend(never)
        attendance.end()
        late = attendance.attend(never)
        assert not here.is_here()
        assert not late.is_here()
        await here.pause(600.0)
        await late.pause(600.0)

    asyncio.run(story())
