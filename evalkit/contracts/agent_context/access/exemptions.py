"""Tells which paths need no credential (spec B.2)."""

from __future__ import annotations

from typing import Final

PUBLIC: Final = frozenset(
    {
        "/api/auth/status",
        "/api/auth/whoami",
        "/api/auth/login",
        "/api/auth/logout",
        "/api/system/health",
    }
)
GUARDED: Final = ("/api/", "/data/", "/sdapi/")


def is_exempt(path: str) -> bool:
    """Whether a path, normalised as the router's are, is public or outside of all that is guarded.

    This server has no registry of prefixes that its user has exposed, so there are no more than these.
    """
    return path in PUBLIC or not f"{path}/".startswith(GUARDED)
