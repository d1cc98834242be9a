"""Opens the socket that is served on: of this machine alone, and never one that is in use (spec B.3)."""

from __future__ import annotations

import ipaddress
import os
import socket
from typing import Final

from .endings import CannotMean, CannotServe

BACKLOG: Final = 1024


def loopback(host: str) -> str:
    """The address that a loopback name or address means, looked up nowhere. Raises CannotMean for others."""
    if host.lower() == "localhost":
        return "127.0.0.1"
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        raise CannotMean(_refusal(host)) from None
    if address == ipaddress.IPv6Address("::1") or (address.version == 4 and address.is_loopback):
        return str(address)
    raise CannotMean(_refusal(host))


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections; port 0 means any that is free. Raises CannotServe where it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        # With the protocol named, asyncio sends small replies at once (TCP_NODELAY): 1 ms a call, not 44.
        opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as problem:
        raise CannotServe(f"no socket for {host} can be opened: {problem.strerror}") from None
    try:
        if os.name != "nt":
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(BACKLOG)
    except OSError as problem:
        opened.close()
        remedy = "stop what listens there, or give another --port (0: any that is free)"
        raise CannotServe(
            f"{address_of(host, port)} cannot be listened on: {problem.strerror}; {remedy}"
        ) from None
    opened.setblocking(False)
    return opened


def address_of(host: str, port: int) -> str:
    """Host and port as a URL writes them."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _refusal(host: str) -> str:
    reason = "is no loopback address, and agent context answers callers on this machine alone"
    return f"--host {host} {reason}; leave it out, or give 127.0.0.1, ::1 or localhost"
