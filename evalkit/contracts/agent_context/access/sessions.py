"""Keeps sessions in the memory of the process; a restart ends them all."""

from __future__ import annotations

from threading import Lock
from typing import Final

MAX_SESSIONS: Final = 10_000


class MemorySessions:
    """Sessions by the hash of their token. The oldest go where there are too many."""

    def __init__(self) -> None:
        self._expiries: dict[str, float] = {}
        self._turn = Lock()

    def add(self, token_hash: str, expires_at: float) -> None:
        """Keep a session."""
        with self._turn:
            self._expiries[token_hash] = expires_at
            if len(self._expiries) > MAX_SESSIONS:
                del self._expiries[next(iter(self._expiries))]

    def expiry(self, token_hash: str) -> float | None:
        """When a session ends or has ended; None for one that is not known."""
        return self._expiries.get(token_hash)

    def remove(self, token_hash: str) -> None:
        """Forget a session."""
        with self._turn:
            self._expiries.pop(token_hash, None)
