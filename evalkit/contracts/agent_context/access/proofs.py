"""Spares a password that was found right from being hashed again within a minute (spec B.2)."""

from __future__ import annotations

from hashlib import sha256
from hmac import compare_digest
from typing import Final

from .nouns import Configuration, Proof

PROOF_SECONDS: Final = 60


def prove(configuration: Configuration, password: str, now: float) -> Proof:
    """To be kept of a password that was just found right. There is only one, so one proof is all there is."""
    return Proof(configuration, _digest(password), now)


def is_proven(proof: Proof | None, configuration: Configuration, password: str, now: float) -> bool:
    """Whether this very password was found right under this very configuration less than a minute ago."""
    return (
        proof is not None
        and proof.configuration == configuration
        and 0 <= now - proof.at < PROOF_SECONDS
        and compare_digest(proof.digest, _digest(password))
    )


def _digest(password: str) -> bytes:
    return sha256(password.encode("utf-8", "surrogatepass")).digest()
