"""Slows down whoever tries passwords: ten wrong ones in a minute, and a peer must wait (spec B.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MAX_FAILURES: Final = 10
WINDOW_SECONDS: Final = 60
MAX_PEERS: Final = 1024


def is_limited(failures: Mapping[str, tuple[float, ...]], peer: str, now: float) -> bool:
    """Whether a peer, known by the address of its connection alone, may try no password now."""
    return len(_recent(failures, peer, now)) >= MAX_FAILURES


def note_failure(failures: dict[str, tuple[float, ...]], peer: str, now: float) -> None:
    """Remember that a peer was wrong just now; where there are too many peers, forget who was so long ago."""
    recent = (*_recent(failures, peer, now), now)[-MAX_FAILURES:]
    failures.pop(peer, None)
    failures[peer] = recent
    if len(failures) > MAX_PEERS:
        del failures[next(iter(failures))]


def _recent(failures: Mapping[str, tuple[float, ...]], peer: str, now: float) -> tuple[float, ...]:
    return tuple(at for at in failures.get(peer, ()) if 0 <= now - at < WINDOW_SECONDS)
