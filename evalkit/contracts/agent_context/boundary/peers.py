"""Tells who is calling, and whether that is this machine (spec B.3)."""

from __future__ import annotations

import re
from typing import Final

from ..exchange import Head

_BYTE: Final = r"(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])"
_LOOPBACK: Final = re.compile(rf"::1|localhost|(?:::ffff:)?127(?:\.{_BYTE}){{3}}")


def caller(head: Head) -> str:
    """The other end of the connection. What a header says of it (`X-Forwarded-For` …) can be made up."""
    return head.peer


def is_loopback(address: str) -> bool:
    """Whether a socket's address, or a host in a URL, is this machine; a zone after `%` does not matter."""
    bare = address.removeprefix("[").removesuffix("]").partition("%")[0]
    return _LOOPBACK.fullmatch(bare.lower()) is not None
