"""What client and server agree on: the media types of an answer, and the protocol's revision (spec B.4)."""

from __future__ import annotations

import re
from typing import Final

REVISIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26")
"""The revisions that are spoken, the newest first."""

_NEEDED: Final = frozenset(("application/json", "text/event-stream"))
_REFUSED: Final = re.compile(r";\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)", re.IGNORECASE)


def accepts(accept: str) -> bool:
    """Whether an Accept header names both types of Streamable HTTP; `*/*` is not enough.

    Stricter than PortOS: a type must be named in full, and one with `q=0` is refused.
    """
    wanted = {
        part.partition(";")[0].strip().lower() for part in accept.split(",") if not _REFUSED.search(part)
    }
    return wanted >= _NEEDED


def is_supported_version(header: str) -> bool:
    """Whether `MCP-Protocol-Version` can be served; a client need not send it."""
    return not header or header in REVISIONS


def negotiate_version(offered: str) -> str:
    """The revision that a session will speak: what the client offers, or else the newest."""
    return offered if offered in REVISIONS else REVISIONS[0]
