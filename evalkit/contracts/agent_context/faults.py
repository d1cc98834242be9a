"""The one place in which whatever stands behind the contract raises becomes a value (spec A.5, C.3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from .vocabulary import Json


def caught(work: Callable[[], Json]) -> Json | Exception:
    """What `work` gives, or what it raises."""
    try:
        return work()
    except Exception as problem:  # noqa: BLE001 - no fault of a store may look different from another
        return problem


async def caught_later(work: Awaitable[Json]) -> Json | Exception:
    """What `work` gives in the end, or what it raises."""
    try:
        return await work
    except Exception as problem:  # noqa: BLE001 - as above
        return problem
