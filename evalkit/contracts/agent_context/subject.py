"""Opens the agent-context contract over fakes of all that stands behind it, for one case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from evalkit.model import Json, Subject, World
from evalkit.surfaces import AppSurface, McpSurface

from .access.sessions import MemorySessions
from .app import App
from .fakes import FixtureSources, snapshot
from .semantic.nouns import Surroundings
from .service import AgentTools, Policy, assemble
from .store import COLLECTIONS
from .store.memory import FixtureStore, adapters_with_results
from .vocabulary import SCOPES

_MCP: Final = "/api/agent-context/mcp"
_MANIFEST: Final = "/api/agent-context/manifest"
_POLICY: Final = Policy()


def open_subject(world: World, policy: Policy = _POLICY) -> Subject:
    """The contract as it ships, or with some of its rules replaced."""
    world.log.declare(*SCOPES, *COLLECTIONS)
    store = FixtureStore(lambda: world.fixture, world.log.read, world.log.wrote)
    staged = adapters_with_results(policy.semantic.adapters, lambda: world.fixture)
    tools = AgentTools(
        policy.changed("semantic", adapters=staged),
        FixtureSources(lambda: world.fixture, world.log.read),
        Surroundings(store, world.now, world.next_id),
    )
    app = _Lazy(tools, world)
    surface = AppSurface(app, awaits=False)
    return Subject(
        surfaces={
            "direct": _Direct(tools, world),
            "http": surface,
            "mcp": McpSurface(surface, _MCP, _MANIFEST, era="handshake"),
        },
        snapshot=lambda: {**snapshot(world.fixture), **store.snapshot()},
    )


class _Direct(NamedTuple):
    """Plain calls. Settings are read anew for each, so that one call sees one configuration."""

    tools: AgentTools
    world: World

    def manifest(self) -> Json:
        """The contract's own manifest."""
        return self.tools.manifest(self.world.settings)

    def call_tool(
        self, name: str, args: Json, *, headers: Mapping[str, str] | None = None, meta: Json = None
    ) -> Json:
        """A tool result. Of the headers only the Idempotency-Key means something, `meta` nothing."""
        key = next(
            (text for name, text in (headers or {}).items() if name.lower() == "idempotency-key"), None
        )
        return self.tools.call_tool(self.world.settings, name, args, key)


class _Lazy:
    """The app, built when the first request comes: most cases ask over no wire."""

    def __init__(self, tools: AgentTools, world: World) -> None:
        self._tools, self._world = tools, world
        self._app: App | None = None

    async def __call__(self, scope: Json, receive: Json, send: Json) -> None:
        """ASGI 3."""
        if self._app is None:
            world = self._world
            self._app = assemble(self._tools, lambda: world.settings, MemorySessions(), world.next_id)
        await self._app(scope, receive, send)
