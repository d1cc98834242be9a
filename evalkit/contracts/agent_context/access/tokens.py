"""Finds the session token in a request, and writes the cookie that brings it back (spec B.2)."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from string import ascii_letters, digits
from typing import Final

COOKIE: Final = "portos_auth"
LIFETIME_SECONDS: Final = 30 * 24 * 3600

_PLAIN: Final = frozenset((ascii_letters + digits + "-_.").encode())
_ATTRIBUTES: Final = "Path=/; HttpOnly; SameSite=Strict"


def presented_token(headers: Mapping[str, str]) -> str | None:
    """The one token that is looked at. A cookie hides a Bearer, even where only the Bearer would be right."""
    return _cookie_value(headers.get("cookie", "")) or _bearer(headers.get("authorization", "")) or None


def hash_token(token: str) -> str:
    """What is kept of a token: its SHA-256 in hex."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def is_live(expires_at: float | None, now: float) -> bool:
    """Whether a session, known or not, is good at this time; both in seconds since the epoch."""
    return expires_at is not None and now < expires_at


def session_cookie(token: str) -> str:
    """A Set-Cookie value for the lifetime of a session."""
    return f"{COOKIE}={_escaped(token)}; {_ATTRIBUTES}; Max-Age={LIFETIME_SECONDS}"


def ended_cookie() -> str:
    """A Set-Cookie value that takes the cookie away."""
    return f"{COOKIE}=; {_ATTRIBUTES}; Max-Age=0"


def _cookie_value(header: str) -> str:
    """The first cookie of the name. Empty where there is none, and where its %-escapes are malformed."""
    for cookie in header.split(";"):
        name, _, value = cookie.partition("=")
        if name.strip() == COOKIE:
            return _unescaped(value.strip())
    return ""


def _bearer(header: str) -> str:
    scheme, _, token = header.strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _escaped(token: str) -> str:
    """`encodeURIComponent`, but that it leaves fewer characters as they are."""
    return "".join(
        chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in token.encode("utf-8", "surrogatepass")
    )


def _unescaped(value: str) -> str:
    """`decodeURIComponent`, and the empty text where that throws."""
    first, *escaped = value.encode("utf-8", "surrogatepass").split(b"%")
    if not all(_starts_with_hex(piece) for piece in escaped):
        return ""
    try:
        return b"".join([first, *(bytes([int(one[:2], 16)]) + one[2:] for one in escaped)]).decode("utf-8")
    except UnicodeDecodeError:
        return ""


def _starts_with_hex(piece: bytes) -> bool:
    return len(piece) >= 2 and all(byte in b"0123456789abcdefABCDEF" for byte in piece[:2])
