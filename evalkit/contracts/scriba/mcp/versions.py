"""Which revision of the protocol is spoken (spec 7.6)."""

from __future__ import annotations

from typing import Final

REVISIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Those that are known, the newest first."""


def negotiate(offered: str) -> str:
    """What the client offers, or else the newest."""
    return offered if offered in REVISIONS else REVISIONS[0]
