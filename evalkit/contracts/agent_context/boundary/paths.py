"""Gives every path its one spelling, by which the gate and the router both go (spec B.2, B.4)."""

from __future__ import annotations

from typing import Final

_BEFORE_AN_ID: Final = "/api/cos/tools/calls/"


def normalise(path: str) -> str:
    """A path as ASGI gives it, percent-decoded once → its only spelling.

    ASCII case and one final slash do not matter; an identifier keeps its case. Nothing else is repaired:
    with doubled slashes, dot segments, backslashes or a second layer of escapes it is a path without a route.
    """
    plain = path.removesuffix("/") or "/"
    lower = plain.lower() if plain.isascii() else _ascii_lower(plain)
    if not lower.startswith(_BEFORE_AN_ID):
        return lower
    return _BEFORE_AN_ID + plain[len(_BEFORE_AN_ID) :]


def _ascii_lower(text: str) -> str:
    """`str.lower` would make a `k` of the Kelvin sign."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)
