"""The contract over a data file, with the machine's own clock and randomness."""

from __future__ import annotations

import secrets
import time
import uuid
from collections.abc import Callable

from .. import app
from ..semantic.nouns import Surroundings
from ..service import AgentTools, Policy, assemble
from ..store.sessions import SqliteSessions
from ..store.sources import StoreSources
from ..store.sqlite import SqliteStore
from ..vocabulary import Json

_TOKEN_BYTES = 32


def build_app(
    store: SqliteStore, settings: Callable[[], Json], *, run: app.Run, within: app.Within
) -> app.App:
    """The ASGI app of `evalkit serve agent-context`; `settings` is asked once a request."""
    surroundings = Surroundings(store, time.time, lambda: str(uuid.uuid4()))
    tools = AgentTools(Policy(), StoreSources(store), surroundings)
    return assemble(
        tools,
        settings,
        SqliteSessions(store),
        lambda: secrets.token_urlsafe(_TOKEN_BYTES),
        run=run,
        within=within,
    )
