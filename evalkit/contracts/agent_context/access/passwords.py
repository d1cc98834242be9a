"""Tells whether a password is the right one, by scrypt; a stored hash carries its own cost (spec B.2)."""

from __future__ import annotations

import hashlib
from hmac import compare_digest
from typing import Final, NamedTuple

MAX_PASSWORD_CHARS: Final = 1024

_BYTES: Final = 64
_MAX_MEMORY: Final = 256 * 2**20
_MAX_WORK: Final = 2**22
_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")


class Cost(NamedTuple):
    """The three numbers of scrypt: memory and time, block size, and how often."""

    n: int
    r: int
    p: int


FULL_COST: Final = Cost(n=131_072, r=8, p=1)
"""What a hash without a cost was made with: 128 MiB, and about 0.3 s."""


class _Stored(NamedTuple):
    cost: Cost
    digest: bytes


def hash_password(password: str, salt: str, cost: Cost = FULL_COST) -> str:
    """The hash to store, `scrypt:N:r:p:HEX`. `salt` is text and used as it stands, though it reads as hex.

    Raises ValueError for an empty or too long password, an empty salt, and a cost that no server should bear.
    """
    if not _is_usable(password):
        raise ValueError(f"a password has 1 to {MAX_PASSWORD_CHARS} characters")
    if not salt:
        raise ValueError("the salt is empty")
    if not _is_bearable(cost):
        raise ValueError(f"scrypt does not take the cost {cost.n}:{cost.r}:{cost.p}, or it is too dear")
    return f"scrypt:{cost.n}:{cost.r}:{cost.p}:{_scrypt(password, salt, cost).hex()}"


def is_hash(password_hash: str) -> bool:
    """Whether a stored hash can be read: 128 hex digits, bare or after `scrypt:N:r:p:` at a bearable cost."""
    return _read(password_hash) is not None


def is_password(password: str, password_hash: str, salt: str) -> bool:
    """Whether this password made this hash; any wrong one takes as long as the right one.

    A hash that cannot be read is made by none.
    """
    stored = _read(password_hash)
    if stored is None or not _is_usable(password):
        return False
    return compare_digest(_scrypt(password, salt, stored.cost), stored.digest)


def _is_usable(password: str) -> bool:
    return 0 < len(password) <= MAX_PASSWORD_CHARS


def _is_bearable(cost: Cost) -> bool:
    """What OpenSSL takes, in at most 256 MiB and about four times the full time."""
    n, r, p = cost
    return (
        min(r, p) >= 1
        and n >= 2
        and n & (n - 1) == 0
        and n.bit_length() <= 16 * r
        and n * r * p <= _MAX_WORK
        and _memory(cost) <= _MAX_MEMORY
    )


def _memory(cost: Cost) -> int:
    return 128 * cost.r * (cost.n + cost.p + 2)


def _scrypt(password: str, salt: str, cost: Cost) -> bytes:
    return hashlib.scrypt(
        password.encode("utf-8", "surrogatepass"),
        salt=salt.encode("utf-8", "surrogatepass"),
        n=cost.n,
        r=cost.r,
        p=cost.p,
        maxmem=_memory(cost),
        dklen=_BYTES,
    )


def _read(stored: str) -> _Stored | None:
    *numbers, digits = stored.split(":")
    if len(digits) != 2 * _BYTES or not _HEX_DIGITS.issuperset(digits):
        return None
    cost = _read_cost(numbers) if numbers else FULL_COST
    return _Stored(cost, bytes.fromhex(digits)) if cost and _is_bearable(cost) else None


def _read_cost(words: list[str]) -> Cost | None:
    if len(words) != 4 or words[0] != "scrypt" or not all(map(_is_number, words[1:])):
        return None
    return Cost(*map(int, words[1:]))


def _is_number(word: str) -> bool:
    return len(word) <= 9 and word.isascii() and word.isdigit()
