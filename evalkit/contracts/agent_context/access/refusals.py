"""What the gate answers where it lets nobody through (spec B.1, B.2); none of it says what was presented."""

from __future__ import annotations

from ..exchange import Reply, error_reply


def cross_origin(now: float) -> Reply:
    """A page of another site asked."""
    return error_reply(403, "CROSS_ORIGIN_BLOCKED", "Cross-origin request rejected", now)


def unauthenticated(path: str, now: float) -> Reply:
    """No credential, or none that is right. What loads `/data/` is no API client: it gets plain text."""
    text = "Authentication required"
    if f"{path}/".startswith("/data/"):
        return Reply(401, (("content-type", "text/plain; charset=utf-8"),), text.encode())
    return error_reply(401, "AUTH_REQUIRED", text, now)


def rate_limited(now: float) -> Reply:
    """Too many wrong passwords from this peer, whatever it brings now."""
    text = "Too many wrong passwords; wait a minute before the next"
    return error_reply(429, "AUTH_RATE_LIMITED", text, now)
