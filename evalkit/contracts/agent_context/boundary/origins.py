"""Tells whether a web page that sends a request is this machine's own (spec B.3)."""

from __future__ import annotations

from collections.abc import Callable

from .urls import host_of


def is_loopback_origin(origin: str, is_loopback: Callable[[str], bool]) -> bool:
    """Whether the host of an Origin passes the test of addresses, with any scheme and port.

    Stricter than PortOS: a host with `%`, which that test would cut off as a zone, is nobody's; nor is
    anything with a comma, by which several headers are joined, one of them perhaps behind a path.
    """
    host = host_of(origin)
    return host is not None and "%" not in host and "," not in origin and is_loopback(host)
