"""Opens the transport that a surface asks for: an app in memory, or an address."""

from __future__ import annotations

from typing import cast

from evalkit.drivers._asgi import Stepped
from evalkit.drivers._exchange import Transport
from evalkit.surfaces import Address, AppSurface


def open_transport(surface: object) -> Transport:
    """Open an AppSurface or an Address."""
    if isinstance(surface, Address):
        from evalkit.drivers._client import Network  # start-up: httpx alone is 100 ms, and in memory idle

        return Network(surface)
    app = cast("AppSurface", surface)
    if not app.awaits:
        return Stepped(app)
    from evalkit.drivers._looped import Looped  # start-up: asyncio is 70 ms, and most apps need no loop

    return Looped(app)
