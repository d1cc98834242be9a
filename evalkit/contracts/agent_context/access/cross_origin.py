"""Tells whether a browser sent a request from another site's page (spec B.2)."""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_lowercase, digits
from typing import Final

_OWN_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
_SCHEME_CHARACTERS: Final = frozenset(ascii_lowercase + digits + "+-.")
_MAX_PORT: Final = 65_535


def is_cross_origin(headers: Mapping[str, str]) -> bool:
    """Whether `Origin` names another place than `Host`; the names of this machine are one place, at any port.

    Without an Origin, with `null`, or without a Host it is the same. An Origin that is not written as
    browsers write it (`scheme://host` or `scheme://host:port`) is another.
    """
    origin = headers.get("origin", "").strip().lower()
    host = headers.get("host", "").strip().lower()
    if origin in ("", "null") or not host:
        return False
    scheme, _, place = origin.partition("://")
    name = _name(place)
    if not (scheme[:1].isalpha() and _SCHEME_CHARACTERS.issuperset(scheme)) or not name:
        return True
    return place != host and not (name in _OWN_NAMES and _name(host) in _OWN_NAMES)


def _name(place: str) -> str:
    """`host` of `host` or `host:port`, an IPv6 address in its brackets; empty where it is neither."""
    end = place.find("]") + 1 if place.startswith("[") else place.find(":")
    if end <= 0:
        return "" if place.startswith(("[", ":")) else place
    colon, port = place[end : end + 1], place[end + 1 :]
    return place[:end] if not colon or (colon == ":" and _is_port(port)) else ""


def _is_port(text: str) -> bool:
    return 0 < len(text) <= 5 and text.isascii() and text.isdigit() and int(text) <= _MAX_PORT
