"""The values that pass between the rules of the authentication gate (spec B.2)."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Literal, NamedTuple, Protocol


class Configuration(NamedTuple):
    """What the settings say of the password. `damaged` is ON, and nothing gets in."""

    enabled: bool = False
    password_hash: str = ""
    salt: str = ""
    damaged: bool = False


class Identity(NamedTuple):
    """Who asks, as far as the gate knows: whether a password is set, whether it was shown, and how."""

    enabled: bool = False
    authenticated: bool = False
    method: Literal["session", "basic"] | None = None


class Proof(NamedTuple):
    """A password that was found right: its SHA-256, under which configuration, and when, in seconds."""

    configuration: Configuration
    digest: bytes
    at: float


class Sessions(Protocol):
    """Where sessions are kept, by the SHA-256 of their tokens in hex; times are seconds since the epoch.

    They are found by this hash, so how long the search takes tells nothing of a token.
    """

    def add(self, token_hash: str, expires_at: float) -> None:
        """Keep a session."""
        ...

    def expiry(self, token_hash: str) -> float | None:
        """When a session ends or has ended; None for one that is not known."""
        ...

    def remove(self, token_hash: str) -> None:
        """Forget a session; one that is not known is no error."""
        ...


class AccessState:
    """What the gate remembers between requests, one of it for a server.

    `new_token` gives a fresh token each time; of a real server's, nobody can guess any.
    `failures` holds for each peer when its latest passwords were wrong, in seconds, oldest peer first.
    `turn` is held while a password is tried: one at a time, so that the throttle counts exactly and the
    memory that a hash takes is taken once.
    """

    def __init__(self, sessions: Sessions, new_token: Callable[[], str]) -> None:
        self.sessions = sessions
        self.new_token = new_token
        self.failures: dict[str, tuple[float, ...]] = {}
        self.proof: Proof | None = None
        self.turn = Lock()
