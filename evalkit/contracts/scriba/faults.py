"""The one place in which whatever stands behind the contract raises becomes a value (spec 6.4, 10)."""

from __future__ import annotations

from collections.abc import Callable

from .nouns import Json


def caught(work: Callable[[], Json]) -> Json | Exception:
    """What `work` gives, or what it raises."""
    try:
        return work()
    except Exception as problem:  # noqa: BLE001 - no fault of a store may look different from another
        return problem
